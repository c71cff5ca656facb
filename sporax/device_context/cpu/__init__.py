"""Settings of the CPU."""

from sporax._src.runtime.device_context import cpu_device_count as device_count
from sporax._src.runtime.device_context import cpu_is_available as is_available
from sporax.device_context.cpu import op_tuning

__all__ = ["device_count", "is_available", "op_tuning"]
