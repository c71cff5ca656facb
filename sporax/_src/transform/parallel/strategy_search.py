"""The search for strategies: the shardings of a graph's values for which devices send the fewest bytes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sporax._src.transform.parallel.communication_costs import Cut, Operation, again, cuts_of, table

_LARGEST = 4_000_000  # entries of a table, or of the largest operation's tables over all groupings of axes
_SMALL = 100_000  # the latter for `"recursive_programming"`
_DOUBLINGS, _HALVINGS = 60, 12  # steps of the search for the price of memory


class Problem(NamedTuple):
    """A graph as a search problem.

    Attributes:
        shapes: The shape of each value.
        sizes: The bytes of each value.
        operations: The operations whose costs depend on the cuts of values.
        pinned: The values whose cut the program sets: `(value, cut, bytes)`.
        together: The cuts of all values in data parallel training.
    """

    shapes: list[tuple[int, ...]]
    sizes: list[int]
    operations: list[Operation]
    pinned: list[tuple[int, Cut, int]]
    together: list[Cut]


class _Table(NamedTuple):
    values: tuple[int, ...]
    costs: np.ndarray


def search(problem: Problem, mesh: tuple[int, ...], mode: str, limit: float, align: int = 1) -> list[Cut]:
    """Return the cut of each value.

    Consecutive axes of the mesh are joined into groups. The best cuts are computed for each possible grouping.

    Args:
        problem: The graph.
        mesh: The devices along each axis of the mesh.
        mode: `"dynamic_programming"`: as many groups of axes as fit the tables;
            `"recursive_programming"`: two or three groups, with small tables that take little time.
        limit: The bytes that values may take on a device.
        align: The number of which the last axis of the pieces of products must be a multiple.
    """
    candidates = [_best(problem, mesh, widths, limit, align) for widths in _widths(problem, mesh, mode)]
    inside = [f for f in candidates if f[1] <= limit] or [min(candidates, key=lambda f: f[1])]
    return min(inside, key=lambda f: f[0])[2]


def _best(
    problem: Problem, mesh: tuple[int, ...], widths: tuple[int, ...], limit: float, align: int
) -> tuple[float, float, list[Cut]]:
    """Return the cost, the memory, and the best cuts for a grouping of consecutive axes of the mesh."""
    cuts = _cuts(problem, mesh, widths)
    tables = tables_of(problem, mesh, widths, cuts, align)
    counts = [len(c) for c in cuts]
    sizes = [np.array([_piece_size(problem, i, c, mesh) for c in each]) for i, each in enumerate(cuts)]

    def solve(price: float) -> list[int]:
        priced = [_Table((i,), price * each) for i, each in enumerate(sizes)] if price else []
        return _Elimination([*tables, *priced], counts).choices()

    def memory_of(chosen: Sequence[int]) -> float:
        return sum(float(each[i]) for each, i in zip(sizes, chosen, strict=True))

    best = solve(0.0)
    if memory_of(best) > limit:
        best = _within(limit, solve, memory_of)
    together = [each.index(cut) if cut in each else 0 for each, cut in zip(cuts, problem.together, strict=True)]
    candidates = [best, together] if memory_of(together) <= max(limit, memory_of(best)) else [best]
    best = min(candidates, key=lambda chosen: _total(tables, chosen))
    return _total(tables, best), memory_of(best), [each[i] for each, i in zip(cuts, best, strict=True)]


def _within(
    limit: float, solve: Callable[[float], list[int]], memory_of: Callable[[Sequence[int]], float]
) -> list[int]:
    """Return the choices at the lowest price of memory that meet the limit, or those at the highest price."""
    low, high = 0.0, 1e-3
    best = solve(high)
    for _ in range(_DOUBLINGS):
        if memory_of(best) <= limit:
            break
        low, high = high, 2 * high
        best = solve(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        chosen = solve(middle)
        if memory_of(chosen) <= limit:
            best, high = chosen, middle
        else:
            low = middle
    return best


def _piece_size(problem: Problem, i: int, cut: Cut, mesh: Sequence[int]) -> float:
    return problem.sizes[i] / math.prod(m for m, axis in zip(mesh, cut, strict=True) if axis >= 0)


def memory(problem: Problem, cuts: Sequence[Cut], mesh: Sequence[int]) -> float:
    """Return the bytes that the values take on each device."""
    return sum(_piece_size(problem, i, cut, mesh) for i, cut in enumerate(cuts))


def cost(problem: Problem, cuts: Sequence[Cut], mesh: tuple[int, ...], align: int = 1) -> float:
    """Return the bytes that each device sends in a step with these cuts."""
    single = tables_of(problem, mesh, (1,) * len(mesh), [[c] for c in cuts], align)
    return _total(single, [0] * len(cuts))


def _total(tables: Sequence[_Table], chosen: Sequence[int]) -> float:
    return sum(float(t.costs[tuple(chosen[v] for v in t.values)]) for t in tables)


def _widths(problem: Problem, mesh: Sequence[int], mode: str) -> list[tuple[int, ...]]:
    """Return the groupings of the mesh axes, each as the sizes of its groups."""
    most, room = (len(mesh), _LARGEST) if mode == "dynamic_programming" else (min(3, len(mesh)), _SMALL)
    while True:
        ways = [w for n in range(1, most + 1) for w in _sums(len(mesh), n)]
        if len(mesh) == most:
            ways = ways[-1:]  # one axis to a group: this grouping includes all others
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
    """Return the devices along each axis of a mesh with grouped axes."""
    ends = list(itertools.accumulate(widths))
    return tuple(math.prod(mesh[end - width : end]) for end, width in zip(ends, widths, strict=True))


def _spread(cut: Cut, widths: Sequence[int]) -> Cut:
    return tuple(axis for axis, width in zip(cut, widths, strict=True) for _ in range(width))


def _cuts(problem: Problem, mesh: Sequence[int], widths: Sequence[int]) -> list[list[Cut]]:
    """Return the candidate cuts of each value, over all axes of the mesh."""
    joint = _joint(mesh, widths)
    known = {shape: [_spread(c, widths) for c in cuts_of(shape, joint)] for shape in set(problem.shapes)}
    return [known[shape] for shape in problem.shapes]


def tables_of(
    problem: Problem, mesh: tuple[int, ...], widths: Sequence[int], cuts: Sequence[Sequence[Cut]], align: int
) -> list[_Table]:
    """Return the costs of operations by the cuts of their values; equal operations share a table.

    Args:
        problem: The graph.
        mesh: The devices along each axis of the mesh.
        widths: The sizes of the groups of consecutive mesh axes.
        cuts: The candidate cuts of each value.
        align: As for `search`.
    """
    joint, starts = _joint(mesh, widths), [0, *itertools.accumulate(widths)][:-1]
    together = {cut: tuple(cut[s] for s in starts) for each in cuts for cut in each}
    tables, known = [], {}
    for operation in problem.operations:
        values = tuple(dict.fromkeys(u.value for u in operation.uses))
        axes = [values.index(u.value) for u in operation.uses]
        each = [tuple(together[c] for c in cuts[u.value]) for u in operation.uses]
        alike = operation._replace(
            operands=tuple(u._replace(value=0) for u in operation.operands),
            results=tuple(u._replace(value=0) for u in operation.results),
        )
        signature = (alike, tuple(axes), tuple(each))
        if signature not in known:
            known[signature] = np.einsum(table(operation, each, joint, align), axes, list(range(len(values))))
        tables.append(_Table(values, known[signature]))
    for value, cut, size in problem.pinned:
        tables.append(_Table((value,), np.array([size * again(cut, c, mesh) for c in cuts[value]])))
    return tables


class _Elimination:
    """The choice for each value that minimizes the sum of all tables (variable elimination).

    One value after another is eliminated: its tables become one table over its neighbours, with the minimum over its
    choices. If that table would be too large, the value's choice is fixed first, by its own tables alone.
    """

    def __init__(self, tables: Sequence[_Table], counts: Sequence[int]) -> None:
        self._counts = counts
        self._tables: dict[int, set[int]] = {
            i: set() for i in range(len(counts))
        }  # the tables of each value, by number
        self._live: dict[int, _Table] = {}
        self._numbers = itertools.count()
        for t in tables:
            self._add(t)

    def choices(self) -> list[int]:
        """Return the choice for each value."""
        chosen: dict[int, int] = {}
        left: list[tuple[int, _Table]] = []  # the eliminated values, each with the table that decides it
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
        removed = []
        for number in list(self._tables[value]):
            t = self._live.pop(number)
            removed.append(t)
            for v in t.values:
                self._tables[v].discard(number)
        return removed

    def _fixed(self, value: int) -> int:
        """Fix the choice of one value, and restrict its tables to it."""
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
