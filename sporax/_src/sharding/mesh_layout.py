"""Conversion between JAX's shardings over a mesh and the layouts in MindSpore's files."""

from __future__ import annotations

import itertools
import math
from typing import Any

from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

from sporax._src.sharding.parameter_layout import Cut


def cut_on_mesh(sharding: NamedSharding, axes: int) -> Cut:
    """Return the `Cut` of an array with so many axes.

    Successive mesh axes that shard one axis of the array, or none, become one axis of the device matrix.
    """
    names, sizes = sharding.mesh.axis_names, dict(sharding.mesh.shape)
    spec = [names_of(part) for part in sharding.spec] + [()] * (axes - len(sharding.spec))
    runs: list[list[str]] = []
    for name in names:
        if runs and _follows(runs[-1][-1], name, spec):
            runs[-1].append(name)
        else:
            runs.append([name])
    number = {run[0]: len(runs) - 1 - i for i, run in enumerate(runs)}
    matrix = [math.prod(sizes[name] for name in run) for run in runs]
    tensor_map = tuple(tuple(number[name] for name in part if name in number) for part in spec)
    return _shared_out(Cut(tuple(matrix) or (1,), tensor_map))


def _shared_out(cut: Cut) -> Cut:
    """Return the same cut, with several device axes along the first axis expressed as optimizer shards if possible.

    MindSpore's JSON cannot express such a cut in another way.
    """
    first, *rest = cut.tensor_map or ((),)
    for count in range(1, len(first)):
        shares = [len(cut.matrix) - 1 - i for i in first[count:]]
        step, parts = math.prod(cut.matrix[max(shares) + 1 :]), math.prod(cut.matrix[i] for i in shares)
        other = Cut(cut.matrix, (first[:count], *rest), step, parts)
        if all(other.index(device) == cut.index(device) for device in range(cut.devices)):
            return other
    return cut


def _follows(before: str, name: str, spec: list[tuple[str, ...]]) -> bool:
    for part in spec:
        if before in part or name in part:
            return (before, name) in itertools.pairwise(part)
    return True


def names_of(part: Any) -> tuple[str, ...]:
    """Return the mesh axes that shard one axis of an array."""
    return () if part in (None, PartitionSpec.UNCONSTRAINED) else (part,) if isinstance(part, str) else tuple(part)


def spec_on_mesh(cut: Cut, mesh: Mesh | AbstractMesh) -> PartitionSpec:
    """Return JAX's PartitionSpec of a `Cut`.

    Raises:
        ValueError: If the device matrix does not fit the mesh.
    """
    free, parts = list(mesh.axis_names), []
    for size in cut.matrix:
        selected: list[str] = []
        rest = size
        while rest > 1:
            if not free or rest % mesh.shape[free[0]]:
                raise ValueError(f"dev_matrix {list(cut.matrix)} does not fit {mesh.size} devices")
            selected.append(free.pop(0))
            rest //= mesh.shape[selected[-1]]
        parts.append(selected)
    if free:
        raise ValueError(f"dev_matrix {list(cut.matrix)} is of {cut.devices} devices, and there are {mesh.size}")
    spec = [[name for i in axes for name in parts[len(parts) - 1 - i]] for axes in cut.tensor_map]
    if cut.shared > 1:
        used = {name for part in spec for name in part}
        alike, shares, number = [name for name in mesh.axis_names if name not in used], [], 1
        while number < cut.shared:  # the innermost axes form the index of the shard
            shares.insert(0, alike.pop())
            number *= mesh.shape[shares[0]]
        if number != cut.shared:
            raise ValueError(f"{cut.shared} optimizer shards do not fit {mesh.size} devices")
        spec[0] += shares
    return PartitionSpec(*[tuple(part) or None for part in spec])
