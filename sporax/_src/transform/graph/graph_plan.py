"""GraphPlan: which states a captured graph takes over, which it only reads, and in which order it returns its outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from sporax._src.base.jax_compat import needed_inputs

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr


@dataclass(frozen=True, slots=True)
class GraphPlan:
    """How the states of a graph become inputs of its compiled function, and its outputs results and states.

    Attributes:
        donated: States that the graph reads and writes; their buffers are reused for the new values.
        kept: States that the graph only reads.
        taken: The donated states whose values a run takes out (see `State.is_consumed`).
        all_taken: Whether these are all that the graph writes.
        holders: Of each donated state, how many references its value has when the graph runs and nobody else holds it: two lists
            and the question, and where it is not taken out, the state.
        is_alone: Whether a run needs its states to itself: it writes, or reads what another thread's trace may have changed.
        output_order: The order in which the compiled function returns its outputs.
        restored: Brings the outputs back into the order of the graph.
    """

    donated: list[Any]
    kept: list[Any]
    taken: list[Any]
    all_taken: bool
    holders: list[int]
    is_alone: bool
    output_order: list[int]
    restored: Callable[[Any], Any]
    _avals: list[Any]
    _sources: list[tuple[str, int]]  # of each state of the graph: among which inputs it is, and where

    @classmethod
    def of(
        cls, jaxpr: ClosedJaxpr, states: Sequence[Any], written: Sequence[Any], used: Set[int], reuses: bool
    ) -> GraphPlan:
        """Return the plan of a graph.

        Args:
            jaxpr: The graph, whose inputs are the states and then the arguments, and whose outputs are the results and then the
                states that are written.
            states: The states, in the order of the inputs.
            written: Those that are written, in the order of the outputs.
            used: Those that are read, by `id`.
            reuses: Whether the buffers of states may be reused: not where a run may end with an error and leave the old values.
        """
        both = used & {id(s) for s in written} if reuses else set()
        needed = needed_inputs(jaxpr)[: len(states)]
        donated = [s for s, need in zip(states, needed, strict=True) if need and id(s) in both]
        donated_ids = set(map(id, donated))
        kept = [s for s in states if id(s) in used - donated_ids]
        taken = [s for s in donated if s.is_consumed]
        order = _output_order(len(jaxpr.out_avals), donated, written)
        sources = {id(s): ("donated", i) for i, s in enumerate(donated)}
        sources |= {id(s): ("kept", i) for i, s in enumerate(kept)}
        positions = {output: i for i, output in enumerate(order)}
        return cls(
            donated=donated,
            kept=kept,
            taken=taken,
            all_taken=len(taken) == len(written),
            holders=[3 if s.is_consumed else 4 for s in donated],
            is_alone=bool(written) or not all(s.is_consumed for s in kept),
            output_order=order,
            # One output, or none, is in order.
            restored=itemgetter(*(positions[i] for i in range(len(order)))) if len(order) > 1 else list,
            _avals=list(jaxpr.in_avals),
            _sources=[sources.get(id(s), ("unused", i)) for i, s in enumerate(states)],
        )

    def values(self, donated: Sequence[Any], kept: Sequence[Any]) -> list[Any]:
        """Return the values of all states in the order of the graph's inputs; zeros for those that it does not use."""
        inputs = {"donated": donated, "kept": kept}
        return [
            inputs[kind][i] if kind != "unused" else jnp.zeros(aval.shape, aval.dtype)
            for aval, (kind, i) in zip(self._avals, self._sources, strict=False)
        ]

    def split(self, operands: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Return operands as those of (donated states, kept states, arguments)."""
        d, k = len(self.donated), len(self.donated) + len(self.kept)
        return operands[:d], operands[d:k], operands[k:]


def _output_order(count: int, donated: Sequence[Any], written: Sequence[Any]) -> list[int]:
    """Return the outputs with those of the donated states first, in their order.

    JAX reuses a donated buffer for the first output of its kind. Were one state to get another's buffer, XLA would copy both in
    each run.
    """
    index = {id(s): count - len(written) + i for i, s in enumerate(written)}
    first = [index[id(s)] for s in donated]
    others = set(first)
    return [*first, *(i for i in range(count) if i not in others)]
