"""Small helpers."""

from sporax._src.compat.legacy.checkparam import check_value_type
from sporax._src.compat.legacy.registers import _make_directory

__all__ = [
    "_make_directory",
    "check_value_type",
]
