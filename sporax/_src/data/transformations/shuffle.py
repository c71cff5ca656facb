"""shuffle: random order within a moving buffer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sporax._src.data import checks
from sporax._src.data.cpp_random import Stream64, through_buffer
from sporax._src.data.dataset import Dataset, Gather, Row, as_method, skipping
from sporax._src.data.iteration import Run


class ShuffleDataset(Dataset):
    """`input_dataset` through a buffer from which rows leave at random; made by `Dataset.shuffle`."""

    def __init__(
        self, input_dataset: Dataset, buffer_size: int, *, seed: int | None = None, reshuffle: bool = True
    ) -> None:
        super().__init__(input_dataset)
        self.buffer_size, self.seed, self.reshuffle_each_epoch = buffer_size, seed, reshuffle

    def is_shuffled(self) -> bool:
        """Return True."""
        return True

    def _is_shuffled_anew(self) -> bool:
        return self.reshuffle_each_epoch or super()._is_shuffled_anew()

    def _draws(self, run: Run, epoch: int) -> Iterator[int]:
        """Return the draws of `epoch`: one stream runs through all epochs, one draw per row."""
        stream = Stream64(run.seed if self.seed is None else self.seed)
        if self.reshuffle_each_epoch and epoch:
            stream.skip(epoch * self.children[0]._size())
        return iter(stream)

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        return skipping(
            through_buffer(self.children[0]._rows(run, epoch), self.buffer_size, self._draws(run, epoch)), start
        )

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        gather = self.children[0]._gather(run, epoch)
        if gather is None:
            return None
        memo = run.memo(self)
        if memo.get("epoch") != epoch:
            numbers = iter(range(self.children[0]._size()))
            memo["order"] = np.fromiter(through_buffer(numbers, self.buffer_size, self._draws(run, epoch)), np.int64)
            memo["epoch"] = epoch
        order = memo["order"]
        return lambda rows: gather(order[rows])


@as_method
def shuffle(self: Dataset, buffer_size: int) -> Dataset:
    """Return this dataset in random order, a new one every epoch.

    Args:
        buffer_size (int): How many rows are mixed at a time, at least 2; the dataset's size mixes all.

    Raises:
        TypeError: If `buffer_size` is not an int.
        ValueError: If `buffer_size` is below 2.
        RuntimeError: If rows wait for `sync_update`.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).shuffle(3)
        >>> sorted(row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True))
        [1, 2, 3]
    """
    if self.is_sync():
        raise RuntimeError("Dataset.shuffle: it cannot follow sync_wait, since it reads rows ahead.")
    return ShuffleDataset(self, checks.integer("Dataset.shuffle", "buffer_size", buffer_size, 2))
