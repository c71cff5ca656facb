"""Lowerings of sporax's own, and how to be without them."""

import subprocess
import sys

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


@pytest.mark.of_cpus("only CPUs have lowerings of their own")
def test_jax_programs_get_jaxs_lowerings_if_they_ask() -> None:
    """Within `lowering.off()` a function is compiled as JAX alone compiles it, also one that was compiled outside."""

    @jax.jit
    def largest(x):
        return jnp.argmax(x, 1)

    x = jnp.arange(4 * 128.0).reshape(4, 128)
    ours = largest.lower(x).as_text()
    with lowering.off():
        jaxs = largest.lower(x).as_text()
        assert largest(x).tolist() == [127] * 4
    assert largest.lower(x).as_text() == ours
    assert "stablehlo.compare" in jaxs and ours.count("stablehlo.reduce(") > jaxs.count("stablehlo.reduce(")
    alone = (
        "import jax, jax.numpy as jnp; jax.config.update('jax_enable_x64', True); "
        "print(jax.jit(lambda x: jnp.argmax(x, 1)).lower(jnp.zeros((4, 128))).as_text())"
    )
    run = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, check=True)
    count = lambda text: {op: text.count(op) for op in ("stablehlo.reduce(", "stablehlo.compare", "stablehlo.iota")}
    assert count(jaxs) == count(run.stdout)
