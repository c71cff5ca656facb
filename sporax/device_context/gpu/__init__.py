"""Settings of GPUs."""

from sporax.device_context.gpu import device, op_precision, op_tuning
from sporax.device_context.gpu.device import device_count, is_available

__all__ = ["device", "device_count", "is_available", "op_precision", "op_tuning"]
