"""sync_wait: rows wait until the program says, with sync_update, that it has used those before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from sporax._src.base.errors import describe, warn_user
from sporax._src.data import checks, config
from sporax._src.data.dataset import Counting, Dataset, Row, as_method
from sporax._src.data.iteration import Run


class SyncWaitDataset(Dataset):
    """`input_dataset`, whose rows wait for `Dataset.sync_update`; made by `Dataset.sync_wait`."""

    def __init__(
        self, input_dataset: Dataset, condition_name: str, num_batch: int, callback: Callable[..., Any] | None = None
    ) -> None:
        super().__init__(input_dataset)
        self.condition_name, self.num_batch, self.callback = condition_name, num_batch, callback
        self._changed = threading.Condition()
        self._free = 0  # rows that may pass
        self._disabled = False
        self._run: Run | None = None

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        rows = self.children[0]._rows(run, epoch, start)
        if isinstance(run, Counting):
            yield from rows
            return
        with self._changed:
            if self._run is not run:  # another iterator
                self._run, self._free = run, self.num_batch * self._rows_per_batch()
        for row in rows:
            self._wait()
            yield row

    def _wait(self) -> None:
        with self._changed:
            seconds = config.get_callback_timeout()
            if not self._changed.wait_for(lambda: self._free > 0 or self._disabled, seconds):
                self._disabled = True
                warn_user(
                    f"Dataset.sync_wait: no sync_update({self.condition_name!r}) came within {seconds} s; rows wait no more."
                )
            self._free -= 1

    def _release(self, rows: int | None, data: object) -> None:
        with self._changed:
            self._free += self.num_batch * self._rows_per_batch() if rows is None else rows
            if self.callback is not None:
                self.callback(data)
            self._changed.notify_all()

    def _rows_per_batch(self) -> int:
        """Return how many of its rows are a row of the pipeline."""
        rows, node = 1, self
        while (parent := next(filter(None, (reference() for reference in node.parent)), None)) is not None:
            size = getattr(parent, "batch_size", 1)
            rows *= size if isinstance(size, int) else 1
            node = parent
        return rows

    def is_sync(self) -> bool:
        """Return True: rows wait."""
        return True

    def disable(self) -> None:
        """Let all rows pass."""
        with self._changed:
            self._disabled = True
            self._changed.notify_all()


def _waits(node: Dataset) -> Iterator[SyncWaitDataset]:
    if isinstance(node, SyncWaitDataset):
        yield node
    for child in node.children:
        yield from _waits(child)


@as_method
def sync_wait(
    self: Dataset, condition_name: str, num_batch: int = 1, callback: Callable[..., Any] | None = None
) -> Dataset:
    """Return this dataset, whose rows wait for `sync_update` after the first ones.

    Operations above it are called on one thread, which reads no rows ahead.

    Args:
        condition_name (str): The name.
        num_batch (int): How many batches, or rows if there is no `batch` after it, pass before one waits. Default: ``1``.
        callback (Callable, optional): Called by `sync_update` with its `data`.

    If no `sync_update` comes within `config.get_callback_timeout()` seconds, a warning says so, and rows wait no more.

    Raises:
        TypeError: If `condition_name` is not a str or `callback` is not callable.
        ValueError: If `num_batch` is not positive.
        RuntimeError: If the name is taken.

    Examples:
        >>> import sporax.dataset as ds
        >>> seen = []
        >>> data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).sync_wait("step", callback=seen.append)
        >>> for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        ...     data.sync_update("step", data=row[0].item() * 10)
        >>> seen
        [10, 20, 30]
    """
    if not isinstance(condition_name, str):
        raise TypeError(f"Dataset.sync_wait: condition_name must be a str, got {describe(condition_name)}.")
    checks.integer("Dataset.sync_wait", "num_batch", num_batch, 1)
    if callback is not None:
        checks.function("Dataset.sync_wait", "callback", callback)
    if any(wait.condition_name == condition_name for wait in _waits(self)):
        raise RuntimeError(f"Dataset.sync_wait: condition_name {condition_name!r} is taken.")
    return SyncWaitDataset(self, condition_name, num_batch, callback)


@as_method
def sync_update(self: Dataset, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
    """Let rows of the `sync_wait` named `condition_name` pass, after its callback was called with `data`.

    Args:
        condition_name (str): The name.
        num_batch (int, optional): How many batches of this dataset may pass. Default: the number of `sync_wait`.
        data (optional): The argument of the callback.

    Raises:
        TypeError: If `condition_name` is not a str.
        RuntimeError: If there is no such name, or `num_batch` is not a positive int; no row waits any more then.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.NumpySlicesDataset([1, 2]).sync_wait("step").sync_update("step", num_batch=2)
    """
    if not isinstance(condition_name, str):
        raise TypeError(f"Dataset.sync_update: condition_name must be a str, got {describe(condition_name)}.")
    waits = {wait.condition_name: wait for wait in _waits(self)}
    if num_batch is not None and (not isinstance(num_batch, int) or num_batch < 1):
        self.disable_sync()
        raise RuntimeError(f"Dataset.sync_update: num_batch must be a positive int, got {describe(num_batch)}.")
    if condition_name not in waits:
        self.disable_sync()
        raise RuntimeError(f"Dataset.sync_update: there is no condition named {condition_name!r}.")
    waits[condition_name]._release(None if num_batch is None else num_batch * self.get_batch_size(), data)


@as_method
def disable_sync(self: Dataset) -> None:
    """Let the rows of every `sync_wait` below pass.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).sync_wait("step")
        >>> data.disable_sync()
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [1, 2, 3]
    """
    for wait in _waits(self):
        wait.disable()
