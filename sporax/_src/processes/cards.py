"""NVIDIA cards that this machine lacks: XLA compiles for them through JAX's CUDA plugin, which needs no card and no driver.

Nothing runs, and nothing is timed to choose between kernels: `compiled_for` shows which kernels there are and how much
memory they take, not how long they take. The process needs JAX_PLATFORMS=cpu, or the plugin looks for a driver.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

PLUGINS = ("jax_cuda12_plugin", "jax_cuda13_plugin")
# XLA's description of a card of compute capability 9.0 (Hopper), with its cuDNN 9.8 and CUDA 12.8.
_HOPPER = """
gpu_device_info {{
  cuda_compute_capability {{ major: 9 minor: 0 }}
  core_count: 132 fpus_per_core: 128 clock_rate_ghz: 1.98
  device_memory_size: {memory} memory_bandwidth: {bandwidth} l2_cache_size: 52428800
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  shared_memory_per_block: 49152 shared_memory_per_block_optin: 232448 shared_memory_per_core: 233472
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
}}
platform_name: "CUDA"
dnn_version_info {{ major: 9 minor: 8 patch: 0 }}
runtime_version {{ major: 12 minor: 8 }}
device_description_str: "{name}"
"""


@dataclass(frozen=True)
class Card:
    """A card.

    Attributes:
        name: As its driver calls it.
        memory: Bytes, as its driver reports them.
        bandwidth: Bytes a second to and from its memory.
    """

    name: str
    memory: int
    bandwidth: int

    @property
    def description(self) -> str:
        """The card as XLA describes it."""
        return _HOPPER.format(memory=self.memory, bandwidth=self.bandwidth, name=self.name)


CARDS = {
    "H100": Card("NVIDIA H100 80GB HBM3", 84_978_434_048, 3_352_320_000_000),
    "H200": Card("NVIDIA H200", 150_754_820_096, 4_800_000_000_000),
}


def has_plugin() -> bool:
    """Return whether JAX's CUDA plugin is installed."""
    return any(importlib.util.find_spec(name) is not None for name in PLUGINS)


def compiled_for(
    card: str,
    fn: Callable[..., Any],
    *args: Any,
    donate: Sequence[int] = (),
    options: dict[str, Any] | None = None,
) -> Any:
    """Return a function as JAX's `Compiled` for one card.

    Args:
        card: A name of `CARDS`.
        fn: The function.
        args: Pytrees of what has a shape and a dtype.
        donate: The numbers of arguments whose memory the results take.
        options: Further options of XLA.
    """
    there = topologies.get_topology_desc(
        platform="cuda", topology_name="", topology="1x1x1", target_config=CARDS[card].description
    )
    on_it = NamedSharding(Mesh(np.array(there.devices), ("card",)), PartitionSpec())
    shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=on_it), args)
    lowered = jax.jit(fn, out_shardings=on_it, donate_argnums=tuple(donate)).lower(*shapes)
    settings: dict[str, Any] = {"xla_gpu_autotune_level": 0, **(options or {})}
    return _compiled(lowered, settings)


def _compiled(lowered: Any, settings: dict[str, Any]) -> Any:
    """Compile; where XLA finds no kernel of its own for a product without trying some on a card, products are calls of cuBLAS."""
    try:
        return lowered.compile(compiler_options=settings)
    except jax.errors.JaxRuntimeError as error:
        if "output tile sizes" not in str(error):
            raise
    return lowered.compile(compiler_options={**settings, "xla_gpu_enable_triton_gemm": False})
