"""MappableDataset: the base of sources whose rows have numbers, so that a sampler can choose among them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import config
from sporax._src.data.dataset import Dataset, Gather, Row, rows_by_gather
from sporax._src.data.iteration import Run, in_order
from sporax._src.data.samplers import BuiltinSampler, PKSampler, RandomSampler, SequentialSampler, Shuffle
from sporax._src.data.samplers.select import select_sampler


class SourceDataset(Dataset):
    """Base of datasets that no other dataset feeds."""

    def get_batch_size(self) -> int:
        """Return 1."""
        return 1

    def get_repeat_count(self) -> int:
        """Return 1."""
        return 1

    def num_classes(self) -> int | None:
        """Return None: this source knows no classes."""
        return None

    def get_class_indexing(self) -> dict[str, Any]:
        """Return an empty dictionary: this source knows no classes."""
        return {}


class MappableDataset(SourceDataset):
    """Base of sources with numbered rows; a subclass defines `_columns`, `_total` and `_item` (or `_stacked`).

    Args:
        num_parallel_workers (int, optional): How many threads read rows. Default: the configured number.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows. Default: see `shuffle`.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        shuffle (bool, optional): Whether rows come in random order. Default: ``None``, they do.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of range.
        RuntimeError: If arguments exclude each other; of `GeneratorDataset` and `NumpySlicesDataset` a ValueError.

    Examples:
        >>> import sporax.dataset as ds
        >>> isinstance(ds.NumpySlicesDataset([1, 2]), ds.MappableDataset)
        True
    """

    sampler: BuiltinSampler | None
    _exclusion: type[Exception] = RuntimeError  # the error for arguments that exclude each other

    def __init__(
        self,
        num_parallel_workers: int | None = None,
        sampler: object = None,
        num_samples: int | None = None,
        shuffle: bool | Shuffle | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        super().__init__(None, num_parallel_workers, cache)
        self.num_shards = 1 if num_shards is None else num_shards
        self.shard_id = 0 if shard_id is None else shard_id
        self.sampler = select_sampler(
            type(self).__name__, sampler, num_samples, shuffle, num_shards, shard_id, self._exclusion
        )

    # The interface of a source.

    def _total(self) -> int:
        """Return the number of rows there are to choose from."""
        raise NotImplementedError(f"{type(self).__name__} must define _total.")

    def _item(self, index: int) -> Row:
        """Return one row, in arrays of its own."""
        raise NotImplementedError(f"{type(self).__name__} must define _item.")

    def _stacked(self) -> tuple[np.ndarray, ...] | None:
        """Return all rows stacked by column, or None where rows come one by one."""
        return None

    def _labels(self) -> np.ndarray | None:
        """Return the label of every row, or None where the source knows none."""
        return None

    def _checked_total(self) -> int:
        total = self._total()
        if total == 0:
            raise RuntimeError(f"{type(self).__name__}: the source has no rows; expected at least one.")
        return total

    def _with_labels(self) -> BuiltinSampler:
        sampler = self.sampler if self.sampler is not None else SequentialSampler()
        for link in sampler.links():
            if isinstance(link, PKSampler):
                link.labels = self._labels()
                if link.labels is None:
                    raise self._exclusion(f"{type(self).__name__} does not support PKSampler: it knows no labels.")
        return sampler

    def _indices(self, run: Run, epoch: int) -> np.ndarray:
        memo = run.memo(self)
        if memo.get("epoch") != epoch:
            order = self._with_labels().indices(self._checked_total(), run.seed, epoch, memo.setdefault("draws", {}))
            memo["epoch"], memo["order"] = epoch, order
        return memo["order"]

    def _static_size(self) -> int | None:
        return self._with_labels().length(self._checked_total())

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        gather = self._gather(run, epoch)
        order = self._indices(run, epoch)
        if gather is not None:
            return rows_by_gather(gather, len(order), start)
        return in_order(
            lambda _, index: self._item(index), order[start:].tolist(), start, run.key(self, epoch),
            run.crew(self),
        )  # fmt: skip

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        columns = self._stacked()
        if columns is None:
            return None
        order = self._indices(run, epoch)
        return lambda rows: tuple(column[order[rows]] for column in columns)

    def is_shuffled(self) -> bool:
        """Return whether rows come in random order."""
        return self.sampler is not None and self.sampler.is_shuffled()

    def _is_shuffled_anew(self) -> bool:
        return self.sampler is not None and any(link.is_shuffled_anew() for link in self.sampler.links())

    def is_sharded(self) -> bool:
        """Return whether only one device's share comes."""
        return self.sampler is not None and self.sampler.is_sharded()

    # Samplers and splits.

    def add_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Make `new_sampler` choose from the rows of the present sampler.

        Args:
            new_sampler (Sampler): The sampler.

        Raises:
            TypeError: If `new_sampler` is not a sampler.
        """
        if not isinstance(new_sampler, BuiltinSampler):
            raise TypeError(f"{type(self).__name__}.add_sampler: expected a sampler, got {describe(new_sampler)}.")
        if self.sampler is not None:
            new_sampler.add_child(self.sampler)
        self.sampler, self._counted = new_sampler, None

    def use_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Replace the present sampler by `new_sampler`; its child remains.

        Args:
            new_sampler (Sampler): The sampler.

        Raises:
            TypeError: If `new_sampler` is not a sampler.

        Examples:
            >>> import sporax.dataset as ds
            >>> data = ds.NumpySlicesDataset([4, 5, 6])
            >>> data.use_sampler(ds.SubsetSampler([2, 0]))
            >>> [row[0].item() for row in data.create_tuple_iterator(output_numpy=True)]
            [6, 4]
        """
        if not isinstance(new_sampler, BuiltinSampler):
            raise TypeError(f"{type(self).__name__}.use_sampler: expected a sampler, got {describe(new_sampler)}.")
        self.sampler = self.sampler.child_sampler if self.sampler is not None else None
        self.add_sampler(new_sampler)

    def _replace_sampler(self, sampler: BuiltinSampler) -> bool:
        self.use_sampler(sampler)
        return True

    def _split_parts(self, sizes: list[int], randomize: bool) -> list[Dataset] | None:
        """Return the parts of a split by samplers: no row is read that a part does not give."""
        seed, start, parts = config.draw_seed(), 0, []
        for size in sizes:
            part = copy.copy(self)
            part.parent, part._counted, part.sampler = [], None, copy.deepcopy(self.sampler)
            for link in part.sampler.links() if part.sampler is not None else ():
                link.seed = seed if link.seed is None else link.seed  # all parts must have one order
            if randomize:
                once = RandomSampler()
                once.reshuffle_each_epoch, once.seed = False, seed
                part.add_sampler(once)
            part.add_sampler(SequentialSampler(start, size))
            part.add_sampler(SequentialSampler())  # the one that a later `use_sampler` replaces
            start += size
            parts.append(part)
        return parts
