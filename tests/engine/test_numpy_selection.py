"""NumPy chooses and orders elements as XLA does."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.engine.numpy_programs import Program

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")

X = np.array([[-3.5, -1.0, -0.0, 0.0], [0.5, 1.5, np.inf, np.nan], [2.5, -2.5, -np.inf, 1e-3]], np.float32)
N = np.array([[3, -1, 2, 7], [0, 5, -8, 5]], np.int32)
PLACES = np.array([2, 0, -1, 9], np.int32)
CHOICES = {
    "largest": (lambda x, n: [*lax.top_k(x, 2), *lax.top_k(n, 3), *lax.top_k(x[:, :2] * 0, 2)], X, N),
    "places": (lambda x: [jnp.argmax(x, 0), jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.argmin(x)], X),
    "choice": (lambda x, y, b: [jnp.where(b, x, y), jnp.where(x > 0, x, 0), jnp.nan_to_num(x)], X, X[::-1], X[0] > -2),
    "one of two": (lambda x: [jnp.where(x > 0, x, -1), lax.select_n(x > 0, x, x * 2)], X),
    "elements": (
        lambda x, i: [jnp.take(x, i, 0, mode="clip"), jnp.take(x, i, 1, mode="fill"), x[i[:2], i[1:3]]],
        X,
        PLACES,
    ),
    "order": (lambda n: [jnp.sort(n, 0), jnp.sort(n, 1), jnp.argsort(n, 1)], N),
}


@pytest.mark.parametrize("name", CHOICES)
def test_results_are_those_of_xla(name):
    fn, *arrays = CHOICES[name]
    with jax.numpy_dtype_promotion("standard"):
        traced, wanted = jax.make_jaxpr(fn)(*arrays), jax.tree.leaves(jax.jit(fn)(*arrays))
    for got, want in zip(Program(traced)(arrays), wanted, strict=True):
        np.testing.assert_array_equal(got, want, strict=True)
