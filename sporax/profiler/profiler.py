"""The profiler."""

from sporax._src.runtime.profiler import Profiler

__all__ = [
    "Profiler",
]
