"""Primitives that stand ready-made under the names of MindSpore's function modules, the maker of them, and small ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax import Tensor
from sporax.ops import Primitive

_made: dict[Any, Primitive] = {}


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

    def make(*args: Any, **kwargs: Any) -> Primitive:
        key = (cls, repr(args), repr(sorted(kwargs.items())))
        if key not in _made:
            _made[key] = cls(*args, **kwargs)
        return _made[key]

    return make


class TensorToScalar(Primitive):
    """The number that a Tensor of one element holds; None of what has more, or is no Tensor.

    Inputs:
        input_tensor: A Tensor of shape () or (1,).
    """

    def __init__(self) -> None:
        super().__init__("TensorToScalar")

    def __call__(self, input_tensor: Any) -> Any:
        one = isinstance(input_tensor, Tensor) and input_tensor.shape in ((), (1,))
        return input_tensor.item() if one else None
