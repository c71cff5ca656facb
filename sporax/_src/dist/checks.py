"""Checks of collective operators before they exchange anything."""

from __future__ import annotations

from typing import Any

from sporax._src.core.tensor import Tensor
from sporax._src.dist.group import HCCL_WORLD_COMM_GROUP as _WORLD
from sporax._src.dist.group import alone, is_group, ranks_of
from sporax._src.processes.world import world

REDUCTIONS = ("sum", "max", "min", "prod", "avg")


def members(name: str, group: object) -> tuple[int, ...]:
    """Return the processes of a group that includes this one."""
    if not isinstance(group, str):
        raise TypeError(f"ops.{name}: group must be a str, got {type(group).__name__}.")
    if not is_group(group):
        raise ValueError(
            f"ops.{name}: group must be the group of all processes, '{_WORLD}', or one of create_group, got {group!r}."
        )
    ranks = tuple(ranks_of(f"ops.{name}", group))
    if world().size > 1 and world().rank not in ranks:
        raise ValueError(f"ops.{name}: this process is {world().rank}, and '{group}' has the processes {list(ranks)}.")
    return ranks


def rank_in(what: str, name: str, rank: object, group: object) -> int:
    """Return the rank, within a group, of the process with a rank among all processes; for a function called `what`."""
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError(f"{what}: {name} must be an int, got {type(rank).__name__}.")
    if rank not in (ranks := members(what, group)):
        raise ValueError(f"{what}: {name} must be a process of the group, got {rank}.")
    return ranks.index(rank)


def check_alone(name: str, group: object) -> None:
    """Check that this process is the only one of a group: the operator does not support several."""
    members(name, group)
    alone(f"ops.{name}", group)


def check_reduction(name: str, op: object) -> None:
    """Check the name of a reduction."""
    if not isinstance(op, str):
        raise TypeError(f"ops.{name}: op must be a str, got {type(op).__name__}.")
    if op not in REDUCTIONS:
        raise ValueError(f"ops.{name}: op must be one of {', '.join(REDUCTIONS)}, got {op!r}.")


def check_rank(name: str, what: str, rank: object, size: int = 1) -> None:
    """Check the number of a process among `size`."""
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError(f"ops.{name}: {what} must be an int, got {type(rank).__name__}.")
    if size == 1 and rank != 0:
        raise ValueError(f"ops.{name}: {what} must be 0, the only rank of this run, got {rank}.")
    if not 0 <= rank < size:
        raise ValueError(f"ops.{name}: {what} must be a rank of the group, 0 to {size - 1}, got {rank}.")


def check_axes(name: str, x: object) -> None:
    """Check that an input is a Tensor with at least one axis."""
    if not isinstance(x, Tensor):
        raise TypeError(f"ops.{name}: input must be a Tensor, got {type(x).__name__}.")
    if x.ndim == 0:
        raise ValueError(f"ops.{name}: input must have at least one axis, got a Tensor without.")


def check_parts(name: str, x: Tensor, axis: int, size: int) -> None:
    """Check that an axis divides into equal parts."""
    if x.shape[axis] % size:
        raise ValueError(
            f"ops.{name}: axis {axis} must divide into {size} parts, one for each process, got shape {list(x.shape)}."
        )


def check_sizes(name: str, what: str, sizes: Any, total: int, size: int) -> list[int]:
    """Return the lengths of pieces, one for each process of `size`, which add up to `total`."""
    lengths = [int(s) for s in (sizes.tolist() if isinstance(sizes, Tensor) else sizes)]
    if size == 1 and lengths != [total]:
        raise ValueError(f"ops.{name}: {what} must be [{total}], what the only rank has, got {lengths}.")
    if len(lengths) != size or min(lengths) < 0 or sum(lengths) != total:
        raise ValueError(f"ops.{name}: {what} must be {size} lengths that add up to {total}, got {lengths}.")
    return lengths


def check_ints(name: str, what: str, numbers: object) -> None:
    """Check that a value is a list of ints."""
    if not isinstance(numbers, list) or not all(type(n) is int for n in numbers):
        raise TypeError(f"ops.{name}: {what} must be a list of ints, got {numbers!r}.")


def check_shapes(name: str, what: str, shapes: object) -> None:
    """Check that a value is a tuple of shapes, each a list of ints."""
    if not isinstance(shapes, tuple) or not all(isinstance(s, list) for s in shapes):
        raise TypeError(f"ops.{name}: {what} must be a tuple of lists, got {shapes!r}.")
    for shape in shapes:
        check_ints(name, f"a shape of {what}", shape)
