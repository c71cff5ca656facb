"""A formula over arrays becomes a method over Tensors."""

import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.base.typing import Array
from sporax._src.nn.probability.rules import bind, operator


def test_arguments_are_put_in_order() -> None:
    names = ("mean", "sd")
    assert bind("f", names, (), {}) == [None, None]
    assert bind("f", names, (1,), {"sd": 2}) == [1, 2] and bind("f", names, (), {"sd": 2}) == [None, 2]
    with pytest.raises(TypeError, match=r"^f: expected at most 2 arguments \(mean, sd\), got 3\.$"):
        bind("f", names, (1, 2, 3), {})
    with pytest.raises(TypeError, match=r"^f: argument 'rate' is unknown; the arguments are \(mean, sd\)\.$"):
        bind("f", names, (), {"rate": 1})
    with pytest.raises(TypeError, match=r"^f: argument 'mean' is given twice"):
        bind("f", names, (1,), {"mean": 1})


def test_operands_share_a_dtype_and_parameters_a_shape() -> None:
    shapes = []

    def formula(value: Array, mean: Array, sd: Array) -> Array:
        shapes.append((value.shape, mean.shape, sd.shape))
        return (value - mean) / sd

    formula.__annotations__ = dict.fromkeys(("value", "mean", "sd", "return"), "Array")
    out = operator(formula, 1)(value=Tensor([3.0]), mean=Tensor(1.0, ms.float32), sd=Tensor([2.0, 4.0]))
    assert out.asnumpy().tolist() == [1.0, 0.5] and out.dtype == ms.float32
    assert set(shapes) == {((1,), (2,), (2,))}
