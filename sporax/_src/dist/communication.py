"""`ops.communication`: the functions of `mint.distributed` for programs that have called `init`.

They write into given Tensors. `set_comm_ops_inplace` makes some of them return new Tensors instead.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from sporax._src.core.tensor import Tensor
from sporax._src.dist import comm_func, distributed, objects
from sporax._src.dist import group as groups
from sporax._src.dist.arguments import check_arguments
from sporax._src.dist.comm_func import CommHandle, all_to_all_single_with_output_shape, all_to_all_with_output_shape
from sporax._src.dist.distributed import is_available, is_initialized, name_of

__all__ = [
    "P2POp", "TCPStore", "all_gather", "all_gather_into_tensor", "all_gather_into_tensor_uneven", "all_gather_object",
    "all_reduce", "all_to_all", "all_to_all_single", "all_to_all_v_c", "barrier", "batch_isend_irecv", "broadcast",
    "broadcast_object_list", "destroy_process_group", "gather", "gather_into_tensor", "gather_object", "get_backend",
    "get_global_rank", "get_group_rank", "get_process_group_ranks", "get_rank", "get_world_size", "init_process_group",
    "irecv", "is_available", "is_initialized", "isend", "new_group", "recv", "recv_object_list", "reduce", "reduce_scatter",
    "reduce_scatter_tensor", "reduce_scatter_tensor_uneven", "scatter", "scatter_object_list", "scatter_tensor", "send",
    "send_object_list", "set_comm_ops_inplace",
]  # fmt: skip

_P = ParamSpec("_P")
_R = TypeVar("_R")
_KEPT = [
    name for name in functools.WRAPPER_ASSIGNMENTS if name != "__module__"
]  # that of a function may be public by now
_in_place: dict[str, bool] = {}  # whether a function writes into given Tensors, by its name


# --- setting up ------------------------------------------------------------------------------------------------------


def init_process_group(
    backend: str = "hccl",
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: object = None,
    group_name: str = "",
    pg_options: object = None,
    device_id: object = None,
) -> None:
    """Join the processes of this run (see `communication.init`).

    Args:
        backend: `"hccl"`, `"nccl"`, `"mccl"` or `"gloo"`; the device determines the transport.
        init_method, store: Where the processes meet (`"tcp://127.0.0.1:1234"`); the run's launcher has told them.
        world_size, rank: The number of processes and of this one; checked against the run if they are given. They must
            be given with `init_method` or `store`.
        group_name: A further name for the group of all processes.
        timeout, pg_options, device_id: Accepted for MindSpore programs.

    Raises:
        TypeError: If `init_method`, `timeout`, `store` or `group_name` has an unexpected type.
        ValueError: If `backend` is unknown, the numbers are not those of the run or are missing, or both `init_method`
            and `store` are given.
        RuntimeError: If `init_method` is no address.

    Examples:
        >>> ops.init_process_group()
        >>> ops.get_world_size()
        1
        >>> ops.destroy_process_group()
    """
    _check_meeting(init_method, timeout, world_size, rank, store, group_name)
    distributed.init_process_group(backend, init_method, timeout, world_size, rank, store, group_name=group_name)


def _check_meeting(
    init_method: str | None, timeout: object, world_size: int, rank: int, store: object, group_name: str
) -> None:
    """Check what `init_process_group` is told of where the processes meet."""
    kinds = {"init_method": (init_method, str), "timeout": (timeout, timedelta), "store": (store, objects.TCPStore)}
    for name, (value, kind) in kinds.items():
        if not isinstance(value, (kind, type(None))):
            raise TypeError(f"init_process_group: {name} must be a {kind.__name__}, got {value!r}.")
    if not isinstance(group_name, str):
        raise TypeError(f"init_process_group: group_name must be a str, got {group_name!r}.")
    if init_method is not None and store is not None:
        raise ValueError("init_process_group: only one of init_method and store may be given, got both.")
    if (init_method, store) != (None, None) and (world_size <= 0 or rank < 0):
        raise ValueError(
            f"init_process_group: world_size and rank must be given with init_method or store, got {world_size} and {rank}."
        )
    if init_method is not None and not re.fullmatch(r"tcp://\d{1,3}(\.\d{1,3}){3}:\d{1,5}", init_method):
        raise RuntimeError(f"init_process_group: init_method must be like tcp://127.0.0.1:1234, got {init_method!r}.")


def destroy_process_group(group: str | None = None) -> None:
    """Destroy a group, or (without one) leave the group of all processes."""
    check_arguments("destroy_process_group", group=group)
    distributed.destroy_process_group(group)


def get_rank(group: str | None = None) -> int:
    """Return the number of this process in a group; -1 if it is not part of it, or there is no such group."""
    check_arguments("get_rank", group=group)
    return distributed.get_rank(group) if groups.is_group(name_of(group)) else -1


def get_world_size(group: str | None = None) -> int:
    """Return the number of processes in a group, which this one need not be part of; -1 if there is no such group."""
    check_arguments("get_world_size", group=group)
    return groups.get_group_size(name_of(group)) if groups.is_group(name_of(group)) else -1


def get_backend(group: str | None = None) -> str:
    """Return the name of the backend of a group, which is part of the group's name.

    Examples:
        >>> ops.get_backend()
        'hccl'
    """
    check_arguments("get_backend", group=group)
    return next((backend for backend in ("hccl", "mccl") if backend in name_of(group)), groups.GlobalComm.BACKEND)


def new_group(
    ranks: list[int] | None = None,
    timeout: object = None,
    backend: str | None = None,
    pg_options: object = None,
    use_local_synchronization: bool = False,
    group_desc: object = None,
) -> str:
    """Make a group of processes, in the order of their numbers, and return its name.

    Args:
        ranks: The numbers of its processes; None for all.
        backend: `"hccl"`, `"nccl"`, `"mccl"`, `"gloo"` or None, which means `"hccl"`.
        timeout, pg_options, use_local_synchronization, group_desc: Accepted for MindSpore programs.

    Raises:
        TypeError: If `ranks` is no list of ints, or `backend` is unknown.
        ValueError: If ranks are missing, repeated or out of range.
        RuntimeError: If `init_process_group` was not called.

    Examples:
        >>> ops.init_process_group()
        >>> group = ops.new_group([0])
        >>> ops.get_process_group_ranks(group)
        [0]
        >>> ops.destroy_process_group()
    """
    if ranks is None:
        return distributed.new_group()
    return distributed.new_group(sorted(_checked_ranks(ranks)), group_desc=_name_of_new(ranks, backend))


def _checked_ranks(ranks: object) -> list[int]:
    if not isinstance(ranks, list):
        raise TypeError(f"new_group: ranks must be a list, got {ranks!r}.")
    return ranks


def _name_of_new(ranks: list[int], backend: str | None) -> str:
    """Return the name that MindSpore gives to a group."""
    if backend not in (None, *groups.BACKENDS):
        raise TypeError(f"new_group: backend must be one of {', '.join(groups.BACKENDS)}, got {backend!r}.")
    text = "_".join(map(str, sorted(ranks)))
    return f"{backend or 'hccl'}_{len(ranks)}_{hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()}"


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """Return the global ranks of the processes of a group."""
    check_arguments("get_process_group_ranks", group=group)
    return distributed.get_process_group_ranks(group)


def get_global_rank(group: str | None, group_rank: int) -> int:
    """Return the global rank of the process with a rank in `group`."""
    check_arguments("get_global_rank", group=group, group_rank=group_rank)
    return group_rank if group is None else distributed.get_global_rank(group, group_rank)


def get_group_rank(group: str | None, global_rank: int) -> int:
    """Return the rank in `group` of the process with a global rank."""
    check_arguments("get_group_rank", group=group, global_rank=global_rank)
    return distributed.get_group_rank(group, global_rank)


class TCPStore(objects.TCPStore):
    """A key-value store that the processes of a run share; a single process has one of its own.

    Args:
        host_name, port: Stores with one address are the same store; the run's launcher hosts all of them.
        world_size: The number of processes of the run, if given.
        timeout: How long `get` waits for a value.
        is_master, wait_for_workers, multi_tenant, master_listen_fd, use_libuv: Accepted for MindSpore programs.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `port` is no port, or `world_size` is not the number of processes.

    Examples:
        >>> store = ops.TCPStore("127.0.0.1", 12345, 1, True)
        >>> store.add("steps", 2), store.add("steps", 3)
        (2, 5)
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300),
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        given = {
            "host_name": (host_name, str), "port": (port, int), "is_master": (is_master, bool),
            "timeout": (timeout, timedelta), "wait_for_workers": (wait_for_workers, bool),
            "world_size": (1 if world_size is None else world_size, int),
        }  # fmt: skip
        for name, (value, kind) in given.items():
            if not isinstance(value, kind):
                raise TypeError(f"TCPStore: {name} must be of type {kind.__name__}, got {value!r}.")
        if not 0 <= port <= 65535:
            raise ValueError(f"TCPStore: port must be 0 to 65535, got {port}.")
        super().__init__(host_name, port, world_size, is_master, timeout)


# --- in place or not -------------------------------------------------------------------------------------------------


def set_comm_ops_inplace(is_enable: bool, func_list: Sequence[str] | None = None) -> None:
    """Choose whether functions write into given Tensors, as they do at first, or return new ones.

    `all_reduce`, `all_gather_into_tensor`, `reduce_scatter_tensor`, `all_to_all`, `all_to_all_single`, `recv` and `irecv`
    can return new Tensors. `send`, `isend` and `barrier` write nothing. The others only work in place.

    Args:
        is_enable: Whether they write into given Tensors.
        func_list: The names of the functions; None for all.

    Raises:
        TypeError: If `is_enable` is not a bool, or `func_list` no list.
        ValueError: If a name is not that of a function.

    Examples:
        >>> ops.init_process_group()
        >>> ops.set_comm_ops_inplace(False, ["all_reduce"])
        >>> ops.all_reduce(Tensor([1.0]))[0].asnumpy()
        array([1.], dtype=float32)
        >>> ops.set_comm_ops_inplace(True)
        >>> ops.destroy_process_group()
    """
    if not isinstance(is_enable, bool):
        raise TypeError(f"set_comm_ops_inplace: is_enable must be a bool, got {is_enable!r}.")
    if not isinstance(func_list, (list, tuple, type(None))):
        raise TypeError(f"set_comm_ops_inplace: func_list must be a list, got {func_list!r}.")
    for name in _in_place if func_list is None else func_list:
        if name not in _in_place:
            raise ValueError(f"set_comm_ops_inplace: {name!r} is none of the functions {', '.join(sorted(_in_place))}.")
        _in_place[name] = is_enable


def _either_way(fn: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function check first that processes have joined, and its arguments, of which only some are for work in place."""
    name, names = fn.__name__, list(inspect.signature(fn).parameters)
    _in_place[name] = True

    @functools.wraps(fn, _KEPT)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        groups.check_set_up(name)
        given = dict(zip(names, args, strict=False)) | kwargs
        check_arguments(name, **{n: value for n, value in given.items() if _in_place[name] or "output" not in n})
        return fn(*args, **kwargs)

    return call


def _in_place_only(fn: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function check first that processes have joined, and that it is to work in place."""
    name = fn.__name__
    _in_place[name] = True

    @functools.wraps(fn, _KEPT)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        groups.check_set_up(name)
        if not _in_place[name]:
            raise ValueError(f"{name} works in place only; call set_comm_ops_inplace(True, ['{name}']).")
        return fn(*args, **kwargs)

    return call


# --- Tensors ---------------------------------------------------------------------------------------------------------


@_either_way
def all_reduce(
    tensor: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | tuple[Tensor, CommHandle | None] | None:
    """Put the reduction of the Tensors of all processes into `tensor`, or return it in a new one.

    Args:
        tensor: This process's Tensor.
        op: `"sum"`, `"max"`, `"min"`, `"prod"` or `"avg"`.
        group: The group; None for all processes.
        async_op: Whether to return a handle to wait on; None is returned otherwise.

    Returns:
        The handle or None; after `set_comm_ops_inplace(False)` the new Tensor as well: `(tensor, handle)`.

    Raises:
        TypeError: If an argument has an unexpected type, or `op` is unknown.
        ValueError: If there is no such group, or this process is not part of it.
        RuntimeError: If `init_process_group` was not called.

    Examples:
        >>> ops.init_process_group()
        >>> x = Tensor([1.0])
        >>> ops.all_reduce(x)
        >>> x.asnumpy()
        array([1.], dtype=float32)
        >>> ops.destroy_process_group()
    """
    form = distributed.all_reduce if _in_place["all_reduce"] else comm_func.all_reduce
    return form(tensor, op, name_of(group), async_op)


@_either_way
def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | tuple[Tensor, CommHandle | None] | None:
    """Put the Tensors of all processes, joined along axis 0, into `output_tensor`, or return them (see `all_reduce`)."""
    if _in_place["all_gather_into_tensor"]:
        return distributed.all_gather_into_tensor(output_tensor, input_tensor, group, async_op)
    return comm_func.all_gather_into_tensor(input_tensor, name_of(group), async_op)


@_either_way
def reduce_scatter_tensor(
    output: Any, input: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | tuple[Tensor, CommHandle | None] | None:
    """Put this process's part, along axis 0, of the reduction into `output`, or return it (see `all_reduce`)."""
    if _in_place["reduce_scatter_tensor"]:
        return distributed.reduce_scatter_tensor(output, input, op, group, async_op)
    return comm_func.reduce_scatter_tensor(input, op, name_of(group), async_op)


@_either_way
def all_to_all(
    output_tensor_list: list[Any], input_tensor_list: list[Tensor], group: str | None = None, async_op: bool = False
) -> CommHandle | tuple[tuple[Tensor, ...], CommHandle | None] | None:
    """Send the i-th Tensor to the i-th process, and put those received into a list, or return them (see `all_reduce`).

    If they are returned, `output_tensor_list` may have their shapes.
    """
    form = distributed.all_to_all if _in_place["all_to_all"] else all_to_all_with_output_shape
    return form(output_tensor_list, input_tensor_list, group, async_op)


@_either_way
def all_to_all_single(
    output: Any,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | tuple[Tensor, CommHandle | None] | None:
    """Send the i-th part of `input` along axis 0 to the i-th process, and put the parts received into `output`.

    Or return them (see `all_reduce`): `output` may then be their shape, or None for the shape of `input`.
    """
    form = distributed.all_to_all_single if _in_place["all_to_all_single"] else all_to_all_single_with_output_shape
    return form(input if output is None else output, input, output_split_sizes, input_split_sizes, group, async_op)


all_gather = _in_place_only(distributed.all_gather)
all_gather_into_tensor_uneven = _in_place_only(distributed.all_gather_into_tensor_uneven)
all_to_all_v_c = _in_place_only(comm_func.all_to_all_v_c)
barrier = _either_way(distributed.barrier)
broadcast = _in_place_only(distributed.broadcast)
gather = _in_place_only(distributed.gather)
gather_into_tensor = _in_place_only(distributed.gather_into_tensor)
reduce = _in_place_only(distributed.reduce)
reduce_scatter = _in_place_only(distributed.reduce_scatter)
reduce_scatter_tensor_uneven = _in_place_only(distributed.reduce_scatter_tensor_uneven)
scatter = _in_place_only(distributed.scatter)
scatter_tensor = _in_place_only(distributed.scatter_tensor)


# --- objects ---------------------------------------------------------------------------------------------------------

all_gather_object = _in_place_only(objects.all_gather_object)
broadcast_object_list = _in_place_only(objects.broadcast_object_list)
gather_object = _in_place_only(objects.gather_object)
recv_object_list = _in_place_only(objects.recv_object_list)
scatter_object_list = _in_place_only(objects.scatter_object_list)
send_object_list = _in_place_only(objects.send_object_list)


# --- messages --------------------------------------------------------------------------------------------------------


@_either_way
def send(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Send a Tensor to another process, which takes it with `recv` of the same tag.

    Args:
        tensor: The Tensor.
        dst: The number of the other process among all processes.
        group: A group that both are part of; None for all processes.
        tag: What `recv` must name, too.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `dst` is this process, or is not part of the group.
    """
    objects.check_other("send", dst)
    distributed.send(tensor, dst, group, tag)


@_either_way
def recv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> int | Tensor:
    """Put the Tensor that the process `src` sent (see `send`) into `tensor` and return 0, or return a new Tensor.

    Raises:
        RuntimeError: If nothing arrives in time.
        ValueError: If the sent Tensor has another shape or dtype.
    """
    form = distributed.recv if _in_place["recv"] else comm_func.recv
    return form(tensor, src, name_of(group), tag)


@_either_way
def isend(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Start sending a Tensor (see `send`) and return a handle."""
    objects.check_other("isend", dst)
    return distributed.isend(tensor, dst, group, tag)


@_either_way
def irecv(
    tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0
) -> CommHandle | tuple[Tensor, CommHandle]:
    """Start receiving (see `recv`) and return a handle, or a new Tensor and a handle."""
    form = distributed.irecv if _in_place["irecv"] else comm_func.irecv
    return form(tensor, src, name_of(group), tag)


class P2POp(comm_func.P2POp):
    """One message of `batch_isend_irecv`.

    Args:
        op: `"isend"` or `"irecv"`, or the function of that name.
        tensor: The Tensor to send, or to put the received values into.
        peer: The number of the other process among all processes.
        group: The group; None for all processes.
        tag: Must be 0.

    Raises:
        TypeError: If `op` is neither, `tensor` is not a Tensor or `peer` not an int.
        NotImplementedError: If `tag` is not 0.

    Examples:
        >>> ops.P2POp("isend", Tensor([1.0]), 1).peer
        1
    """

    def __init__(self, op: object, tensor: Tensor, peer: int, group: str | None = None, tag: int = 0) -> None:
        check_arguments("P2POp", tensor=tensor, group=group)
        if not isinstance(peer, int):
            raise TypeError(f"P2POp: peer must be an int, got {peer!r}.")
        if tag != 0:
            raise NotImplementedError(f"P2POp: tag must be 0, got {tag!r}.")
        super().__init__(op, tensor, peer, group, tag)


@_in_place_only
def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[CommHandle]:
    """Exchange a batch of messages, put the received values into the Tensors, and return a list of one handle.

    Raises:
        TypeError: If the list is empty, an element is no `P2POp`, or they name several groups.
        RuntimeError: If more is received than was sent.
    """
    distributed.batch_isend_irecv(p2p_op_list)
    return [CommHandle(*(op.tensor for op in p2p_op_list))]
