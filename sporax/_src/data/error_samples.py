"""Rows for which an operation of `map` raises: an error, another row in their place, or none."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import TypeVar

T = TypeVar("T")
_READY_ROWS = 16  # as in MindSpore


class ErrorSamplesMode(IntEnum):
    """What becomes of a row for which an operation raises: an error, another row, or nothing."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


def skipping_failed(rows: Iterable[T | None]) -> Iterator[T]:
    """Yield the rows that are not None."""
    return (row for row in rows if row is not None)


def replacing_failed(rows: Iterable[T | None]) -> Iterator[T]:
    """Yield as many rows as come: for each that is None another one, later if need be, in MindSpore's order.

    The last 16 good rows stand ready. A failed row is replaced at once where none of them has been used; else it is made
    up for as soon as that is so again, or at the end.

    Raises:
        RuntimeError: If all rows are None.
    """
    ready: deque[T] = deque()  # the latest first
    position, owed = -1, 0  # the row to use next; the failed rows that nothing stands for yet

    def used() -> T:
        nonlocal position
        row = ready[position % 2**64 % len(ready)]  # a number without a sign there
        position -= 1
        return row

    for row in rows:
        full = position == _READY_ROWS - 1
        if row is None:
            if full:
                yield used()
            else:
                owed += 1
            continue
        if full and owed:
            yield used()
            owed -= 1
            ready.pop()
            ready.appendleft(row)
            position += 1
        elif not full:
            if len(ready) == _READY_ROWS:
                ready.pop()
            ready.appendleft(row)
            position += 1
        yield row
    if owed and not ready:
        raise RuntimeError("Dataset.map: operations raised for every row; there is none to replace others by.")
    for _ in range(owed):
        yield used()
