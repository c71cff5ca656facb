"""Floating-point operations of graphs."""

import jax
import jax.numpy as jnp
import pytest

from sporax._src.transform.graph import flops

A, B = jnp.ones((2, 3)), jnp.ones((3, 5))


@pytest.mark.parametrize(
    ("fn", "total"),
    [
        (lambda: A @ B, 2 * 2 * 5 * 3),
        (lambda: A + A, 6),
        (lambda: A.sum(), 6),
        (lambda: A.T, 0),
        (lambda: jax.lax.scan(lambda c, x: (c * 2, c), A, None, length=4), 4 * 6),
        (lambda: jax.lax.cond(A[0, 0] > 0, lambda: A * 2, lambda: A @ B @ B.T), 2 * 2 * 5 * 3 * 2),
    ],
)
def test_counts(fn, total: int) -> None:
    assert flops.count(jax.make_jaxpr(fn)()).total() == total


def test_products_alone() -> None:
    assert flops.products(jax.make_jaxpr(lambda: A @ B + 1)()) == 60
    kernel, image = jnp.ones((4, 3, 2, 2)), jnp.ones((1, 3, 5, 5))
    convolution = jax.make_jaxpr(lambda: jax.lax.conv(image, kernel, (1, 1), "VALID"))()
    assert flops.products(convolution) == 2 * 4 * 16 * 3 * 4
