"""Automatic strategies: a captured graph as a search problem, and the graph with the strategies that the search returns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import jax
from jax.sharding import Mesh, NamedSharding

from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal
from sporax._src.base.settings.strategy_search import get_algo_parameters, get_cost_model_context
from sporax._src.processes.parallel_context import Cutting
from sporax._src.sharding.axis_links import Links
from sporax._src.sharding.mesh_layout import names_of
from sporax._src.sharding.strategies import spec_of
from sporax._src.transform.parallel.communication_costs import Cut, Operation, Use, best_way, cut_in, divides
from sporax._src.transform.parallel.state_sharding import inputs_of
from sporax._src.transform.parallel.strategy_search import Problem, search

_PRODUCTS = ("dot_general", "conv_general_dilated")
_MOST = (
    10_000  # ways to shard an operation along one axis of the mesh; if there are more, operands are considered in pairs
)


def walk(
    jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Any], visit: Callable[[Any, list[Any]], list[Any]]
) -> list[Any]:
    """Visit each operation of a graph, with those of inner graphs, and return the visitor's values for the results.

    Args:
        jaxpr: The graph.
        consts: The values of its constants.
        inputs: The values of its inputs.
        visit: Called as `visit(operation, operands)` for each; literals are passed unchanged.
    """
    known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *inputs), strict=True))
    for eqn in jaxpr.eqns:
        operands = [a if is_literal(a) else known[a] for a in eqn.invars]
        inner = inner_jaxpr(eqn)
        outs = visit(eqn, operands) if inner is None else walk(inner.jaxpr, inner.consts, operands, visit)
        known.update(zip(eqn.outvars, outs, strict=True))
    return [a if is_literal(a) else known[a] for a in jaxpr.outvars]


class _Value:
    """A value of the graph: the number of its value in the search, and for each of its axes the axis of that value."""

    __slots__ = ("aval", "number", "order")

    def __init__(self, aval: Any, number: int) -> None:
        self.aval, self.number, self.order = aval, number, tuple(range(len(aval.shape)))


_ValueAxes = tuple[_Value, tuple[int, ...]]  # a value, and the classes of its axes in an operation


class Reading:
    """A captured graph as a search problem; values that are sharded equally are one value.

    Args:
        closed: The graph.
        states: How many of its inputs are states, which stay on the devices.
        shardings: The shardings of the other inputs.
        mesh: The devices.
    """

    def __init__(self, closed: Any, states: int, shardings: Sequence[NamedSharding], mesh: Mesh) -> None:
        self._members: list[list[_Value]] = []
        self._operations: list[tuple[str, list[_ValueAxes], list[_ValueAxes], Links, int]] = []
        self._names = mesh.axis_names
        self.eqns: list[tuple[list[_Value | None], list[_Value]]] = []
        self.inputs = [self._new(v.aval) for v in closed.jaxpr.invars]
        self._pinned = [(v, p.spec) for v, p in zip(self.inputs[states:], shardings, strict=True)]
        consts = [self._new(v.aval) for v in closed.jaxpr.constvars]
        walk(closed.jaxpr, consts, self.inputs, self._visit)
        self._states = self.inputs[:states]
        self.products: dict[int, int] = {}  # for the visit of a product, the index of its operation in the problem
        self.related: set[int] = set()  # the visits whose values are sharded differently

    def _new(self, aval: object) -> _Value:
        value = _Value(aval, len(self._members))
        self._members.append([value])
        return value

    def _visit(self, eqn: Any, operands: list[Any]) -> list[_Value]:
        known = [None if is_literal(a) or not isinstance(a, _Value) else a for a in operands]
        outs = [self._new(v.aval) for v in eqn.outvars]
        self.eqns.append((known, outs))
        if eqn.primitive.name == "sharding_constraint":
            self._pinned.append((outs[0], eqn.params["sharding"].spec))
        used = [(a, v) for a, v in zip(eqn.invars, known, strict=True) if v is not None and v.aval.shape]
        results = [v for v in outs if v.aval.shape]
        if used or results:
            self._relate(eqn, dict(used), outs)
        return outs

    def _relate(self, eqn: Any, used: dict[Any, _Value], outs: list[_Value]) -> None:
        part = SimpleNamespace(jaxpr=SimpleNamespace(invars=list(used), eqns=[eqn], outvars=eqn.outvars))
        links = Links(part)
        operands = list(zip(used.values(), links.operands, strict=True))
        results = [(v, c) for v, c in zip(outs, links.results, strict=True) if v.aval.shape]
        for value, classes in operands:
            for out, behind in results:
                if _same(classes, behind) and links.whole.isdisjoint(classes):
                    self._join(value, out, [classes.index(c) for c in behind])
        groups = {v.number for v, _ in (*operands, *results)}
        if len(groups) > 1 or links.summed or links.whole:
            self._operations.append((eqn.primitive.name, operands, results, links, len(self.eqns) - 1))

    def _join(self, one: _Value, other: _Value, order: Sequence[int]) -> None:
        """Shard two values equally: axis i of `other` as axis `order[i]` of `one`."""
        if one.number == other.number:
            return
        first, second = self._members[one.number], self._members[other.number]
        axis_of = {other.order[i]: one.order[order[i]] for i in range(len(order))}
        for member in second:
            member.number, member.order = one.number, tuple(axis_of[axis] for axis in member.order)
        first.extend(second)
        second.clear()

    # --- as a problem ---------------------------------------------------------------------------------------------------

    def problem(self, mesh: Sequence[int]) -> Problem:
        """Return the problem of the search."""
        numbers = {n: i for i, n in enumerate(n for n, members in enumerate(self._members) if members)}
        self._number = numbers
        shapes, sizes = [], []
        state = set(map(id, self._states))
        for members in (m for m in self._members if m):
            first = members[0]
            inverse = sorted(range(len(first.order)), key=first.order.__getitem__)
            shapes.append(tuple(first.aval.shape[i] for i in inverse))
            state_bytes = sum(_size(v.aval) for v in members if id(v) in state)
            sizes.append(state_bytes + max((_size(v.aval) for v in members if id(v) not in state), default=0))
        operations = []
        for name, operands, results, links, visit in self._operations:
            uses = [[self._use(v, c) for v, c in part] for part in (operands, results)]
            self.related.add(visit)
            whole = frozenset(links.whole | _unread(operands, results, links))
            converted = Operation(tuple(uses[0]), tuple(uses[1]), frozenset(links.summed), whole, name in _PRODUCTS)
            if name in _PRODUCTS:
                self.products[visit] = len(operations)
            operations += _in_pairs(converted)
        pinned = [(numbers[v.number], self._cut(v, spec), _size(v.aval)) for v, spec in self._pinned]
        problem = Problem(shapes, sizes, operations, pinned, [])
        return problem._replace(together=self._together(problem, mesh))

    def _use(self, value: _Value, classes: Sequence[int]) -> Use:
        at = {axis: i for i, axis in enumerate(value.order)}
        ordered = [at[i] for i in range(len(value.order))]
        shape = value.aval.shape
        return Use(
            self._number[value.number],
            tuple(classes[i] for i in ordered),
            tuple(shape[i] for i in ordered),
            _size(value.aval),
        )

    def _cut(self, value: _Value, spec: Any) -> Cut:
        at = {}
        for axis, part in enumerate(spec):
            for name in names_of(part):
                at[name] = value.order[axis]
        return tuple(at.get(name, -1) for name in self._names)

    def _together(self, problem: Problem, mesh: Sequence[int]) -> list[Cut]:
        """Return the sharding of data parallel training: all axes that correspond to the batch are sharded, and no others."""
        parent: dict[Any, Any] = {}

        def root(a: object) -> Any:
            while parent.setdefault(a, a) != a:
                a = parent[a]
            return a

        for n, operation in enumerate(problem.operations):
            for use in operation.uses:
                for axis, one in enumerate(use.classes):
                    parent[root((use.value, axis))] = root(("class", n, one))
        batch = {root((self._number[v.number], v.order[0])) for v in self.inputs[len(self._states) :] if v.aval.shape}
        cuts = []
        for i, shape in enumerate(problem.shapes):
            axis = next((a for a in range(len(shape)) if root((i, a)) in batch), -1)
            cut = (axis,) * len(mesh)
            cuts.append(cut if divides(shape, cut, mesh) else (-1,) * len(mesh))
        return cuts

    def cut_of(self, value: _Value, cuts: Sequence[Cut]) -> Cut:
        """Return the sharding of a value of the graph, by its own axes."""
        at = {axis: i for i, axis in enumerate(value.order)}
        return tuple(at.get(axis, -1) for axis in cuts[self._number[value.number]])


def _size(aval: Any) -> int:
    return math.prod(aval.shape) * aval.dtype.itemsize


def _same(classes: Sequence[int], others: Sequence[int]) -> bool:
    return len(set(classes)) == len(classes) == len(others) and set(classes) == set(others)


def _unread(operands: Sequence[Any], results: Sequence[Any], links: Links) -> set[int]:
    """Return the axis classes of operands that results do not have: an operation needs all elements along them."""
    behind = {c for _, classes in results for c in classes}
    return {c for _, classes in operands for c in classes} - behind - links.summed


def _in_pairs(operation: Operation) -> Iterator[Operation]:
    """Yield an operation, or one for each operand if there are too many ways to consider them together."""
    if math.prod(1 + len(u.shape) for u in operation.uses) <= _MOST:
        yield operation
        return
    for use in operation.operands:
        yield operation._replace(operands=(use,), results=operation.results[:1])


# --- in a graph -----------------------------------------------------------------------------------------------------------


def with_strategies(closed: Any, states: int, mesh: Mesh, how: Cutting) -> Any:
    """Return a captured graph with sharding constraints for the strategies that the search returns.

    Args:
        closed: The graph, whose first inputs are the states.
        states: How many they are.
        mesh: The devices.
        how: The settings, with the search mode.
    """
    sizes = tuple(mesh.shape[name] for name in mesh.axis_names)
    reading = Reading(closed, states, inputs_of(closed.in_avals[states:], mesh, how), mesh)
    align = get_algo_parameters("tensor_slice_align_size") if get_algo_parameters("tensor_slice_align_enable") else 1
    problem = reading.problem(sizes)
    cuts = search(problem, sizes, how.search, get_cost_model_context("device_memory_capacity"), align)

    def constrained(value: Any, cut: Cut) -> Any:
        axes = [tuple(n for n, a in zip(mesh.axis_names, cut, strict=True) if a == axis) for axis in range(value.ndim)]
        return jax.lax.with_sharding_constraint(value, NamedSharding(mesh, spec_of(axes)))

    count = iter(range(len(reading.eqns)))

    def visit(eqn: Any, operands: list[Any]) -> list[Any]:
        n = next(count)
        values = [a.val if is_literal(a) else a for a in operands]
        inputs, results = reading.eqns[n]
        index = reading.products.get(n)
        if index is not None:
            operation = problem.operations[index]
            way = best_way(operation, [cuts[u.value] for u in operation.uses], sizes, align)
            uses = dict(
                zip(
                    map(id, dict.fromkeys(v for v in inputs if v is not None and v.aval.shape)),
                    operation.operands,
                    strict=True,
                )
            )
            for i, known in enumerate(inputs):
                if known is not None and id(known) in uses:
                    inside = cut_in(uses[id(known)], way)
                    values[i] = constrained(values[i], tuple(known.order.index(a) if a >= 0 else -1 for a in inside))
        outs = evaluate(eqn, values)
        if n in reading.related:
            outs = [
                constrained(out, reading.cut_of(v, cuts)) if v.aval.shape else out
                for out, v in zip(outs, results, strict=True)
            ]
        return outs

    def cut(*inputs: Any) -> list[Any]:
        placed = [
            constrained(x, reading.cut_of(v, cuts)) if x.ndim and i < states else x
            for i, (x, v) in enumerate(zip(inputs, reading.inputs, strict=True))
        ]
        outs = walk(closed.jaxpr, closed.consts, placed, visit)
        return [a.val if is_literal(a) else a for a in outs]

    return jax.make_jaxpr(cut)(*closed.in_avals)
