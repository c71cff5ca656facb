"""Operations that sporax adds to JAX have the values, derivatives and `vmap` of their functions."""

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.lowering.operation import Operation, are_transposes, has_derivative


def _both(x: Array, y: Array, *, power: int) -> tuple[Array, Array]:
    return x**power * y, y + 1


def _along(matrix: Array, x: Array) -> tuple[Array]:
    return (matrix @ x,)


def _against(matrix: Array, x: Array) -> tuple[Array]:
    return (matrix.T @ x,)


both = Operation("test_both", _both)
along, against = Operation("test_along", _along), Operation("test_against", _against)
are_transposes(along, against, 1)
ruled = Operation("test_ruled", _both)
has_derivative(ruled, lambda primals, outs, tangents, power: [10 * tangents[0] + outs[1] * tangents[1]])

X, Y = jnp.array([1.0, 2.0, 3.0]), jnp.array([0.5, -1.0, 4.0])
MATRIX = jnp.array([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0]])


def test_values_alone_and_in_a_graph() -> None:
    for outs in (both(X, Y, power=2), jax.jit(lambda x, y: both(x, y, power=2))(X, Y)):
        np.testing.assert_array_equal(outs[0], X**2 * Y)
        np.testing.assert_array_equal(outs[1], Y + 1)
    assert "test_both" in str(jax.make_jaxpr(lambda x, y: both(x, y, power=2))(X, Y))


def test_derivatives_are_those_of_the_function() -> None:
    np.testing.assert_allclose(jax.grad(lambda x: both(x, Y, power=3)[0].sum())(X), 3 * X**2 * Y, rtol=1e-6)
    (out, _), (tangent, zero) = jax.jvp(lambda x: both(x, Y, power=2), (X,), (Y,))
    np.testing.assert_allclose(tangent, 2 * X * Y * Y, rtol=1e-6)
    assert not zero.any() and out.shape == (3,)
    second = jax.grad(lambda x: jax.grad(lambda x: both(x, Y, power=3)[0].sum())(x).sum())(X)
    np.testing.assert_allclose(second, 6 * X * Y, rtol=1e-6)


def test_vmap_is_that_of_the_function() -> None:
    rows = jnp.stack([X, -X])
    outs = jax.vmap(lambda x: both(x, Y, power=2))(rows)
    np.testing.assert_array_equal(outs[0], rows**2 * Y)
    assert outs[1].shape == (2, 3)


def test_the_gradient_of_a_linear_operation_is_its_transpose() -> None:
    def loss(x: Array) -> Array:
        return (along(MATRIX, x)[0] * jnp.array([1.0, 10.0])).sum()

    np.testing.assert_allclose(jax.grad(loss)(X), MATRIX.T @ jnp.array([1.0, 10.0]))
    assert "test_against" in str(jax.make_jaxpr(jax.grad(loss))(X))
    again = jax.grad(lambda g: (jax.vjp(lambda x: along(MATRIX, x)[0], X)[1](g)[0] ** 2).sum())(jnp.ones(2))
    np.testing.assert_allclose(again, 2 * MATRIX @ (MATRIX.T @ jnp.ones(2)))
    # by the matrix, which is a constant of the linear operation, the derivative is that of the function
    of_matrix = jax.grad(lambda m: along(m, X)[0].sum())(MATRIX)
    np.testing.assert_allclose(of_matrix, jnp.stack([X, X]))


def test_a_derivative_by_a_rule() -> None:
    """It is of the first results, from operands and results; the other results have none."""
    (out, _), (first, second) = jax.jvp(lambda x, y: ruled(x, y, power=2), (X, Y), (X, Y))
    np.testing.assert_allclose(first, 10 * X + (Y + 1) * Y)
    assert out.shape == (3,) and not np.any(second)
    gradients = jax.grad(lambda x, y: sum(out.sum() for out in ruled(x, y, power=2)), (0, 1))(X, Y)
    np.testing.assert_allclose(gradients, [10 * jnp.ones(3), Y + 1])
