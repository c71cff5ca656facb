"""Settings of each kind of device."""

from sporax.device_context import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
