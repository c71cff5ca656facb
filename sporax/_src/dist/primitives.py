"""Collective operators as Primitive classes: checks, and the operation of `exchange` that the processes of a group run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from sporax._src.bindings.primitive import view
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.dist import exchange
from sporax._src.dist.checks import check_alone, check_axes, check_parts, check_rank, check_reduction, members
from sporax._src.dist.exchanged import exchanged, kernel
from sporax._src.dist.group import HCCL_WORLD_COMM_GROUP as _WORLD
from sporax._src.dist.point_to_point import batch, borders, neighbours, receive, send
from sporax._src.dist.uneven import all_gather_v, all_to_all_by_matrix, all_to_all_v, reduce_scatter_v
from sporax._src.engine.dispatch import run
from sporax._src.ops.array.assign import identity
from sporax._src.ops.array.creation import zeros
from sporax._src.ops.linalg.products import matmul


class ReduceOp:
    """The reductions of collective operators."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


# --- reductions, gathers, blocks -------------------------------------------------------------------------------------

_GROUP = f"group='{_WORLD}'"


def _all_reduce(x: Tensor, *, op: str, group: str) -> Tensor:
    """Return the reduction of the Tensors of all processes."""
    check_reduction("AllReduce", op)
    return exchanged("AllReduce", exchange.all_reduce, x, members("AllReduce", group), op=op)


def all_reduce_together(xs: Sequence[Tensor], buckets: Sequence[Sequence[int]], group: str) -> tuple[Tensor, ...]:
    """Return the sum over all processes of each Tensor; Tensors of one bucket are exchanged together."""
    ranks = members("AllReduce", group)
    together = kernel("AllReduce", exchange.all_reduce_together, ranks, buckets=tuple(map(tuple, buckets)))
    return run(together, xs) if xs else ()


def _all_gather(x: Tensor, *, group: str) -> Tensor:
    """Return the Tensors of all processes joined along axis 0."""
    ranks = members("AllGather", group)
    check_axes("AllGather", x)
    return exchanged("AllGather", exchange.all_gather, x, ranks)


def _reduce_scatter(x: Tensor, *, op: str, group: str) -> Tensor:
    """Return this process's part, along axis 0, of the reduction of all Tensors."""
    check_reduction("ReduceScatter", op)
    ranks = members("ReduceScatter", group)
    check_axes("ReduceScatter", x)
    check_parts("ReduceScatter", x, 0, len(ranks))
    return exchanged("ReduceScatter", exchange.reduced_part, x, ranks, op=op)


def _broadcast(input_x: Sequence[Tensor], *, root_rank: int, group: str) -> tuple[Tensor, ...]:
    """Return the Tensors of the process `root_rank`, given as a tuple."""
    ranks = members("Broadcast", group)
    check_rank("Broadcast", "root_rank", root_rank, len(ranks))
    if not isinstance(input_x, (tuple, list)):
        raise TypeError(f"ops.Broadcast: input must be a tuple of Tensors, got {type(input_x).__name__}.")
    return tuple([exchanged("Broadcast", exchange.broadcast, x, ranks, root=root_rank) for x in input_x])


def _reduce(x: Tensor, *, dest_rank: int, op: str, group: str) -> Tensor:
    """Return, at the process `dest_rank`, the reduction of all Tensors; at others a Tensor of one zero."""
    ranks = members("Reduce", group)
    check_rank("Reduce", "dest_rank", dest_rank, len(ranks))
    check_reduction("Reduce", op)
    return _for(dest_rank, ranks, exchanged("Reduce", exchange.all_reduce, x, ranks, op=op))


def _collective_gather(x: Tensor, *, dest_rank: int, group: str) -> Tensor:
    """Return, at the process `dest_rank`, all Tensors joined along axis 0; at others a Tensor of one zero."""
    ranks = members("CollectiveGather", group)
    check_rank("CollectiveGather", "dest_rank", dest_rank, len(ranks))
    check_axes("CollectiveGather", x)
    return _for(dest_rank, ranks, exchanged("CollectiveGather", exchange.all_gather, x, ranks))


def _for(rank: int, ranks: exchange.Ranks, out: Tensor) -> Tensor:
    return out if exchange.position(ranks) == rank else wrap(jnp.zeros(1, out._data.dtype))


def _collective_scatter(x: Tensor, *, src_rank: int, group: str) -> Tensor:
    """Return this process's part, along axis 0, of the Tensor of the process `src_rank`."""
    ranks = members("CollectiveScatter", group)
    check_rank("CollectiveScatter", "src_rank", src_rank, len(ranks))
    check_axes("CollectiveScatter", x)
    check_parts("CollectiveScatter", x, 0, len(ranks))
    return exchanged("CollectiveScatter", exchange.scatter, x, ranks, root=src_rank)


def _barrier(*, group: str) -> None:
    """Wait until all processes have reached the barrier."""
    ranks = members("Barrier", group)
    exchanged("Barrier", exchange.all_reduce, zeros((), mstype.int32), ranks, op="sum").asnumpy()


def _all_to_all(x: Tensor, *, split_count: int, split_dim: int, concat_dim: int, group: str) -> Tensor:
    """Return the blocks that all processes cut for this one along `split_dim`, joined along `concat_dim`."""
    ranks = members("AlltoAll", group)
    for what, number in (("split_count", split_count), ("split_dim", split_dim), ("concat_dim", concat_dim)):
        if type(number) is not int:
            raise TypeError(f"ops.AlltoAll: {what} must be an int, got {number!r}.")
    for what, axis in (("split_dim", split_dim), ("concat_dim", concat_dim)):
        if not 0 <= axis < x.ndim:
            raise IndexError(f"ops.AlltoAll: {what} must be in [0, {x.ndim}), got {axis}.")
    if split_count != len(ranks):
        raise ValueError(f"ops.AlltoAll: split_count must be {len(ranks)}, the number of processes, got {split_count}.")
    check_parts("AlltoAll", x, split_dim, len(ranks))
    return exchanged("AlltoAll", exchange.swapped_blocks, x, ranks, split_dim=split_dim, concat_dim=concat_dim)


# --- products with an exchange ---------------------------------------------------------------------------------------


def all_gather_matmul(
    input: Tensor,
    x2: Tensor,
    group: str,
    world_size: int,
    *,
    bias: object = None,
    gather_index: int = 0,
    gather_output: bool = True,
    comm_turn: int = 0,
    trans_input: bool = False,
    trans_x2: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return A · x2 and A, A being the matrices `input` of all processes joined along axis 0.

    Args:
        input, x2: Matrices (m, k) and (k, n).
        group: The group of processes.
        world_size: How many it has.
        bias, gather_index, comm_turn, trans_input: Only the default values are supported.
        gather_output: Whether A is returned; otherwise a Tensor of no elements is.
        trans_x2: Whether x2 is given as (n, k).
    """
    _check_product("all_gather_matmul", group, world_size, bias, gather_index, trans_input)
    gathered = identity(input) if gather_output else wrap(input._data.reshape(-1)[:0])
    return _product(input, x2, trans_x2), gathered


def matmul_reduce_scatter(
    input: Tensor,
    x2: Tensor,
    group: str,
    world_size: int,
    *,
    reduce_op: str = "sum",
    bias: object = None,
    comm_turn: int = 0,
    trans_input: bool = False,
    trans_x2: bool = False,
) -> Tensor:
    """Return this process's part, along axis 0, of the sum of input · x2 over all processes; see `all_gather_matmul`."""
    _check_product("matmul_reduce_scatter", group, world_size, bias, 0, trans_input)
    if reduce_op != "sum":
        raise ValueError(f"ops.matmul_reduce_scatter: reduce_op must be 'sum', got {reduce_op!r}.")
    return _product(input, x2, trans_x2)


def _check_product(
    name: str, group: object, world_size: object, bias: object, gather_index: int, trans_input: bool
) -> None:
    check_alone(name, group)
    if world_size != 1:
        raise ValueError(f"ops.{name}: world_size must be 1, the number of processes, got {world_size}.")
    if bias is not None or gather_index != 0 or trans_input:
        raise ValueError(f"ops.{name}: bias, gather_index and trans_input must be None, 0 and False.")


def _product(input: Tensor, x2: Tensor, trans_x2: bool) -> Tensor:
    if input.ndim != 2 or x2.ndim != 2:
        raise ValueError(f"input and x2 must be matrices, got shapes {list(input.shape)} and {list(x2.shape)}.")
    return matmul(input, x2.T if trans_x2 else x2)


def _reshard(x: Tensor, **_: object) -> Tensor:
    """Return a Tensor with another layout over the devices and the same value."""
    return identity(x)


# --- the classes -----------------------------------------------------------------------------------------------------

_CALLS: dict[str, Callable[..., Any]] = {
    f"AllReduce(op='sum', {_GROUP})": _all_reduce,
    f"AllGather({_GROUP})": _all_gather,
    f"AllGatherV({_GROUP})": all_gather_v,
    f"AlltoAll(split_count, split_dim, concat_dim, {_GROUP})": _all_to_all,
    f"AlltoAllV({_GROUP}, block_size=1)": all_to_all_v,
    f"AlltoAllVC({_GROUP}, block_size=1, transpose=False)": all_to_all_by_matrix,
    f"Barrier({_GROUP})": _barrier,
    f"BatchISendIRecv(op_types, remote_ranks, receive_shapes=None, receive_dtypes=None, {_GROUP})": batch,
    f"Broadcast(root_rank, {_GROUP})": _broadcast,
    f"CollectiveGather(dest_rank, {_GROUP})": _collective_gather,
    f"CollectiveScatter(src_rank=0, {_GROUP})": _collective_scatter,
    f"NeighborExchange(send_rank_ids, recv_rank_ids, recv_shapes, send_shapes, recv_type, {_GROUP})(tensor=())": neighbours,
    f"NeighborExchangeV2(send_rank_ids, send_lens, recv_rank_ids, recv_lens, data_format, {_GROUP})(tensor)": borders,
    f"Receive(sr_tag, src_rank, shape, dtype, {_GROUP}, group_back='{_WORLD}')": receive,
    f"Reduce(dest_rank, op='sum', {_GROUP})": _reduce,
    f"ReduceScatter(op='sum', {_GROUP})": _reduce_scatter,
    f"ReduceScatterV(op='sum', {_GROUP})": reduce_scatter_v,
    "Reshard(in_layout, out_layout, in_strategy)(tensor)": _reshard,
    f"Send(sr_tag, dest_rank, {_GROUP}, group_back='{_WORLD}')": send,
}
CLASSES: dict[str, Any] = {spec.split("(")[0]: view(spec, fn) for spec, fn in _CALLS.items()}
