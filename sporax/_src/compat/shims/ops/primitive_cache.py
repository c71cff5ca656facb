"""The maker of operators of `mindspore.ops._primitive_cache`; mindnlp (28 files) and mindscience import it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax.ops import Primitive

_cache: dict[Any, Primitive] = {}


def _get_cache_prim(cls: type[Primitive]) -> Callable[..., Primitive]:
    """Return a maker of operators of a class that makes each, by its arguments, only once.

    Args:
        cls: The class of the operators.

    Raises:
        TypeError: If `cls` is no class of operators.

    Examples:
        >>> import sporax as ms
        >>> from sporax.ops._primitive_cache import _get_cache_prim
        >>> _get_cache_prim(ms.ops.ReduceSum)(True) is _get_cache_prim(ms.ops.ReduceSum)(True)
        True
    """
    if not isinstance(cls, type) or not issubclass(cls, Primitive):
        raise TypeError(f"_get_cache_prim: expected a class of operators, got {cls!r}.")

    def make(*args: Any, **kwargs: object) -> Primitive:
        key = (cls, repr(args), repr(sorted(kwargs.items())))
        if key not in _cache:
            _cache[key] = cls(*args, **kwargs)
        return _cache[key]

    return make
