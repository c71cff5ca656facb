"""A captured graph as a program of all devices: the shardings of its states, arguments and results."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from sporax._src.base.jax_compat import exchanges
from sporax._src.core.execution import capturing, committing
from sporax._src.core.parameter import Parameter
from sporax._src.processes.multiprocess import OnRanksAndDevices
from sporax._src.processes.parallel_context import Cutting
from sporax._src.processes.prime_mesh import paper_mesh
from sporax._src.processes.spmd import OnMesh, on_mesh, pieces_of, values_of_all, values_of_first
from sporax._src.processes.world import is_joined
from sporax._src.transform.parallel.layouts import layout_of
from sporax._src.transform.parallel.state_sharding import inputs_of, results_of, state_shardings
from sporax._src.transform.parallel.strategy_files import record_shardings, write_shardings

_HOLDERS = 3  # the state, the variable, and the argument of `getrefcount`
RANDOM_STATE = "random state"  # its name among the inputs of a graph


class Layouts:
    """The shardings of a graph's inputs on planned devices, also written to the files that the settings name.

    Args:
        graph: The graph (see `capture.Graph`), with its states.
        how: The settings.
    """

    def __init__(self, graph: Any, how: Cutting) -> None:
        self._mesh, count, shapes = paper_mesh(how.devices), len(graph.states), graph.jaxpr.in_avals
        shardings, asked = state_shardings(graph.jaxpr, graph.states, self._mesh, how)
        write_shardings(graph.states, shardings)
        fits = isinstance(how.dataset, str) or len(how.dataset) == len(shapes) - count
        shardings += inputs_of(shapes[count:], self._mesh, how) if fits else []
        asked += [sharding.spec for sharding in shardings[count:]]
        self._inputs = list(zip(graph.inputs, shapes, shardings, asked, strict=fits))

    @property
    def layouts(self) -> dict[str, Any]:
        """The layouts of Parameters and arguments, by name (see `layout_of`)."""
        return {
            name: layout_of(asked, sharding.spec, aval.shape, self._mesh)
            for name, aval, sharding, asked in self._inputs
            if name != RANDOM_STATE
        }


class Spread:
    """The compiled function of a graph, and the shardings of its states on all devices.

    Args:
        graph: The graph (see `capture.Graph`), with its states, and the order of its results.
        options: The compiler options of XLA (None: none).
        mesh: The devices.
        how: The settings.
    """

    def __init__(self, graph: Any, options: dict[str, Any] | None, mesh: Mesh, how: Cutting) -> None:
        count, outs, shapes = len(graph.states), graph.jaxpr.out_avals, graph.jaxpr.in_avals
        inputs, results = shapes[count:], len(outs) - len(graph.written)
        whole = NamedSharding(mesh, PartitionSpec())
        if how.is_local:
            shardings, asked = [whole] * count, [whole.spec] * count
        else:
            shardings, asked = state_shardings(graph.optimized, graph.states, mesh, how)
            record_shardings(graph.states, shardings)
        # States that are written and not read record indices out of range and errors.
        sharding_of = {id(s): whole for s in graph.written} | {
            id(s): p for s, p in zip(graph.states, shardings, strict=True)
        }
        donated, retained = [sharding_of[id(s)] for s in graph.donated], [sharding_of[id(s)] for s in graph.retained]
        self._states = list(zip((*graph.donated, *graph.retained), (*donated, *retained), strict=True))
        self._agreed, self._has_drawn = how.is_local or not is_joined(), False
        all_results = [*results_of(outs[:results], inputs, mesh, how), *(sharding_of[id(s)] for s in graph.written)]
        ordered, are_states = (
            [all_results[i] for i in graph.plan.output_order],
            [i >= results for i in graph.plan.output_order],
        )
        in_shardings = donated, retained, inputs_of(inputs, mesh, how)
        asked += [p.spec for p in in_shardings[2]]
        self._inputs = list(zip(graph.inputs, shapes, [*shardings, *in_shardings[2]], asked, strict=True))
        self._mesh = mesh
        kind = OnRanksAndDevices if exchanges(graph.jaxpr) else OnMesh
        self._run = kind(options, graph.run, in_shardings, ordered, are_states, donate_argnums=graph.donate)

    def __call__(self, *operands: Sequence[Any]) -> Any:
        return self._run(*operands)

    def lower(self, *operands: Sequence[Any]) -> Any:
        """Return JAX's `Lowered` for operands like these."""
        return self._run.lower(*operands)

    def clear_cache(self) -> None:
        """Drop the executables."""
        self._run.clear_cache()

    layouts = Layouts.layouts

    def spread_states(self) -> None:
        """Shard the states over the devices, for the next run and later ones.

        At the first run all processes get the values of the first process.
        """
        with capturing, committing:
            if not self._agreed and self._states:
                self._agree()
            if not self._has_drawn:
                for state, sharding in self._states:
                    if _comes_from_seed(state):
                        state.draw(partial(pieces_of, sharding=sharding))
                self._has_drawn = True
            for state, sharding in self._states:
                value = state.concrete()
                if value.sharding == sharding:
                    continue
                if value.is_fully_addressable and sys.getrefcount(value) > _HOLDERS:
                    value = jnp.copy(value)  # what a run donates may be no one else's
                state._value = on_mesh(value, sharding)

    def _agree(self) -> None:
        """Let all processes have the values of the first one.

        Cut Parameters that no process has drawn get the first one's seed, and are drawn in all processes: each keeps its pieces.
        """
        told = [(1, *divmod(s._seed or 0, 1 << 32)) if _comes_from_seed(s) else (0, 0, 0) for s, _ in self._states]
        everywhere = values_of_all(np.array(told, np.uint32).reshape(-1, 3), self._mesh)
        for i, (state, sharding) in enumerate(self._states):
            if everywhere[:, i, 0].all() and not sharding.is_fully_replicated:
                _, high, low = everywhere[0, i].tolist()
                state._seed = (high << 32) + low
            elif state.concrete().is_fully_addressable:
                state._value = values_of_first(state.concrete(), sharding)
        self._agreed = True
        # Between runs a replicated state is a local array of the process.
        self._states = [(s, sharding) for s, sharding in self._states if not sharding.is_fully_replicated]


def _comes_from_seed(state: object) -> bool:
    """Return whether a state has no value yet, and gets it from a seed alone."""
    return isinstance(state, Parameter) and state.has_init and state.is_repeatable
