"""Operators made once."""

from sporax._src.compat.legacy.primitive_cache import _get_cache_prim

__all__ = [
    "_get_cache_prim",
]
