"""repeat: several passes as one epoch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as counting

import numpy as np

from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Gather, Row, as_method
from sporax._src.data.iteration import Run


class RepeatDataset(Dataset):
    """`input_dataset` repeated `count` times, each time in its next random order; made by `Dataset.repeat`."""

    def __init__(self, input_dataset: Dataset, count: int) -> None:
        super().__init__(input_dataset)
        self.count = count

    def _static_size(self) -> int | None:
        size = self.children[0]._static_size()
        # As in MindSpore, an endless dataset has the size of one pass.
        return size if size is None else size * max(self.count, 1)

    def _is_endless(self) -> bool:
        return self.count == -1 or super()._is_endless()

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        child = self.children[0]
        size = child._fixed_size()  # None if each pass has as many rows as come: they are read to be counted
        done, start = (0, start) if size is None else divmod(start, max(size, 1))
        if self.count == -1:
            passes: Iterator[int] = counting(epoch + done)
        else:
            passes = iter(range(epoch * self.count + done, (epoch + 1) * self.count))
        for number in passes:
            empty = True
            for row in child._rows(run, number, 0 if size is None else start):
                empty = False
                if size is None and start:
                    start -= 1
                else:
                    yield row
            if empty and self.count == -1 and (size is None or not start):
                return  # endless repetition of nothing
            start = start if size is None else 0

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        child = self.children[0]
        if self.count == -1 or child._gather(run, epoch * self.count) is None:
            return None
        size = child._size()

        def gather(rows: np.ndarray) -> Row:
            passes, within = np.divmod(np.asarray(rows), size)
            parts = []
            for number in np.unique(passes):  # ascending, as rows come
                once = child._gather(run, epoch * self.count + int(number))
                assert once is not None
                parts.append((passes == number, once(within[passes == number])))
            if len(parts) == 1:
                return parts[0][1]
            columns = [np.empty((len(within), *column.shape[1:]), column.dtype) for column in parts[0][1]]
            for chosen, values in parts:
                for column, value in zip(columns, values, strict=True):
                    column[chosen] = value
            return tuple(columns)

        return gather

    def get_repeat_count(self) -> int:
        """Return `count`."""
        return self.count


@as_method
def repeat(self: Dataset, count: int | None = None) -> Dataset:
    """Return this dataset repeated `count` times; random orders differ from pass to pass.

    Args:
        count (int, optional): How many times; -1 for endless. Default: ``None``, endless.

    Raises:
        TypeError: If `count` is not an int.
        ValueError: If `count` is neither -1 nor positive.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.NumpySlicesDataset([1, 2, 3]).repeat(2).get_dataset_size()
        6
    """
    count = -1 if count is None else count
    checks.count("Dataset.repeat", count)
    return self if count == 1 else RepeatDataset(self, count)
