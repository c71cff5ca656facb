"""Times of pipelines: how many rows each dataset gave, and how long it took for them without the datasets below it.

A pipeline that is watched gives its datasets classes of the same names that measure; others are not touched, and cost nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar, cast

import numpy as np

from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Gather, Row
from sporax._src.data.iteration import Run
from sporax._src.data.transforms.base import batched

T = TypeVar("T")


@dataclass(eq=False)
class Times:
    """What one dataset of a pipeline took.

    Attributes:
        rows: The rows it gave.
        seconds: The time in it alone: for a `map` on threads, the time in which nothing was ready.
        first: Its first row, or its first rows stacked; None if it gave none.
        operations: The seconds in each operation of a `map`, on all threads together.
    """

    rows: int = 0
    seconds: float = 0.0
    first: Row | None = None
    operations: dict[str, float] = field(default_factory=dict)


class _Open(threading.local):
    """The calls that are measured on a thread: for each, the seconds in those inside it."""

    def __init__(self) -> None:
        self.of: list[Times] = []
        self.inner: list[float] = []


_open = _Open()
_lock = threading.Lock()


def _measured(times: Times, call: Callable[..., T], *args: Any) -> T:
    of, inner = _open.of, _open.inner
    of.append(times)
    inner.append(0.0)
    began = time.perf_counter()
    try:
        return call(*args)
    finally:
        took = time.perf_counter() - began
        of.pop()
        with _lock:
            times.seconds += took - inner.pop()
        if inner:
            inner[-1] += took


class Watched:
    """The part of a dataset's class that measures."""

    _times: Times

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        return self._measured_rows(cast(Dataset, super())._rows, run, epoch, start)

    def _lent_rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        return self._measured_rows(cast(Dataset, super())._lent_rows, run, epoch, start)

    def _measured_rows(self, read: Callable[..., Iterator[Row]], run: Run, epoch: int, start: int) -> Iterator[Row]:
        times = self._times
        rows = _measured(times, read, run, epoch, start)
        following = partial(next, rows, None)
        try:
            while (row := _measured(times, following)) is not None:
                if times not in _open.of:  # `_lent_rows` may read `_rows`: a row counts once
                    times.rows += 1
                    times.first = row if times.first is None else times.first
                yield row
        finally:
            if (close := getattr(rows, "close", None)) is not None:
                close()

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        gather, times = cast(Dataset, super())._gather(run, epoch), self._times
        if gather is None:
            return None

        def measured(rows: np.ndarray) -> Row:
            found = _measured(times, gather, rows)
            if times not in _open.of and len(rows):  # its own rows are counted one by one
                times.rows += len(rows)
                times.first = tuple(column[0] for column in found) if times.first is None else times.first
            return found

        return measured


class _Operation:
    """An operation that adds its seconds to those of its `map`."""

    def __init__(self, operation: Callable[..., Any], times: Times) -> None:
        self.operation, self._times = operation, times
        self.__qualname__ = checks.called(operation).rstrip(",")

    def __call__(self, *values: Any) -> Any:
        began = time.perf_counter()
        try:
            return self.operation(*values)
        finally:
            name, took = self.__qualname__, time.perf_counter() - began
            with _lock:
                self._times.operations[name] = self._times.operations.get(name, 0.0) + took


@cache
def _watched(kind: type) -> type:
    return type(kind.__name__, (Watched, kind), {"__module__": kind.__module__, "__qualname__": kind.__qualname__})


def watch(dataset: Dataset) -> None:
    """Measure a pipeline from now on; a second call changes nothing."""
    for child in dataset.children:
        watch(child)
    if isinstance(dataset, Watched):
        return
    times = Times()
    vars(dataset)["_times"] = times
    operations = getattr(dataset, "operations", None)
    if isinstance(operations, list):  # those that take many rows at once are part of the dataset's own time
        timed = [item if batched(item) is not None else _Operation(item, times) for item in operations]
        vars(dataset)["operations"] = timed
    dataset.__class__ = _watched(type(dataset))


def times_of(dataset: Dataset) -> Times | None:
    """Return what a dataset took; None if it is not watched."""
    return vars(dataset).get("_times")


def slowest(dataset: Dataset) -> tuple[Dataset, float]:
    """Return the dataset of a pipeline that took the most time, and its seconds."""
    times = times_of(dataset)
    found = [(dataset, times.seconds if times is not None else 0.0), *map(slowest, dataset.children)]
    return max(found, key=lambda pair: pair[1])
