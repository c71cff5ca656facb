"""The processes of a run, and the rank of this one; a launcher describes the run in the environment of each."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh

from sporax._src.base import jax_compat
from sporax._src.base.config import environ
from sporax._src.processes import launchers
from sporax._src.processes.dry_run import planned_devices
from sporax._src.processes.rank_assignment import free_number

AXIS = "ranks"  # the axis of the mesh of all processes, one device each
EVER = 10**6
COORDINATOR = "SPORAX_COORDINATOR"
APART = "apart"  # the value of COORDINATOR for child processes of the run, which are not part of it
TIMEOUT = "MS_TOPO_TIMEOUT"  # seconds to wait for the others to start; negative: for ever


class World(NamedTuple):
    """The run that the environment names.

    Attributes:
        address: The address of its coordination service; empty if this process is alone.
        rank: The rank of this process.
        size: The number of processes.
        hosts: Whether this process hosts the service, because no launcher does.
        is_launched: Whether `sporax launch` has started the processes, which says who is lost.
    """

    address: str
    rank: int
    size: int
    hosts: bool = False
    is_launched: bool = False


@functools.cache
def world() -> World:
    """Return the run that this process is part of.

    Raises:
        ValueError: If the environment names a run, and the rank of this process is missing or out of range.
    """
    if planned := planned_devices():
        return World("", 0, planned)
    address, size = environ(COORDINATOR), number("RANK_SIZE", 1)
    by_hand = not address and environ("MS_ROLE") == "MS_WORKER" and bool(environ("MS_SCHED_HOST"))
    if by_hand:
        address, size = scheduler()
    if not address and (job := launchers.job()) is not None and job.address:
        return _checked(World(job.address, job.rank, job.size, hosts=job.rank == 0), job.sign)
    rank = number("RANK_ID", number("MS_NODE_ID", -1 if size > 1 and address else 0))
    if not address or address == APART:
        return World("", rank, 1)
    if rank < 0 and by_hand:
        rank = free_number(address, size)
    return _checked(World(address, rank, size, is_launched=not by_hand), "RANK_ID")


def _checked(found: World, sign: str) -> World:
    if not 0 <= found.rank < found.size:
        raise ValueError(f"the number of this process must be 0 to {found.size - 1}, got {found.rank} ({sign}).")
    return found


def scheduler() -> tuple[str, int]:
    """Return the address in MS_SCHED_HOST and MS_SCHED_PORT, and the number of processes of that run."""
    return f"{environ('MS_SCHED_HOST')}:{environ('MS_SCHED_PORT')}", number("MS_WORKER_NUM", 1)


def number(name: str, default: int) -> int:
    """Return the number in an environment variable, or another number if it is not set."""
    value = environ(name)
    if value and not value.isdecimal():
        raise ValueError(f"the environment variable {name} must be a number, got {value!r}.")
    return int(value) if value else default


def patience() -> int:
    """Return for how many seconds a process waits for the others of its run to start."""
    value = environ(TIMEOUT) or "300"
    if not value.removeprefix("-").isdecimal():
        raise ValueError(f"the environment variable {TIMEOUT} must be a number of seconds, got {value!r}.")
    return int(value) if int(value) >= 0 else EVER


def is_joined() -> bool:
    """Return whether this process has joined others."""
    return jax_compat.is_connected()


def is_one_of_many() -> bool:
    """Return whether this process has joined others, or is a dry run for several."""
    return is_joined() or planned_devices() > 1


def axes() -> list[tuple[str, int]]:
    """Return the axes, by name and size, along which a function that is traced may exchange values."""
    return [(AXIS, world().size)] if is_one_of_many() else []


@functools.cache
def mesh() -> Mesh:
    """Return the mesh of all processes, each with its first device, along the axis `AXIS`."""
    return Mesh(devices_of_run()[:, 0], (AXIS,))


@functools.cache
def devices_of_run() -> np.ndarray:
    """Return the devices of all processes: a row for each process. In a dry run each planned process has one.

    Raises:
        RuntimeError: If some processes have more devices than others.
    """
    devices = sorted(jax.devices(), key=lambda device: (device.process_index, device.id))
    if planned_devices():
        return np.array(devices).reshape(-1, 1)
    counts = [sum(d.process_index == rank for d in devices) for rank in range(world().size)]
    if len(set(counts)) > 1:
        raise RuntimeError(f"all processes of a run must have the same number of devices, but they have {counts}.")
    return np.array(devices).reshape(world().size, -1)


def devices_of_each() -> int:
    """Return the number of devices of each process; in a dry run each has one."""
    return 1 if planned_devices() else jax.local_device_count()
