"""From a Python function to a compiled graph: capture, lower, compile, run, each stage with a readable artefact."""

from __future__ import annotations

import contextlib
import functools
import re
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from sporax._src.base import config
from sporax._src.base.jax_compat import (
    UNTRACEABLE,
    DrivenByHost,
    exchanges,
    frames_of,
    is_tracer,
    is_variable_size,
    jaxpr_as_fun,
    without_output,
)
from sporax._src.base.signals import uninterrupted
from sporax._src.base.stopwatch import TRACING, stopwatch
from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.execution import CONSUMED, capturing, committing
from sporax._src.core.generator import default_generator
from sporax._src.core.parameter import Parameter, draw_waiting
from sporax._src.core.scope import Scope
from sporax._src.core.tape import is_recording, watched
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.core.views import make_stale
from sporax._src.engine import index_checks
from sporax._src.engine.dispatch import Kernel, Traits
from sporax._src.engine.dispatch import run as run_kernel
from sporax._src.engine.vjp import Shadow
from sporax._src.processes.collective_check import agree, exchanges_in
from sporax._src.processes.dry_run import planned_devices
from sporax._src.processes.multiprocess import jit_on
from sporax._src.processes.parallel_context import checked_cutting
from sporax._src.processes.prime_mesh import prime_mesh
from sporax._src.processes.world import axes
from sporax._src.transform.controlflow import failures
from sporax._src.transform.controlflow.captured_state import CapturedState
from sporax._src.transform.controlflow.merge import NeedsValue
from sporax._src.transform.controlflow.rewrite import rewritten
from sporax._src.transform.functional import Traced, functional
from sporax._src.transform.graph.argument_names import tensor_names
from sporax._src.transform.graph.attention import fuse_attention
from sporax._src.transform.graph.chains import cut_chains
from sporax._src.transform.graph.channels_last import channels_last, has_images
from sporax._src.transform.graph.constants import WithConstants, lifted
from sporax._src.transform.graph.graph_plan import GraphPlan
from sporax._src.transform.graph.index_prechecks import Check, prechecks
from sporax._src.transform.graph.provenance import note_place_of, source_now, user_call, user_line
from sporax._src.transform.graph.stages import Stages
from sporax._src.transform.graph.updates import updated_at_once
from sporax._src.transform.parallel.auto_parallel import with_strategies
from sporax._src.transform.parallel.plan import on_paper
from sporax._src.transform.parallel.spmd_graph import RANDOM_STATE, Layouts, Spread

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr

# Text of errors that only rewritten code avoids: iterators, and where MindSpore's graphs differ from Python.
_OF_GRAPHS = re.compile("'(zip|map|filter|enumerate)'|object is not callable|'dict' object has no attribute 'has_key'")
OFTEN = 64  # runs of a graph that is compiled quickly or not at all, after which compilation pays off
_MOST_TRACES = 20  # each trace may find further states
GRAPHS: weakref.WeakSet[Graph] = weakref.WeakSet()  # all live graphs of this process
compilations = 0  # how many graphs this process has built; tests count it


class Graph(Stages):
    """A captured function: `(donated states, retained states, arguments) -> (results, written states)`.

    Attributes:
        line: The line of the program that first called the function.
        jaxpr: The captured graph.
        optimized: The graph that is compiled: with barriers in long chains, or with the strategies of the search.
        plan: The mapping of its states to inputs of the compiled function, and the order of that function's outputs.
        donated, retained: The states of the plan.
        written: All states the graph writes.
        cells: The Cells and Parameters that the trace used. The graph depends on their attributes.
    """

    donate: tuple[int, ...] = (0,)
    _layouts: Mapping[str, Any] = types.MappingProxyType({})  # layouts on devices that are only planned

    def __init__(
        self,
        fn: Callable[..., Any],
        structure: tree.Branch,
        arrays: Sequence[Any],
        states: list[Any],
        name: str,
        for_numbers: bool = False,
        differentiates: bool = False,
    ) -> None:
        self.name = name
        self._differentiates = differentiates
        self.line = source_now().line
        self._arguments = fn, structure
        self.captured_state = CapturedState(fn, structure)
        self.states = _distinct([*states, default_generator.state])
        scope = self._captured(arrays, for_numbers)
        self._choose_checks()
        reuses = not self._may_fail and self._index_output is None  # a run that fails must leave the old values
        self.plan = GraphPlan.of(self.jaxpr, self.states, self.written, scope.read_ids, reuses)
        self.donated, self.retained = self.plan.donated, self.plan.retained
        self._exchanges = exchanges(self.jaxpr)
        self._prints = len(self.jaxpr.effects) > self._exchanges
        self._has_agreed = not self._exchanges
        self._step = self._compiled_on(self._options())
        self._runs_until_optimized = 0
        self._in_numpy: Callable[..., list[Any]] | None = None
        self._spread_states = getattr(self._step, "spread_states", None)
        self._is_compiled = self._has_drawn = False
        self._kernel: _GraphKernel | None = None
        self._of_gradients: Graph | None = self if differentiates or not self._reads_writes(scope) else None
        # If the result is a Parameter that is not written, the call returns that Parameter.
        unwritten = {id(s) for s in self.retained} - {id(s) for s in self.written}
        self._itself = self.captured_state.parameter if id(self.captured_state.parameter) in unwritten else None

    def _options(self) -> dict[str, Any] | None:
        return config.compiler_options(has_images(self.jaxpr.jaxpr))

    def compile_quickly(self) -> None:
        """Compile with few optimizations at first, and again with all after many runs, if the graph runs on one CPU device."""
        quick = config.quick_options()
        if quick and not self._exchanges and checked_cutting() is None:
            self._step = self._compiled_on((self._options() or {}) | quick)
            self._runs_until_optimized = OFTEN

    def compute_in_numpy(self, step: Callable[..., list[Any]], runs: int = 0) -> None:
        """Let NumPy compute the graph, until compilation pays off after so many runs; 0: always."""
        self._in_numpy, self._runs_until_optimized = step, runs

    def _count_run(self) -> None:
        self._runs_until_optimized -= 1
        if self._runs_until_optimized == 0:
            self._step, self._is_compiled = self._compiled_on(self._options()), False
            self._in_numpy = None

    def _captured(self, arrays: Sequence[Any], for_numbers: bool) -> Scope:
        """Trace the function; set `jaxpr`, `written` and `cells`; return the scope of the trace."""
        global compilations
        trace = self._for_numbers if for_numbers else self._capture
        seen = stopwatch.measured(TRACING, trace, arrays)
        compilations += 1
        GRAPHS.add(self)
        assert seen.scope is not None
        self.structure = tree.without_dicts(seen.structure) if config.is_strict() else seen.structure
        self.written, self._ranges = seen.written, seen.ranges
        self.cells = [*seen.scope.cells.values(), *(s for s in self.states if isinstance(s, Parameter))]
        return seen.scope

    def is_valid_for(self, arrays: Sequence[Tensor]) -> bool:
        """Return whether the graph is valid for the numbers among the arguments: those within the bounds of its slices."""
        return all(r is None or t._data in r for r, t in zip(self._ranges, arrays, strict=True))

    def _reads_writes(self, scope: Scope) -> bool:
        """Return whether the graph reads a Parameter after it wrote it: a gradient sees another value there (see `Scope`)."""
        parameters = [s for s in self.written if isinstance(s, Parameter)]
        return any(id(p) in scope.reread_ids and p.outline().dtype.kind in "fcV" for p in parameters)

    def _choose_checks(self) -> None:
        """Choose the checks before and after a run: for the program's own errors and for indices out of range."""
        self._may_fail = failures.may_fail(self.written)
        self._results = len(self.jaxpr.out_avals) - len(self.written)
        self._index_output = index_checks.output_index(self.written)
        self._prechecks: list[Check] = []
        has_variables = any(is_variable_size(n) for aval in self.jaxpr.in_avals for n in aval.shape)
        if self._index_output is not None and not self._may_fail and not has_variables:
            self._check_before(self._results + self._index_output)

    def _compiled_on(self, options: dict[str, Any] | None) -> Any:
        """Return the compiled function of the graph, for this process's device or for all devices."""
        self.optimized, how = self.jaxpr, checked_cutting()
        mesh = None if how is None or (self._exchanges and not how.is_local) else prime_mesh(how.devices)
        if how is not None and mesh is None:
            self._layouts = Layouts(self, how).layouts
        constants: list[Any] = []
        if how is None and not self._exchanges:
            whole, constants = self.lifted
            self.optimized = cut_chains(whole)
            options = options if self.optimized is whole else config.with_barriers(options)
            self.optimized = updated_at_once(self.optimized, self._results, self.plan.reused)
        if how is None or mesh is None:
            step = jit_on(self._exchanges, options, self.run, compares=False, donate_argnums=self.donate)
            return WithConstants(step, constants) if constants else step
        if how.search:
            self.optimized = with_strategies(self.jaxpr, len(self.states), mesh, how)
        return Spread(self, options, mesh, how)

    def _capture(self, arrays: Sequence[Any]) -> Traced:
        """Trace the function. If the trace needs the value of a Tensor, rewrite the control flow and trace again.

        The same happens if the trace needs something that only rewritten code has, such as the length of an iterator.
        """
        try:
            seen = self._trace(arrays, None)
        except DrivenByHost:
            raise
        except UNTRACEABLE:
            seen = None
        except (TypeError, AttributeError) as error:
            if not _OF_GRAPHS.search(str(error)):
                raise
            seen = None  # in rewritten code an iterator has items and a length
        if seen is None or seen.needs_value:  # asked, and the program has handled the error
            seen = self._rewritten(arrays)
            if seen.needs_value:
                raise NeedsValue("the value of a Tensor is needed within a try statement")
        return seen

    def _for_numbers(self, arrays: Sequence[Any]) -> Traced:
        """Trace the function with its numbers as operands; they may only be used in arithmetic."""
        seen = self._trace(arrays, None)
        if seen.needs_value or any(a.weak_type for a in self.jaxpr.out_avals):
            raise NeedsValue("a number among the results")
        return seen

    def _rewritten(self, arrays: Sequence[Any]) -> Traced:
        try:
            return self._trace(arrays, rewritten)
        except Exception as error:
            note_place_of(error)
            raise

    def _trace(self, arrays: Sequence[Any], rewrite: Callable[[Any], Any] | None) -> Traced:
        asked: dict[int, Any] = {}
        self._rewrite = rewrite
        self._counted: frozenset[int] = frozenset()
        for _ in range(_MOST_TRACES):
            seen = Traced()
            pure = self._functional(seen)
            with committing:
                values = [s.outline() if isinstance(s, Parameter) else s.concrete() for s in self.states]
            self.jaxpr = jax.make_jaxpr(pure, axis_env=axes())(values, list(arrays))
            assert seen.scope is not None
            if any(map(is_tracer, self.jaxpr.consts)):
                raise NeedsValue(
                    "a value computed in a branch or a loop was kept outside of it (in a list or an attribute)"
                )
            if not seen.scope.undeclared and not seen.scope.forwards.repeated:
                self.jaxpr = fuse_attention(self.jaxpr)
                return seen
            self._counted |= seen.scope.forwards.repeated
            if asked and asked.keys().isdisjoint(seen.scope.read_ids):
                raise NeedsValue("each call creates a new Parameter or Generator")
            asked = seen.scope.undeclared
            self.states = _distinct([*self.states, *seen.scope.undeclared.values()])
        raise NeedsValue("each call creates a new Tensor")

    def _functional(self, seen: Traced, shadows: dict[int, Shadow] | None = None) -> Callable[..., Any]:
        run, structure = self.captured_state.run, self._arguments[1]
        return functional(
            run, self.states, structure, seen, self._rewrite, shadows, self._counted, self._differentiates
        )

    def _check_before(self, output: int) -> None:
        """If all indices come from arguments, check them before the run instead of in it."""
        checks = prechecks(self.jaxpr, output, len(self.states))
        if checks is not None:
            self.jaxpr = without_output(self.jaxpr, output)
            self.written = [s for s in self.written if s is not index_checks.OUT_OF_RANGE]
            self._prechecks, self._index_output = checks, None

    def run(
        self, donated: Sequence[Any], retained: Sequence[Any], arrays: Sequence[Any], constants: Sequence[Any] = ()
    ) -> Any:
        """Compute the graph; this method is what JAX compiles."""
        outs = channels_last(self.optimized)(*self.plan.values(donated, retained), *arrays, *constants)
        return [outs[i] for i in self.plan.output_order]

    @functools.cached_property
    def lifted(self) -> tuple[ClosedJaxpr, list[Any]]:
        """The graph with its large constants as further inputs, and those constants."""
        return lifted(self.jaxpr)

    def call(self, operands: Sequence[Any], constants: Sequence[Any] | None = None) -> Any:
        """Return the graph's results, computed with its own large constants or with those passed.

        The operands must have the dtypes of the capture.
        """
        whole = self.jaxpr if constants is None else self.lifted[0]
        donated, retained, arrays = self.plan.split(operands)
        data = [*self.plan.values(donated, retained), *arrays, *(constants or ())]
        if [x.dtype for x in data] != [a.dtype for a in whole.in_avals]:
            raise TypeError(f"{self.name}: the dtypes of the operands differ from those of the capture")
        return jaxpr_as_fun(whole)(*data)

    def again(self, operands: Sequence[Any], shadows: dict[int, Shadow]) -> list[Any]:
        """Trace the function again on operands whose integers have shadows; return the graph's results."""
        donated, retained, arrays = self.plan.split(operands)
        seen = Traced()
        pure = self._functional(seen, shadows)
        with capturing:
            outs, written = pure(self.plan.values(donated, retained), arrays)
        if self._prechecks:
            written = [v for s, v in zip(seen.written, written, strict=True) if s is not index_checks.OUT_OF_RANGE]
        if len(outs) + len(written) != len(self.jaxpr.out_avals):
            raise NeedsValue("a second trace of the function gives another graph")
        return [*outs, *written]

    # --- readable stages -----------------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs: those of Parameters, and the function's names for its arguments."""
        names = [
            str(getattr(s, "name", RANDOM_STATE if s is default_generator.state else "Tensor")) for s in self.states
        ]
        return [*names, *tensor_names(*self._arguments)]

    @property
    def layouts(self) -> dict[str, Any]:
        """How inputs are sharded over devices, by name; empty if they are not sharded."""
        return dict(getattr(self._step, "layouts", self._layouts))

    def lower(self) -> Any:
        """Return JAX's `Lowered` for the graph (`.as_text()` shows StableHLO)."""
        avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.jaxpr.in_avals]
        by_id = {id(s): a for s, a in zip(self.states, avals, strict=False)}
        donated, retained = [by_id[id(s)] for s in self.donated], [by_id[id(s)] for s in self.retained]
        return self._step.lower(donated, retained, avals[len(self.states) :])

    def forget(self) -> None:
        """Release the compiled function, which takes most of a graph's memory; the next run compiles again."""
        self._step.clear_cache()
        self._kernel, self._is_compiled = None, False

    # --- running -------------------------------------------------------------------------------------------------

    def __call__(self, arrays: list[Tensor]) -> Any:
        """Run the graph on argument Tensors, write the states, and return the nested result."""
        if not self._has_drawn:  # a state that has a value keeps one
            draw_waiting(self.states, now=self._spread_states is None)
            self._has_drawn = True
        if self._prechecks:
            data = [t._data for t in arrays]
            for check in () if any(map(is_tracer, data)) else self._prechecks:
                check(data)
        if self._runs_until_optimized:
            self._count_run()
        return self._start(arrays)

    def _start(self, arrays: list[Tensor]) -> Any:
        if is_recording() and any(
            watched(t) for t in (*arrays, *self.donated, *self.retained) if isinstance(t, Tensor)
        ):
            return self._recorded(arrays)
        outs = self._stepped([t._data for t in arrays])
        self._wait_for_prints()
        return self._result(map(wrap, outs[: self._results]))

    def _stepped(self, arrays: list[Any]) -> Any:
        """Run the graph and write the states. Calls that write run one at a time; other calls run concurrently."""
        if planned_devices():
            return on_paper(self)
        if not self._has_agreed:
            agree(list(exchanges_in(self.jaxpr.jaxpr, lambda eqn: user_line(frames_of(eqn)))))
            self._has_agreed = True
        if self._spread_states is not None:
            self._spread_states()
        if not self.plan.is_alone:
            with committing:
                retained = [s._value for s in self.retained]
            return self._launch([], retained, arrays)
        with capturing, committing:
            self._compile(arrays)
            with uninterrupted():
                return self._committed(arrays)

    def _compile(self, arrays: list[Any]) -> None:
        """Compile before the first run, so that the uninterruptible section is the run alone."""
        if not self._is_compiled and self._in_numpy is None and not any(map(is_tracer, arrays)):
            self._step.lower([s._value for s in self.donated], [s._value for s in self.retained], arrays).compile()
            self._is_compiled = True

    def _committed(self, arrays: list[Any]) -> Any:
        """Run the graph with the buffers of the donated states, and write their new values."""
        before = [s._value for s in self.donated]
        inputs = before.copy()
        try:
            for state in self.plan.consumed:
                state._value = CONSUMED
            if list(map(sys.getrefcount, inputs)) != self.plan.holders:
                for i, holders in enumerate(self.plan.holders):
                    if sys.getrefcount(inputs[i]) > holders:  # another reference needs the value
                        inputs[i] = jnp.copy(inputs[i])
            outs = self._launch(inputs, [s._value for s in self.retained], arrays)
            self._write(outs[self._results :])
        except BaseException:
            for state, value in zip(self.donated, before, strict=True):
                if state.is_consumed and state._value is CONSUMED:
                    state._value = value
            raise
        return outs

    def _launch(self, donated: Sequence[Any], retained: Sequence[Any], arrays: Sequence[Any]) -> Any:
        step = self._step if self._in_numpy is None or any(map(is_tracer, arrays)) else self._in_numpy
        return self.plan.restored(step(donated, retained, arrays))

    def _result(self, tensors: Iterable[Tensor]) -> Any:
        return self._itself if self._itself is not None else tree.unflatten(self.structure, iter(tensors))

    def _write(self, values: Sequence[Any]) -> None:
        """Raise the error that the run recorded, or else write the states."""
        if self._may_fail or self._index_output is not None:
            self._wait_for_prints()
        if self._may_fail:
            failures.check(self.written, values, user_call)
        if self._index_output is not None:
            index_checks.check_run(values[self._index_output])
        if self.plan.all_consumed:
            for state, value in zip(self.written, values, strict=True):
                state._value = value
                if state._views is not None:
                    make_stale(state)
        else:
            for state, value in zip(self.written, values, strict=True):
                state.commit(value)

    def _wait_for_prints(self) -> None:
        if self._prints:
            jax.effects_barrier()  # the graph prints before the program's next print

    def _recorded(self, arrays: list[Tensor]) -> Any:
        if self._of_gradients is None:
            data = [t._data for t in arrays]
            self._of_gradients = type(self)(*self._arguments, data, self.states, self.name, differentiates=True)
        if self._of_gradients is not self:
            return self._of_gradients._recorded(arrays)
        if self._kernel is None:
            self._kernel = _GraphKernel(self)
        n = self._results
        with capturing if self.plan.is_alone else contextlib.nullcontext():
            states = [s if isinstance(s, Parameter) else wrap(s.concrete()) for s in (*self.donated, *self.retained)]
            outs = run_kernel(self._kernel, [*states, *arrays, *self._kernel.constants])
            written = [value._data for value in outs[n:]]
            with committing, uninterrupted():
                self._write(written)
        self._wait_for_prints()
        return self._result(outs[:n])


class _GraphKernel(Kernel):
    """A graph as one operation of PyNative mode; its last operands are `constants`."""

    __slots__ = ("_graph", "constants")

    def __init__(self, graph: Graph) -> None:
        super().__init__(
            self._flat,
            graph.name,
            traits=Traits(convolves=has_images(graph.jaxpr.jaxpr), exchanges=exchanges(graph.jaxpr)),
        )
        self._graph = graph
        self.constants = [wrap(c) for c in graph.lifted[1]]

    def _flat(self, *operands: Array) -> Any:
        inputs, constants = self._apart(operands)
        return tuple(self._graph.call(inputs, constants))

    def _apart(self, operands: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
        count = len(operands) - len(self.constants)
        return operands[:count], operands[count:]

    def shadowed(self, fn: Callable[..., Any], data: Sequence[Any], input_shadows: Sequence[Shadow | None]) -> Any:
        """Run the graph on integer operands that have float shadows: trace the function again."""
        entered = [d if s is None else jnp.copy(d) for d, s in zip(data, input_shadows, strict=True)]
        shadows = {id(e): s.of_copy(e) for e, s in zip(entered, input_shadows, strict=True) if s is not None}
        try:
            outs = self._graph.again(self._apart(entered)[0], shadows) if shadows else fn(*data)
        except (*UNTRACEABLE, NeedsValue):
            outs = fn(*data)
        return tuple(outs), [shadows[id(o)].array if id(o) in shadows else None for o in outs]


def _distinct(states: Sequence[Any]) -> list[Any]:
    return list({id(s): s for s in states}.values())


graph_class: type[Graph] = Graph  # the class that `jit` builds; `debug.checked` replaces it
