"""Random bits on the CPU: those that JAX draws by itself, without a loop."""

import os
import subprocess
import sys

import jax
import numpy as np

BITS = """
import jax, numpy as np, sys
def bits(shape, width):
    return np.asarray(jax.random.bits(jax.random.wrap_key_data(np.array([3, 70000], np.uint32)), shape, f"uint{width}"))
found = {f"{shape} {width}": bits(shape, width) for shape in [(5,), (3, 1, 4, 2), (70000,)] for width in (8, 32, 64)}
np.savez(sys.argv[1], **found)
"""


def test_bits_are_those_that_jax_draws_by_itself(tmp_path):
    for name, before in {"jax": "", "sporax": "import sporax"}.items():
        environ = os.environ | {"JAX_ENABLE_X64": "1", "SPORAX_CACHE_DIR": "off", "JAX_PLATFORMS": "cpu"}
        subprocess.run([sys.executable, "-c", before + BITS, tmp_path / name], check=True, env=environ)
    theirs, ours = np.load(tmp_path / "jax.npz"), np.load(tmp_path / "sporax.npz")
    assert len(theirs) == 9
    for name in theirs:
        np.testing.assert_array_equal(ours[name], theirs[name])


def test_bits_are_drawn_without_a_loop():
    text = jax.jit(lambda key: jax.random.uniform(key, (4, 8))).lower(jax.random.key(0)).as_text()
    assert "while" not in text
