"""concat: one dataset after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.data.dataset import Dataset, Row, as_method
from sporax._src.data.run import Run


class ConcatDataset(Dataset):
    """The rows of `datasets`, one after the other; made by `Dataset.concat` and ``+``."""

    def __init__(self, datasets: list[Dataset]) -> None:
        super().__init__(datasets)
        for place, child in enumerate(datasets):
            if child._static_size() == 0:
                raise ValueError(f"Dataset.concat: dataset number {place} ({type(child).__name__}) has no rows.")
        self.datasets = datasets

    def _columns(self) -> list[str]:
        first = self.children[0]._columns()
        for place, child in enumerate(self.children):
            if child._columns() != first:
                raise RuntimeError(
                    "Dataset.concat: all datasets must have the same columns in the same order; number 0 has "
                    f"{first}, number {place} has {child._columns()}."
                )
        return first

    def _static_size(self) -> int | None:
        sizes = [child._static_size() for child in self.children]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        self._columns()
        for child in self.children:
            if start and child is not self.children[-1]:
                size = child._size()
                if start >= size:
                    start -= size
                    continue
            yield from child._rows(run, epoch, start)
            start = 0

    def is_sharded(self) -> bool:
        """Return whether all datasets give only a share of their rows."""
        return all(child.is_sharded() for child in self.children)


@as_method
def concat(self: Dataset, datasets: Any) -> Dataset:
    """Return the rows of this dataset, then those of `datasets`; ``a + b`` is the same.

    Args:
        datasets (Union[Dataset, list[Dataset]]): What follows, with the same columns.

    Raises:
        TypeError: If `datasets` is neither a Dataset nor a list of them.
        ValueError: If a dataset has no rows.
        RuntimeError: If columns differ, once columns are asked for.

    Examples:
        >>> import sporax.dataset as ds
        >>> one, two = ds.NumpySlicesDataset([1], ["a"]), ds.NumpySlicesDataset([2, 3], ["a"])
        >>> (one + two).get_dataset_size()
        3
    """
    others = [datasets] if isinstance(datasets, Dataset) else datasets
    if not isinstance(others, (list, tuple)) or not all(isinstance(other, Dataset) for other in others):
        raise TypeError(f"Dataset.concat: expected a Dataset or a list of them, got {describe(datasets)}.")
    return ConcatDataset([self, *others])
