"""Collective functions over Tensors: each returns the received Tensor, and most also return a handle to wait on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax

from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.dist.checks import check_ints, members, rank_in
from sporax._src.dist.group import HCCL_WORLD_COMM_GROUP
from sporax._src.dist.point_to_point import swapped
from sporax._src.dist.primitives import CLASSES
from sporax._src.ops.array.assign import write
from sporax._src.ops.array.joining import cat, split

_WORLD = HCCL_WORLD_COMM_GROUP


class CommHandle:
    """The handle of an operation in progress, which collective functions return with `async_op=True`."""

    def __init__(self, *results: Any) -> None:
        self._results = results

    def wait(self) -> None:
        """Wait until the results are ready."""
        jax.block_until_ready([x._data for x in self._results if isinstance(x, Tensor)])

    def is_completed(self) -> bool:
        """Return whether the results are ready; a single process never waits."""
        return True


def tensor_operand(name: str, x: Any) -> Tensor:
    """Return an operand of a collective function, or raise TypeError."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}: expected a Tensor, got {type(x).__name__}.")
    return x


def _handled(out: Any, async_op: bool) -> tuple[Any, CommHandle | None]:
    if not isinstance(async_op, bool):
        raise TypeError(f"async_op must be a bool, got {async_op!r}.")
    return out, CommHandle(*(out if isinstance(out, tuple) else (out,))) if async_op else None


# --- reductions, gathers ---------------------------------------------------------------------------------------------


def all_reduce(tensor: Tensor, op: str = "sum", group: str = _WORLD, async_op: bool = False) -> tuple[Tensor, Any]:
    """Return the reduction of the Tensors of all processes of a group, and a handle.

    Args:
        tensor: This process's Tensor.
        op: `"sum"`, `"max"`, `"min"`, `"prod"` or `"avg"`.
        group: The group.
        async_op: Whether to return a handle to wait on; None is returned otherwise.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `op` or `group` is unknown.

    Examples:
        >>> import sporax as ms
        >>> ms.communication.comm_func.all_reduce(ms.Tensor([1.0]))[0].asnumpy()
        array([1.], dtype=float32)
    """
    return _handled(CLASSES["AllReduce"](op, group)(tensor_operand("all_reduce", tensor)), async_op)


def all_gather_into_tensor(tensor: Tensor, group: str = _WORLD, async_op: bool = False) -> tuple[Tensor, Any]:
    """Return the Tensors of all processes joined along axis 0, and a handle (see `all_reduce`)."""
    return _handled(CLASSES["AllGather"](group)(tensor_operand("all_gather_into_tensor", tensor)), async_op)


def reduce_scatter_tensor(
    tensor: Tensor, op: str = "sum", group: str = _WORLD, async_op: bool = False
) -> tuple[Tensor, Any]:
    """Return this process's part, along axis 0, of the reduction of all Tensors, and a handle (see `all_reduce`)."""
    return _handled(CLASSES["ReduceScatter"](op, group)(tensor_operand("reduce_scatter_tensor", tensor)), async_op)


def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str = _WORLD) -> Tensor:
    """Return, at the process `dst`, the reduction of all Tensors.

    Args:
        tensor: This process's Tensor.
        dst: The number of a process among all processes, which is part of the group.
        op, group: See `all_reduce`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `op` or `group` is unknown, or the group does not have the process.
    """
    return CLASSES["Reduce"](rank_in("reduce", "dst", dst, group), op, group)(tensor_operand("reduce", tensor))


def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = _WORLD) -> Tensor:
    """Return, at the process `dst` (see `reduce`), all Tensors joined along axis 0."""
    return CLASSES["CollectiveGather"](rank_in("gather_into_tensor", "dst", dst, group), group)(
        tensor_operand("gather_into_tensor", tensor)
    )


def scatter_tensor(tensor: Tensor, src: int = 0, group: str = _WORLD) -> Tensor:
    """Return this process's part, along axis 0, of the Tensor of the process `src` (see `reduce`)."""
    return CLASSES["CollectiveScatter"](rank_in("scatter_tensor", "src", src, group), group)(
        tensor_operand("scatter_tensor", tensor)
    )


def broadcast(tensor: Tensor, src: int = 0, group: str = _WORLD) -> Tensor:
    """Return the Tensor of the process `src` (see `reduce`)."""
    return CLASSES["Broadcast"](rank_in("broadcast", "src", src, group), group)((tensor_operand("broadcast", tensor),))[
        0
    ]


def barrier(group: str = _WORLD) -> None:
    """Wait until all processes of a group have reached the barrier."""
    CLASSES["Barrier"](group)()


def all_to_all_with_output_shape(
    output_shape_list: Sequence[Any],
    input_tensor_list: Sequence[Tensor],
    group: str | None = None,
    async_op: bool = False,
) -> tuple[tuple[Tensor, ...], Any]:
    """Send the i-th Tensor to the i-th process and return one from each, and a handle (see `all_reduce`).

    Args:
        output_shape_list: The shapes of the Tensors to receive (or Tensors of those shapes).
        input_tensor_list: The Tensors to send.

    Raises:
        ValueError: If the lists do not have one entry for each process, or shapes differ from the sent Tensors.
    """
    name = "all_to_all_with_output_shape"
    ranks = members(name, group or _WORLD)
    if len(input_tensor_list) != len(ranks) or len(output_shape_list) != len(ranks):
        raise ValueError(
            f"{name}: both lists must have {_entries(len(ranks))}, "
            f"got {len(output_shape_list)} and {len(input_tensor_list)}."
        )
    received = swapped(name, list(input_tensor_list), ranks)
    for wanted, got in zip(output_shape_list, received, strict=True):
        _check_shape(name, wanted, got)
    return _handled(tuple(received), async_op)


def all_to_all_v_c(
    output: Tensor, input: Tensor, send_count_matrix: list[int], group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Send as many rows to each process as a matrix says, and put the rows received into `output`, joined.

    Args:
        output: The Tensor to write to.
        input: The Tensor whose rows are sent, first those for process 0.
        send_count_matrix: The rows, one after the other, of the matrix whose element (i, j) is the number of rows that
            process i sends to process j.
        group: The group; None for all processes.
        async_op: Whether to return a handle to wait on; None is returned otherwise.

    Raises:
        TypeError: If an argument has an unexpected type, or the matrix is not square.
        ValueError: If the rows of `output` are not those of `input`, or the matrix does not fit them.

    Examples:
        >>> import sporax as ms
        >>> received = ms.ops.zeros((2, 2))
        >>> ms.communication.comm_func.all_to_all_v_c(received, ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), [2])
        >>> received.asnumpy()
        array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
    name = "all_to_all_v_c"
    for tensor in (output, input):
        tensor_operand(name, tensor)
    check_ints(name, "send_count_matrix", send_count_matrix)
    size = len(members(name, group or _WORLD))
    if len(send_count_matrix) != size**2:
        raise TypeError(
            f"{name}: send_count_matrix must have {size} x {size} elements, one for each pair of processes, got "
            f"{len(send_count_matrix)}."
        )
    row = math.prod(input.shape[1:])
    if row != math.prod(output.shape[1:]):
        raise ValueError(
            f"{name}: the rows of output must have the size of those of input, got shapes {list(output.shape)} and "
            f"{list(input.shape)}."
        )
    counts = [row * n for n in send_count_matrix]
    out = CLASSES["AlltoAllVC"](group or _WORLD)(input.reshape(-1), counts)
    write(name, output, out.reshape(-1, *output.shape[1:]))
    return _handled(output, async_op)[1]


def _entries(size: int) -> str:
    return "one entry, for the only process" if size == 1 else f"{size} entries, one for each process"


def all_to_all_single_with_output_shape(
    output_shape: Any,
    tensor: Tensor,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: str | None = None,
    async_op: bool = False,
) -> tuple[Tensor, Any]:
    """Send the i-th part of a Tensor along axis 0 to the i-th process, return the parts received joined, and a handle.

    Args:
        output_shape: The shape of the result (or a Tensor of that shape).
        tensor: The Tensor to send.
        output_split_sizes, input_split_sizes: Lengths of the parts; equal if None.

    Raises:
        ValueError: If the shape differs from the sent Tensor, or lengths do not add up to it.
    """
    name = "all_to_all_single_with_output_shape"
    ranks = members(name, group or _WORLD)
    if len(ranks) > 1 and not input_split_sizes and not output_split_sizes:
        out = CLASSES["AlltoAll"](len(ranks), 0, 0, group or _WORLD)(tensor)
        _check_shape(name, output_shape, out)
        return _handled(out, async_op)
    sent = _lengths(name, "input_split_sizes", input_split_sizes, tensor.shape[0], len(ranks))
    wanted = getattr(output_shape, "shape", output_shape)
    received = _lengths(name, "output_split_sizes", output_split_sizes, wanted[0], len(ranks))
    parts = swapped(name, list(split(tensor, sent)), ranks)
    if [part.shape[0] for part in parts] != received:
        lengths = [part.shape[0] for part in parts]
        raise ValueError(f"{name}: output_split_sizes must be {lengths}, what was sent, got {received}.")
    out = cat(parts)
    _check_shape(name, output_shape, out)
    return _handled(out, async_op)


def _lengths(name: str, what: str, sizes: Any, length: int, count: int) -> list[int]:
    """Return the lengths of the parts of an axis, one for each process."""
    if not sizes:
        if length % count:
            raise ValueError(f"{name}: {length} rows do not divide into {count} parts; give {what}.")
        return [length // count] * count
    if len(sizes) != count or sum(sizes) != length:
        owner = ", what the only process has" if count == 1 else f" in {count} parts"
        raise ValueError(f"{name}: {what} must be [{length}]{owner}, got {list(sizes)}.")
    return list(sizes)


def _check_shape(name: str, wanted: Any, got: Tensor) -> None:
    shape = tuple(wanted.shape if isinstance(wanted, Tensor) else wanted)
    if shape != got.shape:
        raise ValueError(f"{name}: the output shape must be {list(got.shape)}, what is sent, got {list(shape)}.")


# --- messages --------------------------------------------------------------------------------------------------------


def send(tensor: Tensor, dst: int = 0, group: str = _WORLD, tag: int = 0) -> None:
    """Send a Tensor to the process `dst` (see `reduce`), which takes it with `recv` of the same tag."""
    CLASSES["Send"](tag, rank_in("send", "dst", dst, group), group)(tensor_operand("send", tensor))


def recv(tensor: Tensor, src: int = 0, group: str = _WORLD, tag: int = 0) -> Tensor:
    """Return the Tensor that a process sent under a tag.

    Args:
        tensor: A Tensor of the shape and dtype to receive.
        src: The process (see `reduce`).

    Raises:
        RuntimeError: If the only process of a run has sent nothing to itself: it would wait for ever.
        ValueError: If the sent Tensor has another shape or dtype.
    """
    tensor_operand("recv", tensor)
    return CLASSES["Receive"](tag, rank_in("recv", "src", src, group), tensor.shape, tensor.dtype, group)()


def isend(tensor: Tensor, dst: int = 0, group: str = _WORLD, tag: int = 0) -> CommHandle:
    """Start sending a Tensor (see `send`) and return a handle."""
    send(tensor, dst, group, tag)
    return CommHandle(tensor)


def irecv(tensor: Tensor, src: int = 0, group: str = _WORLD, tag: int = 0) -> tuple[Tensor, CommHandle]:
    """Start receiving (see `recv`); return the Tensor and a handle."""
    out = recv(tensor, src, group, tag)
    return out, CommHandle(out)


class P2POp:
    """One message of `batch_isend_irecv`.

    Args:
        op: `"isend"` or `"irecv"`, or the function of that name.
        tensor: The Tensor to send; for `"irecv"`, one of the shape and dtype to receive, or the shape.
        peer: The other process (see `reduce`).
        group: The group; None for all processes.
        tag: Accepted for MindSpore programs.
        recv_dtype: The dtype to receive, where `tensor` is a shape.

    Raises:
        TypeError: If `op` is neither, or `tensor` is a shape without a dtype.
    """

    def __init__(
        self, op: Any, tensor: Any, peer: int, group: str | None = None, tag: int = 0, recv_dtype: Any = None
    ) -> None:
        op = getattr(op, "__name__", op)
        if op not in ("isend", "irecv"):
            raise TypeError(f"P2POp: op must be 'isend' or 'irecv', got {op!r}.")
        if not isinstance(tensor, Tensor) and (op == "isend" or not isinstance(recv_dtype, mstype.Type)):
            raise TypeError(f"P2POp: {op} needs a Tensor, or a shape with recv_dtype, got {tensor!r}.")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag
        self.recv_dtype = recv_dtype


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Tensor]:
    """Exchange a batch of messages; return a Tensor for each: the received one, or 0 for a sent one.

    Raises:
        TypeError: If the list is empty, an element is no `P2POp`, or they name several groups.
        RuntimeError: If more is received than was sent.
    """
    if not p2p_op_list or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise TypeError("batch_isend_irecv: expected a list of P2POp.")
    if len({op.group for op in p2p_op_list}) > 1:
        raise TypeError("batch_isend_irecv: all messages must be in one group.")
    receives = [op for op in p2p_op_list if op.op == "irecv"]
    shapes = [tuple(op.tensor.shape if isinstance(op.tensor, Tensor) else op.tensor) for op in receives]
    dtypes = [op.recv_dtype if op.recv_dtype is not None else op.tensor.dtype for op in receives]
    kinds, group = [op.op for op in p2p_op_list], p2p_op_list[0].group or _WORLD
    peers = [rank_in("batch_isend_irecv", "peer", op.peer, group) for op in p2p_op_list]
    exchange = CLASSES["BatchISendIRecv"](kinds, peers, shapes, dtypes, group)
    return list(exchange([op.tensor for op in p2p_op_list if op.op == "isend"]))
