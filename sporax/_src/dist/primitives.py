"""Collective operators as Primitive classes: checks, and the operation of `exchange` that the processes of a group run."""

from __future__ import annotations

import functools
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.dist import exchange
from sporax._src.dist.group import HCCL_WORLD_COMM_GROUP as _WORLD
from sporax._src.dist.group import alone, is_group, ranks_of
from sporax._src.base.world import world
from sporax._src.engine.dispatch import Kernel, Traits, run
from sporax._src.engine.primitive import Primitive, view
from sporax._src.ops.array.assign import identity
from sporax._src.ops.array.creation import zeros
from sporax._src.ops.linalg.products import matmul


class ReduceOp:
    """The reductions of collective operators."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


_REDUCTIONS = ("sum", "max", "min", "prod")


# --- checks ----------------------------------------------------------------------------------------------------------


def _members(name: str, group: Any) -> exchange.Ranks:
    """Return the processes of a group, of which this one is."""
    if not isinstance(group, str):
        raise TypeError(f"ops.{name}: group must be a str, got {type(group).__name__}.")
    if not is_group(group):
        raise ValueError(f"ops.{name}: group must be the group of all processes, '{_WORLD}', or a made one, got {group!r}.")
    ranks = tuple(ranks_of(f"ops.{name}", group))
    if world().size > 1 and world().rank not in ranks:
        raise ValueError(f"ops.{name}: this process is {world().rank}, and '{group}' has the processes {list(ranks)}.")
    return ranks


def _alone(name: str, group: Any) -> None:
    """Check that this process is the only one of a group: the operator has no exchange of several."""
    _members(name, group)
    alone(f"ops.{name}", group)


def _check_reduction(name: str, op: Any) -> None:
    if not isinstance(op, str):
        raise TypeError(f"ops.{name}: op must be a str, got {type(op).__name__}.")
    if op not in _REDUCTIONS:
        raise ValueError(f"ops.{name}: op must be one of {', '.join(_REDUCTIONS)}, got {op!r}.")


def _check_rank(name: str, what: str, rank: Any, size: int = 1) -> None:
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError(f"ops.{name}: {what} must be an int, got {type(rank).__name__}.")
    if size == 1 and rank != 0:
        raise ValueError(f"ops.{name}: {what} must be 0, the only rank of this run, got {rank}.")
    if not 0 <= rank < size:
        raise ValueError(f"ops.{name}: {what} must be a rank of the group, 0 to {size - 1}, got {rank}.")


def _check_axes(name: str, x: Any) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"ops.{name}: input must be a Tensor, got {type(x).__name__}.")
    if x.ndim == 0:
        raise ValueError(f"ops.{name}: input must have at least one axis, got a Tensor without.")


def _check_parts(name: str, x: Tensor, axis: int, size: int) -> None:
    if x.shape[axis] % size:
        raise ValueError(
            f"ops.{name}: axis {axis} must divide into {size} parts, one for each process, got shape {list(x.shape)}."
        )


def _check_sizes(name: str, what: str, sizes: Any, total: int) -> None:
    given = [int(s) for s in (sizes.tolist() if isinstance(sizes, Tensor) else sizes)]
    if given != [total]:
        raise ValueError(f"ops.{name}: {what} must be [{total}], what the only rank has, got {given}.")


# --- reductions, gathers, blocks -------------------------------------------------------------------------------------

_GROUP = f"group='{_WORLD}'"


@functools.cache
def _kernel(name: str, fn: Callable[..., Any], ranks: exchange.Ranks, **settings: Any) -> Kernel:
    return Kernel(functools.partial(fn, ranks=ranks, **settings), f"ops.{name}", traits=Traits(exchanges=True))


def _exchanged(name: str, fn: Callable[..., Any], x: Tensor, ranks: exchange.Ranks, **settings: Any) -> Any:
    """Run an operation with the other processes of a group; the only one has what all have."""
    return identity(x) if len(ranks) == 1 else run(_kernel(name, fn, ranks, **settings), [x])


def _all_reduce(x: Tensor, *, op: str, group: str) -> Tensor:
    """Return the reduction of the Tensors of all processes."""
    _check_reduction("AllReduce", op)
    return _exchanged("AllReduce", exchange.all_reduce, x, _members("AllReduce", group), op=op)


def all_reduce_together(xs: Sequence[Tensor], group: str) -> tuple[Tensor, ...]:
    """Return the sum over all processes of each Tensor, in one exchange."""
    ranks = _members("AllReduce", group)
    return run(_kernel("AllReduce", exchange.all_reduce_together, ranks), xs) if xs else ()


def _all_gather(x: Tensor, *, group: str) -> Tensor:
    """Return the Tensors of all processes joined along axis 0."""
    ranks = _members("AllGather", group)
    _check_axes("AllGather", x)
    return _exchanged("AllGather", exchange.all_gather, x, ranks)


def _reduce_scatter(x: Tensor, *, op: str, group: str) -> Tensor:
    """Return this process's part, along axis 0, of the reduction of all Tensors."""
    _check_reduction("ReduceScatter", op)
    ranks = _members("ReduceScatter", group)
    _check_axes("ReduceScatter", x)
    _check_parts("ReduceScatter", x, 0, len(ranks))
    return _exchanged("ReduceScatter", exchange.reduced_part, x, ranks, op=op)


def _broadcast(input_x: Sequence[Tensor], *, root_rank: int, group: str) -> tuple[Tensor, ...]:
    """Return the Tensors of the process `root_rank`, given as a tuple."""
    ranks = _members("Broadcast", group)
    _check_rank("Broadcast", "root_rank", root_rank, len(ranks))
    if not isinstance(input_x, (tuple, list)):
        raise TypeError(f"ops.Broadcast: input must be a tuple of Tensors, got {type(input_x).__name__}.")
    return tuple([_exchanged("Broadcast", exchange.broadcast, x, ranks, root=root_rank) for x in input_x])


def _reduce(x: Tensor, *, dest_rank: int, op: str, group: str) -> Tensor:
    """Return, at the process `dest_rank`, the reduction of all Tensors; at others a Tensor of one zero."""
    ranks = _members("Reduce", group)
    _check_rank("Reduce", "dest_rank", dest_rank, len(ranks))
    _check_reduction("Reduce", op)
    return _for(dest_rank, ranks, _exchanged("Reduce", exchange.all_reduce, x, ranks, op=op))


def _collective_gather(x: Tensor, *, dest_rank: int, group: str) -> Tensor:
    """Return, at the process `dest_rank`, all Tensors joined along axis 0; at others a Tensor of one zero."""
    ranks = _members("CollectiveGather", group)
    _check_rank("CollectiveGather", "dest_rank", dest_rank, len(ranks))
    _check_axes("CollectiveGather", x)
    return _for(dest_rank, ranks, _exchanged("CollectiveGather", exchange.all_gather, x, ranks))


def _for(rank: int, ranks: exchange.Ranks, out: Tensor) -> Tensor:
    return out if exchange.place(ranks) == rank else wrap(jnp.zeros(1, out._data.dtype))


def _collective_scatter(x: Tensor, *, src_rank: int, group: str) -> Tensor:
    """Return this process's part, along axis 0, of the Tensor of the process `src_rank`."""
    ranks = _members("CollectiveScatter", group)
    _check_rank("CollectiveScatter", "src_rank", src_rank, len(ranks))
    _check_axes("CollectiveScatter", x)
    _check_parts("CollectiveScatter", x, 0, len(ranks))
    return _exchanged("CollectiveScatter", exchange.scatter, x, ranks, root=src_rank)


def _barrier(*, group: str) -> None:
    """Wait until all processes are here."""
    ranks = _members("Barrier", group)
    _exchanged("Barrier", exchange.all_reduce, zeros((), mstype.int32), ranks, op="sum").asnumpy()


def _all_to_all(x: Tensor, *, split_count: int, split_dim: int, concat_dim: int, group: str) -> Tensor:
    """Return the blocks that all processes cut for this one along `split_dim`, joined along `concat_dim`."""
    ranks = _members("AlltoAll", group)
    if split_count != len(ranks):
        raise ValueError(f"ops.AlltoAll: split_count must be {len(ranks)}, the number of processes, got {split_count}.")
    for what, axis in (("split_dim", split_dim), ("concat_dim", concat_dim)):
        if not 0 <= axis < x.ndim:
            raise ValueError(f"ops.AlltoAll: {what} must be in [0, {x.ndim}), got {axis}.")
    _check_parts("AlltoAll", x, split_dim, len(ranks))
    return _exchanged("AlltoAll", exchange.swapped_blocks, x, ranks, split_dim=split_dim, concat_dim=concat_dim)


# --- pieces of several lengths ---------------------------------------------------------------------------------------


def _all_to_all_v(x: Tensor, send_numel_list: Any, recv_numel_list: Any, *, group: str, block_size: int) -> Tensor:
    """Return the pieces of a vector that all processes sent to this one, in blocks of `block_size` elements."""
    _alone("AlltoAllV", group)
    for what, sizes in (("send_numel_list", send_numel_list), ("recv_numel_list", recv_numel_list)):
        _check_sizes("AlltoAllV", what, sizes, x.size // block_size)
    return identity(x)


def _all_gather_v(x: Tensor, output_split_sizes: Any, *, group: str) -> Tensor:
    """Return the vectors of all processes joined; `output_split_sizes` lists their lengths."""
    _alone("AllGatherV", group)
    _check_sizes("AllGatherV", "output_split_sizes", output_split_sizes, x.size)
    return identity(x)


def _reduce_scatter_v(x: Tensor, input_split_sizes: Any, *, op: str, group: str) -> Tensor:
    """Return this process's piece of the reduction of all vectors; `input_split_sizes` lists the lengths of pieces."""
    _check_reduction("ReduceScatterV", op)
    _alone("ReduceScatterV", group)
    _check_sizes("ReduceScatterV", "input_split_sizes", input_split_sizes, x.size)
    return identity(x)


# --- messages --------------------------------------------------------------------------------------------------------

_sent: defaultdict[Any, deque[Tensor]] = defaultdict(deque)  # what this process sent to itself, by tag


def _send(x: Tensor, *, sr_tag: int, dest_rank: int, group: str, group_back: str) -> Tensor:
    """Send a Tensor to a process: the only one receives it by `Receive` of the same tag, in the same graph."""
    _alone("Send", group)
    _check_rank("Send", "dest_rank", dest_rank)
    _sent[sr_tag].append(identity(x))
    return identity(x)


def _receive(_: Any = None, *, sr_tag: int, src_rank: int, shape: Any, dtype: Any, group: str, group_back: str) -> Tensor:
    """Return the Tensor of a shape and dtype that a process sent under a tag."""
    _alone("Receive", group)
    _check_rank("Receive", "src_rank", src_rank)
    return _taken("Receive", sr_tag, shape, dtype)


def _taken(name: str, tag: Any, shape: Any, dtype: Any) -> Tensor:
    if not _sent[tag]:
        raise RuntimeError(f"ops.{name}: nothing was sent under the tag {tag}; the only process would wait for ever.")
    got = _sent[tag].popleft()
    if tuple(got.shape) != tuple(shape) or got.dtype != dtype:
        raise ValueError(f"ops.{name}: expected {dtype}{list(shape)}, but {got.dtype}{list(got.shape)} was sent.")
    return got


def _batch(
    input_x: Sequence[Tensor], *, op_types: Any, remote_ranks: Any, receive_shapes: Any, receive_dtypes: Any, group: str
) -> tuple[Tensor, ...]:
    """Send and receive a batch of Tensors; a result for each: what was received, or 0 where one was sent.

    Args:
        input_x: The Tensors to send.
        op_types: "isend" or "irecv", for each message.
        remote_ranks: The other process, for each message.
        receive_shapes, receive_dtypes: Of each Tensor received.
    """
    _alone("BatchISendIRecv", group)
    if len(op_types) != len(remote_ranks):
        raise ValueError(
            f"ops.BatchISendIRecv: op_types and remote_ranks must have one length, got {len(op_types)} and {len(remote_ranks)}."
        )
    for rank in remote_ranks:
        _check_rank("BatchISendIRecv", "a remote rank", rank)
    sends = [kind == "isend" for kind in op_types]
    if sum(sends) != len(input_x):
        raise RuntimeError(f"ops.BatchISendIRecv: {sum(sends)} messages are sent, but {len(input_x)} Tensors are given.")
    _sent["batch"] = deque([identity(x) for x in input_x])
    wanted = iter(zip(receive_shapes or (), receive_dtypes or (), strict=True))
    outs = [zeros((), mstype.float32) if send else _taken("BatchISendIRecv", "batch", *next(wanted)) for send in sends]
    _sent["batch"].clear()
    return tuple(outs)


def _neighbours(
    input_x: Sequence[Tensor],
    *,
    send_rank_ids: Any,
    recv_rank_ids: Any,
    recv_shapes: Any,
    send_shapes: Any,
    recv_type: Any,
    group: str,
) -> tuple[Tensor, ...]:
    """Send a Tensor to each rank of `send_rank_ids`, and return one from each rank of `recv_rank_ids`."""
    _alone("NeighborExchange", group)
    for rank in (*send_rank_ids, *recv_rank_ids):
        _check_rank("NeighborExchange", "a rank", rank)
    if len(recv_rank_ids) != len(input_x):
        raise ValueError(
            f"ops.NeighborExchange: the only process receives what it sends, {len(input_x)} Tensors, not {len(recv_rank_ids)}."
        )
    _sent["neighbours"] = deque([identity(x) for x in input_x])
    return tuple([_taken("NeighborExchange", "neighbours", shape, recv_type) for shape in recv_shapes])


def _borders(
    x: Tensor, *, send_rank_ids: Any, send_lens: Any, recv_rank_ids: Any, recv_lens: Any, data_format: str, group: str
) -> Tensor:
    """Return an image (N, C, H, W) grown by borders of its neighbours' images; the only process has none (rank -1)."""
    _alone("NeighborExchangeV2", group)
    if data_format != "NCHW":
        raise ValueError(f"ops.NeighborExchangeV2: data_format must be 'NCHW', got {data_format!r}.")
    for what, ranks in (("send_rank_ids", send_rank_ids), ("recv_rank_ids", recv_rank_ids)):
        if list(ranks) != [-1] * 8:
            raise ValueError(f"ops.NeighborExchangeV2: {what} must be eight times -1 in a run of one, got {list(ranks)}.")
    return identity(x)


# --- products with an exchange ---------------------------------------------------------------------------------------


def all_gather_matmul(
    input: Tensor,
    x2: Tensor,
    group: str,
    world_size: int,
    *,
    bias: Any = None,
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
        bias, gather_index, comm_turn, trans_input: As they are by default.
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
    bias: Any = None,
    comm_turn: int = 0,
    trans_input: bool = False,
    trans_x2: bool = False,
) -> Tensor:
    """Return this process's part, along axis 0, of the sum of input · x2 over all processes; see `all_gather_matmul`."""
    _check_product("matmul_reduce_scatter", group, world_size, bias, 0, trans_input)
    if reduce_op != "sum":
        raise ValueError(f"ops.matmul_reduce_scatter: reduce_op must be 'sum', got {reduce_op!r}.")
    return _product(input, x2, trans_x2)


def _check_product(name: str, group: Any, world_size: Any, bias: Any, gather_index: int, trans_input: bool) -> None:
    _alone(name, group)
    if world_size != 1:
        raise ValueError(f"ops.{name}: world_size must be 1, the number of processes, got {world_size}.")
    if bias is not None or gather_index != 0 or trans_input:
        raise ValueError(f"ops.{name}: bias, gather_index and trans_input must be None, 0 and False.")


def _product(input: Tensor, x2: Tensor, trans_x2: bool) -> Tensor:
    if input.ndim != 2 or x2.ndim != 2:
        raise ValueError(f"input and x2 must be matrices, got shapes {list(input.shape)} and {list(x2.shape)}.")
    return matmul(input, x2.T if trans_x2 else x2)  # type: ignore[attr-defined]


def _reshard(x: Tensor, **_: Any) -> Tensor:
    """Return a Tensor laid out anew over the devices, which its value does not show."""
    return identity(x)


# --- the classes -----------------------------------------------------------------------------------------------------

_CALLS: dict[str, Callable[..., Any]] = {
    f"AllReduce(op='sum', {_GROUP})": _all_reduce,
    f"AllGather({_GROUP})": _all_gather,
    f"AllGatherV({_GROUP})": _all_gather_v,
    f"AlltoAll(split_count, split_dim, concat_dim, {_GROUP})": _all_to_all,
    f"AlltoAllV({_GROUP}, block_size=1)": _all_to_all_v,
    f"Barrier({_GROUP})": _barrier,
    f"BatchISendIRecv(op_types, remote_ranks, receive_shapes=None, receive_dtypes=None, {_GROUP})": _batch,
    f"Broadcast(root_rank, {_GROUP})": _broadcast,
    f"CollectiveGather(dest_rank, {_GROUP})": _collective_gather,
    f"CollectiveScatter(src_rank=0, {_GROUP})": _collective_scatter,
    f"NeighborExchange(send_rank_ids, recv_rank_ids, recv_shapes, send_shapes, recv_type, {_GROUP})(tensor)": _neighbours,
    f"NeighborExchangeV2(send_rank_ids, send_lens, recv_rank_ids, recv_lens, data_format, {_GROUP})(tensor)": _borders,
    f"Receive(sr_tag, src_rank, shape, dtype, {_GROUP}, group_back='{_WORLD}')": _receive,
    f"Reduce(dest_rank, op='sum', {_GROUP})": _reduce,
    f"ReduceScatter(op='sum', {_GROUP})": _reduce_scatter,
    f"ReduceScatterV(op='sum', {_GROUP})": _reduce_scatter_v,
    "Reshard(in_layout, out_layout, in_strategy)(tensor)": _reshard,
    f"Send(sr_tag, dest_rank, {_GROUP}, group_back='{_WORLD}')": _send,
}
CLASSES: dict[str, Any] = {spec.split("(")[0]: view(spec, fn) for spec, fn in _CALLS.items()}
