"""lazy_inline."""

from sporax._src.transform.marks import lazy_inline

__all__ = [
    "lazy_inline",
]
