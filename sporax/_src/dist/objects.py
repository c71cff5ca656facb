"""`mint.distributed` over Python objects, and the table of values that processes share."""

from __future__ import annotations

import copy
from typing import Any

from sporax._src.dist import group as groups
from sporax._src.dist.distributed import name_of, only


def all_gather_object(object_list: list[Any], obj: Any, group: str | None = None) -> None:
    """Put the object of the i-th process into the i-th place of a list.

    Examples:
        >>> import sporax as ms
        >>> found = [None]
        >>> ms.mint.distributed.all_gather_object(found, {"loss": 1.0})
        >>> found
        [{'loss': 1.0}]
    """
    groups.alone("all_gather_object", name_of(group))
    only("all_gather_object", "object_list", object_list)
    object_list[0] = copy.deepcopy(obj)


def broadcast_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None) -> None:
    """Put the objects of the list of the process `src` into those of all."""
    if not isinstance(object_list, list) or not object_list:
        raise TypeError(f"broadcast_object_list: object_list must be a list that is not empty, got {object_list!r}.")
    _source("broadcast_object_list", "src", src, group)


def gather_object(obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: str | None = None) -> None:
    """Put the object of the i-th process into the i-th place of a list at the process `dst`."""
    _source("gather_object", "dst", dst, group)
    only("gather_object", "object_gather_list", object_gather_list)
    object_gather_list[0] = copy.deepcopy(obj)  # type: ignore[index]


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any], src: int = 0, group: str | None = None
) -> None:
    """Put the i-th object of a list at the process `src` into the first place of that of the i-th process."""
    _source("scatter_object_list", "src", src, group)
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise TypeError("scatter_object_list: scatter_object_output_list must be a list that is not empty.")
    given = only("scatter_object_list", "scatter_object_input_list", scatter_object_input_list)
    scatter_object_output_list[0] = copy.deepcopy(given)


def _source(what: str, name: str, rank: int, group: str | None) -> None:
    groups.alone(what, name_of(group))
    if rank not in groups.ranks_of(what, name_of(group)):
        raise ValueError(f"{what}: {name} must be a process of the group, got {rank!r}.")


class TCPStore:
    """A table of values by name that the processes of a run share; the only process has it to itself.

    Args:
        host_name, port, world_size, is_master, timeout, wait_for_workers, multi_tenant, master_listen_fd, use_libuv:
            Accepted for MindSpore programs.

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
        timeout: int = 300,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        groups.alone("TCPStore", groups.HCCL_WORLD_COMM_GROUP)
        if world_size not in (None, size := groups.get_group_size()):
            raise ValueError(f"TCPStore: this run has {size} processes, got world_size={world_size}.")
        self._values: dict[str, bytes] = {}

    def set(self, key: str, value: str | bytes) -> None:
        """Put a value under a name."""
        if not isinstance(key, str) or not isinstance(value, (str, bytes)):
            raise TypeError(f"TCPStore.set: expected a name and a string or bytes, got {key!r} and {value!r}.")
        self._values[key] = value.encode() if isinstance(value, str) else value

    def get(self, key: str) -> bytes:
        """Return the value under a name; nothing under it is an error, as no other process will put it there.

        Raises:
            RuntimeError: If there is none.
        """
        if key not in self._values:
            raise RuntimeError(f"TCPStore.get: nothing was put under {key!r}.")
        return self._values[key]

    def delete_key(self, key: str) -> bool:
        """Remove a value and tell whether there was one."""
        return self._values.pop(key, None) is not None
