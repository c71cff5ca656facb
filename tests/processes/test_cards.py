"""Cards that this machine lacks: how they are described, and what is compiled for them where JAX's CUDA plugin is."""

import os
import subprocess
import sys

import jax
import pytest

from sporax._src.processes import cards
from sporax._src.processes.cards import CARDS, has_plugin

needs_plugin = pytest.mark.skipif(not has_plugin(), reason="JAX's CUDA plugin is not installed")


def compiled(program: str) -> None:
    """Run a program as `sporax plan` runs one: the plugin looks for a driver unless JAX is told to use the CPU."""
    head = "import jax, jax.numpy as jnp\nfrom sporax._src.processes.cards import compiled_for\n"
    env = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", head + program], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_cards_differ_in_memory_alone():
    h100, h200 = CARDS["H100"].description, CARDS["H200"].description
    assert 'device_description_str: "NVIDIA H200"' in h200 and "device_memory_size: 150754820096" in h200
    differing = [a.split(":")[0].strip() for a, b in zip(h100.split("\n"), h200.split("\n"), strict=True) if a != b]
    assert differing == ["device_memory_size", "device_description_str"]
    assert "{{" not in h100 and h100.count("{") == h100.count("}")


class Lowered:
    """A function that XLA compiles without kernels of its own for products only."""

    def __init__(self, error: str) -> None:
        self.error = error

    def compile(self, compiler_options: dict[str, object]) -> dict[str, object]:
        if compiler_options.get("xla_gpu_enable_triton_gemm", True):
            raise jax.errors.JaxRuntimeError(self.error)
        return compiler_options


def test_products_without_tiles_are_left_to_cublas():
    lowered = Lowered("INTERNAL: Couldn't find output tile sizes that satisfy hlo: %dot")
    assert cards._compiled(lowered, {"a": 1}) == {"a": 1, "xla_gpu_enable_triton_gemm": False}
    with pytest.raises(jax.errors.JaxRuntimeError, match="out of memory"):
        cards._compiled(Lowered("out of memory"), {})


@needs_plugin
def test_a_function_is_compiled_for_a_card_that_is_not_here():
    compiled("""
x = jax.ShapeDtypeStruct((512, 512), jnp.float32)
done = compiled_for("H200", lambda s, x: (s + x @ x, x.sum()), x, x, donate=(0,))
memory = done.memory_analysis()
assert "fusion(" in done.as_text()
assert memory.alias_size_in_bytes == 4 * 512 * 512 and memory.argument_size_in_bytes == 8 * 512 * 512
""")


@needs_plugin
def test_attention_of_cudnn_is_compiled():
    compiled("""
q = jax.ShapeDtypeStruct((2, 128, 4, 64), jnp.bfloat16)
fused = lambda q: jax.nn.dot_product_attention(q, q, q, is_causal=True, implementation="cudnn")
assert "__cudnn$fmha" in compiled_for("H100", fused, q).as_text()
""")
