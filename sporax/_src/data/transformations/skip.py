"""skip: all but the first rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Gather, Row, as_method
from sporax._src.data.iteration import Run


class SkipDataset(Dataset):
    """The rows of `input_dataset` after the first `count`; made by `Dataset.skip`."""

    def __init__(self, input_dataset: Dataset, count: int) -> None:
        super().__init__(input_dataset)
        self.count = count

    def _static_size(self) -> int | None:
        size = self.children[0]._static_size()
        return size if size is None else max(size - self.count, 0)

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        return self.children[0]._rows(run, epoch, start + self.count)

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        gather = self.children[0]._gather(run, epoch)
        return None if gather is None else lambda rows: gather(np.asarray(rows) + self.count)


@as_method
def skip(self: Dataset, count: int) -> Dataset:
    """Return the rows after the first `count`.

    Args:
        count (int): How many rows to leave out.

    Raises:
        TypeError: If `count` is not an int.
        ValueError: If `count` is negative.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.NumpySlicesDataset([1, 2, 3], shuffle=False).skip(2).get_dataset_size()
        1
    """
    return SkipDataset(self, checks.integer("Dataset.skip", "count", count, 0))
