"""concat: one dataset after the other."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.dataset import Dataset, Row, as_method, skipping
from sporax._src.data.iteration import Run
from sporax._src.data.samplers import BuiltinSampler, DistributedSampler, RandomSampler


class ConcatDataset(Dataset):
    """The rows of `datasets`, one after the other; made by `Dataset.concat` and ``+``."""

    def __init__(self, datasets: list[Dataset]) -> None:
        super().__init__(datasets)
        for position, child in enumerate(datasets):
            if child._static_size() == 0:
                raise ValueError(f"Dataset.concat: dataset number {position} ({type(child).__name__}) has no rows.")
        self.datasets = datasets
        self._sampler: BuiltinSampler | None = None

    def _columns(self) -> list[str]:
        first = self.children[0]._columns()
        for position, child in enumerate(self.children):
            if child._columns() != first:
                raise RuntimeError(
                    "Dataset.concat: all datasets must have the same columns in the same order; number 0 has "
                    f"{first}, number {position} has {child._columns()}."
                )
        return first

    def _static_size(self) -> int | None:
        sizes = [child._static_size() for child in self.children]
        if None in sizes:
            return None if self._sampler is None else self._sampler.length(sum(c._size() for c in self.children))
        total = sum(size for size in sizes if size is not None)
        return total if self._sampler is None else self._sampler.length(total)

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        names = self._columns()
        if self._sampler is None:
            return self._checked(names, self._all(run, epoch, start))
        return skipping(self._checked(names, self._sampled(run, epoch)), start)

    def _all(self, run: Run, epoch: int, start: int) -> Iterator[Row]:
        for child in self.children:
            size = child._fixed_size()
            if size is None:  # as many as come in this epoch: they are read to be counted
                for row in child._rows(run, epoch):
                    if start:
                        start -= 1
                    else:
                        yield row
            elif start >= size and not child._is_endless():
                start -= size
            else:
                yield from child._rows(run, epoch, start)
                start = 0

    def _sampled(self, run: Run, epoch: int) -> Iterator[Row]:
        assert self._sampler is not None
        total = sum(child._size() for child in self.children)
        order = self._sampler.indices(total, run.seed, epoch, run.memo(self))
        if self._sampler.is_shuffled():
            rows = list(self._all(run, epoch, 0))
            yield from (rows[number] for number in order)
            return
        wanted = set(order.tolist())  # without shuffling, the chosen rows are in ascending order
        yield from (row for number, row in enumerate(self._all(run, epoch, 0)) if number in wanted)

    @staticmethod
    def _checked(names: list[str], rows: Iterator[Row]) -> Iterator[Row]:
        """Yield `rows`, and check that each column keeps its type and rank."""
        first: list[tuple[str, int]] | None = None
        for row in rows:
            kinds = [_kind(value) for value in row]
            if first is None:
                first = kinds
            elif kinds != first:
                k = next(k for k, kind in enumerate(kinds) if kind != first[k])
                raise RuntimeError(
                    f"Dataset.concat: column {names[k]!r} must have one type and rank in all datasets; it has "
                    f"{first[k][0]} of rank {first[k][1]} and {kinds[k][0]} of rank {kinds[k][1]}."
                )
            yield row

    def is_sharded(self) -> bool:
        """Return whether all datasets give only a share of their rows."""
        return all(child.is_sharded() for child in self.children)

    def use_sampler(self, sampler: BuiltinSampler) -> None:
        """Choose among the rows of all datasets together.

        Args:
            sampler (Union[DistributedSampler, RandomSampler]): A share without shuffling, whose rows then come
                exactly once over all devices; or a random order of all rows, which are then read into memory.

        Raises:
            TypeError: If `sampler` is another one.
            ValueError: If it shuffles a share, draws with replacement, or limits the rows.

        Examples:
            >>> import sporax.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2], shuffle=False) + ds.NumpySlicesDataset([3], shuffle=False)
            >>> data.use_sampler(ds.DistributedSampler(2, 0, shuffle=False))
            >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
            [1, 3]
        """
        where = "ConcatDataset.use_sampler"
        if not isinstance(sampler, (DistributedSampler, RandomSampler)):
            raise TypeError(f"{where}: expected a DistributedSampler or a RandomSampler, got {describe(sampler)}.")
        if sampler.num_samples is not None:
            raise ValueError(f"{where}: the sampler must not limit the rows, got num_samples={sampler.num_samples}.")
        if isinstance(sampler, RandomSampler) and sampler.replacement:
            raise ValueError(f"{where}: the sampler must not draw with replacement.")
        if isinstance(sampler, DistributedSampler):
            if sampler.is_shuffled():
                raise ValueError(f"{where}: the shares must not be shuffled; pass shuffle=False.")
            sampler = copy.copy(sampler).set_offset(max(sampler.offset, 0))
        self._sampler, self._counted = sampler, None


def _kind(value: object) -> tuple[str, int]:
    if isinstance(value, np.ndarray):
        return ("text" if value.dtype.kind in "US" else str(value.dtype)), value.ndim
    return type(value).__name__, 0


@as_method
def concat(self: Dataset, datasets: object) -> Dataset:
    """Return the rows of this dataset, then those of `datasets`; ``a + b`` is the same.

    Args:
        datasets (Union[Dataset, list[Dataset]]): The datasets that follow, with the same columns.

    Raises:
        TypeError: If `datasets` is neither a Dataset nor a list of them.
        ValueError: If a dataset has no rows.
        RuntimeError: If names, types or ranks of columns differ, once they are asked for.

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
