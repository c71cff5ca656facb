"""How gradients are joined for their exchange: `all_reduce_fusion_config` and `comm_fusion`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

_MEGABYTES = 64  # of a bucket where nothing else is said


def buckets(sizes: Sequence[int], marks: Sequence[int], last: Sequence[int], fusion: dict[str, Any]) -> list[list[int]]:
    """Return which gradients are exchanged together, by their numbers, in order.

    Args:
        sizes: Bytes of each gradient.
        marks: `comm_fusion` of each Parameter: if they differ, those of one mark go together, and those of 0 alone.
        last: `all_reduce_fusion_config`: the last gradients of buckets; empty: none are named.
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
