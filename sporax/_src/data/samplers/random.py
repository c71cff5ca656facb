"""Samplers that give all rows, in order or in random order, or one device's share of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, warn_user
from sporax._src.data import checks, config
from sporax._src.data.cpp_random import stream32, uniform
from sporax._src.data.samplers.base import BuiltinSampler, Memo, Shuffle, reshuffled


class SequentialSampler(BuiltinSampler):
    """Gives rows in order.

    Args:
        start_index (int, optional): The first row. Default: ``None``, row 0.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.

    Raises:
        TypeError: If an argument is not an int.
        RuntimeError: If `start_index` is negative or beyond the last row.
        ValueError: If `num_samples` is negative.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([4, 5, 6, 7], sampler=ds.SequentialSampler(1, 2))
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [5, 6]
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if start_index is not None and not isinstance(start_index, int):
            raise TypeError(f"SequentialSampler: start_index must be an int, got {describe(start_index)}.")
        if start_index is not None and start_index < 0:
            raise RuntimeError(f"SequentialSampler: start_index must not be negative, got {start_index}.")
        self.start_index = start_index

    def _length(self, size: int) -> int:
        start = self.start_index or 0
        if start >= size:
            raise RuntimeError(f"SequentialSampler: start_index {start} is beyond the last row, {size - 1}.")
        return min(self.num_samples or size, size - start)

    def is_shuffled_anew(self) -> bool:
        """Return False."""
        return False

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        start = self.start_index or 0
        return np.arange(start, start + self._length(size))


class RandomSampler(BuiltinSampler):
    """Gives rows in random order, a new one every epoch.

    Args:
        replacement (bool): Whether a row may come more than once. Default: ``False``.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        shuffle (Shuffle): Only ``Shuffle.GLOBAL`` applies to rows in memory.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `num_samples` is negative.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([4, 5, 6, 7], sampler=ds.RandomSampler())
        >>> sorted(row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True))
        [4, 5, 6, 7]
    """

    def __init__(
        self, replacement: bool = False, num_samples: int | None = None, shuffle: Shuffle = Shuffle.GLOBAL
    ) -> None:
        super().__init__(num_samples)
        checks.boolean("RandomSampler", "replacement", replacement)
        if not isinstance(shuffle, Shuffle) or shuffle is Shuffle.FALSE:
            raise TypeError(f"RandomSampler: shuffle must be a Shuffle other than FALSE, got {describe(shuffle)}.")
        self.replacement, self.shuffle = replacement, shuffle
        self.reshuffle_each_epoch = True

    def is_shuffled(self) -> bool:
        """Return True."""
        return True

    def is_shuffled_anew(self) -> bool:
        """Return whether each epoch has another order."""
        return self.reshuffle_each_epoch

    def get_shuffle_mode(self) -> Shuffle:
        """Return how this sampler shuffles."""
        return self.shuffle

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        epoch = epoch if self.reshuffle_each_epoch else 0
        if self.replacement:
            stream = stream32((seed + epoch) & 0xFFFFFFFF)
            return [uniform(stream, size - 1) for _ in range(self._length(size))]
        order = reshuffled(memo, epoch, lambda: list(range(size)), lambda e: stream32((seed + e) & 0xFFFFFFFF))
        return order[: self._length(size)]


class DistributedSampler(BuiltinSampler):
    """Gives one device's share: every `num_shards`-th row, from row `shard_id` on.

    Args:
        num_shards (int): How many devices share the rows.
        shard_id (int): The number of this share.
        shuffle (Union[bool, Shuffle]): Whether the rows are shuffled first, equally on all devices. Default: ``True``.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, the whole share.
        offset (int): The device that gets row 0; the sizes of shares then differ by at most one, and no row is repeated.
            Default: ``-1``, shares of equal size.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `num_samples` is negative.
        RuntimeError: If `num_shards` is not positive, `shard_id` not in [0, `num_shards`), or `offset` too large.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([4, 5, 6, 7, 8], sampler=ds.DistributedSampler(2, 1, shuffle=False))
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [5, 7, 4]
    """

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool | Shuffle = True,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        super().__init__(num_samples)
        for name, value in (("num_shards", num_shards), ("shard_id", shard_id), ("offset", offset)):
            if not isinstance(value, int):
                raise TypeError(f"DistributedSampler: {name} must be an int, got {describe(value)}.")
        if not isinstance(shuffle, (bool, Shuffle)):
            raise TypeError(f"DistributedSampler: shuffle must be a bool or a Shuffle, got {describe(shuffle)}.")
        if num_shards < 1 or not 0 <= shard_id < num_shards or offset > num_shards:
            raise RuntimeError(
                "DistributedSampler: expected num_shards >= 1, 0 <= shard_id < num_shards and offset <= num_shards, "
                f"got num_shards={num_shards}, shard_id={shard_id}, offset={offset}."
            )
        self.num_shards, self.shard_id, self.offset = num_shards, shard_id, offset
        self.shuffle = shuffle if isinstance(shuffle, Shuffle) else Shuffle.GLOBAL if shuffle else Shuffle.FALSE
        self.seed: int = config.get_seed()

    def is_shuffled(self) -> bool:
        """Return whether the rows are shuffled before they are shared."""
        return self.shuffle is not Shuffle.FALSE or super().is_shuffled()

    def is_shuffled_anew(self) -> bool:
        """Return whether the rows are shuffled in each epoch before they are shared."""
        return self.shuffle is not Shuffle.FALSE

    def is_sharded(self) -> bool:
        """Return whether there is more than one share."""
        return self.num_shards > 1 or super().is_sharded()

    def get_shuffle_mode(self) -> Shuffle:
        """Return how this sampler shuffles."""
        return self.shuffle

    def indices(self, size: int, seed: int, epoch: int, memo: Memo) -> np.ndarray:
        """Return the row numbers of `epoch`; warns if each device would share an order of its own."""
        drawn = [link for link in self.links()[:-1] if link.seed is None and link.is_shuffled_anew()]
        if drawn and self.num_shards > 1 and config.get_seed() == config.UNSEEDED:
            warn_user(
                f"DistributedSampler: {type(drawn[0]).__name__} draws the order of the rows before they are shared, and no seed is "
                "set: each device has another order, so that a row may come on two devices or on none; call "
                "ds.config.set_seed with one number on all devices."
            )
        return super().indices(size, seed, epoch, memo)

    def set_offset(self, offset: int) -> DistributedSampler:
        """Set the device that gets row 0."""
        self.offset = offset
        return self

    def positions(self, size: int) -> np.ndarray:
        """Return the numbers of [0, size) that are this device's, before any shuffling."""
        return np.fromiter(self._dealt(size), np.int64)[: self._length(size)] % max(size, 1)

    def _dealt(self, size: int) -> range:
        if self.offset < 0:
            step = self.num_shards
            return range(self.shard_id, self.shard_id + step * math.ceil(size / step), step)
        return range((self.shard_id - self.offset) % self.num_shards, size, self.num_shards)

    def _length(self, size: int) -> int:
        share = len(self._dealt(size))
        return min(self.num_samples or share, share)

    def _order(self, size: int, seed: int, epoch: int, memo: Memo) -> Any:
        chosen = self.positions(size)
        if self.shuffle is Shuffle.FALSE:
            return chosen
        # All devices must draw the same, so the configured seed is used even where other samplers use a fresh one.
        first = self.seed + 1
        order = reshuffled(memo, epoch, lambda: list(range(size)), lambda e: stream32((first + e) & 0xFFFFFFFF))
        return np.asarray(order)[chosen]
