"""The processes of a run and who this one is; a run of one process needs no set-up."""

from __future__ import annotations

import jax

from sporax._src.base.config import environ


class GlobalComm:
    """The group of all processes."""

    WORLD_COMM_GROUP = "hccl_world_group"
    BACKEND = "mccl"
    INITED = False


def init(backend_name: str | None = None) -> None:
    """Join the processes of this run: those that the environment names, or this one alone.

    Args:
        backend_name: `"hccl"`, `"nccl"`, `"mccl"` or None; the device decides how they talk.

    Raises:
        ValueError: If `backend_name` is unknown.
    """
    if backend_name not in (None, "hccl", "nccl", "mccl", "gloo"):
        raise ValueError(f"communication.init: backend_name must be 'hccl', 'nccl', 'mccl' or None, got {backend_name!r}.")
    if GlobalComm.INITED:
        return
    address = environ("SPORAX_COORDINATOR")
    if address:
        jax.distributed.initialize(address, int(environ("SPORAX_PROCESSES", "1")), int(environ("SPORAX_PROCESS", "0")))
    GlobalComm.INITED = True


def release() -> None:
    """Leave the group of processes."""
    if GlobalComm.INITED and environ("SPORAX_COORDINATOR"):
        jax.distributed.shutdown()
    GlobalComm.INITED = False


def _check_joined(what: str) -> None:
    if not GlobalComm.INITED:
        raise RuntimeError(f"{what}: the communication group is not set up; call communication.init() first.")


def get_rank(group: str = "hccl_world_group") -> int:
    """Return the number of this process in the group.

    Raises:
        RuntimeError: If `init` was not called.
    """
    _check_joined("get_rank")
    return jax.process_index()


def get_group_size(group: str = "hccl_world_group") -> int:
    """Return the number of processes in the group.

    Raises:
        RuntimeError: If `init` was not called.
    """
    _check_joined("get_group_size")
    return jax.process_count()


def get_local_rank(group: str = "hccl_world_group") -> int:
    """Return the number of this process on its machine."""
    _check_joined("get_local_rank")
    return jax.process_index()
