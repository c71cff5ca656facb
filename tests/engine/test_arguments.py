"""Arguments of operators: numbers and Tensors in the places of each other."""

import numpy as np
import pytest
from small_tensors import f

import sporax as ms
from sporax import Tensor, mint, ops


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
@pytest.mark.parametrize("large", [2**63, -(2**63) - 1])
def test_a_number_of_more_than_64_bits_is_an_error(run, large):
    flags = ms.Tensor([True, False])
    text = rf"ops.where\({large}, 1j, bool\[2\]\): {large} does not fit into an int64; give a float, or a Tensor"
    with pytest.raises(OverflowError, match=text):
        run(lambda x: mint.where(large, 1j, x))(flags)
    with pytest.raises(TypeError, match="condition must be a Tensor of booleans, got Int64"):
        run(lambda x: mint.where(5, 1j, x))(flags)
    with pytest.raises(OverflowError, match="does not fit into an int64"):
        ms.Tensor([1.0]) + large
    assert (ms.Tensor([1.0]) + float(large)).item() == pytest.approx(large)


def test_integers_beyond_64_bits(mode) -> None:
    """They are refused with the name of the operator, whichever operand they are."""
    t, i = Tensor([1.0]), Tensor([1])
    for call, name in (
        (lambda: mint.where(2**63, 1j, t), "where"),
        (lambda: t + 2**63, "add"),
        (lambda: 2**64 - t, "sub"),
        (lambda: i == -(2**63) - 1, "equal"),
        (lambda: ops.clamp(i, 0, 2**64), "clamp"),
        (lambda: ops.mul(t, (2**64,)), "mul"),
        (lambda: i + np.uint64(2**63), "add"),
    ):
        with pytest.raises(OverflowError, match=rf"^ops\.{name}\(.*: .*\d{{19}}\d? does not fit into an int64"):
            (ms.jit(call, fullgraph=True) if mode == ms.GRAPH_MODE else call)()
    assert (i + (2**63 - 2)).tolist() == [2**63 - 1] and (i + -(2**63)).tolist() == [1 - 2**63]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: f().min(axis=0, initial=f()), "initial must be a number or None, got float32"),
        (lambda: f().select(1, f()), r"Tensor.select: index must be an int, got float32\[2, 3\]"),
        (lambda: f().select(0, 1.5), "Tensor.select: index must be an int, got 1.5"),
        (
            lambda: f().select(f() > 1, 1),
            "if the argument 'y' is int, then the tensor type should be int32 but got Float32",
        ),
        (
            lambda: Tensor([1]).select(Tensor([True]), 1.0),
            "For 'Tensor.select', if the argument 'y' is float, then the tensor type should be float32 but got Int64",
        ),
    ],
)
def test_numbers_and_tensors_in_the_place_of_each_other(call, text):
    with pytest.raises(TypeError, match=text):
        call()
