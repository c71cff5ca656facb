"""`mint.distributed`: collective functions that write received values into given Tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sporax._src.core.tensor import Tensor
from sporax._src.dist import comm_func, point_to_point
from sporax._src.dist import group as groups
from sporax._src.dist.arguments import checked
from sporax._src.dist.checks import members, rank_in
from sporax._src.dist.comm_func import CommHandle, P2POp, tensor_operand
from sporax._src.dist.exchange import position
from sporax._src.dist.primitives import CLASSES
from sporax._src.ops.array.assign import write
from sporax._src.ops.array.creation import zeros
from sporax._src.ops.array.joining import stack

_WORLD = groups.HCCL_WORLD_COMM_GROUP


def name_of(group: str | None) -> str:
    return _WORLD if group is None else group


def _done(async_op: bool, *results: Tensor) -> CommHandle | None:
    return CommHandle(*results) if async_op else None


def for_each(what: str, name: str, values: object, ranks: Sequence[int]) -> Any:
    """Return a list that has an element for each process."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{what}: {name} must be a list, got {type(values).__name__}.")
    if len(values) != len(ranks):
        elements = "1 element" if len(ranks) == 1 else f"{len(ranks)} elements"
        raise TypeError(f"{what}: {name} must have {elements}, one for each process, got {len(values)}.")
    return values


def ranks_with(what: str, name: str, rank: int, group: str | None) -> tuple[int, ...]:
    """Return the processes of a group, of which `rank` is one."""
    rank_in(what, name, rank, name_of(group))
    return members(what, name_of(group))


def _check_like(what: str, name: str, values: Sequence[Tensor], tensor: Tensor, here: int) -> None:
    """Check that the element of a list that belongs to this process is like its Tensor."""
    x = values[here]
    if (x.dtype, x.shape) != (tensor.dtype, tensor.shape):
        raise TypeError(
            f"{what}: element {here} of {name} must be like this process's Tensor, {tensor.dtype}{list(tensor.shape)}, got "
            f"{x.dtype}{list(x.shape)}."
        )


def _write(what: str, targets: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    for target, value in zip(targets, values, strict=True):
        write(what, target, value)


# --- setting up ------------------------------------------------------------------------------------------------------


def init_process_group(
    backend: str | None = "hccl",
    init_method: str | None = None,
    timeout: object = None,
    world_size: int = -1,
    rank: int = -1,
    store: object = None,
    pg_options: object = None,
    device_id: object = None,
    *,
    group_name: str = "",
) -> None:
    """Join the processes of this run (see `communication.init`).

    Args:
        backend: `"hccl"`, `"nccl"`, `"mccl"`; the device determines the transport.
        world_size, rank: The number of processes and of this one; checked against the run if they are given.
        init_method, timeout, store, pg_options, device_id: Accepted for MindSpore programs.
        group_name: A further name for the group of all processes.

    Raises:
        ValueError: If `backend` is unknown, or the numbers are not those of the run.
    """
    groups.init(backend)
    for name, value, is_ in (("world_size", world_size, groups.get_group_size()), ("rank", rank, groups.get_rank())):
        if value not in (-1, is_):
            raise ValueError(
                f"init_process_group: {name} is {is_} in this run, got {value}; `sporax launch` starts processes and gives "
                f"them their numbers."
            )
    if group_name:
        groups.create_group(group_name, list(range(groups.get_group_size())))


def destroy_process_group(group: str | None = None) -> None:
    """Destroy a group, or (without one) leave the group of all processes."""
    groups.release() if group in (None, _WORLD) else groups.destroy_group(group)


def is_available() -> bool:
    """Return True: processes can communicate."""
    return True


def is_initialized() -> bool:
    """Return whether `init_process_group` was called."""
    return groups.GlobalComm.INITED


def get_rank(group: str | None = None) -> int:
    """Return the number of this process in a group, -1 if it is not part of it."""
    return groups.get_rank(name_of(group))


def get_world_size(group: str | None = None) -> int:
    """Return the number of processes in a group, -1 if this one is not part of it."""
    return groups.get_group_size(name_of(group)) if get_rank(group) >= 0 else -1


def get_backend(group: str | None = None) -> str:
    """Return the name of the backend of a group."""
    groups.ranks_of("get_backend", name_of(group))
    return groups.GlobalComm.BACKEND


def new_group(
    ranks: list[int] | None = None,
    timeout: object = None,
    backend: str | None = None,
    pg_options: object = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
) -> str:
    """Make a group of processes and return its name.

    Args:
        ranks: The numbers of its processes; None for all.
        group_desc: Its name; built from the numbers if None.
        timeout, backend, pg_options, use_local_synchronization: Accepted for MindSpore programs.
    """
    if ranks is None:
        return _WORLD
    name = group_desc or "group_" + "_".join(map(str, ranks))
    groups.create_group(name, ranks)
    return name


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """Return the global ranks of the processes of a group."""
    return groups.get_process_group_ranks(name_of(group))


def get_global_rank(group: str | None, group_rank: int) -> int:
    """Return the global rank of the process with a rank in `group`."""
    return groups.get_world_rank_from_group_rank(name_of(group), group_rank)


def get_group_rank(group: str | None, global_rank: int) -> int:
    """Return the rank in `group` of the process with a global rank."""
    return groups.get_group_rank_from_world_rank(global_rank, name_of(group))


# --- Tensors ---------------------------------------------------------------------------------------------------------


@checked
def all_reduce(tensor: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """Put the reduction of the Tensors of all processes into `tensor`.

    Args:
        tensor: This process's Tensor.
        op: `"sum"`, `"max"`, `"min"`, `"prod"` or `"avg"`.
        group: The group; None for all processes.
        async_op: Whether to return a handle to wait on; None is returned otherwise.

    Raises:
        TypeError: If an argument has an unexpected type, or `op` is unknown.
        ValueError: If there is no such group, or this process is not part of it.

    Examples:
        >>> import sporax as ms
        >>> x = ms.Tensor([1.0])
        >>> ms.mint.distributed.all_reduce(x)
        >>> x.asnumpy()
        array([1.], dtype=float32)
    """
    write("all_reduce", tensor, comm_func.all_reduce(tensor, op, name_of(group))[0])
    return _done(async_op, tensor)


@checked
def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put the Tensors of all processes, joined along axis 0, into `output_tensor` (see `all_reduce`)."""
    write("all_gather_into_tensor", output_tensor, comm_func.all_gather_into_tensor(input_tensor, name_of(group))[0])
    return _done(async_op, output_tensor)


@checked
def all_gather_into_tensor_uneven(
    output: Tensor, input: Tensor, output_split_sizes: object = None, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put Tensors of different lengths, joined along axis 0, into `output`; `output_split_sizes` lists the lengths."""
    if not output_split_sizes:
        return all_gather_into_tensor(output, input, group, async_op)
    name = "all_gather_into_tensor_uneven"
    rows, row = _rows(name, "output_split_sizes", output_split_sizes, input, group)
    out = CLASSES["AllGatherV"](name_of(group))(input.reshape(-1), [n * row for n in rows])
    write(name, output, out.reshape(-1, *input.shape[1:]))
    return _done(async_op, output)


def _rows(name: str, what: str, sizes: Any, x: Tensor, group: str | None) -> tuple[list[int], int]:
    """Return the number of rows of each process, and the number of elements of a row."""
    ranks = groups.ranks_of(name, name_of(group))
    if len(ranks) == 1 and list(sizes) != [x.shape[0]]:
        raise ValueError(f"{name}: {what} must be [{x.shape[0]}], what the only process has, got {list(sizes)}.")
    if len(sizes) != len(ranks):
        raise ValueError(f"{name}: {what} must have {len(ranks)} lengths, one for each process, got {list(sizes)}.")
    return list(sizes), math.prod(x.shape[1:])


@checked
def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put this process's part, along axis 0, of the reduction of all Tensors into `output` (see `all_reduce`)."""
    write("reduce_scatter_tensor", output, comm_func.reduce_scatter_tensor(input, op, name_of(group))[0])
    return _done(async_op, output)


@checked
def reduce_scatter_tensor_uneven(
    output: Tensor,
    input: Tensor,
    input_split_sizes: object = None,
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Put this process's part of the reduction into `output`; `input_split_sizes` lists the lengths of the parts."""
    if not input_split_sizes:
        return reduce_scatter_tensor(output, input, op, group, async_op)
    name = "reduce_scatter_tensor_uneven"
    rows, row = _rows(name, "input_split_sizes", input_split_sizes, input, group)
    out = CLASSES["ReduceScatterV"](op, name_of(group))(input.reshape(-1), [n * row for n in rows])
    write(name, output, out.reshape(-1, *input.shape[1:]))
    return _done(async_op, output)


@checked
def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: object = None,
    input_split_sizes: object = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Send the i-th part of `input` along axis 0 to the i-th process, and put the parts received into `output`."""
    sizes = output_split_sizes, input_split_sizes
    out, _ = comm_func.all_to_all_single_with_output_shape(
        output, tensor_operand("input", input), *sizes, name_of(group)
    )
    write("all_to_all_single", output, out)
    return _done(async_op, output)


@checked
def reduce(
    tensor: Tensor, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put the reduction of all Tensors into that of the process `dst` (see `all_reduce`)."""
    out = comm_func.reduce(tensor, dst, op, name_of(group))
    if groups.get_rank() == dst:
        write("reduce", tensor, out)
    return _done(async_op, tensor)


@checked
def broadcast(tensor: Tensor, src: int, group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """Put the Tensor of the process `src` into those of all processes (see `all_reduce`)."""
    write("broadcast", tensor, comm_func.broadcast(tensor, src, name_of(group)))
    return _done(async_op, tensor)


@checked
def barrier(group: str | None = None, async_op: bool = False, device_ids: object = None) -> CommHandle | None:
    """Wait until all processes of a group have reached the barrier."""
    comm_func.barrier(name_of(group))
    return _done(async_op)


@checked
def gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put the Tensors of all processes, joined along axis 0, into that of the process `dst` (see `all_reduce`)."""
    joined = comm_func.gather_into_tensor(input_tensor, dst, name_of(group))
    if groups.get_rank() == dst:
        write("gather_into_tensor", output_tensor, joined)
    return _done(async_op, output_tensor)


@checked
def scatter_tensor(
    output_tensor: Tensor, input_tensor: Tensor, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put this process's part, along axis 0, of the Tensor of the process `src` into `output_tensor` (see `all_reduce`)."""
    write("scatter_tensor", output_tensor, comm_func.scatter_tensor(input_tensor, src, name_of(group)))
    return _done(async_op, output_tensor)


# --- lists of Tensors, one for each process --------------------------------------------------------------------------


@checked
def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put the Tensor of the i-th process into the i-th of a list (see `all_reduce`)."""
    ranks = members("all_gather", name_of(group))
    targets = for_each("all_gather", "tensor_list", tensor_list, ranks)
    _check_like("all_gather", "tensor_list", targets, tensor, position(ranks))
    _write("all_gather", targets, _gathered(tensor, ranks, group))
    return _done(async_op, *targets)


def _gathered(tensor: Tensor, ranks: Sequence[int], group: str | None) -> Sequence[Tensor]:
    """Return the Tensor of each process."""
    flat = tensor_operand("gather", tensor).reshape(1, -1)
    rows = comm_func.all_gather_into_tensor(flat, name_of(group))[0]
    return [rows[i].reshape(tensor.shape) for i in range(len(ranks))]


@checked
def gather(
    tensor: Tensor, gather_list: list[Tensor] | None, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put the Tensor of the i-th process into the i-th of a list at the process `dst` (see `all_reduce`)."""
    ranks = ranks_with("gather", "dst", dst, group)
    targets = for_each("gather", "gather_list", gather_list, ranks) if groups.get_rank() == dst else ()
    if targets:
        _check_like("gather", "gather_list", targets, tensor, position(ranks))
    rows = _gathered(tensor, ranks, group)
    if targets:
        _write("gather", targets, rows)
    return _done(async_op, *targets)


@checked
def scatter(
    tensor: Tensor, scatter_list: list[Tensor] | None, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put the i-th of a list at the process `src` into the Tensor of the i-th process (see `all_reduce`)."""
    ranks = ranks_with("scatter", "src", src, group)
    if groups.get_rank() == src:
        given = for_each("scatter", "scatter_list", scatter_list, ranks)
        _check_like("scatter", "scatter_list", given, tensor, position(ranks))
        rows = stack(given)
    else:
        rows = zeros((len(ranks), *tensor.shape), tensor.dtype)
    write("scatter", tensor, comm_func.scatter_tensor(rows, src, name_of(group))[0])
    return _done(async_op, tensor)


@checked
def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Put the reduction of the i-th Tensors of all lists into that of the i-th process (see `all_reduce`)."""
    ranks = members("reduce_scatter", name_of(group))
    given = for_each("reduce_scatter", "input_list", input_list, ranks)
    _check_like("reduce_scatter", "input_list", given, output, position(ranks))
    rows = stack(given)
    write("reduce_scatter", output, comm_func.reduce_scatter_tensor(rows, op, name_of(group))[0][0])
    return _done(async_op, output)


@checked
def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Send the i-th Tensor to the i-th process, and put those received into a list (see `all_reduce`)."""
    ranks = members("all_to_all", name_of(group))
    targets = for_each("all_to_all", "output_tensor_list", output_tensor_list, ranks)
    inputs = for_each("all_to_all", "input_tensor_list", input_tensor_list, ranks)
    _write("all_to_all", targets, point_to_point.swapped("all_to_all", inputs, ranks))
    return _done(async_op, *targets)


# --- messages --------------------------------------------------------------------------------------------------------


@checked
def send(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Send a Tensor to a process, which takes it with `recv` of the same tag."""
    comm_func.send(tensor, dst, name_of(group), tag)


@checked
def recv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Put the Tensor that a process sent under a tag into `tensor`, and return 0.

    Raises:
        RuntimeError: If the only process of a run has sent itself nothing: it would wait for ever.
        ValueError: If the sent Tensor has another shape or dtype.
    """
    write("recv", tensor, comm_func.recv(tensor, src, name_of(group), tag))
    return 0


@checked
def isend(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Start sending a Tensor (see `send`) and return a handle."""
    return comm_func.isend(tensor, dst, name_of(group), tag)


@checked
def irecv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Start receiving (see `recv`) and return a handle."""
    recv(tensor, src, group, tag)
    return CommHandle(tensor)


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[CommHandle]:
    """Exchange a batch of messages, put the received values into the Tensors, and return a handle for each."""
    pairs = zip(p2p_op_list, comm_func.batch_isend_irecv(p2p_op_list), strict=True)
    return [CommHandle(write("irecv", op.tensor, out) if op.op == "irecv" else op.tensor) for op, out in pairs]
