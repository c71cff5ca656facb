"""Settings of Ascend devices."""

from sporax._src.runtime.device_context import ascend_device_count as device_count
from sporax._src.runtime.device_context import ascend_is_available as is_available
from sporax.device_context.ascend import op_debug, op_precision, op_tuning

__all__ = ["device_count", "is_available", "op_debug", "op_precision", "op_tuning"]
