"""Below `mindspore.common`."""

from sporax._src.compat.older import ms_class, ms_function

__all__ = ["ms_class", "ms_function"]
