"""The profiler."""

from sporax._src.base.profiler import Profiler

__all__ = [
    "Profiler",
]
