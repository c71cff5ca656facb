"""NumpySlicesDataset and PaddedDataset: rows from Python data in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.dataset import Row, rows_by_gather
from sporax._src.data.iteration import Run
from sporax._src.data.sources.generator import GeneratorDataset


class _Columns(Sequence[tuple[Any, ...]]):
    """Rows made of the i-th value of every column."""

    def __init__(self, columns: tuple[Any, ...]) -> None:
        self.columns = columns

    def __getitem__(self, index: object) -> tuple[Any, ...]:
        return tuple(column[index] for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns[0])


class NumpySlicesDataset(GeneratorDataset):
    """Gives the slices of arrays, lists, or a dictionary of them along the first axis.

    Args:
        data (Union[list, tuple, dict, numpy.ndarray]): A tuple has one item per column, a dictionary one per key;
            anything else is one column.
        column_names (list[str], optional): The names of the columns. Default: the keys, else ``column_0``, ….
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): Accepted; rows in memory are read by fancy indexing. Default: ``1``.
        shuffle (bool, optional): Whether rows come in random order. Default: ``None``, they do.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `data` is empty, its columns differ in length, or `column_names` does not fit.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset({"a": [1, 2], "b": [3.0, 4.0]}, shuffle=False)
        >>> data.get_col_names(), data.get_dataset_size()
        (['a', 'b'], 2)
    """

    def __init__(
        self,
        data: object,
        column_names: str | list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        sampler: object = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        if not isinstance(data, (list, tuple, dict, np.ndarray)):
            raise TypeError(f"NumpySlicesDataset: data must be a list, tuple, dict or array, got {describe(data)}.")
        if len(data) == 0:
            raise ValueError("NumpySlicesDataset: data cannot be empty; expected at least one row.")
        if isinstance(data, dict):
            names, columns = list(data), tuple(getattr(column, "values", column) for column in data.values())
        else:
            columns = data if isinstance(data, tuple) else (data,)
            names = [f"column_{k}" for k in range(len(columns))]
        if column_names is not None:
            names = [column_names] if isinstance(column_names, str) else list(column_names)
        if len(names) != len(columns):
            raise ValueError(
                f"NumpySlicesDataset: column_names has {len(names)} names, but data has {len(columns)} columns."
            )
        lengths = [len(column) for column in columns]
        if len(set(lengths)) > 1:
            raise ValueError(
                "NumpySlicesDataset: data length in each column is not equal: "
                + ", ".join(f"{name!r} has {length}" for name, length in zip(names, lengths, strict=True))
            )
        if lengths[0] == 0:
            raise ValueError("NumpySlicesDataset: data cannot be empty; expected at least one row.")
        super().__init__(
            _Columns(columns), names, None, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards,
            shard_id,
        )  # fmt: skip

    def __getitem__(self, index: int) -> Any:
        if not isinstance(index, (int, np.integer)):
            raise TypeError(f"NumpySlicesDataset: an index must be an int, the number of a row, got {describe(index)}.")
        return super().__getitem__(index)

    def _stacked(self) -> tuple[np.ndarray, ...] | None:
        # A program may have changed the columns since it made the dataset.
        arrays = [array for column in self.source.columns if (array := _as_whole(column)) is not None]
        return tuple(arrays) if len(arrays) == len(self.column_names) else None

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        gather = self._gather(run, epoch)
        if gather is None:
            return super()._rows(run, epoch, start)
        return rows_by_gather(gather, len(self._indices(run, epoch)), start)


def _as_whole(column: Any) -> np.ndarray | None:
    """Return a column as one array where every row keeps its shape and type in it, else None."""
    if type(column) in (np.ndarray, np.memmap):
        return np.asarray(column) if column.dtype.kind in "biufc" and column.dtype.isnative else None
    if isinstance(column, np.ndarray):  # a matrix or a masked array is not sliced as an array is
        return None
    kinds = {type(value) for value in column}
    if kinds <= {int} or kinds <= {float} or kinds <= {bool}:
        array = np.asarray(column)  # integers of more than 63 bits would become floats
        return array if array.dtype.kind in ("i" if kinds <= {int} else "bf") else None
    return None


class PaddedDataset(GeneratorDataset):
    """Gives a user's own rows, to pad the shares of other datasets.

    Args:
        padded_samples (list[dict]): One dictionary from column name to value per row.

    Raises:
        TypeError: If `padded_samples` is not a list of dictionaries.
        ValueError: If it is empty.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.PaddedDataset([{"image": [0]}, {"image": [1]}]).get_dataset_size()
        2
    """

    def __init__(self, padded_samples: list[dict[str, Any]]) -> None:
        if not isinstance(padded_samples, list) or not all(isinstance(row, dict) for row in padded_samples):
            raise TypeError(f"PaddedDataset: padded_samples must be a list of dict, got {describe(padded_samples)}.")
        if not padded_samples:
            raise ValueError("PaddedDataset: padded_samples cannot be empty.")
        names = list(padded_samples[0])
        rows = [tuple(row[name] for name in names) for row in padded_samples]
        super().__init__(rows, column_names=names, shuffle=False)
        self.padded_samples = padded_samples
