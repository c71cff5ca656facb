"""The parts of a captured graph that the stages of a pipeline run.

An operation belongs to the stage of the innermost Cell around it with a `pipeline_stage`; otherwise to the stage of its
operands. Values that depend on neither data nor a stage (a cast of a Parameter, the state of random operators) are computed
in every stage that needs them, also inside of recomputed Cells. Part v of the network runs on stage v mod `stages`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sporax._src.base.jax_compat import RECOMPUTED, evaluate, for_results, is_literal, scopes_of
from sporax._src.core.hidden_state import HiddenState
from sporax._src.core.parameter import Parameter
from sporax._src.transform.graph.provenance import source_of, stage_in

_ANYWHERE = -1


class Part:
    """The operations that a stage runs without waiting for another one.

    Attributes:
        number: Its index among the parts of the network.
        states: The numbers of the states it reads.
        arguments: The numbers of the arguments it reads.
        received: The variables from other parts, by the number of the part.
        sent: The variables that other parts need.
        results: The numbers of the graph's results that it computes.
        written: The numbers, among those the graph writes, of the states it writes.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.states: list[int] = []
        self.arguments: list[int] = []
        self.received: dict[int, list[Any]] = {}
        self.sent: list[Any] = []
        self.results: list[int] = []
        self.written: list[int] = []
        self._eqns: list[Any] = []
        self._inputs: list[Any] = []
        self._outs: list[Any] = []
        self._known: list[tuple[Any, Any]] = []

    def close(self, cuts: Parts) -> None:
        """Set the operations of the part and the variables that it receives, and add these to what other parts send."""
        jaxpr = cuts.closed.jaxpr
        self._outs = [
            *self.sent, *(cuts.written[i] for i in self.written), *(cuts.results[i] for i in self.results)
        ]  # fmt: skip
        needed = {a for a in self._outs if not is_literal(a)}
        for eqn in reversed(jaxpr.eqns):
            part = cuts.part_of_eqn[id(eqn)]
            if part in (self.number, _ANYWHERE) and (
                not needed.isdisjoint(eqn.outvars) or (eqn.effects and part == self.number)
            ):
                self._eqns.insert(0, eqn)
                needed.update(a for a in eqn.invars if not is_literal(a))
        computed = {v for eqn in self._eqns for v in eqn.outvars}
        for v in sorted(needed - computed, key=cuts.order.__getitem__):
            self._take(v, cuts)
        states = [jaxpr.invars[i] for i in self.states]
        arguments = [jaxpr.invars[cuts.count + i] for i in self.arguments]
        self._inputs = [*states, *arguments, *self.received_in_order()]

    def _take(self, v: object, cuts: Parts) -> None:
        """Record the source of a variable that is not computed here."""
        if v in cuts.known:
            self._known.append((v, cuts.known[v]))
        elif v in cuts.inputs and (number := cuts.inputs[v]) >= cuts.count:
            self.arguments.append(number - cuts.count)
        elif v in cuts.inputs:
            self.states.append(cuts.inputs[v])
        else:
            source = cuts.part_of[v]
            self.received.setdefault(source, []).append(v)
            sender = cuts.parts[source]
            if v not in sender.sent:
                sender.sent.append(v)

    def received_in_order(self) -> list[Any]:
        """Return the variables that come from other parts, in the order in which `run` takes them."""
        return [v for source in sorted(self.received) for v in self.received[source]]

    def avals(self) -> list[Any]:
        """Return the shapes and dtypes of what `run` returns."""
        return [atom.aval for atom in self._outs]

    def run(self, states: Sequence[Any], arguments: Sequence[Any], received: Sequence[Any]) -> list[Any]:
        """Compute the variables sent, written and returned, in this order, from the inputs of the part."""
        values = dict(zip(self._inputs, [*states, *arguments, *received], strict=True))
        values.update(self._known)

        def read(atom: object) -> Any:
            return atom.val if is_literal(atom) else values[atom]

        for eqn in self._eqns:
            values.update(zip(eqn.outvars, evaluate(eqn, [read(a) for a in eqn.invars]), strict=True))
        return [read(a) for a in self._outs]


class Parts:
    """A captured graph in parts.

    Args:
        graph: The graph (see `capture.Graph`).
        stages: How many stages there are.
        interleaves: Whether a stage may have several parts, so that the first stage also follows the last one.
        what: The name of the network in messages.
        joined: How many stages of the Cells are one stage.

    Attributes:
        parts: The parts, in the order in which data goes through them.
        common: The states that depend on no data, which every stage computes for itself; a part without a number.
        stages_of: By the number of a state, the stages that read it.

    Raises:
        RuntimeError: If stages are missing, out of range, in another order than the data goes through them, or if one writes a
            state that another reads.
    """

    def __init__(self, graph: Any, stages: int, interleaves: bool, what: str, joined: int = 1) -> None:
        self.what, self.stages, self.interleaves, self._joined = what, stages, interleaves, joined
        self.states = graph.states
        self.count = len(graph.states)
        self.closed = _states_apart(graph.jaxpr, self.count)
        jaxpr = self.closed.jaxpr
        outs = len(jaxpr.outvars) - len(graph.written)
        self.results, self.written = jaxpr.outvars[:outs], jaxpr.outvars[outs:]
        self.written_states = graph.written
        self.inputs = {v: i for i, v in enumerate(jaxpr.invars)}
        self.known = dict(zip(jaxpr.constvars, self.closed.consts, strict=True))
        self.known |= {jaxpr.invars[i]: s.concrete() for i, s in enumerate(self.states) if isinstance(s, HiddenState)}
        self.part_of: dict[Any, int] = {}
        self.part_of_eqn: dict[int, int] = {}
        self._assign_parts()
        computed = [v for eqn in jaxpr.eqns for v in eqn.outvars]
        self.order = {v: i for i, v in enumerate([*jaxpr.constvars, *jaxpr.invars, *computed])}
        self.parts = [Part(v) for v in range(max(self.part_of.values(), default=0) + 1)]
        self._check_stages()
        self.common = Part(_ANYWHERE)
        self._close()
        self.stages_of = self._check_states()

    def _assign_parts(self) -> None:
        jaxpr = self.closed.jaxpr
        of_data = self._of_data = set(jaxpr.invars[self.count :])
        for eqn in jaxpr.eqns:
            atoms = [a for a in eqn.invars if not is_literal(a)]
            last = max((self.part_of.get(a, _ANYWHERE) for a in atoms), default=_ANYWHERE)
            stage = stage_in(scopes_of(eqn)[0])
            depends = last != _ANYWHERE or not of_data.isdisjoint(atoms)
            if depends:
                of_data.update(eqn.outvars)
            part = last if stage is None or not depends else self._next(last, stage, eqn)
            if eqn.effects:
                part = max(part, 0)
            self.part_of_eqn[id(eqn)] = part
            if part != _ANYWHERE:
                self.part_of.update((v, part) for v in eqn.outvars)

    def _next(self, last: int, stage: int, eqn: Any) -> int:
        """Return the part of an operation of a stage whose latest operand comes from part `last`."""
        if stage >= (stages := self.stages * self._joined):
            raise RuntimeError(
                f"{self.what}: a pipeline of {stages} stages has none with the number {stage}, the pipeline_stage "
                f"of {source_of(eqn).cells}."
            )
        stage //= self._joined
        if self.interleaves:
            return max(last, 0) + (stage - max(last, 0)) % self.stages
        if last > stage:
            raise RuntimeError(
                f"{self.what}: data goes from stage {last} back to stage {stage}, the pipeline_stage of "
                f"{source_of(eqn).cells}; stages must not decrease from Cell to Cell, unless pipeline_interleave is set."
            )
        return stage

    def _check_stages(self) -> None:
        used = {part % self.stages for part in self.part_of.values()}
        if missing := sorted(set(range(self.stages)) - used):
            raise RuntimeError(
                f"{self.what}: pipeline_stages is {self.stages}, but no Cell that computes something has pipeline_stage "
                f"{', '.join(map(str, missing))}."
            )

    def _close(self) -> None:
        """Set the operations of each part, from the last part to the first."""
        last = len(self.parts) - 1

        for i, atom in enumerate(self.results):
            self.parts[last if is_literal(atom) else self.part_of.get(atom, last)].results.append(i)
        for i, atom in enumerate(self.written):
            depends = not is_literal(atom) and (atom in self.part_of or atom in self._of_data)
            if isinstance(self.written_states[i], HiddenState):  # the record of errors, from all parts
                self.parts[last].written.append(i)
            else:
                (self.parts[self.part_of.get(atom, last)] if depends else self.common).written.append(i)
        for part in (*reversed(self.parts), self.common):
            part.close(self)

    def targets(self, part: Part) -> list[int]:
        """Return the numbers of the parts that receive values from a part."""
        return [p.number for p in self.parts if part.number in p.received]

    def _check_states(self) -> dict[int, set[int]]:
        """Return the stages that read each state."""
        writers = {id(self.written_states[i]): part.number for part in self.parts for i in part.written}
        stages: dict[int, set[int]] = {}
        for part in self.parts:
            for i in part.states:
                state = self.states[i]
                stages.setdefault(i, set()).add(part.number % self.stages)
                if (writer := writers.get(id(state), part.number)) != part.number:
                    name = state.name if isinstance(state, Parameter) else "a state of random operators"
                    raise RuntimeError(
                        f"{self.what}: '{name}' is read in stage {part.number % self.stages} and written in stage "
                        f"{writer % self.stages}; one stage must do both."
                    )
        return stages


def _states_apart(closed: Any, count: int) -> Any:
    """Return a graph in which each recomputed block is split: one operation for results that depend on data, one for the others."""
    jaxpr = closed.jaxpr
    of_data = set(jaxpr.invars[count:])
    eqns: list[Any] = []
    for eqn in jaxpr.eqns:
        if of_data.isdisjoint(a for a in eqn.invars if not is_literal(a)):
            eqns.append(eqn)
            continue
        depends = [True] * len(eqn.outvars)
        if eqn.primitive.name in RECOMPUTED:
            for i in range(len(depends)):
                alone = for_results(eqn, [i == j for j in range(len(depends))])
                depends[i] = not of_data.isdisjoint(a for a in alone.invars if not is_literal(a))
        of_data.update(v for v, is_of_data in zip(eqn.outvars, depends, strict=True) if is_of_data)
        if all(depends):
            eqns.append(eqn)
        else:
            eqns += [for_results(eqn, [not d for d in depends]), *([for_results(eqn, depends)] if any(depends) else [])]
    return closed.replace(jaxpr=jaxpr.replace(eqns=eqns))
