"""The search for strategies: how the values of a graph are cut so that devices send the fewest bytes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sporax._src.transform.parallel.communication_costs import Cut, Operation, again, cuts_of, table

_LARGEST = 4_000_000  # entries of a table, or of those of the largest operation in all ways to put axes together
_SMALL = 100_000  # the latter for `"recursive_programming"`
_DOUBLINGS, _HALVINGS = 60, 12  # of the price of memory


class Problem(NamedTuple):
    """A graph as the search sees it.

    Attributes:
        shapes: The shape of each value.
        held: The bytes that each value takes on a device if it is not cut.
        operations: What costs something, by how values are cut.
        given: How values come in that a program has cut, with their bytes: `(value, cut, size)`.
        together: The values cut as data parallel training does.
    """

    shapes: list[tuple[int, ...]]
    held: list[int]
    operations: list[Operation]
    given: list[tuple[int, Cut, int]]
    together: list[Cut]


class _Table(NamedTuple):
    values: tuple[int, ...]
    costs: np.ndarray


def search(problem: Problem, mesh: tuple[int, ...], mode: str, limit: float, align: int = 1) -> list[Cut]:
    """Return how each value is cut.

    The axes of the mesh are put together to few, in each way that keeps their order, and for each the best cuts are found.

    Args:
        problem: The graph.
        mesh: The devices along each axis of the mesh.
        mode: `"dynamic_programming"`: the axes are put together to as many as tables have room for;
            `"recursive_programming"`: to two or three, with tables that take little time.
        limit: The bytes that values may take on a device.
        align: Of what the last axis of the pieces of products must be a multiple.
    """
    found = [_best(problem, mesh, widths, limit, align) for widths in _widths(problem, mesh, mode)]
    inside = [f for f in found if f[1] <= limit] or [min(found, key=lambda f: f[1])]
    return min(inside, key=lambda f: f[0])[2]


def _best(
    problem: Problem, mesh: tuple[int, ...], widths: tuple[int, ...], limit: float, align: int
) -> tuple[float, float, list[Cut]]:
    """Return the cost, the memory, and the cuts that are best when so many axes of the mesh after each other are cut alike."""
    cuts = _cuts(problem, mesh, widths)
    tables = tables_of(problem, mesh, widths, cuts, align)
    counts = [len(c) for c in cuts]
    held = [np.array([_held(problem, i, c, mesh) for c in each]) for i, each in enumerate(cuts)]

    def found(price: float) -> list[int]:
        priced = [_Table((i,), price * each) for i, each in enumerate(held)] if price else []
        return _Elimination([*tables, *priced], counts).choices()

    def memory_of(chosen: Sequence[int]) -> float:
        return sum(float(each[i]) for each, i in zip(held, chosen, strict=True))

    best = found(0.0)
    if memory_of(best) > limit:
        best = _within(limit, found, memory_of)
    together = [each.index(cut) if cut in each else 0 for each, cut in zip(cuts, problem.together, strict=True)]
    candidates = [best, together] if memory_of(together) <= max(limit, memory_of(best)) else [best]
    best = min(candidates, key=lambda chosen: _total(tables, chosen))
    return _total(tables, best), memory_of(best), [each[i] for each, i in zip(cuts, best, strict=True)]


def _within(
    limit: float, found: Callable[[float], list[int]], memory_of: Callable[[Sequence[int]], float]
) -> list[int]:
    """Return what the lowest price of memory gives that keeps within the limit, or the highest if none does."""
    low, high = 0.0, 1e-3
    best = found(high)
    for _ in range(_DOUBLINGS):
        if memory_of(best) <= limit:
            break
        low, high = high, 2 * high
        best = found(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        chosen = found(middle)
        if memory_of(chosen) <= limit:
            best, high = chosen, middle
        else:
            low = middle
    return best


def _held(problem: Problem, i: int, cut: Cut, mesh: Sequence[int]) -> float:
    return problem.held[i] / math.prod(m for m, axis in zip(mesh, cut, strict=True) if axis >= 0)


def memory(problem: Problem, cuts: Sequence[Cut], mesh: Sequence[int]) -> float:
    """Return the bytes that the values take on each device."""
    return sum(_held(problem, i, cut, mesh) for i, cut in enumerate(cuts))


def cost(problem: Problem, cuts: Sequence[Cut], mesh: tuple[int, ...], align: int = 1) -> float:
    """Return the bytes that each device sends in a step, with values cut so."""
    single = tables_of(problem, mesh, (1,) * len(mesh), [[c] for c in cuts], align)
    return _total(single, [0] * len(cuts))


def _total(tables: Sequence[_Table], chosen: Sequence[int]) -> float:
    return sum(float(t.costs[tuple(chosen[v] for v in t.values)]) for t in tables)


def _widths(problem: Problem, mesh: Sequence[int], mode: str) -> list[tuple[int, ...]]:
    """Return the ways to put the axes of the mesh together, each as how many there are to an axis."""
    most, room = (len(mesh), _LARGEST) if mode == "dynamic_programming" else (min(3, len(mesh)), _SMALL)
    while True:
        ways = [w for n in range(1, most + 1) for w in _sums(len(mesh), n)]
        if len(mesh) == most:
            ways = ways[-1:]  # all axes by themselves: the others are among these
        work = len(ways) * max((_entries(o, most) for o in problem.operations), default=0)
        if most <= 2 or work <= room:
            return ways
        most -= 1


def _entries(operation: Operation, axes: int) -> int:
    return math.prod((1 + len(u.shape)) ** axes for u in operation.uses)


def _sums(total: int, parts: int) -> list[tuple[int, ...]]:
    """Return the ways to write a number as a sum of positive numbers, in order."""
    if parts == 1:
        return [(total,)] if total else []
    return [(n, *rest) for n in range(1, total) for rest in _sums(total - n, parts - 1)]


def _joint(mesh: Sequence[int], widths: Sequence[int]) -> tuple[int, ...]:
    """Return the devices along each axis of a mesh whose axes are put together."""
    ends = list(itertools.accumulate(widths))
    return tuple(math.prod(mesh[end - width : end]) for end, width in zip(ends, widths, strict=True))


def _spread(cut: Cut, widths: Sequence[int]) -> Cut:
    return tuple(axis for axis, width in zip(cut, widths, strict=True) for _ in range(width))


def _cuts(problem: Problem, mesh: Sequence[int], widths: Sequence[int]) -> list[list[Cut]]:
    """Return the ways to cut each value, by all axes of the mesh."""
    joint = _joint(mesh, widths)
    known = {shape: [_spread(c, widths) for c in cuts_of(shape, joint)] for shape in set(problem.shapes)}
    return [known[shape] for shape in problem.shapes]


def tables_of(
    problem: Problem, mesh: tuple[int, ...], widths: Sequence[int], cuts: Sequence[Sequence[Cut]], align: int
) -> list[_Table]:
    """Return the costs of operations by how their values are cut; operations that are alike share theirs.

    Args:
        problem: The graph.
        mesh: The devices along each axis of the mesh.
        widths: How many axes of the mesh after each other are cut alike.
        cuts: The ways to cut each value that are looked at.
        align: As of `search`.
    """
    joint, starts = _joint(mesh, widths), [0, *itertools.accumulate(widths)][:-1]
    together = {cut: tuple(cut[s] for s in starts) for each in cuts for cut in each}
    found, known = [], {}
    for operation in problem.operations:
        values = tuple(dict.fromkeys(u.value for u in operation.uses))
        places = [values.index(u.value) for u in operation.uses]
        each = [tuple(together[c] for c in cuts[u.value]) for u in operation.uses]
        alike = operation._replace(
            operands=tuple(u._replace(value=0) for u in operation.operands),
            results=tuple(u._replace(value=0) for u in operation.results),
        )
        signature = (alike, tuple(places), tuple(each))
        if signature not in known:
            known[signature] = np.einsum(table(operation, each, joint, align), places, list(range(len(values))))
        found.append(_Table(values, known[signature]))
    for value, cut, size in problem.given:
        found.append(_Table((value,), np.array([size * again(cut, c, mesh) for c in cuts[value]])))
    return found


class _Elimination:
    """The choice for each value that makes the sum of all tables least.

    One value after another is taken out: the tables that it is in become one of its neighbours, with the least that its
    choices give. Where that one would be too large, a choice is made first, by what the tables of the value say alone.
    """

    def __init__(self, tables: Sequence[_Table], counts: Sequence[int]) -> None:
        self._counts = counts
        self._tables: dict[int, set[int]] = {i: set() for i in range(len(counts))}  # of each value, by number
        self._live: dict[int, _Table] = {}
        self._numbers = itertools.count()
        for t in tables:
            self._add(t)

    def choices(self) -> list[int]:
        """Return the choice for each value."""
        chosen: dict[int, int] = {}
        left: list[tuple[int, _Table]] = []  # what was taken out, with the table that decides on it
        sizes = {value: self._size(value) for value in self._tables}
        while sizes:
            value = min(sizes, key=sizes.__getitem__)
            if sizes[value] > 2 * _LARGEST:
                value = max(sizes, key=lambda v: len(self._tables[v]))
                near = self._near(value)
                chosen[value] = self._fixed(value)
            else:
                near = self._near(value)
                total = _sum(self._removed(value), (*near, value), self._counts)
                left.append((value, _Table((*near, value), total)))
                self._add(_Table(near, total.min(-1)))
            del sizes[value]
            sizes |= {v: self._size(v) for v in near}
        for value, t in reversed(left):
            chosen[value] = int(np.argmin(t.costs[tuple(chosen[v] for v in t.values[:-1])]))
        return [chosen[i] for i in range(len(self._counts))]

    def _near(self, value: int) -> tuple[int, ...]:
        return tuple(sorted({v for n in self._tables[value] for v in self._live[n].values} - {value}))

    def _size(self, value: int) -> int:
        return self._counts[value] * math.prod(self._counts[v] for v in self._near(value))

    def _add(self, t: _Table) -> None:
        if t.values:
            number = next(self._numbers)
            self._live[number] = t
            for v in t.values:
                self._tables[v].add(number)

    def _removed(self, value: int) -> list[_Table]:
        found = []
        for number in list(self._tables[value]):
            t = self._live.pop(number)
            found.append(t)
            for v in t.values:
                self._tables[v].discard(number)
        return found

    def _fixed(self, value: int) -> int:
        """Choose for one value, and leave its tables to the others."""
        tables = self._removed(value)
        choice = int(np.argmin(sum(_least(t, value) for t in tables)))
        for t in tables:
            at = t.values.index(value)
            self._add(_Table(t.values[:at] + t.values[at + 1 :], t.costs.take(choice, at)))
        return choice


def _least(t: _Table, value: int) -> np.ndarray:
    at = t.values.index(value)
    return t.costs.min(tuple(i for i in range(len(t.values)) if i != at))


def _sum(tables: Sequence[_Table], values: tuple[int, ...], counts: Sequence[int]) -> np.ndarray:
    total = np.zeros([counts[v] for v in values])
    for t in tables:
        order = sorted(range(len(t.values)), key=lambda i: values.index(t.values[i]))
        shape = [counts[v] if v in t.values else 1 for v in values]
        total += t.costs.transpose(order).reshape(shape)
    return total
