"""concat: one dataset after the other."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import islice

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.cpp_random import canonical, stream32, weighted
from sporax._src.data.dataset import Dataset, Row, as_method, skipping
from sporax._src.data.iteration import Run
from sporax._src.data.samplers import BuiltinSampler, DistributedSampler, RandomSampler, SequentialSampler
from sporax._src.data.transformations.batch import BatchDataset


class ConcatDataset(Dataset):
    """The rows of `datasets`, one after the other; made by `Dataset.concat` and ``+``."""

    def __init__(self, datasets: list[Dataset]) -> None:
        super().__init__(datasets)
        for position, child in enumerate(datasets):
            if child._static_size() == 0:
                raise ValueError(f"Dataset.concat: dataset number {position} ({type(child).__name__}) has no rows.")
        self.datasets = datasets
        self._sampler: BuiltinSampler | None = None
        self._sizes: list[int] = []  # of the datasets, and
        self._is_shared: list[bool] = []  # which give only the rows of this device, once `use_sampler` shares them out

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
        if isinstance(self._sampler, DistributedSampler):
            sizes = [child._static_size() if rows is None else len(rows) for child, rows in self._parts(0)]
        else:
            sizes = [child._static_size() for child in self.children]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def _varies(self) -> bool:
        shares = self._sampler.num_shards if isinstance(self._sampler, DistributedSampler) else 1
        return super()._varies() or (not all(self._is_shared) and self._passed() % shares > 0)

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        names = self._columns()
        if self._sampler is None:
            return self._checked(names, self._all(run, epoch, start))
        rows = self._share(run, epoch) if isinstance(self._sampler, DistributedSampler) else self._mixed(run, epoch)
        return skipping(self._checked(names, rows), start)

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

    def _passed(self) -> int:
        """Return by how many rows the count goes on in an epoch: MindSpore leaves out a last dataset that shares itself out."""
        return sum(self._sizes[:-1]) + (0 if self._is_shared[-1] else self._sizes[-1])

    def _parts(self, epoch: int) -> Iterator[tuple[Dataset, range | None]]:
        """Yield each dataset and which of its rows this device gets; None if the dataset gives only these.

        MindSpore counts on from epoch to epoch.
        """
        assert isinstance(self._sampler, DistributedSampler)
        shares, position = self._sampler.num_shards, epoch * self._passed()
        for child, size, is_shared in zip(self.children, self._sizes, self._is_shared, strict=True):
            yield child, None if is_shared else range((self._sampler.shard_id - position) % shares, size, shares)
            position += size

    def _share(self, run: Run, epoch: int) -> Iterator[Row]:
        for child, chosen in self._parts(epoch):
            rows = child._rows(run, epoch)
            yield from rows if chosen is None else islice(rows, chosen.start, chosen.stop, chosen.step)

    def _mixed(self, run: Run, epoch: int) -> Iterator[Row]:
        """Yield the rows of each dataset in its own order; chance says which is next, by the rows that they have left."""
        left, memo = [child._size() for child in self.children], run.memo(self)
        rows = [child._rows(run, epoch) for child in self.children]
        if memo.get("epoch") != epoch:
            memo["draws"] = stream32(run.seed)
            for _ in range(epoch * (sum(left) + 1)):  # one stream runs through all epochs; a draw says that one ends
                canonical(memo["draws"])
        draws = memo["draws"]
        memo["epoch"] = None
        while any(left):
            number = weighted(left, draws)
            left[number] -= 1
            yield from islice(rows[number], 1)
        canonical(draws)
        memo["epoch"] = epoch + 1

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
                exactly once over all devices: sources give theirs in order. Or a random choice of the dataset that gives
                its next row.

        Raises:
            TypeError: If `sampler` is another one, or a share is taken of batches.
            ValueError: If it shuffles a share, draws with replacement, or limits the rows, or a share is taken of a source
                with a sampler that limits its rows.

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
            self._share_out(sampler)
        else:
            for child in self.children:
                if isinstance(child, ConcatDataset):
                    child.use_sampler(sampler)
        self._sampler, self._counted = sampler, None

    def _share_out(self, sampler: DistributedSampler) -> None:
        where, shares, first = "ConcatDataset.use_sampler", sampler.num_shards, 0
        self._sizes = self._sizes or [child._size() for child in self.children]
        for position, child in enumerate(self.children):
            if isinstance(child, BatchDataset):
                raise TypeError(f"{where}: dataset number {position} has batches; share the rows out before `batch`.")
            chosen = getattr(child, "sampler", None)
            limit = chosen.get_num_samples() if chosen is not None else None
            if limit is not None:
                raise ValueError(f"{where}: dataset number {position} has a sampler that limits its rows to {limit}.")
        self._is_shared = []
        for child, size in zip(self.children, self._sizes, strict=True):
            is_large = size >= shares
            own = copy.copy(sampler).set_offset(first % shares) if is_large else SequentialSampler()
            self._is_shared.append(child._replace_sampler(own) and is_large)
            first += size if getattr(child, "_numbered", True) else 0  # MindSpore counts no rows of generators here


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
