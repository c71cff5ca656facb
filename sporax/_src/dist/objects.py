"""`mint.distributed` over Python objects, and the key-value store that processes share."""

from __future__ import annotations

import copy
from datetime import timedelta
from typing import Any

from sporax._src.dist import group as groups
from sporax._src.dist import messages
from sporax._src.dist.arguments import checked
from sporax._src.dist.checks import members
from sporax._src.dist.distributed import for_each, name_of, ranks_with
from sporax._src.processes import store

_TAG = "objects"


@checked
def all_gather_object(object_list: list[Any], obj: object, group: str | None = None) -> None:
    """Put the object of the i-th process into element i of a list.

    Examples:
        >>> import sporax as ms
        >>> found = [None]
        >>> ms.mint.distributed.all_gather_object(found, {"loss": 1.0})
        >>> found
        [{'loss': 1.0}]
    """
    ranks = members("all_gather_object", name_of(group))
    for_each("all_gather_object", "object_list", object_list, ranks)
    for rank in ranks:
        messages.post_object(obj, rank, _TAG)
    object_list[:] = [messages.take_object("all_gather_object", rank, _TAG) for rank in ranks]


@checked
def broadcast_object_list(
    object_list: list[Any], src: int = 0, group: str | None = None, device: object = None
) -> None:
    """Put the objects of the list of the process `src` into those of all."""
    name = "broadcast_object_list"
    if not object_list:
        raise TypeError(f"{name}: object_list must be a list that is not empty, got {object_list!r}.")
    ranks = ranks_with(name, "src", src, group)
    if src == groups.get_rank():
        for rank in ranks:
            if rank != src:
                messages.post_object(object_list, rank, _TAG)
    else:
        object_list[:] = messages.take_object(name, src, _TAG)


@checked
def gather_object(
    obj: object, object_gather_list: list[Any] | None = None, dst: int = 0, group: str | None = None
) -> None:
    """Put the object of the i-th process into element i of a list at the process `dst`."""
    ranks = ranks_with("gather_object", "dst", dst, group)
    if dst != groups.get_rank():
        messages.post_object(obj, dst, _TAG)
        return
    gathered = for_each("gather_object", "object_gather_list", object_gather_list, ranks)
    gathered[:] = [
        copy.deepcopy(obj) if rank == dst else messages.take_object("gather_object", rank, _TAG) for rank in ranks
    ]


@checked
def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any], src: int = 0, group: str | None = None
) -> None:
    """Put the i-th object of a list at the process `src` into the first element of the list of the i-th process."""
    name = "scatter_object_list"
    ranks = ranks_with(name, "src", src, group)
    if not scatter_object_output_list:
        raise TypeError(f"{name}: scatter_object_output_list must be a list that is not empty.")
    if src == groups.get_rank():
        values = for_each(name, "scatter_object_input_list", scatter_object_input_list, ranks)
        for value, rank in zip(values, ranks, strict=True):
            messages.post_object(value, rank, _TAG)
    scatter_object_output_list[0] = messages.take_object(name, src, _TAG)


@checked
def send_object_list(object_list: list[Any], dst: int, group: str | None = None, device: object = None) -> None:
    """Send the objects of a list to the process `dst`, which takes them with `recv_object_list`.

    Args:
        object_list: What to send; anything that can be pickled.
        dst: The number of the other process among all processes.
        group: A group that both are part of; None for all processes.
        device: Accepted for MindSpore programs.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If the list is empty, or `dst` is this process or not part of the group.
    """
    ranks_with("send_object_list", "dst", dst, group)
    check_other("send_object_list", dst)
    if not object_list:
        raise ValueError("send_object_list: object_list must not be empty.")
    messages.post_object(object_list, dst, _TAG)


@checked
def recv_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: object = None) -> int:
    """Put the objects that the process `src` sent with `send_object_list` into a list of that length, and return 0.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If another number of objects was sent, or `src` is not part of the group.
        RuntimeError: If nothing arrives in time.
    """
    ranks_with("recv_object_list", "src", src, group)
    sent = messages.take_object("recv_object_list", src, _TAG)
    if len(sent) != len(object_list):
        raise ValueError(
            f"recv_object_list: object_list must have {len(sent)} elements, what was sent, got {len(object_list)}."
        )
    object_list[:] = sent
    return 0


def check_other(what: str, rank: int) -> None:
    """Check that a message is for another process than this one; `what` names the function that sends it."""
    if rank == groups.get_rank():
        raise ValueError(f"{what}: dst must be another process, got {rank}, this one.")


class TCPStore:
    """A key-value store that the processes of a run share; a single process has one of its own.

    Args:
        host_name, port: Stores with one address are the same store; the run's launcher hosts all of them.
        world_size: The number of processes of the run, if given.
        timeout: Seconds (or a timedelta) that `get` waits for a value.
        is_master, wait_for_workers, multi_tenant, master_listen_fd, use_libuv: Accepted for MindSpore programs.

    Examples:
        >>> import sporax as ms
        >>> store = ms.mint.distributed.TCPStore("127.0.0.1", 12345, 1, True)
        >>> store.set("answer", "42")
        >>> store.get("answer")
        b'42'
    """

    def __init__(
        self,
        host_name: str | None = None,
        port: int | None = None,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: float | timedelta = 300,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        if world_size not in (None, size := groups.get_group_size()):
            raise ValueError(f"TCPStore: this run has {size} processes, got world_size={world_size}.")
        self.host, self.port = host_name, port
        self._timeout = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        self._prefix = f"sporax/stores/{host_name}:{port}/"

    def set(self, key: str, value: str | bytes) -> None:
        """Store a value under a name."""
        if not isinstance(key, str) or not isinstance(value, (str, bytes)):
            raise TypeError(f"TCPStore.set: expected a name and a string or bytes, got {key!r} and {value!r}.")
        store.put(self._prefix + key, value.encode() if isinstance(value, str) else value)

    def get(self, key: str) -> bytes:
        """Wait until a process of the run has stored a value under a name, and return it.

        Raises:
            RuntimeError: If there is none in time, or this process is the only one.
        """
        value = store.wait_for(self._prefix + key, self._timeout)
        if value is None:
            raise RuntimeError(f"TCPStore.get: nothing was put under {key!r}.")
        return value

    def add(self, key: str, amount: int) -> int:
        """Add to the number under a name, which is 0 at first, and return the sum.

        Raises:
            TypeError: If `key` is not a string, or `amount` not an int.
            ValueError: If the value under the name is not a number.
        """
        if not isinstance(key, str) or not isinstance(amount, int):
            raise TypeError(f"TCPStore.add: expected a name and an int, got {key!r} and {amount!r}.")
        return store.add(self._prefix + key, amount, self._timeout)

    def delete_key(self, key: str) -> bool:
        """Remove a value and return whether there was one."""
        is_there = store.has(self._prefix + key)
        store.remove(self._prefix + key)
        return is_there
