"""Gradient bucketing: `all_reduce_fusion_config` and `comm_fusion`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

_MEGABYTES = 64  # the default size of a bucket


def buckets(sizes: Sequence[int], marks: Sequence[int], last: Sequence[int], fusion: dict[str, Any]) -> list[list[int]]:
    """Return the buckets of gradients that are exchanged together, as lists of indices.

    Args:
        sizes: Bytes of each gradient.
        marks: `comm_fusion` of each Parameter: if they differ, gradients with the same mark share a bucket, and
            gradients with the mark 0 are exchanged alone.
        last: `all_reduce_fusion_config`: the index of the last gradient of each bucket; empty: not set.
        fusion: The setting `comm_fusion`.
    """
    how = fusion.get("allreduce", {"mode": "auto"})
    if not fusion.get("openstate", True):
        return [[i] for i in range(len(sizes))]
    if len(set(marks)) > 1 or 0 in marks:
        joined: dict[Any, list[int]] = {}
        for i, mark in enumerate(marks):
            joined.setdefault(mark or (i,), []).append(i)
        return list(joined.values())
    if last or how["mode"] == "index":
        return _ended_at(last or how["config"], len(sizes))
    return _filled(sizes, (how["config"] if how["mode"] == "size" else _MEGABYTES) << 20)


def _ended_at(last: Sequence[int], count: int) -> list[list[int]]:
    starts = [0, *(index + 1 for index in last if index + 1 < count), count]
    return [list(range(a, b)) for a, b in itertools.pairwise(starts)]


def _filled(sizes: Sequence[int], most: int) -> list[list[int]]:
    groups: list[list[int]] = []
    room = 0
    for i, size in enumerate(sizes):
        if not groups or size > room:
            groups.append([])
            room = most
        groups[-1].append(i)
        room -= size
    return groups
