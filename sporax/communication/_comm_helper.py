"""Whether processes train together."""

from sporax._src.compat.legacy.communication import _is_initialized

__all__ = [
    "_is_initialized",
]
