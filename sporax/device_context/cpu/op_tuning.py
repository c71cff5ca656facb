"""Settings of the CPU."""

from sporax._src.runtime.device_context import threads_num

__all__ = ["threads_num"]
