"""Tables of Arrow, and all objects that give their columns as Arrow does (`__arrow_c_stream__`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sporax._src.data.doors.kept import ColumnsDataset, Foreign, Names, Pieces, Selection, StreamDataset


def of_table(source: Foreign, column_names: Names, selection: Selection) -> ColumnsDataset:
    """Return the rows of a table, whose columns of numbers are not copied."""
    return ColumnsDataset(source, columns_of("from_source(Table)", source, column_names), column_names, selection)


def of_exporter(source: Foreign, column_names: Names, selection: Selection) -> ColumnsDataset:
    """Return the rows of an object of another package that exports a table."""
    import pyarrow

    return of_table(pyarrow.table(source), column_names, selection)


def of_files(source: Foreign, column_names: Names, selection: Selection) -> StreamDataset:
    """Return the rows of a Dataset of Arrow, which reads its files piece by piece in each epoch."""
    return FilesOfTables(source, column_names, selection)


class FilesOfTables(StreamDataset):
    """Gives the rows of a Dataset of Arrow; made by `from_source`."""

    def _open(self, epoch: int) -> Iterator[dict[str, Any]]:
        import pyarrow

        for batch in self.source.to_batches(columns=self._fields()):
            columns = columns_of(self._where, pyarrow.Table.from_batches([batch]), self._names)
            for row in range(batch.num_rows):
                yield {name: column[row] for name, column in columns.items()}

    def _fields(self) -> list[str] | None:
        """Return the columns of the files that hold the chosen ones; None for all."""
        if self._names is None:
            return None
        fields = self.source.schema.names
        return [field for field in fields if any(f"{name}.".startswith(f"{field}.") for name in self._names)]

    def _static_size(self) -> int:
        if self._counted is None:
            self._counted = int(self.source.count_rows())
        return self._counted


def columns_of(where: str, table: Foreign, wanted: Names = None, order: np.ndarray | None = None) -> dict[str, Any]:
    """Return the columns of a table by name: those whose rows have one shape as arrays, others as sequences.

    A column of structures becomes a column for each of its fields.

    Args:
        where: The head of messages.
        table: The table.
        wanted: The names of columns that are read; others are left out. Default: all.
        order: The rows in another order, or some of them.

    Raises:
        RuntimeError: If a column of integers or lists has missing values.
    """
    from pyarrow import types

    while any(map(types.is_struct, table.schema.types)):
        table = table.flatten()
    wanted = [wanted] if isinstance(wanted, str) else wanted
    names = [name for name in table.column_names if wanted is None or name in wanted] or table.column_names
    return {name: _column(f"{where}: column {name!r}", table.column(name), order) for name in names}


def _column(where: str, column: Foreign, order: np.ndarray | None) -> Any:
    arrays = [_array(where, chunk) for chunk in column.chunks if len(chunk)]
    whole = [array for array in arrays if array is not None]
    if len(whole) == len(arrays) and len({array.shape[1:] for array in whole}) == 1:
        return Pieces(whole, order)
    return _Values(column, order)


def _array(where: str, chunk: Foreign) -> np.ndarray | None:
    """Return a piece of a column as one array, over its own memory where the layout allows; None if it is no array."""
    from pyarrow import types

    kind = chunk.type
    if hasattr(kind, "storage_type"):  # an extension, such as Hugging Face's arrays of several axes
        return chunk.to_numpy_ndarray() if hasattr(chunk, "to_numpy_ndarray") else _array(where, chunk.storage)
    if types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind):
        return _array_of_lists(where, chunk, types.is_fixed_size_list(kind))
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        return None
    if chunk.null_count and not types.is_floating(kind):
        raise RuntimeError(
            f"{where} lacks {chunk.null_count} values of type {kind}; fill them, or choose other columns."
        )
    return chunk.to_numpy(zero_copy_only=False)


def _array_of_lists(where: str, chunk: Foreign, fixed: bool) -> np.ndarray | None:
    if chunk.null_count:
        raise RuntimeError(f"{where} lacks {chunk.null_count} lists; fill them, or choose other columns.")
    if not fixed and len(np.unique(chunk.value_lengths().to_numpy(zero_copy_only=False))) > 1:
        return None
    inner = _array(where, chunk.flatten())
    return None if inner is None or not inner.size else inner.reshape(len(chunk), -1, *inner.shape[1:])


class _Values(Sequence[Any]):
    """A column whose values are Python objects."""

    def __init__(self, column: Foreign, order: np.ndarray | None) -> None:
        self._column, self._order = column, order

    def __len__(self) -> int:
        return len(self._column) if self._order is None else len(self._order)

    def __getitem__(self, row: Any) -> Any:
        return self._column[int(row if self._order is None else self._order[row])].as_py()
