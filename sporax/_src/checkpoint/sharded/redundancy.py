"""The processes with equal parts of a Parameter, which programs need to save each part only once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.errors import describe, shown
from sporax._src.base.pieces import piece_here
from sporax._src.dist.group import get_group_size, get_rank
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes.multiprocess import OnRanks
from sporax._src.processes.parallel_context import get_auto_parallel_context
from sporax._src.processes.spmd import of_piece
from sporax._src.processes.world import AXIS, is_joined
from sporax._src.sharding.parameter_file import read_strategies
from sporax._src.transform.parallel.layouts import layout_of

Groups = tuple[tuple[int, ...], ...]
_WORLD = ("hccl_world_group", "nccl_world_group", "mccl_world_group")


def parse_strategy_ckpt(file_name: str) -> dict[str, list[Any]]:
    """Return the device matrix, the tensor map, and step and size of optimizer sharding of each Parameter in a file."""
    cuts = read_strategies(file_name, "parse_strategy_ckpt").cuts
    lists = {name: cut.as_list() for name, cut in cuts.items()}
    return {name: [matrix, tensor_map, *rest[2:4]] for name, (matrix, tensor_map, *rest) in lists.items()}


def get_parameter_redundancy(layout_obj: Any, initial_rank: int | None = None) -> dict[str, Groups]:
    """Return, for each Parameter, the groups of processes with the same part of it.

    Args:
        layout_obj: A Cell that is whole in every process; a file of strategies; or a dictionary of layouts. A layout
            has the device matrix, the tensor map, and as sixth element the group over which the optimizer's state is
            sharded ("": none).
        initial_rank: The first process of this pipeline stage. Default: the first process of this stage if each stage
            has as many processes as the first device matrix.

    Raises:
        ValueError: If the group of an optimizer is not the world and does not begin with its size and `-`.
    """
    if isinstance(layout_obj, Cell):
        names = sorted(parameter.name for parameter in layout_obj.get_parameters())
        return dict.fromkeys(names, (tuple(range(get_group_size())),))
    layouts = parse_strategy_ckpt(layout_obj) if isinstance(layout_obj, str) else layout_obj
    if initial_rank is None:
        size = int(np.prod(next(iter(layouts.values()))[0], dtype=int))
        initial_rank = get_rank() // size * size
    found = {name: _groups(layout[0], layout[1], initial_rank) for name, layout in layouts.items()}
    for name, layout in layouts.items():
        parts = _parts_of_file(found[name], *layout[2:4]) if isinstance(layout_obj, str) else _parts(layout[5])
        if parts:
            found[name] = tuple(g[i::parts] for g in found[name] if len(g) % parts == 0 for i in range(parts))
    return dict(sorted(found.items()))


_NO_PARAMETERS = ("accu_grads", "inputs")  # what layouts have besides


def _groups(matrix: Sequence[int], tensor_map: Sequence[int], first: int) -> Groups:
    """Return the processes that agree in the coordinates that a tensor map names, counted from the last axis."""
    groups: dict[tuple[int, ...], list[int]] = {}
    named = {axis for axes in tensor_map for axis in (axes if isinstance(axes, (list, tuple)) else (axes,))}
    for number, place in enumerate(np.ndindex(*matrix)):
        key = tuple(place[-1 - axis] if axis in named else 0 for axis in range(len(matrix)))
        groups.setdefault(key, []).append(first + number)
    return tuple(tuple(group) for _, group in sorted(groups.items()))


def _parts(group: str) -> int:
    if not group or group in _WORLD:
        return get_group_size() if group else 0
    size = re.match(r"(\d+)-", group)
    if size is None:
        raise ValueError(
            f"get_parameter_redundancy: the group of an optimizer must begin with its size, got {group!r}."
        )
    return int(size[1])


def _parts_of_file(groups: Groups, step: int, size: int) -> int:
    return size if size != -1 else len(groups) * len(groups[0]) // step


def remove_param_redundancy(
    param_redundancy_dict: Mapping[str, Groups], keep_redundancy: int = 1
) -> dict[int, set[str]]:
    """Return the Parameters that each process saves; of each group, `keep_redundancy` processes save a Parameter."""
    names: dict[tuple[int, ...], list[str]] = {}
    for name, groups in param_redundancy_dict.items():
        for group in groups:
            names.setdefault(group, []).append(name)
    saved: dict[int, set[str]] = {}
    for shift in range(keep_redundancy):
        for group, held in names.items():
            for number, name in enumerate(held):
                saved.setdefault(group[(number + shift) % len(group)], set()).add(name)
    return saved


def get_ckpt_path_with_strategy(cur_ckpt_path: str, cur_strategy_path: str) -> str | None:
    """Return the checkpoint of this process or, if missing, of a process with the same parts; None if there is none.

    Args:
        cur_ckpt_path: The path of the checkpoint, with `rank_` and the number of the process in it.
        cur_strategy_path: The file of strategies.
    """
    rank = get_rank()
    if f"rank_{rank}" in cur_ckpt_path and os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    held = get_parameter_redundancy(cur_strategy_path).items()
    own = [set(g) for name, groups in held if not name.startswith(_NO_PARAMETERS) for g in groups if rank in g]
    paths = (
        re.sub(r"rank_\d+", f"rank_{other}", cur_ckpt_path) for other in sorted(set.intersection(*own) if own else ())
    )
    return next((path for path in paths if os.path.isfile(path)), None)


def _layouts(net: Cell) -> dict[str, Any]:
    """Return the layouts of a network's Parameters in the graphs of this run; empty on one device."""
    shardings = {p.name: (p.param_info.sharding, p.concrete().shape) for p in net.get_parameters()}
    return {
        name: layout_of(sharding.spec, sharding.spec, shape, sharding.mesh)
        for name, (sharding, shape) in shardings.items()
        if sharding is not None
    }


def names_saved_here(net: Cell) -> Callable[[str], bool]:
    """Return a function of a Parameter's name: whether this process saves it. Of equal pieces, one process saves each.

    Raises:
        TypeError: If there is one process.
    """
    if get_group_size() == 1:
        raise TypeError("CheckpointConfig: remove_redundancy is for runs of several processes, and there is one.")
    layouts = _layouts(net)
    sharded = set(layouts) if layouts else {parameter.name for parameter in net.get_parameters()}
    own = remove_param_redundancy(get_parameter_redundancy(layouts or net)).get(get_rank(), set())
    return lambda name: name not in sharded or name in own


def parameter_broadcast(net: Cell, layout: object, cur_rank: int = 0, initial_rank: int = 0) -> None:
    """Broadcast each part of a Parameter between its processes, from the one that `remove_param_redundancy` chooses.

    Args:
        net: The network.
        layout: The layouts of its Parameters, or a file of strategies (see `get_parameter_redundancy`).
        cur_rank: The number of this process.
        initial_rank: The first process of this stage of a pipeline.

    Raises:
        ValueError: If `cur_rank` is not this process, `initial_rank` is out of range, or the network lacks a Parameter.
    """
    if not layout or get_group_size() <= 1 or not is_joined():
        return
    if cur_rank != get_rank():
        raise ValueError(f"parameter_broadcast: cur_rank must be this process, {get_rank()}, got {describe(cur_rank)}.")
    if not 0 <= initial_rank < get_group_size():
        raise ValueError(f"parameter_broadcast: initial_rank must be that of a process, got {initial_rank}.")
    found = get_parameter_redundancy(layout, initial_rank)
    groups = {name: ranks for name, ranks in found.items() if not name.startswith(_NO_PARAMETERS)}
    params = net.parameters_dict()
    if missing := [name for name in groups if name not in params]:
        raise ValueError(
            f"parameter_broadcast: the network has no Parameter {shown(missing[0])}, which the layout names."
        )
    _share(groups, params)


def share_loaded(net: Cell) -> None:
    """Exchange Parameters that were saved with `CheckpointConfig(remove_redundancy=True)` between the processes.

    Raises:
        TypeError: If there is one process.
    """
    if get_group_size() == 1:
        raise TypeError("load_param_into_net: remove_redundancy is for runs of several processes, and there is one.")
    _share(get_parameter_redundancy(_layouts(net) or net), net.parameters_dict())


def sync_pipeline_shared_parameters(net: Cell) -> None:
    """Broadcast Parameters that pipeline stages share from the first of these stages; all processes call it.

    Args:
        net: The network; its Cells have stages (`pipeline_stage`).

    Raises:
        TypeError: If `net` is not a Cell.
    """
    if not isinstance(net, Cell):
        raise TypeError(f"sync_pipeline_shared_parameters: net must be a Cell, got {describe(net)}.")
    stages, size = get_auto_parallel_context("pipeline_stages"), get_group_size()
    if stages < 2 or size < stages or not is_joined():
        return
    devices = size // stages
    shared = {p.name: p for p in net.get_parameters() if len(set(p._pipeline_stages)) > 1}
    groups, owners = {}, {}
    for name, param in shared.items():
        of = sorted(set(param._pipeline_stages))
        groups[name] = tuple(tuple(stage * devices + d for stage in of) for d in range(devices))
        owners[name] = {group[0] for group in groups[name]}
    _share(groups, shared, owners)


def _share(
    groups: Mapping[str, Groups], params: Mapping[str, Any], owners: Mapping[str, set[int]] | None = None
) -> None:
    """Broadcast a piece of a Parameter within each group from the process that owns the piece."""
    saved = remove_param_redundancy(groups)
    owners = owners or {name: {rank for rank, own in saved.items() if name in own} for name in groups}
    names = [name for name in groups if any(len(group) > 1 for group in groups[name])]
    size = get_group_size()

    def shared(*pieces: Any) -> Any:
        results = []
        for name, piece in zip(names, pieces, strict=True):
            rest = set(range(size)) - {rank for group in groups[name] for rank in group}
            owns = jnp.asarray([rank in owners[name] or rank in rest for rank in range(size)])[lax.axis_index(AXIS)]
            given = jnp.where(owns, piece, jnp.zeros_like(piece))
            together = [*map(list, groups[name]), *([rank] for rank in sorted(rest))]
            total = lax.psum(given.astype(jnp.int8) if piece.dtype == bool else given, AXIS, axis_index_groups=together)
            results.append(total.astype(piece.dtype))
        return results

    held = [params[name].concrete() for name in names]
    for name, whole, piece in zip(names, held, OnRanks(None, shared)(*map(piece_here, held)), strict=True):
        params[name].commit(piece if whole.is_fully_addressable else of_piece(whole.sharding, whole.shape, piece))
