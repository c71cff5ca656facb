"""The path that `mindspore.profiler.profiler` had in MindSpore 1.x."""

from sporax.profiler import Profiler

__all__ = ["Profiler"]
