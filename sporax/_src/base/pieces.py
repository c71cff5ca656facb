"""Arrays of several devices, and what of them this process has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import Array, array_on, to_device


def piece_here(x: Any) -> Any:
    """Return this process's part of a global array, its shards joined; the array itself if this process has all of it."""
    if x.is_fully_addressable:
        return x
    shards = {tuple([i.start or 0 for i in shard.index]): shard.data for shard in x.addressable_shards}
    if len(shards) == 1:
        return on_first_device(x)
    starts = [sorted(set(axis)) for axis in zip(*shards, strict=True)]
    if math.prod(map(len, starts)) != len(shards):
        raise RuntimeError(f"the devices of this process do not hold one part of an array of shape {list(x.shape)}.")
    return to_device(_joined(shards, starts, ()))


def _joined(shards: dict[Any, Any], starts: Sequence[Sequence[int]], place: tuple[int, ...]) -> np.ndarray:
    """Return the shards whose first indices start at `place`, joined along the other axes."""
    if len(place) == len(starts):
        return np.asarray(shards[place])
    parts = [_joined(shards, starts, (*place, start)) for start in starts[len(place)]]
    return np.concatenate(parts, len(place))


def on_first_device(x: Array) -> Array:
    """Return an array of several devices, or the shard here of a global array, as one that JAX may move to other devices."""
    shards = x.addressable_shards
    if len(shards) == 1:
        return x if x.is_fully_addressable else shards[0].data
    if x.is_fully_addressable and not x.is_fully_replicated:
        return to_device(np.asarray(x))
    first = shards[0].data
    return array_on(first.sharding, first, committed=False)
