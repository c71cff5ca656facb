"""The choice of a source's sampler by its arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.samplers.base import BuiltinSampler, IterSampler, Shuffle
from sporax._src.data.samplers.chosen import SubsetSampler
from sporax._src.data.samplers.random import DistributedSampler, RandomSampler, SequentialSampler


def check_shards(
    where: str, num_shards: int | None, shard_id: int | None, exclusion: type[Exception] = RuntimeError
) -> None:
    """Refuse one of `num_shards` and `shard_id` without the other, and a shard that does not exist.

    Raises:
        TypeError: If one is not an int.
        ValueError: If there is no such shard.
        RuntimeError: If only one is given; `exclusion` may be another class for this error.
    """
    if (num_shards is None) != (shard_id is None):
        raise exclusion(
            f"{where}: num_shards and shard_id need to be passed in together, "
            f"got num_shards={num_shards}, shard_id={shard_id}."
        )
    if num_shards is not None and shard_id is not None:
        checks.integer(where, "num_shards", num_shards, 1)
        checks.integer(where, "shard_id", shard_id, 0)
        if shard_id >= num_shards:
            raise ValueError(f"{where}: shard_id must be less than num_shards={num_shards}, got {shard_id}.")


def select_sampler(
    where: str,
    sampler: object,
    num_samples: int | None,
    shuffle: bool | Shuffle | None,
    num_shards: int | None,
    shard_id: int | None,
    exclusion: type[Exception] = RuntimeError,
) -> BuiltinSampler:
    """Return the sampler that the arguments of a source ask for.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of range.
        RuntimeError: If the arguments exclude each other; `exclusion` may be another class for this error.
    """
    check_shards(where, num_shards, shard_id, exclusion)
    if num_samples is not None:
        checks.integer(where, "num_samples", num_samples, 0, 2**63 - 1)
    if shuffle is not None and not isinstance(shuffle, (bool, Shuffle)):
        raise TypeError(f"{where}: shuffle must be a bool or a Shuffle, got {describe(shuffle)}.")
    if sampler is not None:
        return _as_sampler(where, sampler, num_samples, shuffle, num_shards, shard_id, exclusion)
    in_order = shuffle is False or shuffle is Shuffle.FALSE
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, shuffle=not in_order, num_samples=num_samples)
    if in_order:
        return SequentialSampler(num_samples=num_samples)
    # MindSpore draws with replacement as soon as a number of samples is asked for.
    return RandomSampler(replacement=num_samples is not None, num_samples=num_samples)


def is_iterable(sampler: Any) -> bool:
    """Return whether `sampler` can be iterated; it is asked as in MindSpore: some count how often, and shuffle by that."""
    try:
        iter(sampler)
    except TypeError:
        return False
    return True


def _as_sampler(
    where: str,
    sampler: Any,
    num_samples: int | None,
    shuffle: object,
    num_shards: object,
    shard_id: object,
    exclusion: type[Exception],
) -> Any:
    builtin = isinstance(sampler, BuiltinSampler)
    if num_shards is not None or (builtin and (shuffle is not None or num_samples is not None)):
        raise exclusion(
            f"{where}: sampler cannot be given with num_shards or shard_id, and a Sampler not with shuffle or num_samples "
            f"either; got sampler={type(sampler).__name__}, num_samples={num_samples}, shuffle={shuffle}, "
            f"num_shards={num_shards}, shard_id={shard_id}."
        )
    if builtin:
        return sampler
    if isinstance(sampler, (list, tuple, np.ndarray, int)):
        return SubsetSampler(sampler, num_samples)
    if isinstance(sampler, str) or not is_iterable(sampler):
        raise TypeError(f"{where}: sampler must be a Sampler or an iterable of row numbers, got {describe(sampler)}.")
    return IterSampler(sampler, num_samples)
