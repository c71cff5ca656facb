"""Ways to cut as MindSpore tells them: an arrangement of devices, and which of its axes cuts each axis of an array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.sharding import AbstractMesh, Mesh, PartitionSpec

from sporax._src.processes.parallel_context import number_on_paper
from sporax._src.sharding.mesh_layout import names_of


def parts_of(spec: PartitionSpec, rank: int) -> list[tuple[str, ...]]:
    """Return the axes of the mesh that cut each axis of an array."""
    return [names_of(part) for part in spec] + [()] * (rank - len(spec))


def layout_of(
    base: PartitionSpec, spec: PartitionSpec, shape: Sequence[int], mesh: Mesh | AbstractMesh
) -> tuple[Any, ...]:
    """Return the layout of an array: what `Cell.parameter_layout_dict` has for it.

    Args:
        base: How it is cut as its operators ask.
        spec: How it is cut in all; further than `base` if it is shared out for the optimizer's sake.
        shape: Its shape.
        mesh: The devices.

    Returns:
        The arrangement of devices, its axis for each axis of the array, counted from the last (-1: whole), the shape of a piece,
        0, True, how many devices share a piece out and how far their numbers are apart (`"2-4"`; `""`: none do), the array's
        shape and the shape that is left.
    """
    by_axis = parts_of(base, len(shape))
    of = {name: i for i, part in enumerate(by_axis) for name in part}
    runs: list[tuple[int | None, int]] = []  # axes of the mesh next to each other that cut the same axis
    for name in mesh.axis_names:
        if runs and runs[-1][0] == of.get(name):
            runs[-1] = runs[-1][0], runs[-1][1] * mesh.shape[name]
        else:
            runs.append((of.get(name), mesh.shape[name]))
    places = [[len(runs) - 1 - i for i, (axis, _) in enumerate(runs) if axis == a] for a in range(len(shape))]
    mapped = [-1 if not p else p[0] if len(p) == 1 else tuple(p) for p in places]
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
    """Return the numbers of the devices that share out the piece of the first one of this process."""
    sizes = tuple(mesh.shape.values())
    numbers = np.arange(mesh.size).reshape(sizes)
    if isinstance(mesh, Mesh):
        local = set(mesh.local_devices)
        own = next(index for index, device in np.ndenumerate(mesh.devices) if device in local)
    else:
        own = np.unravel_index(number_on_paper(mesh.size), sizes)
    taken = {name for part in after for name in part} - {name for part in before for name in part}
    where = tuple([slice(None) if name in taken else i for name, i in zip(mesh.axis_names, own, strict=True)])
    return sorted(numbers[where].reshape(-1).tolist())
