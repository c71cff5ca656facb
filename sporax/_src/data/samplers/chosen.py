"""Samplers that choose rows: by number, by weight, by class."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.cpp_random import canonical, shuffle, stream32, uniform
from sporax._src.data.samplers.base import BuiltinSampler, Memo, Shuffle, reshuffled


class SubsetSampler(BuiltinSampler):
    """Gives the listed rows, in that order.

    Args:
        indices (Iterable[int]): The rows.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.

    Raises:
        TypeError: If `indices` holds something else than ints.
        ValueError: If `num_samples` is negative.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([4, 5, 6, 7], sampler=ds.SubsetSampler([3, 0]))
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [7, 4]
    """

    def __init__(self, indices: Iterable[int] | int, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if isinstance(indices, int):
            indices = [indices]
        if isinstance(indices, str) or not isinstance(indices, Iterable):
            raise TypeError(f"{type(self).__name__}: indices must be ints, got {describe(indices)}.")
        self.rows = list(islice(indices, num_samples))
        for position, item in enumerate(self.rows):
            if not isinstance(item, (int, np.integer)):
                raise TypeError(f"{type(self).__name__}: indices[{position}] must be an int, got {describe(item)}.")

    def get_num_samples(self) -> int | None:
        """Return how many rows come."""
        known = super().get_num_samples()
        return len(self.rows) if known is None else min(known, len(self.rows))

    def is_shuffled_anew(self) -> bool:
        """Return False."""
        return False

    def _length(self, size: int) -> int:
        return len(self.rows)

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        return self.in_range(np.asarray(self.rows, np.int64), size)


class SubsetRandomSampler(SubsetSampler):
    """Gives the listed rows in random order, a new one every epoch.

    Args:
        indices (Iterable[int]): The rows.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.

    Raises:
        TypeError: If `indices` holds something else than ints.
        ValueError: If `num_samples` is negative.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([4, 5, 6, 7], sampler=ds.SubsetRandomSampler([3, 0]))
        >>> sorted(row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True))
        [4, 7]
    """

    def is_shuffled(self) -> bool:
        """Return True."""
        return True

    def is_shuffled_anew(self) -> bool:
        """Return True."""
        return True

    def get_shuffle_mode(self) -> Shuffle:
        """Return how this sampler shuffles."""
        return Shuffle.GLOBAL

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        self.in_range(np.asarray(self.rows, np.int64), size)
        return list(reshuffled(memo, epoch, lambda: [int(row) for row in self.rows], lambda _: stream32(seed)))


class WeightedRandomSampler(BuiltinSampler):
    """Draws rows with the given weights; the draws are the same in every epoch of one iterator.

    Args:
        weights (list[float]): One weight per row, not necessarily summing to 1.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, as many as the dataset has.
        replacement (bool): Whether a row may come more than once. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `num_samples` is negative.
        RuntimeError: If `weights` is empty, holds a negative number, or is all zero.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([4, 5, 6], sampler=ds.WeightedRandomSampler([0, 1, 0], 2))
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [5, 5]
    """

    def __init__(self, weights: list[float], num_samples: int | None = None, replacement: bool = True) -> None:
        super().__init__(num_samples)
        self.weights = list(weights) if isinstance(weights, (list, tuple, np.ndarray)) else [weights]
        for position, weight in enumerate(self.weights):
            if not isinstance(weight, Number):
                raise TypeError(f"WeightedRandomSampler: weights[{position}] must be a number, got {describe(weight)}.")
        checks.boolean("WeightedRandomSampler", "replacement", replacement)
        if not self.weights or min(self.weights) < 0 or sum(self.weights) <= 0:
            raise RuntimeError(
                f"WeightedRandomSampler: weights must be non-negative and not all zero, got {describe(self.weights)}."
            )
        self.replacement = replacement

    def is_shuffled(self) -> bool:
        """Return True."""
        return True

    def get_shuffle_mode(self) -> Shuffle:
        """Return how this sampler shuffles."""
        return Shuffle.GLOBAL

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        count, stream = self._length(size), stream32(seed)
        weights = np.asarray(self.weights, np.float64)
        chosen = self._with_replacement if self.replacement else self._without_replacement
        return self.in_range(chosen(weights, count, stream), size)

    def _with_replacement(self, weights: np.ndarray, count: int, stream: Any) -> np.ndarray:
        bounds = np.cumsum(weights / weights.sum())
        bounds[-1] = 1.0
        edges = bounds.tolist()
        return np.array([bisect_left(edges, canonical(stream)) for _ in range(count)], np.int64)

    def _without_replacement(self, weights: np.ndarray, count: int, stream: Any) -> np.ndarray:
        if count > np.count_nonzero(weights):
            raise RuntimeError(
                f"WeightedRandomSampler: {count} different rows were asked for, but only "
                f"{np.count_nonzero(weights)} weights are above zero."
            )
        # Exponential draws divided by the weights; the rows with the smallest results come first.
        with np.errstate(divide="ignore"):
            keys = np.array([-math.log(1.0 - canonical(stream)) for _ in weights]) / weights
        return np.argsort(keys.astype(np.float32), kind="stable")[:count]


class PKSampler(BuiltinSampler):
    """Draws `num_val` rows of each class, class by class; for sources that know the labels of their rows.

    Args:
        num_val (int): How many rows of each class.
        num_class (int, optional): Not supported, as in MindSpore.
        shuffle (bool): Whether the classes come in random order. Default: ``False``.
        class_column (str): Accepted; the label column is the source's. Default: ``'label'``.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.

    Raises:
        TypeError: If an argument has the wrong type.
        NotImplementedError: If `num_class` is given.
        RuntimeError: If `num_val` is not positive.
        ValueError: If `num_samples` is negative, or the source knows no labels.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.PKSampler(2).num_val
        2
    """

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:
        super().__init__(num_samples)
        if not isinstance(num_val, int):
            raise TypeError(f"PKSampler: num_val must be an int, got {describe(num_val)}.")
        if num_class is not None:
            raise NotImplementedError(f"PKSampler: num_class cannot be chosen, got {num_class}.")
        checks.boolean("PKSampler", "shuffle", shuffle)
        if not isinstance(class_column, str):
            raise TypeError(f"PKSampler: class_column must be a str, got {describe(class_column)}.")
        if num_val < 1:
            raise RuntimeError(f"PKSampler: num_val must be positive, got {num_val}.")
        self.num_val, self.shuffle, self.class_column = num_val, shuffle, class_column
        self.labels: np.ndarray | None = None  # set by the source

    def is_shuffled(self) -> bool:
        """Return whether the classes come in random order."""
        return self.shuffle or super().is_shuffled()

    def _groups(self) -> list[np.ndarray]:
        if self.labels is None:
            raise ValueError("PKSampler: the dataset does not know the labels of its rows.")
        return [np.flatnonzero(self.labels == label) for label in np.unique(self.labels)]

    def _length(self, size: int) -> int:
        total = self.num_val * len(self._groups())
        return min(self.num_samples or total, total)

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        groups, stream = self._groups(), stream32(seed)
        order = list(range(len(groups)))
        if self.shuffle:  # the classes once, the rows in each epoch
            shuffle(order, stream)
        if epoch:
            stream = stream32((seed + epoch) & 0xFFFFFFFF)
        classes = [order[k // self.num_val] for k in range(self._length(size))]
        return [int(groups[number][uniform(stream, len(groups[number]) - 1)]) for number in classes]
