"""Datasets over what other packages hold: rows in order, rows with numbers, and columns in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, warn_user
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.doors.values import Foreign, kind_of, named, to_array, to_row
from sporax._src.data.iteration import Run
from sporax._src.data.sources.mappable import MappableDataset, SourceDataset

Names = str | list[str] | None  # of columns
Selection = Mapping[str, Any]  # the arguments of `from_source` that choose rows


def _where(source: object) -> str:
    return f"from_source({kind_of(source)})"


class StreamDataset(SourceDataset):
    """Gives what an iteration over `source` gives, which begins anew in each epoch; shuffling and sharing are the source's own.

    Args:
        source: The source; if it has `set_epoch`, or its sampler has, it is told the number of each epoch.
        column_names: Names of the columns, or the choice among those that have names.
        selection: What of `from_source` chooses rows, which must be nothing.

    Raises:
        ValueError: If `selection` asks for an order or a share.
    """

    def __init__(self, source: Foreign, column_names: Names = None, selection: Selection | None = None) -> None:
        super().__init__()
        self.source, self._where = source, _where(source)
        asked = {name: value for name, value in (selection or {}).items() if value not in (None, False)}
        if asked:
            raise ValueError(
                f"{self._where}: {', '.join(asked)} cannot be given, because its rows come in order; let the source itself "
                "shuffle and share them, or use the methods of the dataset."
            )
        self._names = None if column_names is None else checks.columns("from_source", "column_names", column_names)
        self._begun: tuple[Any, Iterator[Any]] | None = (
            None  # the first row, read for its columns, and the rows after it
        )

    def _open(self, epoch: int) -> Iterator[Any]:
        """Return an iterator over the rows of an epoch."""
        for part in (self.source, getattr(self.source, "sampler", None), getattr(self.source, "batch_sampler", None)):
            if (tell := getattr(part, "set_epoch", None)) is not None:
                tell(epoch)
        return iter(self.source)

    def _values(self, epoch: int) -> Iterator[Any]:
        """Yield the rows of an epoch; the first epoch continues the iteration that was begun for the columns."""
        begun, self._begun = self._begun, None
        if begun is not None and epoch == 0:
            yield begun[0]
            yield from begun[1]
        else:
            yield from self._open(epoch)

    def _columns(self) -> list[str]:
        if self._names is None:
            try:
                rows = self._open(0)
                first = next(rows)
            except StopIteration:
                raise RuntimeError(f"{self._where}: the source has no rows, so its columns are not known.") from None
            except Exception as error:
                raise checks.failed("from_source", type(self.source), 0, error) from error
            self._begun, self._names = (first, rows), self._names_of(first)
        return self._names

    def _names_of(self, first: Foreign) -> list[str]:
        """Return the names of the columns of the first row."""
        return list(named(first))

    def _static_size(self) -> int | None:
        try:
            return len(self.source)
        except TypeError:  # it has no length, or its parts have none
            return None

    def _is_unsized(self) -> bool:
        return self._static_size() is None

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        names, number, values = self._columns(), 0, self._values(epoch)
        while True:
            try:
                value = next(values)
            except StopIteration:
                break
            except Exception as error:
                raise checks.failed("from_source", type(self.source), number, error) from error
            if number >= start:
                yield to_row(self._where, names, number, value)
            number += 1
        promised = self._static_size()
        if promised is not None and number != promised:
            warn_user(f"{self._where}: the source gave {number} rows in an epoch, but its len() is {promised}.")


class IndexedDataset(MappableDataset):
    """Gives ``source[i]`` for the numbers that a sampler chooses.

    Args:
        source: Has ``__getitem__`` and ``__len__``.
        column_names: Names of the columns, or the choice among those that have names.
        selection: The arguments of `MappableDataset`.
        labels: The label of each class, if the source has classes.
    """

    _exclusion = ValueError

    def __init__(
        self,
        source: Foreign,
        column_names: Names = None,
        selection: Selection | None = None,
        labels: dict[str, int] | None = None,
    ) -> None:
        super().__init__(num_parallel_workers=1, **(selection or {"shuffle": False}))
        self.source, self._where, self._classes = source, _where(source), labels
        self._names = None if column_names is None else checks.columns("from_source", "column_names", column_names)

    def _columns(self) -> list[str]:
        if self._names is None:
            self._checked_total()
            self._names = list(named(self._value(0)))
        return self._names

    def _total(self) -> int:
        try:
            return len(self.source)
        except TypeError as error:
            raise TypeError(f"{self._where}: a source with numbered rows needs '__len__': {error}.") from error

    def _checked_total(self) -> int:
        if (total := self._total()) == 0:
            raise RuntimeError(f"{self._where}: the source has no rows; expected at least one.")
        return total

    def _value(self, index: int) -> Any:
        try:
            return self.source[index]
        except Exception as error:
            size = f" (its __len__ gives {self._total()})" if isinstance(error, IndexError) else ""
            raise RuntimeError(f"{self._where}: row {index} raised {type(error).__name__}: {error}{size}") from error

    def _item(self, index: int) -> Row:
        return to_row(self._where, self._columns(), index, self._value(index), copy=True)

    def num_classes(self) -> int | None:
        """Return the number of classes, if the source has classes."""
        return len(self._classes) if self._classes else None

    def get_class_indexing(self) -> dict[str, int]:
        """Return the label of each class, if the source has classes."""
        return dict(self._classes or {})


class ColumnsDataset(IndexedDataset):
    """Gives rows of columns: arrays that gather many rows at once, and sequences of single values.

    Args:
        source: The object that holds the columns.
        columns: By name, an array (or an object that gives an array for an array of numbers), or a sequence of values.
        column_names: The choice among them.
        selection, labels: See `IndexedDataset`.

    Raises:
        ValueError: If a chosen column does not exist, or there are none.
    """

    def __init__(
        self,
        source: Foreign,
        columns: Mapping[str, Any],
        column_names: Names = None,
        selection: Selection | None = None,
        labels: dict[str, int] | None = None,
    ) -> None:
        super().__init__(source, column_names, selection, labels)
        names = list(columns) if self._names is None else self._names
        if missing := [name for name in names if name not in columns]:
            raise ValueError(f"{self._where}: there is no column {missing}; there are {list(columns)}.")
        if not names:
            raise ValueError(f"{self._where}: there are no columns, got {describe(source)}.")
        self._names = names
        self._held = {name: columns[name] for name in names}

    def _total(self) -> int:
        return len(next(iter(self._held.values())))

    def _stacked(self) -> tuple[Any, ...] | None:
        columns = tuple(self._held.values())
        return columns if all(map(gathers, columns)) else None

    def _item(self, index: int) -> Row:
        row = []
        for name, column in self._held.items():
            try:
                row.append(to_array(column[index], copy=True))
            except TypeError as error:
                raise RuntimeError(f"{self._where}: column {name!r} at row {index}: {error}.") from error
        return tuple(row)


def gathers(column: Foreign) -> bool:
    """Return whether a column gives an array for an array of row numbers."""
    return column.dtype.kind != "O" if isinstance(column, np.ndarray) else isinstance(column, Pieces)


class Pieces:
    """A column that lies in several arrays, one after the other, which are never joined.

    Args:
        arrays: The arrays; only their first axis may differ.
        order: The rows in another order, or some of them.

    Examples:
        >>> column = Pieces([np.arange(3), np.arange(10, 12)], order=np.array([4, 1, 0]))
        >>> len(column), column[np.array([0, 2])]
        (3, array([11,  0]))
    """

    def __init__(self, arrays: list[np.ndarray], order: np.ndarray | None = None) -> None:
        self._arrays, self._order = arrays, order
        self._ends = np.cumsum([len(array) for array in arrays])

    def __len__(self) -> int:
        return int(self._ends[-1]) if self._order is None else len(self._order)

    def __getitem__(self, rows: Any) -> Any:
        chosen = rows if self._order is None else self._order[rows]
        if not isinstance(rows, np.ndarray):
            piece = int(np.searchsorted(self._ends, chosen, "right"))
            return self._arrays[piece][int(chosen) - int(self._ends[piece])]
        if len(self._arrays) == 1:
            return self._arrays[0][chosen]
        first = self._arrays[0]
        result = np.empty((len(chosen), *first.shape[1:]), first.dtype)
        pieces = np.searchsorted(self._ends, chosen, "right")
        for piece in np.unique(pieces):
            here = pieces == piece
            result[here] = self._arrays[piece][chosen[here] - self._ends[piece]]
        return result
