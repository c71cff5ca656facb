"""Settings of Ascend devices."""

from sporax.device_context.ascend import device, op_debug, op_precision, op_tuning
from sporax.device_context.ascend.device import device_count, is_available

__all__ = ["device", "device_count", "is_available", "op_debug", "op_precision", "op_tuning"]
