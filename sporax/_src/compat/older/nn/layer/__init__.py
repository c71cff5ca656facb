"""Below `mindspore.nn.layer`."""

from sporax._src.compat.legacy.resize import ResizeBilinear

__all__ = ["ResizeBilinear"]
