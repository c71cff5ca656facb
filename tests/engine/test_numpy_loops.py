"""NumPy runs loops and branches as XLA does."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.engine.numpy_programs import NotInNumPy, Program

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")

X = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
LOOPS = {
    "counted": lambda x: lax.fori_loop(0, 3, lambda _, v: v * 2, x),
    "scan": lambda x: lax.scan(lambda s, row: (s + row, (s * row, s > row)), x[0], x),
    "scan from the end": lambda x: lax.scan(lambda s, row: (row - s, (s, row)), x[0], x, reverse=True),
    "scan with a constant": lambda x: lax.scan(lambda s, row: (s - row * x[1], s), x[0], x[:2]),
    "scan of none": lambda x: lax.scan(lambda s, row: (s + row, s), x[0], x[:0]),
    "while": lambda x: lax.while_loop(lambda s: (s < 9).all(), lambda s: s * s + 1, x),
    "while with constants": lambda x: lax.while_loop(
        lambda s: s[0] < x.shape[0], lambda s: (s[0] + 1, s[1] - x), (0, x)
    ),
    "gradient": lambda x: jax.vjp(lambda y: lax.scan(lambda s, row: (s * row, s), y[0], y)[1], x)[1](x),
    "two branches": lambda x: [lax.cond(x[0, 0] > v, lambda v: v * 2, lambda v: v - 1, x) for v in (-99, 99)],
    "many branches": lambda x: [
        lax.switch(jnp.int32(x[0, 0]) + i, [lambda v: v, lambda v: -v, lambda v: v + v], x) for i in (-1, 1, 5)
    ],
    "a loop in a loop": lambda x: lax.scan(lambda s, r: (lax.fori_loop(0, 2, lambda _, v: v + r, s), s), x[0], x),
}


@pytest.mark.parametrize("name", LOOPS)
def test_results_are_those_of_xla(name):
    with jax.numpy_dtype_promotion("standard"):
        traced = jax.make_jaxpr(LOOPS[name])(X)
        wanted = jax.tree.leaves(LOOPS[name](X))
    for got, want in zip(Program(traced)([X]), wanted, strict=True):
        np.testing.assert_array_equal(got, want, strict=True)


def test_a_body_that_numpy_cannot_compute_is_left_to_xla():
    traced = jax.make_jaxpr(lambda x: lax.fori_loop(0, 3, lambda _, v: v.astype(jnp.bfloat16).astype(v.dtype), x))(X)
    with pytest.raises(NotInNumPy):
        Program(traced)
