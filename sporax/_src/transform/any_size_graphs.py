"""Graphs that NumPy computes, traced once for all values of some sizes, so that a new shape compiles nothing.

A function whose arguments keep changing their shapes has some graphs that XLA compiled, one for each of
the first shapes, and one graph for all other shapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sporax._src.base import config
from sporax._src.base.jax_compat import is_tracer
from sporax._src.core.tensor import Tensor
from sporax._src.engine import index_checks
from sporax._src.engine.any_size import Comparisons, Scope, Shapes, Traced, sizes_of, variables, varying
from sporax._src.engine.numpy_fallback import is_one_cpu
from sporax._src.engine.numpy_programs import NotInNumPy, Program
from sporax._src.processes.parallel_context import checked_cutting
from sporax._src.transform import capture
from sporax._src.transform.controlflow.failures import NeedsValue
from sporax._src.transform.graph.graph_plan import GraphPlan
from sporax._src.transform.graph_entry import Entry, find_states

_MOST_TRIES = 8  # traces with variables
_MOST_COUNTS = 4096
_MOST_PROGRAMS = 128  # sizes for which programs, of about 1 MB, are kept

Key = tuple[Any, ...]


class InNumpy:
    """The compiled function of a graph, computed by NumPy: `(donated states, retained states, arguments) -> outputs`.

    Args:
        plan: The plan of the graph.
        traced: Its trace.
        pattern: The shapes of its arguments, with the names of variables in place of some sizes.
    """

    def __init__(self, plan: GraphPlan, traced: Traced, pattern: Shapes) -> None:
        self._plan, self._traced, self._pattern = plan, traced, pattern
        self._programs: dict[Shapes, Program] = {}

    def __call__(self, donated: Sequence[Any], retained: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        program = self.program_for(tuple([np.shape(a) for a in arrays]))
        outs = program.on_device([*self._plan.values(donated, retained), *arrays])
        return [outs[i] for i in self._plan.output_order]

    def program_for(self, shapes: Shapes) -> Program:
        """Return the program for shapes of the arguments.

        Raises:
            NotInNumPy: If the trace is not valid for them, or NumPy cannot compute it, or the arrays are too large for it.
        """
        program = self._programs.get(shapes)
        if program is None:
            sizes = sizes_of(self._pattern, shapes)
            if sizes is None:
                raise NotInNumPy("sizes")
            if len(self._programs) >= _MOST_PROGRAMS:
                del self._programs[next(iter(self._programs))]
            program = self._programs[shapes] = self._traced.at(sizes)
        return program


class AnySizeGraphs:
    """The graphs of a function with variables for some sizes.

    Args:
        fn: The function.
        name: Its name.
    """

    def __init__(self, fn: Callable[..., Any], name: str) -> None:
        self._fn, self._name = fn, name
        self._graphs: dict[Key, list[tuple[InNumpy, Entry]]] = {}
        self._tries: Counter[Key] = Counter()
        self._runs: Counter[Key] = Counter()

    def find(self, key: Key, arrays: Sequence[Tensor], args: Sequence[Any]) -> Entry | None:
        """Return the graph for a call; None if there is none, or if compilation pays off for these shapes.

        Args:
            key: The key of the call (see `Jit`): structure, settings, and the shape and dtype of each array.
            arrays: Its Tensors.
            args: Its positional arguments.
        """
        if not self._graphs or not _is_possible(arrays):
            return None
        kinds, shapes = _apart(key)
        for step, entry in self._graphs.get(kinds, ()):
            if not entry.fits(self._fn, args):
                continue
            try:
                program = step.program_for(shapes)
            except NotInNumPy:
                continue
            if len(self._runs) > _MOST_COUNTS:
                self._runs.clear()
            self._runs[key] += 1
            return entry if self._runs[key] < program.most_runs(capture.OFTEN) else None
        return None

    def add(
        self, key: Key, known: Iterable[Key], concrete: Entry, arrays: Sequence[Tensor], args: Sequence[Any]
    ) -> None:
        """Trace the function with variables for the sizes that change, if NumPy can compute it.

        Args:
            key: The key of a call.
            known: The keys of earlier calls.
            concrete: The graph of the call; if nothing better is found, NumPy computes it.
            arrays: The Tensors of the call.
            args: Its positional arguments.

        Raises:
            NotInNumPy: If NumPy cannot compute the graph.
        """
        if self._runs[key] >= capture.OFTEN or not _is_possible(arrays):
            raise NotInNumPy("often")
        kinds, shapes = _apart(key)
        step = InNumpy(concrete.graph.plan, Traced(concrete.graph.jaxpr, Comparisons()), shapes)
        program = step.program_for(shapes)
        concrete.graph.compute_in_numpy(step, program.most_runs(capture.OFTEN))
        before = [
            earlier for other in known if (found := _apart(other))[0] == kinds and (earlier := found[1]) != shapes
        ]
        pattern = varying(before[-1], shapes) if before else None
        if pattern is None or self._tries[kinds] >= _MOST_TRIES:
            return
        self._tries[kinds] += 1
        try:
            graph = self._traced(key, pattern, concrete.graph, program, arrays, args)
        except NotInNumPy:
            return  # a size may equal that of another axis, which the next call's does not
        self._graphs.setdefault(kinds, []).append(graph)

    def _traced(
        self,
        key: Key,
        pattern: Shapes,
        concrete: capture.Graph,
        wanted: Program,
        arrays: Sequence[Tensor],
        args: Sequence[Any],
    ) -> tuple[InNumpy, Entry]:
        data, shapes = [t._data for t in arrays], _apart(key)[1]
        scope, states = Scope.of(pattern, shapes), find_states(self._fn, args)
        try:
            with scope.compared() as comparisons:
                graph = capture.graph_class(self._fn, key[0], variables(data, pattern, scope), states, self._name)
        except (Exception, NeedsValue) as error:  # of a function that needs the values of its sizes
            raise NotInNumPy("sizes") from error
        comparisons.allow(scope.sizes)  # if it is not valid for them, the graph computes other bits
        step = InNumpy(graph.plan, Traced(graph.jaxpr, comparisons), pattern)
        if not _computes(graph, step.program_for(shapes), concrete, wanted, data):
            raise NotInNumPy("another graph")
        graph.compute_in_numpy(step)
        return step, Entry(graph, list(map(id, states)))


def _is_possible(arrays: Sequence[Tensor]) -> bool:
    """Return whether NumPy may compute a graph in a call with such arguments."""
    return (
        is_one_cpu()
        and not config.is_deterministic()
        and checked_cutting() is None
        and not any(is_tracer(t._data) for t in arrays)
    )


def _apart(key: Key) -> tuple[Key, Shapes]:
    """Return a key without shapes, and the shapes."""
    structure, *settings = key[:3]
    return (structure, *settings, *[dtype for _, dtype in key[3:]]), tuple([shape for shape, _ in key[3:]])


def _computes(
    graph: capture.Graph, program: Program, concrete: capture.Graph, wanted: Program, arrays: Sequence[Any]
) -> bool:
    """Return whether a graph with variables computes the same bits as the graph of these shapes: code may ask for a size's type."""
    if graph.structure != concrete.structure or graph.states != concrete.states:
        return False
    inputs = [np.asarray(x) for x in (*[s.concrete() for s in graph.states], *arrays)]
    got = _without_checks(graph, program(inputs))
    want = _without_checks(concrete, wanted(inputs))
    if len(got) != len(want):
        return False
    return all(
        a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        for a, b in zip(got, want, strict=True)
    )


def _without_checks(graph: capture.Graph, outs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the results of a graph and the states that it writes, without the record of wrong indices."""
    results = len(outs) - len(graph.written)
    kept = [out for out, s in zip(outs[results:], graph.written, strict=True) if s is not index_checks.OUT_OF_RANGE]
    return [*outs[:results], *kept]
