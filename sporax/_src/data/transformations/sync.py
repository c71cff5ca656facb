"""sync_wait: nothing to wait for, since rows are produced on request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Gather, Row, as_method
from sporax._src.data.iteration import Run


class SyncWaitDataset(Dataset):
    """`input_dataset` as it is, with a callback that `Dataset.sync_update` calls; made by `Dataset.sync_wait`."""

    def __init__(
        self, input_dataset: Dataset, condition_name: str, num_batch: int, callback: Callable[..., Any] | None = None
    ) -> None:
        super().__init__(input_dataset)
        self.condition_name, self.num_batch, self.callback = condition_name, num_batch, callback

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        return self.children[0]._rows(run, epoch, start)

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        return self.children[0]._gather(run, epoch)


def _waits(node: Dataset) -> Iterator[SyncWaitDataset]:
    if isinstance(node, SyncWaitDataset):
        yield node
    for child in node.children:
        yield from _waits(child)


@as_method
def sync_wait(
    self: Dataset, condition_name: str, num_batch: int = 1, callback: Callable[..., Any] | None = None
) -> Dataset:
    """Return this dataset with a named callback for `sync_update`; rows never wait.

    Args:
        condition_name (str): The name.
        num_batch (int): Accepted. Default: ``1``.
        callback (Callable, optional): Called by `sync_update` with its `data`.

    Raises:
        TypeError: If `callback` is not callable.
        ValueError: If `num_batch` is not positive.
        RuntimeError: If the name is taken.

    Examples:
        >>> import sporax.dataset as ds
        >>> seen = []
        >>> data = ds.NumpySlicesDataset([1, 2]).sync_wait("step", callback=seen.append)
        >>> data.sync_update("step", data=0.5)
        >>> seen
        [0.5]
    """
    checks.integer("Dataset.sync_wait", "num_batch", num_batch, 1)
    if callback is not None:
        checks.function("Dataset.sync_wait", "callback", callback)
    if any(wait.condition_name == condition_name for wait in _waits(self)):
        raise RuntimeError(f"Dataset.sync_wait: condition_name {condition_name!r} is taken.")
    return SyncWaitDataset(self, condition_name, num_batch, callback)


@as_method
def sync_update(self: Dataset, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
    """Call the callback of the `sync_wait` named `condition_name`.

    Args:
        condition_name (str): The name.
        num_batch (int, optional): Accepted.
        data (optional): The argument of the callback.

    Raises:
        RuntimeError: If there is no such name.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.NumpySlicesDataset([1, 2]).sync_wait("step").sync_update("step")
    """
    waits = [wait for wait in _waits(self) if wait.condition_name == condition_name]
    if not waits:
        raise RuntimeError(f"Dataset.sync_update: there is no condition named {condition_name!r}.")
    if waits[0].callback is not None:
        waits[0].callback(data)
