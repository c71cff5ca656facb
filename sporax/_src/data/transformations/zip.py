"""zip: datasets side by side."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from sporax._src.base.errors import describe
from sporax._src.data.dataset import Dataset, Gather, Row, as_method
from sporax._src.data.iteration import Run


class ZipDataset(Dataset):
    """The columns of all `datasets` side by side, as many rows as the shortest has; made by `zip`."""

    def __init__(self, datasets: tuple[Dataset, ...]) -> None:
        super().__init__(list(datasets))
        self.datasets = datasets

    def _columns(self) -> list[str]:
        names = [name for child in self.children for name in child._columns()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise RuntimeError(f"dataset.zip: columns {twice} come from more than one dataset; rename them first.")
        return names

    def _static_size(self) -> int | None:
        ending = [child for child in self.children if not child._is_endless()] or self.children
        sizes = [child._static_size() for child in ending]
        return None if None in sizes else min(size for size in sizes if size is not None)

    def _is_endless(self) -> bool:
        return all(child._is_endless() for child in self.children)

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        self._columns()
        for rows in builtins.zip(*(child._rows(run, epoch, start) for child in self.children), strict=False):
            yield tuple(value for row in rows for value in row)

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        gathers = [gather for child in self.children if (gather := child._gather(run, epoch)) is not None]
        if len(gathers) != len(self.children):
            return None
        return lambda rows: tuple(column for gather in gathers for column in gather(rows))


def zip(datasets: object) -> Dataset:
    """Return the columns of all `datasets` side by side, as many rows as the shortest has.

    Args:
        datasets (tuple[Dataset]): At least two datasets, without a column name in common.

    Raises:
        TypeError: If `datasets` is not a tuple of datasets.
        ValueError: If it holds fewer than two.
        RuntimeError: If two have a column of one name, once columns are asked for.

    Examples:
        >>> import sporax.dataset as ds
        >>> both = ds.zip((ds.NumpySlicesDataset([1, 2], ["a"]), ds.NumpySlicesDataset([3], ["b"])))
        >>> both.get_col_names(), both.get_dataset_size()
        (['a', 'b'], 1)
    """
    if not isinstance(datasets, tuple) or not all(isinstance(data, Dataset) for data in datasets):
        raise TypeError(f"dataset.zip: datasets must be a tuple of Dataset, got {describe(datasets)}.")
    if len(datasets) < 2:
        raise ValueError(f"dataset.zip: expected at least two datasets, got {len(datasets)}.")
    return ZipDataset(datasets)


@as_method
def zip_method(self: Dataset, datasets: object) -> Dataset:
    """Return the columns of this dataset and of `datasets` side by side.

    Args:
        datasets (Union[Dataset, tuple[Dataset]]): The others, without a column name in common.

    Raises:
        TypeError: If `datasets` is neither a Dataset nor a tuple of them.
        RuntimeError: If two have a column of one name, once columns are asked for.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2], ["a"]).zip(ds.NumpySlicesDataset([3, 4], ["b"]))
        >>> data.get_col_names()
        ['a', 'b']
    """
    others = (datasets,) if isinstance(datasets, Dataset) else datasets
    if not isinstance(others, tuple):
        raise TypeError(f"Dataset.zip: expected a Dataset or a tuple of them, got {describe(datasets)}.")
    return zip((self, *others))
