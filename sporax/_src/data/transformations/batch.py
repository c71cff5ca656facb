"""batch: stacks rows, as many as a number or a function says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.collate import Stack, stack
from sporax._src.data.dataset import Dataset, Row, as_method
from sporax._src.data.iteration import Run, in_order
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.workers.pool import Processes


@dataclass(frozen=True)
class BatchInfo:
    """The number of a batch; the argument of `per_batch_map` and of a batch-size function.

    Args:
        batch (int): The number of the batch in its pass over the rows.
        epoch (int): The number of the iterator's epoch; the passes of `repeat` are one epoch.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.BatchInfo(2, 0).get_batch_num()
        2
    """

    batch: int
    epoch: int

    def get_batch_num(self) -> int:
        """Return the number of the batch in its pass over the rows."""
        return self.batch

    def get_epoch_num(self) -> int:
        """Return the number of the iterator's epoch."""
        return self.epoch


@dataclass
class Call:
    """Calls `per_batch_map` for a batch; nothing of it refers to the pipeline, so workers can have it.

    Args:
        per_batch_map: The function.
        names: The columns of a row.
        used: The columns that the function takes.
        outputs: The columns that it returns.
        columns: The columns of the batch.
    """

    per_batch_map: Callable[..., Any]
    names: list[str]
    used: list[str]
    outputs: list[str]
    columns: list[str]

    def __call__(self, number: int, batch: tuple[int, list[Row]]) -> Row:
        epoch, rows = batch
        columns = dict(zip(self.names, (list(values) for values in zip(*rows, strict=True)), strict=True))
        try:
            result = self.per_batch_map(*(columns.pop(name) for name in self.used), BatchInfo(number, epoch))
        except Exception as error:
            raise checks.failed("Dataset.batch(per_batch_map)", self.per_batch_map, number, error) from error
        values = result if isinstance(result, tuple) else (result,)
        if len(values) != len(self.outputs):
            raise RuntimeError(
                f"Dataset.batch: per_batch_map {checks.called(self.per_batch_map)} must return {len(self.outputs)} "
                f"columns {self.outputs}, got {len(values)} for batch {number}."
            )
        columns.update(zip(self.outputs, values, strict=True))
        where = f"Dataset.batch: batch {number}"
        return tuple(_whole(where, name, columns[name]) for name in self.columns)


class BatchDataset(Dataset):
    """`input_dataset` in batches; made by `Dataset.batch`."""

    where = "Dataset.batch"

    def __init__(
        self,
        input_dataset: Dataset,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        per_batch_map: Callable[..., Any] | None = None,
        input_columns: list[str] | None = None,
        output_columns: list[str] | None = None,
        python_multiprocessing: bool = False,
    ) -> None:
        super().__init__(input_dataset, num_parallel_workers)
        self.batch_size, self.drop_remainder, self.per_batch_map = batch_size, drop_remainder, per_batch_map
        self.input_columns, self.output_columns = input_columns, output_columns
        self.python_multiprocessing = python_multiprocessing

    def get_batch_size(self) -> int:
        """Return the rows per batch, -1 if a function determines them."""
        return self.batch_size if isinstance(self.batch_size, int) else -1

    # Sizes of batches.

    def _size_of_batch(self, batch: int, epoch: int) -> int:
        if isinstance(self.batch_size, int):
            return self.batch_size
        try:
            size = self.batch_size(BatchInfo(batch, epoch))
        except Exception as error:
            raise checks.failed(f"{self.where}(batch_size)", self.batch_size, batch, error) from error
        if not isinstance(size, (int, np.integer)) or size < 1:
            raise RuntimeError(
                f"{self.where}: {checks.called(self.batch_size)} must return an int greater than 0 for batch "
                f"{batch}, got {describe(size)}."
            )
        return int(size)

    def _static_size(self) -> int | None:
        rows = self.children[0]._static_size()
        if rows is None:
            return None
        if isinstance(self.batch_size, int):
            return rows // self.batch_size if self.drop_remainder else -(-rows // self.batch_size)
        count = 0
        while rows > 0:
            rows -= self._size_of_batch(count, 0)
            count += 1 if rows >= 0 or not self.drop_remainder else 0
        return count

    # Columns.

    def _columns(self) -> list[str]:
        names = self.children[0]._columns()
        if self.per_batch_map is None or self.output_columns is None:
            return names
        used = self.input_columns or names
        checks.positions("Dataset.batch", used, names)
        if len(used) == len(self.output_columns):
            renamed = dict(zip(used, self.output_columns, strict=True))
            return [renamed.get(name, name) for name in names]
        return [*self.output_columns, *(name for name in names if name not in used)]

    # Rows.

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        names = self.children[0]._columns()
        checks.positions("Dataset.batch", self.input_columns or [], names)
        if self.per_batch_map is None:
            return self._stacked(run, epoch, start, names)
        batches = ((run.epoch, rows) for rows in self._listed(run, epoch, start))
        call, crew = self._call(names), run.crew(self)
        processes = None
        if self.python_multiprocessing:
            where = f"{self.where}(per_batch_map)"
            processes = run.processes(self, lambda: Processes(where, crew.workers, call, self.per_batch_map, "batch"))
        return in_order(call, batches, start, run.key(self, epoch), crew, processes)

    def _call(self, names: list[str]) -> Call:
        assert self.per_batch_map is not None
        used = self.input_columns or names
        return Call(self.per_batch_map, names, used, self.output_columns or used, self._columns())

    def _stacked(self, run: Run, epoch: int, start: int, names: list[str]) -> Iterator[Row]:
        gather = self.children[0]._gather(run, epoch)
        if gather is not None and isinstance(self.batch_size, int):
            total, size = self.children[0]._size(), self.batch_size
            for batch in range(start, self._size()):
                yield gather(np.arange(batch * size, min((batch + 1) * size, total)))
            return
        rows, batch = self.children[0]._lent_rows(run, epoch, self._before(run, start)), start
        while True:
            size, count = self._size_of_batch(batch, run.epoch), 0
            stacks = [Stack(f"Dataset.batch: batch {batch}", name, size) for name in names]
            for row in islice(rows, size):
                for stacked, value in zip(stacks, row, strict=True):
                    stacked.add(value)
                count += 1
            if not count or (self.drop_remainder and count < size):
                return
            yield tuple(stacked.batch() for stacked in stacks)
            batch += 1

    def _listed(self, run: Run, epoch: int, start: int) -> Iterator[list[Row]]:
        rows, batch = self.children[0]._rows(run, epoch, self._before(run, start)), start
        while True:
            size = self._size_of_batch(batch, run.epoch)
            listed = list(islice(rows, size))
            if not listed or (self.drop_remainder and len(listed) < size):
                return
            yield listed
            batch += 1

    def _before(self, run: Run, start: int) -> int:
        """Return how many rows are in the batches before batch `start`."""
        return sum(self._size_of_batch(batch, run.epoch) for batch in range(start))


def check_batch_size(where: str, batch_size: object) -> None:
    """Refuse a `batch_size` that is neither a function nor a positive int.

    Raises:
        TypeError: If it is something else.
        ValueError: If it is not positive.
    """
    if callable(batch_size):
        return
    if not isinstance(batch_size, int) or isinstance(batch_size, bool):
        raise TypeError(f"{where}: batch_size must be an int or a callable, got {describe(batch_size)}.")
    checks.integer(where, "batch_size", batch_size, 1)


def _whole(where: str, name: str, values: object) -> Any:
    return stack(where, name, values) if isinstance(values, list) and values else as_array(values, copy=True)


@as_method
def batch(
    self: Dataset,
    batch_size: int | Callable[[BatchInfo], int],
    drop_remainder: bool = False,
    num_parallel_workers: int | None = None,
    per_batch_map: Callable[..., Any] | None = None,
    input_columns: str | list[str] | None = None,
    output_columns: str | list[str] | None = None,
    python_multiprocessing: bool = False,
    max_rowsize: object = None,
    **kwargs: object,
) -> Dataset:
    """Return this dataset in batches of `batch_size` rows.

    Args:
        batch_size (Union[int, Callable]): The rows per batch, or a function of `BatchInfo` that returns them.
        drop_remainder (bool): Whether to leave out a last batch that is not full. Default: ``False``.
        num_parallel_workers (int, optional): How many workers call `per_batch_map`. Default: the configured number.
        per_batch_map (Callable, optional): Takes one list of arrays per column and a `BatchInfo`, returns one list
            of arrays per output column.
        input_columns (Union[str, list[str]], optional): What `per_batch_map` takes. Default: all columns.
        output_columns (Union[str, list[str]], optional): The names of its results. Default: `input_columns`.
        python_multiprocessing (bool): Whether the workers are processes, as in `map`. Default: ``False``, threads.
        max_rowsize (optional): Not used: memory between processes grows as rows need.

    Raises:
        TypeError: If an argument has the wrong type or another name.
        ValueError: If `batch_size` is not positive.
        RuntimeError: While iterating, if rows of a batch differ in shape or type, a function raises or cannot be sent to a
            worker process, or such a process ends or takes too long for a batch.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["a"], shuffle=False).batch(2)
        >>> [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [[1, 2], [3]]
    """
    checks.no_more("Dataset.batch", kwargs)
    check_batch_size("Dataset.batch", batch_size)
    checks.boolean("Dataset.batch", "drop_remainder", drop_remainder)
    if per_batch_map is not None:
        checks.function("Dataset.batch", "per_batch_map", per_batch_map)
    if input_columns is not None:
        input_columns = checks.columns("Dataset.batch", "input_columns", input_columns)
    if output_columns is not None:
        output_columns = checks.columns("Dataset.batch", "output_columns", output_columns)
    processes = checks.multiprocessing("Dataset.batch", python_multiprocessing, max_rowsize)
    return BatchDataset(
        self, batch_size, drop_remainder, num_parallel_workers, per_batch_map, input_columns, output_columns, processes
    )
