"""mutable."""

from sporax._src.transform.decorators import mutable

__all__ = [
    "mutable",
]
