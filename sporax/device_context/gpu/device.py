"""Which devices there are."""

from sporax._src.compat.legacy.device_context import gpu_device_count as device_count
from sporax._src.compat.legacy.device_context import gpu_is_available as is_available

__all__ = ["device_count", "is_available"]
