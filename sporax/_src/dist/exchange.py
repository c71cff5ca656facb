"""Collective operations on arrays.

The functions run within a compiled function of all processes (`processes.multiprocess`), along the mesh axis of the processes.
Derivatives are MindSpore's: the derivative of a sum over processes sums cotangents, and that of a broadcast passes them
on.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array
from sporax._src.processes.world import AXIS, world

Ranks = tuple[int, ...]


@functools.cache
def _groups(ranks: Ranks) -> list[list[int]] | None:
    """Return all processes in groups that include `ranks`, of equal sizes if possible; None: there is one group."""
    others = [rank for rank in range(world().size) if rank not in ranks]
    if not others and list(ranks) == sorted(ranks):
        return None
    n = len(ranks) if len(others) % len(ranks) == 0 else 1
    return [list(ranks), *(others[i : i + n] for i in range(0, len(others), n))]


def _are_alike(ranks: Ranks) -> bool:
    groups = _groups(ranks)
    return groups is None or len({len(group) for group in groups}) == 1


def position(ranks: Ranks) -> int:
    """Return the rank of this process within a group."""
    return ranks.index(world().rank) if len(ranks) > 1 else 0


def _traced_position(ranks: Ranks) -> Any:
    """Return the rank of the process within a group, as an operation that is the same in all processes.

    If it were a constant, XLA would remove a sum of zeros in one process, and the others would wait for it.
    """
    positions = [ranks.index(rank) if rank in ranks else 0 for rank in range(world().size)]
    return jnp.asarray(positions, jnp.int32)[lax.axis_index(AXIS)]


def _sum(x: object, ranks: Ranks) -> Any:
    return lax.psum(x, AXIS, axis_index_groups=_groups(ranks))


def all_reduce(x: Array, *, op: str, ranks: Ranks) -> Any:
    """Return the reduction of the arrays of all processes; the average of integers is cut to an integer, toward 0."""
    if op == "avg":
        return lax.div(total := _sum(x, ranks), jnp.asarray(len(ranks), total.dtype))
    return _sum(x, ranks) if op == "sum" else _reduced(x, op, ranks)


def all_reduce_together(*xs: Array, buckets: tuple[tuple[int, ...], ...], ranks: Ranks) -> Any:
    """Return the sum over all processes of each array, all of one dtype.

    Args:
        xs: The arrays.
        buckets: The indices of the arrays that are exchanged together.
        ranks: The processes.
    """
    sums: dict[int, Any] = {}
    for bucket in buckets:
        arrays = [xs[i] for i in bucket]
        joined = _sum(jnp.concatenate([x.reshape(-1) for x in arrays]), ranks)
        ends = list(itertools.accumulate(x.size for x in arrays))
        sums |= dict(zip(bucket, jnp.split(joined, ends[:-1]), strict=True))
    return [sums[i].reshape(x.shape) for i, x in enumerate(xs)]


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _reduced(x: Array, op: str, ranks: Ranks) -> Any:
    match op:
        case "max":
            return lax.pmax(x, AXIS, axis_index_groups=_groups(ranks))
        case "min":
            return lax.pmin(x, AXIS, axis_index_groups=_groups(ranks))
        case _:
            return jnp.prod(stacked(x, ranks=ranks), axis=0).astype(x.dtype)


def _reduced_forward(x: Array, op: str, ranks: Ranks) -> tuple[Any, tuple[Any, Any]]:
    out = _reduced(x, op, ranks)
    return out, (x, out)


def _reduced_backward(op: str, ranks: Ranks, residuals: tuple[Any, Any], ct: Any) -> tuple[Any]:
    x, out = residuals
    if op == "prod":
        return (_sum(ct * out, ranks) / x,)
    return (_sum(ct, ranks) * (x == out).astype(ct.dtype),)


_reduced.defvjp(_reduced_forward, _reduced_backward)


def stacked(x: Array, *, ranks: Ranks) -> Any:
    """Return the arrays of all processes along a new first axis."""
    if _are_alike(ranks):
        return lax.all_gather(x, AXIS, axis_index_groups=_groups(ranks))
    mine = jnp.arange(len(ranks)).reshape(-1, *[1] * x.ndim) == _traced_position(ranks)
    return _sum(jnp.where(mine, x[None], jnp.zeros((), x.dtype)), ranks)  # groups of different sizes support only sums


def all_gather(x: Array, *, ranks: Ranks) -> Any:
    """Return the arrays of all processes joined along axis 0."""
    return stacked(x, ranks=ranks).reshape(-1, *x.shape[1:])


def reduced_part(x: Array, *, op: str, ranks: Ranks) -> Any:
    """Return this process's part, along axis 0, of the reduction of all arrays."""
    if op == "sum" and _are_alike(ranks):
        return lax.psum_scatter(x, AXIS, axis_index_groups=_groups(ranks), tiled=True)
    size = x.shape[0] // len(ranks)
    return lax.dynamic_slice_in_dim(all_reduce(x, op=op, ranks=ranks), _traced_position(ranks) * size, size)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _broadcast(x: Array, root: int, ranks: Ranks) -> Any:
    masked = jnp.where(_traced_position(ranks) == root, x, jnp.zeros_like(x))
    return _sum(masked.astype(jnp.int8), ranks).astype(bool) if x.dtype == bool else _sum(masked, ranks)


_broadcast.defvjp(lambda x, root, ranks: (_broadcast(x, root, ranks), None), lambda root, ranks, _, ct: (ct,))


def broadcast(x: Array, *, root: int, ranks: Ranks) -> Any:
    """Return the array of the process with rank `root` in the group."""
    return _broadcast(x, root, ranks)


def scatter(x: Array, *, root: int, ranks: Ranks) -> Any:
    """Return this process's part, along axis 0, of the array of the process with rank `root` in the group."""
    size = x.shape[0] // len(ranks)
    return lax.dynamic_slice_in_dim(broadcast(x, root=root, ranks=ranks), _traced_position(ranks) * size, size)


def swapped_blocks(x: Array, *, split_dim: int, concat_dim: int, ranks: Ranks) -> Any:
    """Return the blocks that all processes cut for this one along `split_dim`, joined along `concat_dim`."""
    if _are_alike(ranks):
        return lax.all_to_all(x, AXIS, split_dim, concat_dim, axis_index_groups=_groups(ranks), tiled=True)
    size = x.shape[split_dim] // len(ranks)
    blocks = [
        lax.dynamic_slice_in_dim(y, _traced_position(ranks) * size, size, split_dim) for y in stacked(x, ranks=ranks)
    ]
    return jnp.concatenate(blocks, concat_dim)


def gathered_pieces(x: Array, *, sizes: tuple[int, ...], ranks: Ranks) -> Any:
    """Return the vectors of all processes joined, of which each has its own length."""
    together = stacked(jnp.pad(x.reshape(-1), (0, max(sizes) - x.size)), ranks=ranks)
    return jnp.concatenate([together[i, :size] for i, size in enumerate(sizes)])


def reduced_piece(x: Array, *, op: str, sizes: tuple[int, ...], ranks: Ranks) -> Any:
    """Return this process's piece of the reduction of all vectors; each process has a length of its own."""
    start = sum(sizes[: position(ranks)])
    return all_reduce(x.reshape(-1), op=op, ranks=ranks)[start : start + sizes[position(ranks)]]
