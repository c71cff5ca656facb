"""JitConfig."""

from sporax._src.transform.jit import JitConfig

__all__ = [
    "JitConfig",
]
