"""Rows for which an operation of `map` raises: raise an error, replace the row, or skip it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import TypeVar

T = TypeVar("T")
_READY_ROWS = 16  # as in MindSpore


class ErrorSamplesMode(IntEnum):
    """The treatment of a row for which an operation raises: raise an error, replace the row, or skip it."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


def skipping_failed(rows: Iterable[T | None]) -> Iterator[T]:
    """Yield the rows that are not None."""
    return (row for row in rows if row is not None)


def replacing_failed(rows: Iterable[T | None]) -> Iterator[T]:
    """Yield all rows; each None is replaced by another row, perhaps later, in MindSpore's order.

    The last 16 good rows are the replacements. A failed row is replaced at once if none of these rows has been used as
    a replacement. Otherwise it is replaced when this is the case again, or at the end.

    Raises:
        RuntimeError: If all rows are None.
    """
    ready: deque[T] = deque()  # the latest first
    position, owed = -1, 0  # the row to use next; the failed rows without a replacement yet

    def used() -> T:
        nonlocal position
        row = ready[position % 2**64 % len(ready)]  # an unsigned number in MindSpore
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
