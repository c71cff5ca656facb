"""Below `mindspore.ops.operations._infer_ops`."""

from sporax._src.compat.legacy.experts import QuantV2

__all__ = ["QuantV2"]
