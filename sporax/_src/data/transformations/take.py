"""take: the first rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Gather, Row, as_method
from sporax._src.data.iteration import Run


class TakeDataset(Dataset):
    """The first `count` rows of `input_dataset`; made by `Dataset.take`."""

    def __init__(self, input_dataset: Dataset, count: int) -> None:
        super().__init__(input_dataset)
        self.count = count

    def _is_endless(self) -> bool:
        return False

    def _static_size(self) -> int | None:
        if self.children[0]._is_endless():
            return self.count
        size = self.children[0]._static_size()
        return size if size is None else min(size, self.count)

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        if start >= self.count:
            return iter(())
        return islice(self.children[0]._rows(run, epoch, start), self.count - start)

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        return self.children[0]._gather(run, epoch)


@as_method
def take(self: Dataset, count: int = -1) -> Dataset:
    """Return the first `count` rows.

    Args:
        count (int): How many; -1 for all. Default: ``-1``.

    Raises:
        TypeError: If `count` is not an int.
        ValueError: If `count` is neither -1 nor positive.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.NumpySlicesDataset([1, 2, 3], shuffle=False).take(2).get_dataset_size()
        2
    """
    checks.count("Dataset.take", count)
    return self if count == -1 else TakeDataset(self, count)
