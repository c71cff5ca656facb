"""A network run by pipeline stages: each process compiles the forwards and backwards of its parts, and the host schedules them.

Values between parts are messages from host to host, so that no stage waits longer than necessary. The devices of
one stage run its parts together, as one graph; the i-th device of a stage sends to the i-th device of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.core.hidden_state import HiddenState
from sporax._src.core.parameter import Parameter
from sporax._src.core.stateful import graph_version
from sporax._src.dist import messages
from sporax._src.engine import index_checks
from sporax._src.engine.vjp import is_inexact, mirror
from sporax._src.nn.parallel.schedule import Unit, schedule
from sporax._src.nn.parallel.stage_arrays import Arrays
from sporax._src.processes.parallel_context import Pipelining
from sporax._src.processes.world import devices_of_each, world
from sporax._src.transform.controlflow import failures
from sporax._src.transform.graph.provenance import user_call
from sporax._src.transform.parallel.pipeline_stages import Part, Parts


class CompiledPart:
    """A part with its compiled forward and backward.

    Args:
        part: The part.
        moved: The numbers of the differentiated states; received floats are differentiated, too.
        arrays: The placement of arrays.

    Attributes:
        moved: The differentiated states that the part reads.
        flows: The indices of the results that receive cotangents.
    """

    def __init__(self, part: Part, moved: Sequence[int], arrays: Arrays) -> None:
        self._part = part
        self._ends = len(part.states), len(part.states) + len(part.arguments)
        self.moved = [i for i in part.states if i in moved]
        received = [v.aval for v in part.received_in_order()]
        self._moving = (
            [i in moved for i in part.states] + [False] * len(part.arguments) + list(map(is_inexact, received))
        )
        avals = part.avals()
        sent, written = len(part.sent), len(part.sent) + len(part.written)
        self.flows = [i for i, a in enumerate(avals) if not sent <= i < written and is_inexact(a)]
        shardings = [arrays.between(a) if i < sent else arrays.whole for i, a in enumerate(avals)]
        back = [arrays.between(a) for a in received if is_inexact(a)], [arrays.whole] * len(self.moved)
        self.forward = jax.jit(self._run, out_shardings=shardings)
        self.forward_with_residuals = jax.jit(self._pulled, out_shardings=(shardings, None))
        self.backward = jax.jit(self._back, donate_argnums=2, out_shardings=back)

    def _run(self, inputs: Sequence[Any]) -> list[Any]:
        states, arguments = self._ends
        return self._part.run(inputs[:states], inputs[states:arguments], inputs[arguments:])

    def _pulled(self, inputs: Sequence[Any]) -> tuple[list[Any], Any]:
        """Return the results, and the function from their cotangents to those of the differentiated inputs."""

        def of(moving: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            rest = iter(moving)
            outs = self._run([next(rest) if moves else x for x, moves in zip(inputs, self._moving, strict=True)])
            return [outs[i] for i in self.flows], outs

        moving = [x for x, moves in zip(inputs, self._moving, strict=True) if moves]
        _, pull, outs = jax.vjp(of, moving, has_aux=True)
        return outs, pull

    def _back(self, pull: Any, cotangents: Sequence[Any], sums: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the cotangents of the received values, and the sums of gradients including this micro batch."""
        (gradients,) = pull(list(cotangents))
        return gradients[len(sums) :], [total + g for total, g in zip(sums, gradients, strict=False)]


class StageRun:
    """The part of this process in the run of a captured network.

    Args:
        graph: The graph of one micro batch.
        how: The settings.
        tag: The name of its messages; the same in all processes.
        what: The name of the network in errors.

    Attributes:
        states: The states of the graph, and those that it only writes.
        number: The number of each of them, by its `id`.
        max_in_flight: The largest number of forwards whose values were saved for the backward at once.
        seed: The first cotangent of the result: that of the previous step, so that half precision keeps its scale.
        largest: The largest magnitude of all gradients of the last run, in all stages, by their dtype.
    """

    def __init__(self, graph: Any, how: Pipelining, tag: str, what: str) -> None:
        self._graph, self._how, self._tag, self._what = graph, how, tag, what
        self._cuts = Parts(graph, how.stages, how.interleaves, what, how.joined)
        self._processes = how.devices // devices_of_each()  # of a stage
        self.stage, self._rank_in_stage = divmod(world().rank, self._processes)
        self._own = [p for p in self._cuts.parts if p.number % how.stages == self.stage]
        self._arrays = Arrays(graph)
        self._compiled: dict[tuple[int, tuple[int, ...]], CompiledPart] = {}
        self._common = jax.jit(lambda states: self._cuts.common.run(states, [], []))
        unread = [s for s in graph.written if all(s is not other for other in graph.states)]
        self.states = [*graph.states, *unread]
        self.number = {id(s): i for i, s in enumerate(self.states)}
        self.max_in_flight = 0
        self.seed = 1.0
        self.largest: dict[Any, float] = {}
        self._agreed = False
        self._note_elsewhere()

    def _note_elsewhere(self) -> None:
        for i, stages in self._cuts.stages_of.items():
            if isinstance(state := self._graph.states[i], Parameter):
                state.is_elsewhere = self.stage not in stages
        graph_version.advance()

    # --- messages -----------------------------------------------------------------------------------------------------

    def _rank(self, stage: int) -> int:
        return stage * self._processes + self._rank_in_stage

    def _others(self, stages: Iterable[int]) -> list[int]:
        return [s for s in sorted(stages) if s != self.stage]

    def _post(self, values: Sequence[np.ndarray], stage: int, tag: str) -> None:
        messages.post(values, self._rank(stage), f"{self._tag}/{tag}")

    def _take(self, stage: int, tag: str) -> list[np.ndarray]:
        return messages.take(self._what, self._rank(stage), f"{self._tag}/{tag}")

    # --- states -------------------------------------------------------------------------------------------------------

    def _agree(self) -> None:
        """Broadcast the states of a stage from its first process.

        Stages that share a Parameter start each run with the first one's value, so that copies do not diverge by rounding.
        """
        owned = sorted(i for i, stages in self._cuts.stages_of.items() if self.stage in stages)
        if not self._agreed:
            self._arrays.agree(owned)
            self._agreed = True
        for i in owned:
            first, *rest = sorted(self._cuts.stages_of[i])
            state = self._graph.states[i]
            if not isinstance(state, Parameter):
                continue
            if first == self.stage:
                for stage in rest:
                    self._post([self._arrays.piece(self._arrays.state(i))], stage, f"state {i}")
            else:
                self._arrays.set_piece(i, self._take(first, f"state {i}")[0])

    def _common_states(self, micros: int) -> list[dict[int, Any]]:
        """Return the states that depend on no data, by number, before each micro batch and after the last."""
        common, graph = self._cuts.common, self._graph
        written = [self.number[id(graph.written[i])] for i in common.written]
        now = {i: self.states[i].concrete() for i in {*common.states, *written}}
        snapshots = [now]
        for _ in range(micros if written else 0):
            values = self._common([now[i] for i in common.states])
            now = now | dict(zip(written, values, strict=True))
            snapshots.append(now)
        return snapshots if written else snapshots * (micros + 1)

    # --- the run ------------------------------------------------------------------------------------------------------

    def run(self, arguments: Sequence[Any], micros: int, wanted: Sequence[int]) -> tuple[list[Any], dict[int, Any]]:
        """Return the sums of results over the micro batches, and the gradients of the states `wanted`, by number."""
        self._agree()
        table = schedule(self._how.scheduler, self._how.stages, micros, -(-len(self._cuts.parts) // self._how.stages))
        run = _Run(self, arguments, micros, wanted)
        for unit in table[self.stage]:
            number = unit.chunk * self._how.stages + self.stage
            if number < len(self._cuts.parts) and (unit.forward or wanted):
                (run.forward if unit.forward else run.backward)(unit, self._cuts.parts[number])
                self.max_in_flight = max(self.max_in_flight, len(run.pulls))
        results = self._shared_results(run.totals)
        gradients = self._all_gradients(run.sums, wanted) if wanted else {}
        for i, value in run.after().items():
            self.states[i].adopt(self._arrays.here(value))
        return results, gradients

    def compiled(self, part: Part, wanted: Sequence[int]) -> CompiledPart:
        """Return a part compiled for the gradients of some states."""
        key = part.number, tuple(wanted)
        if key not in self._compiled:
            self._compiled[key] = CompiledPart(part, wanted, self._arrays)
        return self._compiled[key]

    def _shared_results(self, totals: dict[int, Any]) -> list[Any]:
        """Return the results of the network, from the stages that compute them."""
        everybody = range(self._how.stages)
        owners = {i: p.number % self._how.stages for p in self._cuts.parts for i in p.results}
        for i, total in sorted(totals.items()):
            for stage in self._others(everybody):
                self._post([np.asarray(self._arrays.here(total))], stage, f"result {i}")
        return [
            self._arrays.here(totals[i]) if i in totals else jnp.asarray(self._take(owners[i], f"result {i}")[0])
            for i in range(len(owners))
        ]

    def _all_gradients(self, sums: dict[int, list[Any]], wanted: Sequence[int]) -> dict[int, Any]:
        """Return the gradients of all states; those of a shared state are summed in the order of the stages.

        The gradients of other stages' states are not available here. Placeholders have their norms, so that the norm of all
        gradients, and whether they are finite, are the same in every stage.
        """
        gradients = {i: self._arrays.here(sum(parts[1:], parts[0])) for i, parts in sums.items()}
        for i in sorted(gradients):
            stages = self._cuts.stages_of[i]
            for stage in self._others(stages):
                self._post([np.asarray(gradients[i])], stage, f"gradient {i}")
            if len(stages) > 1:
                parts = [gradients[i] if s == self.stage else self._take(s, f"gradient {i}")[0] for s in sorted(stages)]
                gradients[i] = sum(parts[1:], jnp.asarray(parts[0]))
        owners = {i: min(self._cuts.stages_of[i]) for i in wanted if i in self._cuts.stages_of}
        mine = [i for i, owner in owners.items() if owner == self.stage]
        sizes = _sizes([gradients[i] for i in mine])
        own = {i: (float(mean), float(most)) for i, (mean, most) in zip(mine, sizes, strict=True)}
        for stage in self._others(range(self._how.stages)):
            self._post([np.array(mine, np.int64), np.array(list(own.values()), np.float64)], stage, "norms")
        for stage in self._others(range(self._how.stages)):
            numbers, norms = self._take(stage, "norms")
            own |= dict(zip(numbers.tolist(), map(tuple, norms.tolist()), strict=True))
        states = self._graph.states
        shapes = {i: (states[i].shape, states[i].concrete().dtype) for i in wanted}
        self.largest = {}
        for i, (_, most) in own.items():
            dtype = shapes[i][1]
            self.largest[dtype] = float(np.maximum(self.largest.get(dtype, 0.0), most))  # NaN stays NaN
        return {
            i: mirror(gradients[i]) if i in gradients else jnp.full(shape, own[i][0] if i in own else 0, dtype)
            for i, (shape, dtype) in shapes.items()
        }

    def continue_with(self, value: float, factor: float) -> None:
        """Start the next run with a cotangent, unless gradients overflow with it.

        Args:
            value: The cotangent.
            factor: The factor applied to the gradients of this run.
        """
        with np.errstate(over="ignore"):
            fits = all(np.isfinite(np.asarray(most * factor, dtype)) for dtype, most in self.largest.items())
        self.seed = value if fits and value else 1.0


@jax.jit
def _sizes(arrays: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return the root mean square and the largest magnitude of each array."""
    sizes = []
    for x in arrays:
        wide = jnp.abs(x).astype(jnp.float32)
        most = jnp.max(wide, initial=0.0)
        part = wide / jnp.where(most > 0, most, 1)  # the squares of large values overflow
        sizes.append((most * jnp.sqrt(jnp.sum(part * part) / max(x.size, 1)), most))
    return sizes


class _Run:
    """The intermediate state of one run.

    Attributes:
        totals: Results of this stage, by number.
        pulls: The pullbacks that wait for their cotangents, by part and micro batch.
    """

    def __init__(self, stage: Any, arguments: Sequence[Any], micros: int, wanted: Sequence[int]) -> None:
        self._stage, self._wanted = stage, wanted
        self._cuts, self._arrays = stage._cuts, stage._arrays
        self._look_at_indices(arguments, micros)
        read = sorted({i for part in stage._own for i in part.arguments})
        self._arguments = {i: self._arrays.parts_of(arguments[i], micros) for i in read}
        self._common = stage._common_states(micros)
        self._values: dict[int, Any] = {}
        self._local: dict[tuple[bool, int, int, int], list[Any]] = {}
        self._written: dict[int, Any] = {}
        self._part_sums: dict[int, list[Any]] = {}
        self.totals: dict[int, Any] = {}
        self.pulls: dict[tuple[int, int], Any] = {}

    @property
    def sums(self) -> dict[int, list[Any]]:
        """Return the gradients by the number of the state, one for each part that computes with it."""
        totals: dict[int, list[Any]] = {}
        for number, sums in sorted(self._part_sums.items()):
            moved = self._stage.compiled(self._cuts.parts[number], self._wanted).moved
            for i, total in zip(moved, sums, strict=True):
                totals.setdefault(i, []).append(total)
        return totals

    def after(self) -> dict[int, Any]:
        """Return the states that were written, by number, with their last values."""
        written = {self._stage.number[id(self._stage._graph.written[i])] for i in self._cuts.common.written}
        return {i: self._common[-1][i] for i in written} | self._written

    def _state(self, i: int, micro: int) -> Any:
        if i in self._written:
            return self._written[i]
        if i in self._common[micro]:
            return self._arrays.state(i, self._common[micro][i])
        if i not in self._values:
            self._values[i] = self._arrays.state(i)
        return self._values[i]

    def _deliver(self, forward: bool, values: list[Any], source: int, target: int, micro: int) -> None:
        """Pass values from one part to another, on this stage or another one."""
        stage = target % self._stage._how.stages
        if stage == self._stage.stage:
            self._local[forward, source, target, micro] = values
        else:
            self._stage._post([self._arrays.piece(v) for v in values], stage, f"{forward} {source} {target}")

    def _fetch(self, forward: bool, source: int, target: int, micro: int, variables: Sequence[Any]) -> list[Any]:
        stage = source % self._stage._how.stages
        if stage == self._stage.stage:
            return self._local.pop((forward, source, target, micro))
        pieces = self._stage._take(stage, f"{forward} {source} {target}")
        return [self._arrays.joined(p, v.aval) for p, v in zip(pieces, variables, strict=True)]

    def forward(self, unit: Unit, part: Part) -> None:
        """Run the forward of a part on one micro batch."""
        arguments = [self._arguments[i][unit.micro] for i in part.arguments]
        received = [
            x for s in sorted(part.received) for x in self._fetch(True, s, part.number, unit.micro, part.received[s])
        ]
        inputs = [*(self._state(i, unit.micro) for i in part.states), *arguments, *received]
        compiled = self._stage.compiled(part, self._wanted)
        if self._wanted:
            outs, self.pulls[part.number, unit.micro] = compiled.forward_with_residuals(inputs)
        else:
            outs = compiled.forward(inputs)
        sent = dict(zip(part.sent, outs, strict=False))
        for target in self._cuts.targets(part):
            values = [sent[v] for v in self._cuts.parts[target].received[part.number]]
            self._deliver(True, values, part.number, target, unit.micro)
        self._keep_written(part, outs[len(sent) : len(sent) + len(part.written)])
        for i, out in zip(part.results, outs[len(outs) - len(part.results) :], strict=True):
            self.totals[i] = self.totals[i] + out if i in self.totals else out

    def _look_at_indices(self, arguments: Sequence[Any], micros: int) -> None:
        """Raise the error of an index out of range that comes from the arguments."""
        if checks := self._stage._graph._prechecks:
            parts = [self._arrays.whole_parts_of(x, micros) for x in arguments]
            for micro in zip(*parts, strict=True):
                for check in checks:
                    check(micro)

    def _keep_written(self, part: Part, values: Sequence[Any]) -> None:
        """Store the states that a part has written, or raise the error that it recorded."""
        states = [self._stage._graph.written[i] for i in part.written]
        if failures.may_fail(states):
            failures.check(states, values, user_call)
        for state, value in zip(states, values, strict=True):
            if state is index_checks.OUT_OF_RANGE:
                index_checks.check_run(self._arrays.here(value))
            elif not isinstance(state, HiddenState):
                self._written[self._stage.number[id(state)]] = value

    def backward(self, unit: Unit, part: Part) -> None:
        """Run the backward of a part on one micro batch."""
        compiled = self._stage.compiled(part, self._wanted)
        arrived: dict[Any, Any] = {}
        for target in self._cuts.targets(part):
            floats = [v for v in self._cuts.parts[target].received[part.number] if is_inexact(v.aval)]
            cotangents = self._fetch(False, target, part.number, unit.micro, floats)
            for v, ct in zip(floats, cotangents, strict=True):
                arrived[v] = arrived[v] + ct if v in arrived else ct
        avals = part.avals()
        seeds = [
            arrived[part.sent[i]] if i < len(part.sent) else self._arrays.full(avals[i], self._stage.seed)
            for i in compiled.flows
        ]
        sums = self._part_sums.get(part.number) or [self._arrays.zeros(i) for i in compiled.moved]
        pull = self.pulls.pop((part.number, unit.micro))
        gradients, self._part_sums[part.number] = compiled.backward(pull, seeds, sums)
        rest = iter(gradients)
        for source in sorted(part.received):
            values = [next(rest) for v in part.received[source] if is_inexact(v.aval)]
            self._deliver(False, values, part.number, source, unit.micro)
