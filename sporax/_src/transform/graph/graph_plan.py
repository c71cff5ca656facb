"""GraphPlan: the states a captured graph donates, the states it only reads, and the order of its outputs."""

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
    """How states become inputs of a graph's compiled function, and how its outputs become results and states.

    Attributes:
        donated: States that the graph reads and writes; their buffers are reused for the new values.
        retained: States that the graph only reads; they keep their buffers.
        consumed: The donated states without a value while a run has it (see `State.is_consumed`).
        all_consumed: Whether these are all that the graph writes.
        holders: For each donated state, the reference count of its value in a run if nothing else refers to it: two lists and
            the call that counts, and for states that are not consumed the state itself.
        is_alone: Whether runs exclude each other: the graph writes, or reads values that another thread's trace may change.
        output_order: The order in which the compiled function returns its outputs.
        restored: Returns the outputs in the order of the graph.
        reused: The graph's outputs that are new values of donated states, each with the input that is the old value.
    """

    donated: list[Any]
    retained: list[Any]
    consumed: list[Any]
    all_consumed: bool
    holders: list[int]
    is_alone: bool
    output_order: list[int]
    restored: Callable[[Any], Any]
    reused: dict[int, int]
    _avals: list[Any]
    _sources: list[tuple[str, int]]  # for each state: the kind of input it is, and its index there

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
            reuses: Whether buffers of states may be reused; false if a run may raise and must leave the old values.
        """
        both = used & {id(s) for s in written} if reuses else set()
        needed = needed_inputs(jaxpr)[: len(states)]
        donated = [s for s, need in zip(states, needed, strict=True) if need and id(s) in both]
        donated_ids = set(map(id, donated))
        retained = [s for s in states if id(s) in used - donated_ids]
        consumed = [s for s in donated if s.is_consumed]
        order = _output_order(len(jaxpr.out_avals), donated, written)
        sources = {id(s): ("donated", i) for i, s in enumerate(donated)}
        sources |= {id(s): ("retained", i) for i, s in enumerate(retained)}
        positions = {output: i for i, output in enumerate(order)}
        return cls(
            donated=donated,
            retained=retained,
            consumed=consumed,
            all_consumed=len(consumed) == len(written),
            holders=[3 if s.is_consumed else 4 for s in donated],
            is_alone=bool(written) or not all(s.is_consumed for s in retained),
            output_order=order,
            # Up to one output is always in order.
            restored=itemgetter(*(positions[i] for i in range(len(order)))) if len(order) > 1 else list,
            reused=dict(zip(order, (i for i, s in enumerate(states) if id(s) in donated_ids), strict=False)),
            _avals=list(jaxpr.in_avals),
            _sources=[sources.get(id(s), ("unused", i)) for i, s in enumerate(states)],
        )

    def values(self, donated: Sequence[Any], retained: Sequence[Any]) -> list[Any]:
        """Return the values of all states in the order of the graph's inputs; zeros for those that it does not use."""
        inputs = {"donated": donated, "retained": retained}
        return [
            inputs[kind][i] if kind != "unused" else jnp.zeros(aval.shape, aval.dtype)
            for aval, (kind, i) in zip(self._avals, self._sources, strict=False)
        ]

    def split(self, operands: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Return operands as those of (donated states, retained states, arguments)."""
        d, k = len(self.donated), len(self.donated) + len(self.retained)
        return operands[:d], operands[d:k], operands[k:]


def _output_order(count: int, donated: Sequence[Any], written: Sequence[Any]) -> list[int]:
    """Return the order of outputs: those of the donated states first, in the order of these states.

    JAX reuses a donated buffer for the first output of its shape and dtype. If a state got another's buffer, XLA would copy both in
    each run.
    """
    index = {id(s): count - len(written) + i for i, s in enumerate(written)}
    first = [index[id(s)] for s in donated]
    others = set(first)
    return [*first, *(i for i in range(count) if i not in others)]
