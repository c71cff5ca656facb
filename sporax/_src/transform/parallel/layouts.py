"""Shardings in MindSpore's notation: a device arrangement, and for each axis of an array the device axis that shards it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.sharding import AbstractMesh, Mesh, PartitionSpec

from sporax._src.processes.parallel_context import number_on_paper
from sporax._src.sharding.mesh_layout import names_of


def parts_of(spec: PartitionSpec, rank: int) -> list[tuple[str, ...]]:
    """Return the axes of the mesh that shard each axis of an array."""
    return [names_of(part) for part in spec] + [()] * (rank - len(spec))


def layout_of(
    base: PartitionSpec, spec: PartitionSpec, shape: Sequence[int], mesh: Mesh | AbstractMesh
) -> tuple[Any, ...]:
    """Return the layout of an array, as in `Cell.parameter_layout_dict`.

    Args:
        base: The sharding that its operators need.
        spec: The final sharding; finer than `base` if it is also sharded for the optimizer.
        shape: Its shape.
        mesh: The devices.

    Returns:
        The device arrangement, its axis for each axis of the array, counted from the last (-1: not sharded), the shape of a shard,
        0, True, the size and the stride of the groups of devices that share a shard (`"2-4"`; `""`: none), the array's
        shape and the final shape of a shard.
    """
    by_axis = parts_of(base, len(shape))
    of = {name: i for i, part in enumerate(by_axis) for name in part}
    runs: list[tuple[int | None, int]] = []  # runs of adjacent mesh axes that shard the same axis
    for name in mesh.axis_names:
        if runs and runs[-1][0] == of.get(name):
            runs[-1] = runs[-1][0], runs[-1][1] * mesh.shape[name]
        else:
            runs.append((of.get(name), mesh.shape[name]))
    mesh_axes = [[len(runs) - 1 - i for i, (axis, _) in enumerate(runs) if axis == a] for a in range(len(shape))]
    mapped = [-1 if not p else p[0] if len(p) == 1 else tuple(p) for p in mesh_axes]
    further = parts_of(spec, len(shape))
    piece, left = (
        [n // _count(part, mesh) for n, part in zip(shape, parts, strict=True)] for parts in (by_axis, further)
    )
    group = "" if left == piece else _group(_sharers(by_axis, further, mesh))
    return [size for _, size in runs], mapped, piece, 0, True, group, list(shape), left


def _count(part: Sequence[str], mesh: Mesh | AbstractMesh) -> int:
    return math.prod([mesh.shape[name] for name in part])


def _group(ranks: Sequence[int]) -> str:
    return f"{len(ranks)}-{ranks[1] - ranks[0]}"


def _sharers(before: Sequence[Sequence[str]], after: Sequence[Sequence[str]], mesh: Mesh | AbstractMesh) -> list[int]:
    """Return the numbers of the devices that share the shard of this process's first device."""
    sizes = tuple(mesh.shape.values())
    numbers = np.arange(mesh.size).reshape(sizes)
    if isinstance(mesh, Mesh):
        local = set(mesh.local_devices)
        own = next(index for index, device in np.ndenumerate(mesh.devices) if device in local)
    else:
        own = np.unravel_index(number_on_paper(mesh.size), sizes)
    added = {name for part in after for name in part} - {name for part in before for name in part}
    where = tuple([slice(None) if name in added else i for name, i in zip(mesh.axis_names, own, strict=True)])
    return sorted(numbers[where].reshape(-1).tolist())
