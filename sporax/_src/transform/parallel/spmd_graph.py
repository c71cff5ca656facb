"""A captured graph as a program of all devices: where its states, arguments and results are."""

from __future__ import annotations

from typing import Any

from jax.sharding import Mesh, NamedSharding, PartitionSpec

from sporax._src.core.execution import committing
from sporax._src.processes.parallel_context import Cutting
from sporax._src.processes.prime_mesh import paper_mesh
from sporax._src.processes.spmd import OnMesh, on_mesh, values_of_first
from sporax._src.processes.world import is_joined
from sporax._src.transform.parallel.layouts import layout_of
from sporax._src.transform.parallel.state_sharding import inputs_of, places_of, results_of
from sporax._src.transform.parallel.strategy_files import keep_places, write_places

RANDOM_STATE = "random state"  # what a graph calls it among its inputs


class Layouts:
    """How the inputs of a graph are cut over devices that are not there; it is written to the files that the settings name.

    Args:
        graph: The graph (see `capture.Graph`), with its states.
        how: The settings.
    """

    def __init__(self, graph: Any, how: Cutting) -> None:
        self._mesh, count, shapes = paper_mesh(how.devices), len(graph.states), graph.jaxpr.in_avals
        found, asked = places_of(graph.jaxpr, graph.states, self._mesh, how)
        write_places(graph.states, found)
        fits = isinstance(how.dataset, str) or len(how.dataset) == len(shapes) - count
        found += inputs_of(shapes[count:], self._mesh, how) if fits else []
        asked += [place.spec for place in found[count:]]
        self._inputs = list(zip(graph.inputs, shapes, found, asked, strict=fits))

    @property
    def layouts(self) -> dict[str, Any]:
        """How Parameters and arguments are cut, by name (see `layout_of`)."""
        return {
            name: layout_of(asked, place.spec, aval.shape, self._mesh)
            for name, aval, place, asked in self._inputs
            if name != RANDOM_STATE
        }


class Spread(OnMesh):
    """The compiled function of a graph, and the states that it finds on all devices.

    Args:
        graph: The graph (see `capture.Graph`), with its states, and the order of its results.
        options: What XLA is told (None: nothing).
        mesh: The devices.
        how: The settings.
    """

    def __init__(self, graph: Any, options: dict[str, Any] | None, mesh: Mesh, how: Cutting) -> None:
        count, outs, shapes = len(graph.states), graph.jaxpr.out_avals, graph.jaxpr.in_avals
        inputs, results = shapes[count:], len(outs) - len(graph.written)
        found, asked = places_of(graph.optimized, graph.states, mesh, how)
        keep_places(graph.states, found)
        # What is written and not read tells of indices out of range, or of loops that fail.
        whole = NamedSharding(mesh, PartitionSpec())
        place = {id(s): whole for s in graph.written} | {id(s): p for s, p in zip(graph.states, found, strict=True)}
        donated, kept = [place[id(s)] for s in graph.donated], [place[id(s)] for s in graph.kept]
        self._states = list(zip((*graph.donated, *graph.kept), (*donated, *kept), strict=True))
        self._agreed = not is_joined()
        all_results = [*results_of(outs[:results], inputs, mesh, how), *(place[id(s)] for s in graph.written)]
        ordered, are_states = (
            [all_results[i] for i in graph.plan.output_order],
            [i >= results for i in graph.plan.output_order],
        )
        places = donated, kept, inputs_of(inputs, mesh, how)
        asked += [p.spec for p in places[2]]
        self._inputs = list(zip(graph.inputs, shapes, [*found, *places[2]], asked, strict=True))
        self._mesh = mesh
        super().__init__(options, graph.run, places, ordered, are_states, donate_argnums=graph.donate)

    layouts = Layouts.layouts

    def spread_states(self) -> None:
        """Give each device its piece of the states, for the run that comes and those that follow.

        At the first run all processes take over what the first one has.
        """
        with committing:
            if not self._agreed:
                own = [(s, place) for s, place in self._states if s._value.is_fully_addressable]
                firsts = values_of_first([s._value for s, _ in own], [place for _, place in own])
                for (state, _), value in zip(own, firsts, strict=True):
                    state._value = value
                self._agreed = True
                # What is whole everywhere is an array of the process between runs.
                self._states = [(s, place) for s, place in self._states if not place.is_fully_replicated]
            for state, place in self._states:
                state._value = on_mesh(state._value, place)
