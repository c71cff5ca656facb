"""_Function: a function with a backward of its own."""

from sporax._src.transform.custom import Function as _Function

__all__ = [
    "_Function",
]
