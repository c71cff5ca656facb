"""From a Python function to a compiled graph: capture, lower, compile, run, each stage with a readable artefact."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.jax_compat import UNTRACEABLE, is_tracer, jaxpr_as_fun
from sporax._src.core import tree
from sporax._src.core.generator import default_generator
from sporax._src.core.parameter import Parameter
from sporax._src.core.tape import tape, watched
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.ops.dispatch import Kernel
from sporax._src.ops.dispatch import run as run_kernel
from sporax._src.transform.controlflow.merge import NeedsValue
from sporax._src.transform.controlflow.rewrite import rewritten
from sporax._src.transform.functional import Traced, functional

compilations = 0  # how many graphs this process has built; tests count it


class Graph:
    """A captured function: `(states written and read, states read, arguments) -> (results, states written)`.

    Attributes:
        jaxpr: The captured graph.
        donated: States that the graph reads and writes; their buffers are reused for the new values.
        kept: States that the graph only reads.
        written: All states the graph writes.
        cells: The Cells that took part, whose attributes the graph was built with.
    """

    def __init__(
        self, fn: Callable[..., Any], structure: Any, arrays: Sequence[Any], states: list[Any], name: str
    ) -> None:
        global compilations
        compilations += 1
        self.name = name
        self.states = _distinct([*states, default_generator.state])
        seen = self._capture(fn, structure, arrays)
        assert seen.scope is not None
        used = seen.scope.read_ids
        self.structure = seen.structure
        self.written = seen.written
        self.cells = list(seen.scope.cells.values())
        written = {id(s) for s in self.written}
        self.donated = [s for s in self.states if id(s) in used and id(s) in written]
        self.kept = [s for s in self.states if id(s) in used and id(s) not in written]
        self._plan = self._order()
        self._step = jax.jit(self._flat, donate_argnums=(0,))
        self._kernel: Kernel | None = None
        self._results = len(self.jaxpr.out_avals) - len(self.written)

    def _capture(self, fn: Callable[..., Any], structure: Any, arrays: Sequence[Any]) -> Traced:
        """Trace the function; if that asks for the value of a Tensor, trace it with its control flow rewritten."""
        try:
            return self._trace(fn, structure, arrays, None)
        except UNTRACEABLE:
            return self._trace(fn, structure, arrays, rewritten)

    def _trace(self, fn: Callable[..., Any], structure: Any, arrays: Sequence[Any], rewrite: Any) -> Traced:
        while True:
            seen = Traced()
            pure = functional(fn, self.states, structure, seen, rewrite)
            self.jaxpr = jax.make_jaxpr(pure)([s.concrete() for s in self.states], list(arrays))
            assert seen.scope is not None
            if any(map(is_tracer, self.jaxpr.consts)):
                raise NeedsValue(
                    "a value computed in a branch or a loop was kept outside of it (in a list or an attribute)"
                )
            if not seen.scope.missed:
                return seen
            self.states = _distinct([*self.states, *seen.scope.missed.values()])

    def _order(self) -> list[tuple[str, int]]:
        place = {id(s): ("donated", i) for i, s in enumerate(self.donated)}
        place |= {id(s): ("kept", i) for i, s in enumerate(self.kept)}
        return [place.get(id(s), ("unused", i)) for i, s in enumerate(self.states)]

    def _flat(self, donated: Sequence[Any], kept: Sequence[Any], arrays: Sequence[Any]) -> Any:
        given = {"donated": donated, "kept": kept}
        avals = self.jaxpr.in_avals
        values = [
            given[kind][i] if kind != "unused" else jnp.zeros(avals[n].shape, avals[n].dtype)
            for n, (kind, i) in enumerate(self._plan)
        ]
        return jaxpr_as_fun(self.jaxpr)(*values, *arrays)

    # --- stages to look at ----------------------------------------------------------------------------------------

    def lower(self) -> Any:
        """Return JAX's `Lowered` for the graph (`.as_text()` shows StableHLO)."""
        avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.jaxpr.in_avals]
        by_id = {id(s): a for s, a in zip(self.states, avals, strict=False)}
        donated, kept = [by_id[id(s)] for s in self.donated], [by_id[id(s)] for s in self.kept]
        return self._step.lower(donated, kept, avals[len(self.states) :])

    # --- running -------------------------------------------------------------------------------------------------

    def __call__(self, arrays: list[Tensor]) -> Any:
        """Run the graph on argument Tensors, write the states, and return the nested result."""
        if tape.depth and any(watched(t) for t in (*arrays, *self.donated, *self.kept) if isinstance(t, Tensor)):
            return self._recorded(arrays)
        donated = [s._value for s in self.donated]
        for i in range(len(donated)):
            if sys.getrefcount(donated[i]) > 3:  # the state, this list, the call: anyone else still needs the value
                donated[i] = jnp.copy(donated[i])
        outs = self._step(donated, [s._value for s in self.kept], [t._data for t in arrays])
        n = self._results
        for state, value in zip(self.written, outs[n:], strict=True):
            state.commit(value)
        return tree.unflatten(self.structure, iter([wrap(o) for o in outs[:n]]))

    def _recorded(self, arrays: list[Tensor]) -> Any:
        if self._kernel is None:
            d, k = len(self.donated), len(self.donated) + len(self.kept)
            self._kernel = Kernel(lambda *xs: tuple(self._flat(xs[:d], xs[d:k], xs[k:])), self.name)
        states = [s if isinstance(s, Parameter) else wrap(s.concrete()) for s in (*self.donated, *self.kept)]
        outs = run_kernel(self._kernel, [*states, *arrays])
        n = self._results
        for state, value in zip(self.written, outs[n:], strict=True):
            state.commit(value._data)
        return tree.unflatten(self.structure, iter(outs[:n]))


def _distinct(states: Sequence[Any]) -> list[Any]:
    return list({id(s): s for s in states}.values())
