"""Small helpers."""

from sporax._src.compat.legacy.registers import _make_directory

__all__ = [
    "_make_directory",
]
