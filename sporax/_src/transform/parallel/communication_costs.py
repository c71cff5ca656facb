"""What strategies cost: the bytes that each device sends in a step, by how the values of a graph are cut.

A way to cut a value names for each axis of the mesh of devices the axis of the value that it cuts, -1 for none. An operation
may be carried out in several ways; each axis of the mesh cuts one of the classes of axes that go along each other
(`engine.axis_links`). What comes in cut otherwise is cut anew, and what comes out in parts is summed.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sporax._src.transform.parallel.hlo import moved

Cut = tuple[int, ...]  # for each axis of the mesh, the axis that it cuts; -1: none


class Use(NamedTuple):
    """A value as an operation takes or gives it.

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
    """An operation among values that are not all cut alike.

    Attributes:
        operands, results: The values.
        summed: The classes of operands along which results are summed.
        whole: The classes along which nothing can be cut.
        shares: Whether all devices must take part, if sizes allow: products, which cost time.
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
    """Return the ways to cut a value into equal pieces over a mesh of so many devices along each axis."""
    return [cut for cut in itertools.product(range(-1, len(shape)), repeat=len(mesh)) if divides(shape, cut, mesh)]


def divides(shape: Sequence[int], cut: Cut, mesh: Sequence[int]) -> bool:
    """Tell whether a way to cut gives equal pieces."""
    return all(shape[axis] % pieces == 0 for axis, pieces in enumerate(_pieces(len(shape), cut, mesh)))


def piece(shape: Sequence[int], cut: Cut, mesh: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of a piece."""
    return tuple(size // pieces for size, pieces in zip(shape, _pieces(len(shape), cut, mesh), strict=True))


def _pieces(rank: int, cut: Cut, mesh: Sequence[int]) -> list[int]:
    pieces = [1] * rank
    for axis, devices in zip(cut, mesh, strict=True):
        if axis >= 0:
            pieces[axis] *= devices
    return pieces


@functools.cache
def again(source: Cut, target: Cut, mesh: tuple[int, ...]) -> float:
    """Return what cutting a value anew costs, as a share of its bytes: it is cut further, exchanged, and gathered."""
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
    """Return what summing parts of a value costs, as a share of its bytes.

    Args:
        source: How each part is cut.
        parts: The axes of the mesh along which devices have parts.
        target: How the sum is to be cut.
        mesh: The devices along each axis of the mesh.
    """
    size = 1.0 / math.prod(mesh[d] for d, axis in enumerate(source) if axis >= 0)
    scattered = math.prod(mesh[d] for d in parts if target[d] >= 0)
    summed = math.prod(mesh[d] for d in parts if target[d] < 0)
    cost = moved("reduce-scatter", size, scattered) + moved("all-reduce", size / scattered, summed)
    after = tuple(target[d] if d in parts else axis for d, axis in enumerate(source))
    return cost + again(after, target, mesh)


def ways(operation: Operation, mesh: Sequence[int], align: int = 1) -> Iterator[Cut]:
    """Yield the ways to carry out an operation: for each axis of the mesh, the class that it cuts, -1 for none.

    Args:
        operation: The operation.
        mesh: The devices along each axis of the mesh.
        align: Of what the last axis of the pieces of products must be a multiple.
    """
    kept = {c for use in operation.results for c in use.classes} | operation.summed
    taken = {c for use in operation.operands for c in use.classes} & kept - operation.whole
    possible = []
    for cut in itertools.product((-1, *sorted(taken)), repeat=len(mesh)):
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
    """Return how an operation that is carried out in one way takes or gives a value."""
    return tuple(use.classes.index(one) if one in use.classes else -1 for one in way)


def cost_of(operation: Operation, way: Cut, cuts: Sequence[Cut], mesh: tuple[int, ...]) -> float:
    """Return the bytes that each device sends for an operation.

    Args:
        operation: The operation.
        way: How it is carried out.
        cuts: How its operands and results are cut outside of it.
        mesh: The devices along each axis of the mesh.
    """
    count = len(operation.operands)
    given = zip(operation.operands, cuts[:count], strict=True)
    cost = sum(use.size * again(cut, cut_in(use, way), mesh) for use, cut in given)
    parts = frozenset(d for d, one in enumerate(way) if one in operation.summed)
    for use, cut in zip(operation.results, cuts[count:], strict=True):
        cost += use.size * joined(cut_in(use, way), parts, cut, mesh)
    return cost


def table(operation: Operation, cuts: Sequence[Sequence[Cut]], mesh: tuple[int, ...], align: int = 1) -> np.ndarray:
    """Return the least cost of an operation by how its values are cut, with an axis for each of `Operation.uses`.

    Args:
        operation: The operation.
        cuts: For each use, the ways to cut its value that are looked at.
        mesh: The devices along each axis of the mesh.
        align: As of `ways`.
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
    """Return the cheapest way to carry out an operation, with its values cut as they are outside of it."""
    return min(ways(operation, mesh, align), key=lambda way: cost_of(operation, way, cuts, mesh))
