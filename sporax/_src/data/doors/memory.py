"""Arrays, and other objects of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sporax._src.data.doors.kept import ColumnsDataset, Foreign, IndexedDataset, Names, Selection, StreamDataset
from sporax._src.data.doors.values import to_array
from sporax._src.data.sources.mappable import SourceDataset


def of_array(source: np.ndarray, column_names: Names, selection: Selection) -> ColumnsDataset:
    """Return the rows of an array, in memory or in a file (`numpy.memmap`)."""
    return of_columns((source,), column_names, selection)


def of_columns(source: dict[str, Any] | tuple[Any, ...], column_names: Names, selection: Selection) -> ColumnsDataset:
    """Return the rows of a dictionary or tuple of columns.

    Raises:
        ValueError: If columns differ in length, or `column_names` does not fit.
    """
    where = f"from_source({type(source).__name__})"
    columns = source if isinstance(source, dict) else _numbered(where, source, column_names)
    held = {str(name): column if isinstance(column, list) else to_array(column) for name, column in columns.items()}
    lengths = {name: len(column) if isinstance(column, list) or column.ndim else None for name, column in held.items()}
    if len(set(lengths.values())) > 1 or None in lengths.values():
        raise ValueError(f"{where}: all columns must have one length, got {lengths}.")
    return ColumnsDataset(source, held, column_names, selection)


def _numbered(where: str, source: tuple[Any, ...], column_names: Names) -> dict[str, Any]:
    """Return columns without names by their numbers, or by the names that are given."""
    names = [f"column_{k}" for k in range(len(source))] if column_names is None else column_names
    names = [names] if isinstance(names, str) else names
    if len(names) != len(source):
        raise ValueError(f"{where}: {len(names)} column_names for {len(source)} columns: {names}.")
    return dict(zip(names, source, strict=True))


def of_object(source: Foreign, column_names: Names, selection: Selection) -> SourceDataset:
    """Return the rows of a list, of any object with `__getitem__` and `__len__`, or of anything that can be iterated or called."""
    if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
        return IndexedDataset(source, column_names, selection)
    if isinstance(source, Iterable):
        return StreamDataset(_Once(source) if iter(source) is source else source, column_names, selection)
    return StreamDataset(_Called(source), column_names, selection)


class _Called:
    """What a function returns, which is called for each epoch."""

    def __init__(self, function: Callable[[], Iterable[Any]]) -> None:
        self.function = function

    def __iter__(self) -> Any:
        return iter(self.function())


class _Once:
    """An iterator, which cannot begin anew: its rows are kept for the next epochs."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self.rows, self.kept = iter(rows), []

    def __iter__(self) -> Any:
        position = 0
        while True:
            if position == len(self.kept):
                try:
                    self.kept.append(next(self.rows))
                except StopIteration:
                    return
            yield self.kept[position]
            position += 1
