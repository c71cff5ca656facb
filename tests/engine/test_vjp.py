"""Derivatives of functions of arrays: integers have a float behind them, complex gradients are conjugated."""

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.engine import vjp


def test_kinds_of_arrays() -> None:
    kinds = {k: jnp.zeros(2, k) for k in ("float32", "complex64", "int32", "bool")}
    assert [vjp.is_inexact(kinds[k]) for k in kinds] == [True, True, False, False]
    assert [vjp.has_gradient(kinds[k]) for k in kinds] == [True, True, True, False]


def test_complex_gradients_are_conjugated() -> None:
    assert vjp.mirror(jnp.asarray(1 + 2j)).item() == 1 - 2j
    real = jnp.ones(2)
    assert vjp.mirror(real) is real


def test_integers_start_as_floats_and_end_whole() -> None:
    assert vjp.start(jnp.asarray([1], jnp.int32)).dtype == np.float64
    assert vjp.start(jnp.asarray([1], jnp.int8)).dtype == np.float32
    assert vjp.whole(jnp.asarray([1.9, -1.9]), np.dtype(np.int16)).tolist() == [1, -1]
    shadow = vjp.Shadow(jnp.asarray([3]), jnp.asarray([3.0]))
    assert shadow.gradient()(jnp.asarray([2.7])).tolist() == [2]
    shadow.floats = True
    assert shadow.gradient()(jnp.asarray([2.5])).tolist() == [2.5]


def test_a_value_may_have_the_derivative_of_another() -> None:
    value, slope = jax.value_and_grad(lambda x: vjp.instead(jnp.floor(x), x * 3))(1.5)
    assert (float(value), float(slope)) == (1.0, 3.0)
