"""The settings of parallel training."""

from sporax._src.compat.legacy.parallel import auto_parallel_context

__all__ = [
    "auto_parallel_context",
]
