"""lazy_inline."""

from sporax._src.transform.decorators import lazy_inline

__all__ = [
    "lazy_inline",
]
