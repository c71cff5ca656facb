"""A Python number as an operand of a graph, so that one graph serves all its values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor


@dataclass
class Range:
    """The values of an argument for which a graph is valid; the trace narrows it.

    Examples:
        >>> values = Range()
        >>> values.narrow(0, 7)
        >>> 7 in values, 8 in values
        (True, False)
    """

    least: float = -math.inf
    most: float = math.inf

    def narrow(self, least: float, most: float) -> None:
        """Exclude values below `least` and above `most`."""
        self.least, self.most = max(self.least, least), min(self.most, most)

    def __contains__(self, value: float) -> bool:
        return self.least <= value <= self.most


class TracedNumber(Tensor):
    """A number whose value is known only when the graph runs; in arithmetic the dtypes of Tensors prevail.

    For `isinstance` it is a float or int; operations that need its value, its text or its hash cannot be traced. Its
    arithmetic is in `transform.controlflow.numbers`.

    Args:
        value: The number, or the weakly typed value that stands for it in a trace.
        kind: `int` or `float`.
        values: The values for which the graph is valid, if the number is an argument, or an argument plus a known int.
        offset: That known int.
    """

    _kind: type
    _values: Range | None = None
    _offset: int = 0

    def __init__(self, value: Array, kind: type, values: Range | None = None, offset: int = 0) -> None:
        self._data = value
        self._kind = kind
        self._values = values
        self._offset = offset

    def plus(self, known: int, value: Array) -> TracedNumber:
        """Return this int plus a known one, whose sum is `value`."""
        return TracedNumber(value, int, self._values, self._offset + known)

    def distance(self, start: Any) -> int | None:
        """Return this int minus another one if that is the same for all arguments; None if not."""
        same = type(start) is TracedNumber and start._values is self._values and self._values is not None
        return self._offset - start._offset if same else None

    def must_be(self, least: int, most: int) -> None:
        """Make the graph valid only where this number is within bounds."""
        if self._values is not None:
            self._values.narrow(least - self._offset, most - self._offset)

    @property
    def __class__(self) -> type:
        return self._kind

    def _unknown(self, *_: object) -> Any:
        raise TypeError("the value of a number is requested while a graph is built for any value")

    __hash__ = __str__ = __repr__ = __format__ = __reduce_ex__ = __deepcopy__ = _unknown  # type: ignore[assignment]


def is_number(value: object) -> bool:
    """Return whether a value is a plain int or float: no bool, NumPy scalar or `TracedNumber`."""
    return type(value) is int or type(value) is float
