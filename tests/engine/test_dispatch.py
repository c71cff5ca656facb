"""How the rows of the table run: errors of operands, and what is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, mint, nn, ops
from sporax._src.core import tree
from sporax._src.engine.table import TABLE


@pytest.mark.parametrize("run", [lambda f: f, ms.jit, lambda f: ms.grad(lambda x, y: f(x, y).sum())])
@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "div", "pow", "atan2", "maximum", "fmod", "xlogy", "hypot", "zeta"]
)
def test_shapes_that_do_not_broadcast_are_an_error_of_values(run, name):
    with pytest.raises(ValueError, match=r"\(float32\[2, 3\], float32\[4, 3\]\): .*shapes"):
        run(getattr(ops, name))(ops.ones((2, 3)), ops.ones((4, 3)))


@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("less", ("float32",) * 2),
        ("logical_or", ("bool",) * 2),
        ("bitwise_xor", ("int32",) * 2),
        ("lerp", ("float32",) * 3),
    ],
)
def test_shapes_of_other_dtypes_that_do_not_broadcast_are_an_error_of_values(name, operands):
    tensors = [ops.ones((2 * (i + 1), 3), getattr(ms, dtype)) for i, dtype in enumerate(operands)]
    with pytest.raises(ValueError, match=f"ops.{name}.*shapes"):
        getattr(ops, name)(*tensors)


X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize("wrong", [(3.0, 2), (3, 2.0), [3.0, 2]])
def test_a_wrong_shape_does_not_spoil_the_right_one(wrong: Any) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="shape must be an int or a tuple of ints"):
            X.reshape(wrong)
        assert X.reshape((3, 2)).shape == X.reshape(Tensor([3, 2])).shape == (3, 2)


@pytest.mark.parametrize("wrong", [(1, True), (1.0, 1)])
def test_a_wrong_element_does_not_spoil_the_right_one(wrong: Any) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="dims must be an int or a tuple of ints"):
            ops.tile(X, wrong)
        with pytest.raises(TypeError, match="dims must be an int or a tuple of ints"):
            ops.Tile()(X, wrong)
        assert ops.tile(X, (1, 1)).shape == ops.Tile()(X, (1, 1)).shape == (2, 3)


@pytest.mark.parametrize(
    "compute",
    [
        lambda zero: ops.threshold(X, 9.0, zero),
        lambda zero: X.clamp(max=zero)[1],
        lambda zero: mint.nan_to_num(X * np.nan, zero),
        lambda zero: mint.nn.functional.pad(X, (1, 0), "constant", zero)[:, 0],
    ],
)
def test_the_sign_of_zero_is_kept(compute: Any) -> None:
    for zero in (0.0, -0.0, 0.0):
        assert np.all(np.signbit(compute(zero).asnumpy()) == np.signbit(zero))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_graphs_keep_the_sign_of_zero(mode: Any) -> None:
    class Net(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x * self.factor

    @ms.jit
    def first(x: Any, factors: Any) -> Any:
        return x * factors[0]

    ms.set_context(mode=mode)
    net = Net()
    for zero in (0.0, -0.0, 0.0):
        net.factor = zero
        for out in (net(X + 1), first(X + 1, (zero, 1))):
            assert np.all(np.signbit(out.asnumpy()) == np.signbit(zero))


def test_nan_is_compiled_once() -> None:
    kernels = TABLE["nan_to_num"].kernels
    before = len(kernels)
    for _ in range(3):
        ops.nan_to_num(X, float("nan"))
    assert len(kernels) == before + 1
    one, other = tree.Static(float("nan")), tree.Static(float("nan"))
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("axis", [{}, {1}, [{}], {0: 1}])
@pytest.mark.parametrize("compute", [ops.sum, ops.softmax, mint.cumsum, ops.tile])
def test_what_has_no_hash_is_refused_by_name(compute: Any, axis: Any) -> None:
    with pytest.raises(TypeError, match=rf"{compute.__name__}\(float32\[2, 3\], .* must be an int"):
        compute(X, axis)
