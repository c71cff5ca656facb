"""Symbol: a size of a shape that is not known yet, with its constraints."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_PRIME = 1009
UNKNOWN = 64 * _PRIME
"""The size of an open axis of an input during the capture of a graph; most numbers of devices divide it."""

_left_open: ContextVar[bool] = ContextVar("left_open", default=False)


@contextlib.contextmanager
def leaving_sizes_open(are_open: bool) -> Iterator[None]:
    """Let graphs that are captured within the block treat sizes with the prime factor `UNKNOWN` as unknown."""
    token = _left_open.set(are_open)
    try:
        yield
    finally:
        _left_open.reset(token)


def is_unknown(size: int) -> bool:
    """Return whether a size is unknown or follows from an unknown one."""
    return _left_open.get() and size > 0 and size % _PRIME == 0


class Symbol:
    """A size that is not known yet, in a Tensor that describes an input: `Tensor(shape=[Symbol(max=8), 3], dtype=...)`.

    Graphs are cached by shape, and exported graphs take any size, so the constraints have no effect; they document the program.

    Args:
        max: The largest size; 0: any.
        min: The smallest size.
        divisor, remainder: The size is a multiple of `divisor`, plus `remainder`.
        unique: Whether equal Symbols stand for one size.
        **kwargs: Accepted.

    Raises:
        TypeError: If a number is no int, or `unique` no bool.
        ValueError: If a number is out of range.
    """

    def __init__(
        self,
        max: int = 0,
        min: int = 1,
        divisor: int = 1,
        remainder: int = 0,
        unique: bool = False,
        **kwargs: object,
    ) -> None:
        numbers = {"max": max, "min": min, "divisor": divisor, "remainder": remainder}
        for name, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"Symbol: {name} must be an int, got {value!r}.")
        if not isinstance(unique, bool):
            raise TypeError(f"Symbol: unique must be a bool, got {unique!r}.")
        if min < 1 or divisor < 1:
            raise ValueError(f"Symbol: min and divisor must be > 0, got {min} and {divisor}.")
        if not 0 <= remainder < divisor:
            raise ValueError(f"Symbol: remainder must be in [0, {divisor}), got {remainder}.")
        if max and max <= min:
            raise ValueError(f"Symbol: max must be greater than min, {min}, got {max}.")
        self.max, self.min, self.divisor, self.remainder, self.unique = max, min, divisor, remainder, unique

    def __repr__(self) -> str:
        return (
            f"Symbol(max={self.max}, min={self.min}, divisor={self.divisor}, remainder={self.remainder}, "
            f"unique={self.unique})"
        )
