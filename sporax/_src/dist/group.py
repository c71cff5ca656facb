"""Groups of the processes of a run, and the rank of this one; a run of one process needs no set-up."""

from __future__ import annotations

from sporax._src.processes import store
from sporax._src.processes.rendezvous import check_not_apart, note_use
from sporax._src.processes.watchdog import join_run
from sporax._src.processes.world import is_joined, is_one_of_many, world

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"
BACKENDS = ("hccl", "nccl", "mccl", "gloo")
WORLD_GROUPS = (HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP)


class GlobalComm:
    """The group of all processes."""

    WORLD_COMM_GROUP: str = HCCL_WORLD_COMM_GROUP
    BACKEND = "mccl"
    INITED: bool = False


_groups: dict[str, list[int]] = {}


def init(backend_name: str | None = None) -> None:
    """Join the processes of this run, which the environment describes; without it the run has one process.

    Args:
        backend_name: `"hccl"`, `"nccl"`, `"mccl"` or None; the device determines the transport.

    Raises:
        ValueError: If `backend_name` is unknown.
        RuntimeError: If the environment says that there are others, and not where they meet.
    """
    if backend_name not in (None, *BACKENDS):
        raise ValueError(
            f"communication.init: backend_name must be 'hccl', 'nccl', 'mccl' or None, got {backend_name!r}."
        )
    if GlobalComm.INITED:
        return
    check_not_apart("communication.init")
    join_run()
    note_use()
    GlobalComm.INITED = True


def release() -> None:
    """Leave the run, and drop all groups."""
    GlobalComm.INITED = False
    _groups.clear()


def is_group(group: str) -> bool:
    """Return whether a name is that of the group of all processes, or of one created by `create_group`."""
    return group in WORLD_GROUPS or group == GlobalComm.WORLD_COMM_GROUP or group in _groups


def ranks_of(what: str, group: object) -> list[int]:
    """Return the processes of a group, in order, for a function called `what`.

    Raises:
        TypeError: If `group` is not a string.
        ValueError: If there is no such group.
    """
    note_use()
    if not isinstance(group, str):
        raise TypeError(f"{what}: group must be a string, got {group!r}.")
    if group in _groups:
        return _groups[group]
    if not is_group(group):
        known = ", ".join([GlobalComm.WORLD_COMM_GROUP, *_groups])
        raise ValueError(f"{what}: there is no group {group!r}; known are {known}.")
    return list(range(world().size if is_one_of_many() else 1))


def alone(what: str, group: object) -> None:
    """Check that a group has one process: the function `what` does not support several.

    Raises:
        RuntimeError: If it has more.
    """
    if (size := len(ranks_of(what, group))) > 1:
        raise RuntimeError(f"{what}: '{group}' has {size} processes; it works in a group of one.")


def check_set_up(what: str) -> None:
    """Check that `init` was called, for a function called `what`.

    Raises:
        RuntimeError: If it was not.
    """
    if not GlobalComm.INITED:
        raise RuntimeError(f"{what}: the communication group is not set up; call communication.init() first.")


def _joined(what: str, group: object) -> list[int]:
    check_set_up(what)
    return ranks_of(what, group)


# --- who this process is ---------------------------------------------------------------------------------------------


def get_rank(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of this process in a group, -1 if it is not part of it.

    Raises:
        TypeError: If `group` is not a string.
        ValueError: If there is no such group.
        RuntimeError: If the environment says that there are others, and not where they meet.
    """
    check_not_apart("get_rank")
    ranks = ranks_of("get_rank", group)
    if not is_one_of_many() and group not in _groups:
        return world().rank
    return ranks.index(world().rank) if world().rank in ranks else -1


def get_group_size(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of processes in a group (see `get_rank`)."""
    check_not_apart("get_group_size")
    return len(ranks_of("get_group_size", group))


def get_local_rank(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the rank of this process among those of the group on its machine (see `get_rank`)."""
    ranks, own = ranks_of("get_local_rank", group), get_rank(group)
    return store.on_this_machine(ranks).index(ranks[own]) if is_joined() and own >= 0 else own


def get_local_rank_size(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of the group's processes on this machine (see `get_rank`)."""
    ranks = ranks_of("get_local_rank_size", group)
    return len(store.on_this_machine(ranks)) if is_joined() else get_group_size(group)


# --- groups ----------------------------------------------------------------------------------------------------------


def create_group(group: str, rank_ids: list[int], options: object = None) -> None:
    """Make a group of processes.

    Args:
        group: Its name.
        rank_ids: The global ranks of its processes.
        options: Accepted for MindSpore programs.

    Raises:
        RuntimeError: If `init` was not called.
        TypeError: If `group` is not a string, or `rank_ids` no list of ints.
        ValueError: If a group of other processes has the name, or ranks are missing, repeated or out of range.

    Examples:
        >>> from sporax import communication
        >>> communication.init()
        >>> communication.create_group("alone", [0])
        >>> communication.get_group_size("alone")
        1
        >>> communication.release()
    """
    if not isinstance(group, str):
        raise TypeError(f"create_group: group must be a string, got {group!r}.")
    world = _joined("create_group", GlobalComm.WORLD_COMM_GROUP)
    if not isinstance(rank_ids, list) or not all(type(r) is int for r in rank_ids):
        raise TypeError(f"create_group: rank_ids must be a list of ints, got {rank_ids!r}.")
    if not rank_ids or len(set(rank_ids)) != len(rank_ids) or not set(rank_ids) <= set(world):
        raise ValueError(f"create_group: rank_ids must be different numbers below {len(world)}, got {rank_ids}.")
    if is_group(group) and ranks_of("create_group", group) != rank_ids:
        raise ValueError(
            f"create_group: '{group}' is the group of processes {ranks_of('create_group', group)} already."
        )
    _groups[group] = list(rank_ids)


def destroy_group(group: str) -> None:
    """Destroy a group that `create_group` created.

    Raises:
        RuntimeError: If `init` was not called.
        ValueError: If it is the group of all processes, or there is no such group.
    """
    _joined("destroy_group", group)
    if group not in _groups:
        raise ValueError(f"destroy_group: '{group}' is the group of all processes; release() leaves it.")
    del _groups[group]


def get_process_group_ranks(group: str = HCCL_WORLD_COMM_GROUP) -> list[int]:
    """Return the global ranks of the processes of a group; requires `init`."""
    return list(_joined("get_process_group_ranks", group))


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """Return the global rank of the process with a rank in `group`; requires `init`.

    Raises:
        ValueError: If the group has no process of that rank.
    """
    ranks = _joined("get_world_rank_from_group_rank", group)
    if group_rank_id not in range(len(ranks)):
        raise ValueError(
            f"get_world_rank_from_group_rank: '{group}' has {len(ranks)} processes, got {group_rank_id!r}."
        )
    return ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """Return the rank in `group` of the process with a global rank; requires `init`.

    Raises:
        ValueError: If that process is not part of the group.
    """
    ranks = _joined("get_group_rank_from_world_rank", group)
    if world_rank_id not in ranks:
        raise ValueError(f"get_group_rank_from_world_rank: '{group}' has processes {ranks}, got {world_rank_id!r}.")
    return ranks.index(world_rank_id)


def get_comm_name(group: str = HCCL_WORLD_COMM_GROUP) -> str:
    """Return the backend's name of a group, which is its own name; requires `init`."""
    _joined("get_comm_name", group)
    return group
