"""Quotients are the floats nearest to them, also where the divisor is a number or is repeated."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import ops

NUMBERS = np.random.default_rng(0).normal(size=(20, 60))


@pytest.mark.of_cpus("other devices multiply by reciprocals")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (1, 60), (20, 1), (20, 60)])
def test_quotients(dtype, shape, mode):
    x, n = NUMBERS.astype(dtype), np.random.default_rng(1).normal(size=shape).astype(dtype)
    with np.errstate(over="ignore"):
        expected = x / n
    divide = ms.jit(lambda x, n: x / n) if mode == ms.GRAPH_MODE else lambda x, n: x / n
    np.testing.assert_array_equal(divide(ms.Tensor(x), ms.Tensor(n)).asnumpy(), expected)


@pytest.mark.of_cpus("other devices multiply by reciprocals")
def test_multiples_of_a_number(mode):
    numbers = np.arange(1, 500, dtype=np.float32)
    for n in (41.0, 47.0, 61.0):
        x = ms.Tensor(numbers * np.float32(n))
        for found in (ops.floor(x / n), x // n, (x / n).astype(ms.int32)):
            np.testing.assert_array_equal(found.asnumpy(), numbers)


def test_gradients_and_what_is_captured():
    x = jnp.asarray(NUMBERS, jnp.float32)
    gradient = jax.jit(jax.grad(lambda x, n: (x / n).sum(), (0, 1)))
    found = gradient(x, jnp.float32(3.7))
    np.testing.assert_allclose(found[0], np.full(x.shape, 1 / 3.7), rtol=1e-6)
    np.testing.assert_allclose(found[1], -NUMBERS.sum() / 3.7**2, rtol=1e-5)
    assert "barrier" not in str(jax.make_jaxpr(lambda x: x / 3.7)(x))


@pytest.mark.of_cpus("other devices multiply by reciprocals")
def test_both_operands_are_computed_in_one_loop():
    compute = jax.jit(lambda x, n: jnp.floor(x / jnp.sin(n)) + 1)
    text = compute.lower(jnp.ones((8, 64), jnp.float32), jnp.float32(2)).compile().as_text()
    entry = text[text.index("ENTRY") :]
    assert entry.count("fusion(") <= 2 and "f32[8,64]{1,0} broadcast" not in entry


def test_integers_and_sizes_that_are_not_known():
    np.testing.assert_array_equal(jax.jit(jax.lax.div)(jnp.arange(6), jnp.full(6, 4)), [0, 0, 0, 0, 1, 1])
    exported = jax.export.export(jax.jit(lambda x: x / 3.7))(
        jax.ShapeDtypeStruct(jax.export.symbolic_shape("n"), jnp.float32)
    )
    np.testing.assert_allclose(exported.call(jnp.ones(3, jnp.float32)), np.full(3, 1 / 3.7), rtol=1e-6)
