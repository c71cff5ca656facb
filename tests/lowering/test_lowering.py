"""Lowerings of sporax's own, and how to be without them."""

import jax
import jax.numpy as jnp
import pytest

from sporax import lowering


@pytest.mark.of_cpus("only CPUs have lowerings of their own")
def test_functions_are_compiled_by_jaxs_own_within_the_block() -> None:
    largest = jax.jit(lambda x: jnp.argmax(x, axis=1))
    x = jax.random.normal(jax.random.key(0), (3, 200))
    ours = largest.lower(x).as_text()
    with lowering.off():
        theirs = largest.lower(x).as_text()
        inside = largest(x)
    assert ours != theirs and largest.lower(x).as_text() == ours
    assert inside.tolist() == largest(x).tolist()
