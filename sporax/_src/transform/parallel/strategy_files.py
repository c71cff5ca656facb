"""Strategy files of graphs: those that a graph writes, and those that set the shardings of Parameters."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from typing import Any

from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

from sporax._src.base.errors import shown
from sporax._src.core.parameter import Parameter
from sporax._src.processes.parallel_context import get_auto_parallel_context, group_file
from sporax._src.processes.world import world
from sporax._src.sharding.mesh_layout import cut_on_mesh, spec_on_mesh
from sporax._src.sharding.operator_file import save_strategies
from sporax._src.sharding.parameter_file import Strategies, read_strategies, write_group, write_strategies
from sporax._src.sharding.parameter_layout import Cut

_written: dict[str, Strategies] = {}  # what this process wrote, by file; the graphs of a run add to the same file


def record_shardings(states: Sequence[Any], shardings: Iterable[NamedSharding]) -> None:
    """Store the shardings of a graph in its Parameters, and write them to files (see `write_shardings`)."""
    shardings = list(shardings)
    for state, sharding in zip(states, shardings, strict=True):
        if isinstance(state, Parameter):
            state.param_info.sharding = sharding
    write_shardings(states, shardings)


def write_shardings(states: Sequence[Any], shardings: Iterable[NamedSharding]) -> None:
    """Write the shardings of a graph's Parameters to the files of strategies and groups that the settings name.

    Args:
        states: The states of the graph.
        shardings: The sharding of each state.

    Raises:
        OSError: If the file cannot be written.
    """
    config = get_auto_parallel_context("strategy_ckpt_config")
    file, only_trainable = config["save_file"], config["only_trainable_params"]
    cuts, operators = {}, {}
    for state, sharding in zip(states, shardings, strict=True):
        if isinstance(state, Parameter):
            if state.requires_grad or not only_trainable:
                cuts[state.name] = cut_on_mesh(sharding, len(state.shape))
            for operator, rows in state.param_info.strategies_by_operator.items():
                operators[f"{operator}_{state.name}"] = rows
    save_strategies(operators)
    if (groups := group_file()) and cuts:
        write_group(groups, _alike(cuts))
    if file and cuts:
        known = _written.get(file) or Strategies()
        both = Strategies({**known.cuts, **cuts}, {**known.operators, **operators})
        if both != known:
            write_strategies(file, both)
            _written[file] = both


def _alike(cuts: dict[str, Cut]) -> list[int]:
    """Return the devices whose shards of all Parameters equal those of this process."""
    count = next(iter(cuts.values())).devices
    number = world().rank if world().size > 1 else get_auto_parallel_context("global_rank")
    first, here = number // count * count, number % count
    return [first + d for d in range(count) if all(cut.index(d) == cut.index(here) for cut in cuts.values())]


def specs_of_file(states: Sequence[Any], mesh: Mesh | AbstractMesh) -> dict[int, PartitionSpec]:
    """Return the shardings of states in the strategy file that the settings name, by index; empty if there is none.

    Args:
        states: The states of the graph.
        mesh: The devices.

    Raises:
        TypeError, ValueError: If the file cannot be read (see `read_strategies`).
        RuntimeError: If it is for other devices or for another shape of a Parameter.
    """
    file = get_auto_parallel_context("strategy_ckpt_config")["load_file"]
    if not file:
        return {}
    cuts, specs = _read(file, os.path.getmtime(file) if os.path.exists(file) else 0.0), {}
    for i, state in enumerate(states):
        if isinstance(state, Parameter) and (cut := cuts.get(state.name)) is not None:
            try:
                cut.piece(state.shape)
                specs[i] = spec_on_mesh(cut, mesh)
            except ValueError as error:
                raise RuntimeError(
                    f"The file of strategies {shown(file)} does not fit '{shown(state.name)}': {error}."
                ) from None
    return specs


@functools.lru_cache(4)
def _read(file: str, changed: float) -> dict[str, Cut]:
    by_stage = read_strategies(file, "load_param_strategy_file").by_stage()
    return {name: cuts[min(cuts)] for name, cuts in by_stage.items()}
