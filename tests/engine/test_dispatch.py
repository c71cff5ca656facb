"""How the rows of the table run: errors of operands, and what is compiled."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import sporax as ms
from sporax import Tensor, mint, nn, ops
from sporax._src.core import tree
from sporax._src.engine.dispatch import Kernel, Traits
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


def test_a_backward_keeps_operands_and_results_without_copies() -> None:
    x, w = jnp.ones((2, 3)), jnp.full((3, 4), 2.0)
    product = Kernel(jnp.matmul, "product")
    out, pullback = product.record((0, 1), (x, w))
    assert {id(r) for r in pullback.residuals} == {id(x), id(w)}
    of_x, of_w = product.pull(pullback, [out])
    np.testing.assert_array_equal(of_x, out @ w.T)
    np.testing.assert_array_equal(of_w, x.T @ out)
    largest = Kernel(jnp.max, "largest")
    out, pullback = largest.record((0,), (jnp.arange(3.0),))
    assert any(r is out for r in pullback.residuals)
    assert largest.pull(pullback, [jnp.ones(())])[0].tolist() == [0, 0, 1]


def test_a_backward_keeps_what_a_numpy_operand_was() -> None:
    kernel, x = Kernel(jnp.multiply, "product"), np.array([1.0, 2.0], np.float32)
    out, pullback = kernel.record((0,), (jnp.ones(2, np.float32), x))
    x[:] = 5
    assert kernel.pull(pullback, [jnp.ones_like(out)])[0].tolist() == [1, 2]


@pytest.mark.parametrize("iterates", [False, True])
def test_the_backward_of_a_loop_computes_no_activation_again(iterates: bool) -> None:
    def loop(x: Any, w: Any) -> Any:
        def body(h: Any, gate: Any) -> Any:
            new = jnp.tanh(gate + h @ w)
            return new, new

        return lax.scan(body, jnp.zeros((2, 3)), x)[1]

    kernel = Kernel(loop, "loop", traits=Traits(iterates=iterates))
    x, w = jnp.linspace(-1, 1, 24).reshape(4, 2, 3), jnp.full((3, 3), 0.5)
    out, pullback = kernel.record((0, 1), (x, w))
    graph = jax.make_jaxpr(pullback.backward.fn)(pullback.residuals, [out])
    assert ("tanh" in str(graph)) is not iterates
    for got, want in zip(kernel.pull(pullback, [out]), jax.vjp(loop, x, w)[1](out), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
