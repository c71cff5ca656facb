"""mutable."""

from sporax._src.transform.marks import mutable

__all__ = [
    "mutable",
]
