"""padded_batch: rows filled up to one shape, then stacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.collate import stack
from sporax._src.data.dataset import Dataset, Row, as_method
from sporax._src.data.iteration import Run
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transformations.batch import BatchDataset, BatchInfo, check_batch_size

PadInfo = dict[str, tuple[Sequence[int | None] | None, Any]]


def pad_and_stack(where: str, names: list[str], rows: list[Row], pad_info: PadInfo | None) -> Row:
    """Return `rows` stacked by column, the columns of `pad_info` padded first; an empty `pad_info` pads all."""
    batch = []
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        items: Sequence[Any] = values
        if pad_info is not None and (name in pad_info or not (pad_info or isinstance(values[0], dict))):
            shape, fill = pad_info.get(name, (None, None))
            items = _padded(where, name, [as_array(value) for value in values], shape, fill)
        batch.append(stack(where, name, items))
    return tuple(batch)


def _padded(
    where: str, name: str, items: list[np.ndarray], shape: Sequence[int | None] | None, fill: object
) -> list[np.ndarray]:
    if any(isinstance(item, dict) for item in items):
        raise RuntimeError(f"{where}: column {name!r} holds dictionaries, which cannot be padded.")
    rank = items[0].ndim
    for item in items:
        if item.ndim != rank or (shape is not None and len(shape) != rank):
            wanted = f"pad_info's shape {list(shape)}" if shape is not None else describe(items[0])
            raise RuntimeError(f"{where}: column {name!r} must have the rank of {wanted}, got {describe(item)}.")
    longest = [max(item.shape[axis] for item in items) for axis in range(rank)]
    target = [longest[axis] if shape is None or shape[axis] is None else shape[axis] for axis in range(rank)]
    result = []
    for item in items:
        value = fill if fill is not None else "" if item.dtype.kind == "U" else 0
        dtype = np.result_type(item, np.asarray(value)) if item.dtype.kind in "US" else item.dtype
        filled = np.full(tuple(target), value, dtype)  # type: ignore[arg-type]
        block = tuple(slice(0, min(have, want)) for have, want in zip(item.shape, target, strict=True))
        filled[block] = item[block]
        result.append(filled)
    return result


def check_pad_info(where: str, pad_info: object) -> None:
    """Refuse a `pad_info` that is not a dictionary from column to (shape, value).

    Raises:
        TypeError: If it is something else.
        ValueError: If an entry is not a pair.
    """
    if pad_info is None:
        return
    if not isinstance(pad_info, dict):
        raise TypeError(f"{where}: pad_info must be a dict, got {describe(pad_info)}.")
    for name, entry in pad_info.items():
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise ValueError(f"{where}: pad_info[{name!r}] must be (shape, value), got {describe(entry)}.")


class PaddedBatchDataset(BatchDataset):
    """`input_dataset` in batches of padded rows; made by `Dataset.padded_batch`."""

    where = "Dataset.padded_batch"

    def __init__(
        self,
        input_dataset: Dataset,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: PadInfo | None = None,
    ) -> None:
        super().__init__(input_dataset, batch_size, drop_remainder, num_parallel_workers)
        self.pad_info = pad_info

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        names = self.children[0]._columns()
        checks.positions(self.where, list(self.pad_info or {}), names)
        for rows in self._listed(run, epoch, start):
            yield pad_and_stack(self.where, names, rows, self.pad_info)


@as_method
def padded_batch(
    self: Dataset,
    batch_size: int | Callable[[BatchInfo], int],
    drop_remainder: bool = False,
    num_parallel_workers: int | None = None,
    pad_info: PadInfo | None = None,
) -> Dataset:
    """Return this dataset in batches, with the rows padded or cut to one shape.

    Args:
        batch_size (Union[int, Callable]): The rows per batch, or a function of `BatchInfo` that returns them.
        drop_remainder (bool): Whether to leave out a last batch that is not full. Default: ``False``.
        num_parallel_workers (int, optional): Accepted.
        pad_info (dict, optional): From column to (shape, value); ``None`` as shape or axis means the longest of the
            batch, and as value zero. An empty dictionary pads all columns. Default: ``None``, no padding.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `batch_size` is not positive.
        RuntimeError: While iterating, if a column does not exist or a shape has the wrong rank.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.GeneratorDataset([[[1]], [[2, 3]]], ["a"], shuffle=False).padded_batch(2, pad_info={})
        >>> [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [[[1, 0], [2, 3]]]
    """
    check_batch_size("Dataset.padded_batch", batch_size)
    checks.boolean("Dataset.padded_batch", "drop_remainder", drop_remainder)
    check_pad_info("Dataset.padded_batch", pad_info)
    return PaddedBatchDataset(self, batch_size, drop_remainder, num_parallel_workers, pad_info)
