"""Settings of GPUs."""

from sporax._src.runtime.device_context import gpu_device_count as device_count
from sporax._src.runtime.device_context import gpu_is_available as is_available
from sporax.device_context.gpu import op_precision, op_tuning

__all__ = ["device_count", "is_available", "op_precision", "op_tuning"]
