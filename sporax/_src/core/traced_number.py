"""A Python number as an operand of a graph, so that one graph serves all its values."""

from __future__ import annotations

from typing import Any

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor


class TracedNumber(Tensor):
    """A number whose value is known only when the graph runs; in arithmetic the dtypes of Tensors prevail.

    For `isinstance` it is a float or int; operations that need its value, its text or its hash cannot be traced. Its
    arithmetic is in `transform.controlflow.numbers`.

    Args:
        value: The number, or the weakly typed value that stands for it in a trace.
        kind: `int` or `float`.
    """

    _kind: type

    def __init__(self, value: Array, kind: type) -> None:
        self._data = value
        self._kind = kind

    @property
    def __class__(self) -> type:
        return self._kind

    def _unknown(self, *_: object) -> Any:
        raise TypeError("the value of a number is requested while a graph is built for any value")

    __hash__ = __str__ = __repr__ = __format__ = __reduce_ex__ = __deepcopy__ = _unknown  # type: ignore[assignment]


def is_number(value: object) -> bool:
    """Return whether a value is a plain int or float: no bool, NumPy scalar or `TracedNumber`."""
    return type(value) is int or type(value) is float
