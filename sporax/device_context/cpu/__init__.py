"""Settings of the CPU."""

from sporax.device_context.cpu import device, op_tuning
from sporax.device_context.cpu.device import device_count, is_available

__all__ = ["device", "device_count", "is_available", "op_tuning"]
