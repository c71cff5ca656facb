"""Costs of strategies: the bytes that each device sends in a step, by the shardings of the values of a graph.

A cut is a sharding of a value: for each axis of the device mesh, the axis of the value that it shards, -1 for none. An operation
may be computed in several ways: each axis of the mesh shards one of the classes of axes that correspond
(`engine.axis_links`). Operands with another sharding are resharded, and partial results are summed.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sporax._src.transform.parallel.hlo import moved

Cut = tuple[int, ...]  # for each axis of the mesh, the axis that it shards; -1: none


class Use(NamedTuple):
    """A value as an operand or result of an operation.

    Attributes:
        value: The number of the value.
        classes: The class of each of its axes in the operation.
        shape: Its shape.
        size: Its bytes.
    """

    value: int
    classes: tuple[int, ...]
    shape: tuple[int, ...]
    size: int


class Operation(NamedTuple):
    """An operation whose values are not all sharded equally.

    Attributes:
        operands, results: The values.
        summed: The classes of operands along which results are summed.
        whole: The classes that cannot be sharded.
        shares: Whether all devices must take part if sizes allow; true for products, which cost time.
    """

    operands: tuple[Use, ...]
    results: tuple[Use, ...]
    summed: frozenset[int]
    whole: frozenset[int]
    shares: bool

    @property
    def uses(self) -> tuple[Use, ...]:
        """Operands and results."""
        return (*self.operands, *self.results)


def cuts_of(shape: Sequence[int], mesh: Sequence[int]) -> list[Cut]:
    """Return the ways to shard a value into equal shards over a mesh."""
    return [cut for cut in itertools.product(range(-1, len(shape)), repeat=len(mesh)) if divides(shape, cut, mesh)]


def divides(shape: Sequence[int], cut: Cut, mesh: Sequence[int]) -> bool:
    """Return whether a cut gives equal shards."""
    return all(shape[axis] % pieces == 0 for axis, pieces in enumerate(_pieces(len(shape), cut, mesh)))


def piece(shape: Sequence[int], cut: Cut, mesh: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of a shard."""
    return tuple(size // pieces for size, pieces in zip(shape, _pieces(len(shape), cut, mesh), strict=True))


def _pieces(rank: int, cut: Cut, mesh: Sequence[int]) -> list[int]:
    pieces = [1] * rank
    for axis, devices in zip(cut, mesh, strict=True):
        if axis >= 0:
            pieces[axis] *= devices
    return pieces


@functools.cache
def again(source: Cut, target: Cut, mesh: tuple[int, ...]) -> float:
    """Return the cost of resharding a value as a fraction of its bytes: it is sharded further, exchanged, and gathered."""
    size, swapped, gathered, cost = 1.0, 1, 1, 0.0
    for a, b, devices in zip(source, target, mesh, strict=True):
        if a >= 0 or b >= 0:
            size /= devices
        if a >= 0 and b >= 0 and a != b:
            swapped *= devices
        if a >= 0 and b < 0:
            gathered *= devices
    cost += moved("all-to-all", size, swapped)
    return cost + moved("all-gather", size * gathered, gathered)


@functools.cache
def joined(source: Cut, parts: frozenset[int], target: Cut, mesh: tuple[int, ...]) -> float:
    """Return the cost of summing partial values, as a fraction of the value's bytes.

    Args:
        source: The cut of each part.
        parts: The axes of the mesh along which devices have parts.
        target: The cut of the sum.
        mesh: The devices along each axis of the mesh.
    """
    size = 1.0 / math.prod(mesh[d] for d, axis in enumerate(source) if axis >= 0)
    scattered = math.prod(mesh[d] for d in parts if target[d] >= 0)
    summed = math.prod(mesh[d] for d in parts if target[d] < 0)
    cost = moved("reduce-scatter", size, scattered) + moved("all-reduce", size / scattered, summed)
    after = tuple(target[d] if d in parts else axis for d, axis in enumerate(source))
    return cost + again(after, target, mesh)


def ways(operation: Operation, mesh: Sequence[int], align: int = 1) -> Iterator[Cut]:
    """Yield the ways to compute an operation: for each axis of the mesh, the class that it shards, -1 for none.

    Args:
        operation: The operation.
        mesh: The devices along each axis of the mesh.
        align: The number that the last axis of the shards of products must be a multiple of.
    """
    usable = {c for use in operation.results for c in use.classes} | operation.summed
    shardable = {c for use in operation.operands for c in use.classes} & usable - operation.whole
    possible = []
    for cut in itertools.product((-1, *sorted(shardable)), repeat=len(mesh)):
        if all(_fits(use, cut, mesh, align if operation.shares else 1) for use in operation.uses):
            possible.append(cut)
    if not operation.shares:
        yield from possible
        return
    shared = [math.prod(m for m, c in zip(mesh, cut, strict=True) if c >= 0) for cut in possible]
    yield from (cut for cut, devices in zip(possible, shared, strict=True) if devices == max(shared))


def _fits(use: Use, way: Cut, mesh: Sequence[int], align: int) -> bool:
    cut = cut_in(use, way)
    if not divides(use.shape, cut, mesh):
        return False
    last = len(use.shape) - 1
    return align == 1 or last not in cut or piece(use.shape, cut, mesh)[last] % align == 0


def cut_in(use: Use, way: Cut) -> Cut:
    """Return the cut of an operand or result for one way to compute an operation."""
    return tuple(use.classes.index(one) if one in use.classes else -1 for one in way)


def cost_of(operation: Operation, way: Cut, cuts: Sequence[Cut], mesh: tuple[int, ...]) -> float:
    """Return the bytes that each device sends for an operation.

    Args:
        operation: The operation.
        way: The way to compute it.
        cuts: The cuts of its operands and results outside of it.
        mesh: The devices along each axis of the mesh.
    """
    count = len(operation.operands)
    operands = zip(operation.operands, cuts[:count], strict=True)
    cost = sum(use.size * again(cut, cut_in(use, way), mesh) for use, cut in operands)
    parts = frozenset(d for d, one in enumerate(way) if one in operation.summed)
    for use, cut in zip(operation.results, cuts[count:], strict=True):
        cost += use.size * joined(cut_in(use, way), parts, cut, mesh)
    return cost


def table(operation: Operation, cuts: Sequence[Sequence[Cut]], mesh: tuple[int, ...], align: int = 1) -> np.ndarray:
    """Return the least cost of an operation by the cuts of its values, with an axis for each of `Operation.uses`.

    Args:
        operation: The operation.
        cuts: For each use, the candidate cuts of its value.
        mesh: The devices along each axis of the mesh.
        align: As for `ways`.
    """
    count, uses = len(operation.operands), operation.uses
    least = np.full([len(c) for c in cuts], np.inf)
    columns: dict[tuple[int, Cut, frozenset[int]], np.ndarray] = {}
    for way in ways(operation, mesh, align):
        parts = frozenset(d for d, one in enumerate(way) if one in operation.summed)
        total: np.ndarray | float = 0.0
        for i, use in enumerate(uses):
            key = (i, cut_in(use, way), parts if i >= count else frozenset())
            if key not in columns:
                column = [again(c, key[1], mesh) if i < count else joined(key[1], parts, c, mesh) for c in cuts[i]]
                columns[key] = use.size * np.array(column).reshape([-1 if i == j else 1 for j in range(len(uses))])
            total = total + columns[key]
        np.minimum(least, total, out=least)
    return least


def best_way(operation: Operation, cuts: Sequence[Cut], mesh: tuple[int, ...], align: int = 1) -> Cut:
    """Return the cheapest way to compute an operation for the cuts of its values outside of it."""
    return min(ways(operation, mesh, align), key=lambda way: cost_of(operation, way, cuts, mesh))
