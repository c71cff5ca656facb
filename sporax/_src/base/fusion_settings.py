"""How gradients are joined for their exchange: `all_reduce_fusion_config` and `comm_fusion`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from sporax._src.base.errors import describe

_MEGABYTES = 64  # of a bucket where nothing else is said
_MODES = {"allreduce": ("auto", "size", "index"), "allgather": ("auto", "size"), "reducescatter": ("auto", "size")}


def check_fusion(name: str, value: Any) -> None:
    """Check a value of `all_reduce_fusion_config` or `comm_fusion`.

    Raises:
        KeyError: If `comm_fusion` has an unknown key or mode, or lacks one.
        TypeError: If a value has another type than it must.
        ValueError: If places are none, or not ascending.
    """
    if name == "all_reduce_fusion_config":
        _check_places(name, value)
        return
    if not isinstance(value, dict):
        raise TypeError(f"comm_fusion: expected a dict, got {describe(value)}.")
    for kind, how in value.items():
        if kind == "openstate":
            if not isinstance(how, bool):
                raise TypeError(f"comm_fusion: openstate must be a bool, got {describe(how)}.")
            continue
        if kind not in _MODES:
            raise KeyError(f"comm_fusion: keys must be openstate, {', '.join(_MODES)}, got {kind!r}.")
        if not isinstance(how, dict):
            raise TypeError(f"comm_fusion: {kind} must be a dict, got {describe(how)}.")
        if missing := {"mode", "config"} - set(how):
            raise KeyError(
                f"comm_fusion: {kind} must have the keys mode and config, lacks {', '.join(sorted(missing))}."
            )
        if how["mode"] not in _MODES[kind]:
            raise KeyError(
                f"comm_fusion: the mode of {kind} must be one of {', '.join(_MODES[kind])}, got {how['mode']!r}."
            )
        if how["mode"] == "index":
            _check_places("comm_fusion", how["config"])
        if how["mode"] == "size" and (isinstance(how["config"], bool) or not isinstance(how["config"], int)):
            raise TypeError(f"comm_fusion: the size of {kind} must be an int, in MB, got {describe(how['config'])}.")


def _check_places(name: str, places: Any) -> None:
    if not isinstance(places, list) or any(type(place) is not int for place in places):
        raise TypeError(f"{name}: expected a list of ints, got {describe(places)}.")
    if not places or places != sorted(set(places)):
        raise ValueError(f"{name}: places must be different numbers in ascending order, got {places}.")


def buckets(
    sizes: Sequence[int], marks: Sequence[int], places: Sequence[int], fusion: dict[str, Any]
) -> list[list[int]]:
    """Return which gradients are exchanged together, by their numbers, in order.

    Args:
        sizes: Bytes of each gradient.
        marks: `comm_fusion` of each Parameter: if they differ, those of one mark go together, and those of 0 alone.
        places: `all_reduce_fusion_config`: the last gradients of buckets; empty: none are named.
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
    if places or how["mode"] == "index":
        return _ended_at(places or how["config"], len(sizes))
    return _filled(sizes, (how["config"] if how["mode"] == "size" else _MEGABYTES) << 20)


def _ended_at(places: Sequence[int], count: int) -> list[list[int]]:
    starts = [0, *(place + 1 for place in places if place + 1 < count), count]
    return [list(range(a, b)) for a, b in itertools.pairwise(starts)]


def _filled(sizes: Sequence[int], most: int) -> list[list[int]]:
    found: list[list[int]] = []
    room = 0
    for i, size in enumerate(sizes):
        if not found or size > room:
            found.append([])
            room = most
        found[-1].append(i)
        room -= size
    return found
