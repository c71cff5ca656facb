"""Which processes hold the same part of a Parameter, as programs ask before each saves its own."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sporax.communication import get_group_size, get_rank
from sporax.nn import Cell

Groups = tuple[tuple[int, ...], ...]
_WORLD = ("hccl_world_group", "nccl_world_group", "mccl_world_group")


def parse_strategy_ckpt(file_name: str) -> dict[str, list[Any]]:
    """Return of each Parameter in a file of strategies its device matrix, tensor map, and step and size of the optimizer's cut."""
    kind = importlib.import_module("sporax._src.engine.strategy_messages").CLASSES["ParallelStrategyMap"]
    items = {
        i.param_name: i.parallel_layouts for i in kind.FromString(Path(file_name).read_bytes()).parallel_layout_item
    }
    return {
        name: [list(x.dev_matrix[0].dim), list(x.tensor_map[0].dim), x.opt_weight_shard_step, x.opt_weight_shard_size]
        for name, x in items.items()
    }


def get_parameter_redundancy(layout_obj: Any, initial_rank: int | None = None) -> dict[str, Groups]:
    """Return of each Parameter the groups of processes that hold the same part of it.

    Args:
        layout_obj: A Cell, of which every process holds all; a file of strategies; or a dictionary of layouts, each the device
            matrix, the tensor map, and as sixth the group that the optimizer's state is cut over, "" for none.
        initial_rank: The first process of this stage of a pipeline. Default: where as many as the first device matrix has begin.

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


def _groups(matrix: Sequence[int], tensor_map: Sequence[int], first: int) -> Groups:
    """Return the processes that agree in the coordinates that a tensor map names, counted from the last axis."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, place in enumerate(np.ndindex(*matrix)):
        key = tuple(place[-1 - axis] if axis in tensor_map else 0 for axis in range(len(matrix)))
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
    """Return for each process the Parameters that it saves, so that `keep_redundancy` processes of each group do."""
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
    """Return the checkpoint of this process, or where it is missing that of a process that holds the same parts; None if none is.

    Args:
        cur_ckpt_path: The path of the checkpoint, with `rank_` and the number of the process in it.
        cur_strategy_path: The file of strategies.
    """
    rank = get_rank()
    if f"rank_{rank}" in cur_ckpt_path and os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    held = get_parameter_redundancy(cur_strategy_path).items()
    own = [
        set(g) for name, groups in held if not name.startswith(("accu_grads", "inputs")) for g in groups if rank in g
    ]
    paths = (
        re.sub(r"rank_\d+", f"rank_{other}", cur_ckpt_path) for other in sorted(set.intersection(*own) if own else ())
    )
    return next((path for path in paths if os.path.isfile(path)), None)
