"""The interface of every sampler, and the base of samplers that users write."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sized
from enum import StrEnum
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np

from sporax._src.data import checks
from sporax._src.data.cpp_random import shuffle

Memo = dict[str, Any]


class Shuffle(StrEnum):
    """How the rows of a source are shuffled: whole (``GLOBAL``), or by files, for file formats only."""

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


class BuiltinSampler:
    """Base of all samplers: `_order` returns the rows of an epoch; a child sampler restricts the rows to choose from.

    Args:
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.

    Raises:
        TypeError: If `num_samples` is not an int.
        ValueError: If `num_samples` is negative.

    Examples:
        >>> import sporax.dataset as ds
        >>> parent = ds.SequentialSampler(num_samples=2)
        >>> parent.add_child(ds.SubsetSampler([7, 3, 5]))
        >>> data = ds.NumpySlicesDataset(list(range(9)), sampler=parent)
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [7, 3]
    """

    # Class attributes, so that a user's sampler works without calling `super().__init__()`.
    num_samples: int | None = None
    child_sampler: BuiltinSampler | None = None
    seed: int | None = None  # of its draws. Default: that of the iterator

    def __init__(self, num_samples: int | None = None) -> None:
        if num_samples is not None:
            checks.integer(type(self).__name__, "num_samples", num_samples, 0, 2**63 - 1)
        self.num_samples = num_samples

    def add_child(self, sampler: BuiltinSampler | None) -> None:
        """Choose from the rows of `sampler` instead of from all.

        Raises:
            RuntimeError: If there is a child already.
        """
        if self.child_sampler is not None:
            raise RuntimeError(f"{type(self).__name__}.add_child: the sampler already has a child sampler.")
        self.child_sampler = sampler

    def get_child(self) -> BuiltinSampler | None:
        """Return the child sampler."""
        return self.child_sampler

    def get_num_samples(self) -> int | None:
        """Return the maximum number of rows of this sampler and its children; None if only the dataset limits it."""
        below = self.child_sampler.get_num_samples() if self.child_sampler is not None else None
        known = [count for count in (self.num_samples, below) if count is not None]
        return min(known) if known else None

    def is_shuffled(self) -> bool:
        """Return whether rows are in random order."""
        return self.child_sampler.is_shuffled() if self.child_sampler is not None else False

    def is_sharded(self) -> bool:
        """Return whether the rows are only one device's share."""
        return self.child_sampler.is_sharded() if self.child_sampler is not None else False

    def get_shuffle_mode(self) -> Shuffle:
        """Return how this sampler shuffles."""
        return Shuffle.FALSE

    def indices(self, size: int, seed: int, epoch: int, memo: Memo) -> np.ndarray:
        """Return the row numbers of `epoch`; `memo` holds the earlier draws of this run."""
        if self.child_sampler is None:
            return self.chosen(size, seed, epoch, memo)
        pool = self.child_sampler.indices(size, seed, epoch, memo.setdefault("child", {}))
        return pool[self.in_range(self.chosen(len(pool), seed, epoch, memo), len(pool))]

    def chosen(self, size: int, seed: int, epoch: int, memo: Memo) -> np.ndarray:
        """Return the numbers that this sampler alone chooses of [0, `size`)."""
        return np.asarray(self._order(size, self.own_seed(seed), epoch, memo), dtype=np.int64)

    def own_seed(self, seed: int) -> int:
        """Return the seed of the draws where that of the iterator is `seed`."""
        return seed if self.seed is None else self.seed

    def links(self) -> list[BuiltinSampler]:
        """Return the samplers of the chain that ends with this one; the first one chooses from all rows."""
        return [*(self.child_sampler.links() if self.child_sampler is not None else []), self]

    def is_shuffled_anew(self) -> bool:
        """Return whether this sampler alone gives another order in each epoch."""
        return self.is_shuffled()

    def in_range(self, chosen: np.ndarray, size: int) -> np.ndarray:
        """Return `chosen` if every number is a row of `size`.

        Raises:
            RuntimeError: If one is not.
        """
        if chosen.size and (chosen.min() < 0 or chosen.max() >= size):
            bad = chosen[(chosen < 0) | (chosen >= size)][0]
            raise RuntimeError(f"{type(self).__name__}: row {bad} does not exist; the dataset has {size} rows.")
        return chosen

    def length(self, size: int) -> int:
        """Return the number of rows chosen from a source of `size`."""
        return self._length(self.child_sampler.length(size) if self.child_sampler is not None else size)

    def _length(self, size: int) -> int:
        return min(self.num_samples or size, size)

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        """Return the chosen numbers of [0, size), as an array or a list."""
        raise NotImplementedError(f"{type(self).__name__} must define the order of its rows.")


def reshuffled(
    memo: Memo, epoch: int, first: Callable[[], list[int]], stream: Callable[[int], Iterator[int]]
) -> list[int]:
    """Shuffle for each epoch the order of the epoch before, as MindSpore does."""
    done, items = memo.get("shuffled", (-1, None))
    if items is None or done > epoch:
        done, items = -1, first()
    for number in range(done + 1, epoch + 1):
        shuffle(items, stream(number))
    memo["shuffled"] = epoch, items
    return items


class Sampler(BuiltinSampler):
    """The base of samplers that users write: ``__iter__`` yields row numbers, and can read ``self.dataset_size``.

    Args:
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all that ``__iter__`` yields.

    Examples:
        >>> import sporax.dataset as ds
        >>> class Reverse(ds.Sampler):
        ...     def __iter__(self):
        ...         return iter(range(self.dataset_size - 1, -1, -1))
        >>> data = ds.NumpySlicesDataset([4, 5, 6], sampler=Reverse())
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [6, 5, 4]
    """

    dataset_size = 0

    def __init__(self, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if num_samples is None and isinstance(self, Sized):
            self.num_samples = len(self)

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__, which yields row numbers.")

    def reset(self) -> None:
        """Called before each epoch; override it if a sampler has state."""

    def groups(self, size: int, epoch: int, memo: Memo) -> list[list[int]]:
        """Return one list of row numbers per item that ``__iter__`` yields in `epoch`.

        Each run works on a copy of the sampler, iterated once per epoch: a sampler that keeps state gives every
        iterator the same epochs.
        """
        if memo.get("epoch", epoch + 1) > epoch:
            memo["sampler"], memo["epoch"] = self._copied(), -1
        while memo["epoch"] < epoch:
            memo["groups"] = memo["sampler"]._read(size)
            memo["epoch"] += 1
        return memo["groups"]

    def _copied(self) -> Sampler:
        try:
            return copy.deepcopy(self)
        except Exception:  # the sampler holds something that cannot be copied, such as a generator
            return self

    def _read(self, size: int) -> list[list[int]]:
        self.dataset_size = size
        self.reset()
        items = islice(self, self.num_samples)
        return [[item] if isinstance(item, Number) else list(item) for item in items]  # type: ignore[list-item]

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        rows = [row for group in self.groups(size, epoch, memo) for row in group]
        return self.in_range(np.asarray(rows, np.int64), size)

    def _length(self, size: int) -> int:
        return sum(len(group) for group in self.groups(size, 0, {}))


class IterSampler(Sampler):
    """Gives the rows that an iterable yields; made from a `sampler` argument that is not a Sampler.

    Args:
        sampler (Iterable[int]): The row numbers.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([4, 5, 6], sampler=ds.IterSampler(range(2)))
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [4, 5]
    """

    def __init__(self, sampler: Iterable[Any], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)
