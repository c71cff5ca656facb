"""How a process joins the others of its run, before it has a device.

The processes connect to JAX's coordination service, which includes a key-value store. A launcher or one of the
processes hosts it.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import Any

from sporax._src.base import jax_compat
from sporax._src.base.config import environ, give_to_children, keep_from_children
from sporax._src.processes import store
from sporax._src.processes.dry_run import planned_devices
from sporax._src.processes.launchers import sign_of_others
from sporax._src.processes.run_secret import SECRET, is_loopback, secret_of
from sporax._src.processes.world import APART, COORDINATOR, is_joined, number, patience, world

JOINED = "SPORAX_JOINED"  # the variable of a file, whose existence tells the launcher that a program has used the run
_joined_files: list[str] = []  # that file, once this process has joined


def host(address: str, processes: int) -> Any:
    """Host the coordination service for so many processes, while the returned object exists."""
    service = jax_compat.coordinate(address, processes)
    if not is_loopback(address):
        print(f"sporax: listening at {address}, where the processes of this run meet", file=sys.stderr, flush=True)
    return service


def join() -> None:
    """Join the other processes of the run, if the environment names one; their devices become global devices.

    Child processes do not join: they are not part of the run, and do not get its secret.

    Raises:
        ValueError: If other machines can reach the address, and there is no secret.
        RuntimeError: If the run has a process of this rank already.
    """
    run = world()
    if not run.address or is_joined():
        return
    give_to_children(COORDINATOR, APART)
    _let_finish()
    connect(run.address, run.rank, run.size, run.size)
    keep_from_children(SECRET)
    _joined_files.append(environ(JOINED))
    keep_from_children(JOINED)


def check_not_apart(what: str) -> None:
    """Check that this process is not part of a job whose processes would each train alone; `what` names the caller.

    Raises:
        RuntimeError: If the environment shows that there are other processes, but has no address.
    """
    sign = sign_of_others()
    if sign and not (world().address or planned_devices() or environ(COORDINATOR)):
        raise RuntimeError(
            f"{what}: {sign} says that this process is one of several, but no variable says where they meet, so each would "
            f"train alone. Start them with `sporax launch`, once on each machine; unset {sign.partition('=')[0]} for a process "
            f"that is to run alone."
        )


@functools.cache
def note_use() -> None:
    """Tell the launcher that the program of this process has used the run."""
    for file in filter(None, _joined_files):
        Path(file).touch()


def connect(address: str, rank: int, size: int, processes: int) -> None:
    """Connect to the processes at an address.

    Args:
        address: The address at which they meet.
        rank: The rank of this process.
        size: The number of processes that compute.
        processes: The number of all processes, including one that only hosts the service.
    """
    local = number("DEVICE_ID", number("SPORAX_LOCAL_RANK", rank))
    secret = secret_of(address).encode()
    enter = lambda table: store.enter(table, secret, address, rank, size, patience())
    jax_compat.connect(address, rank, processes, local, patience(), enter)


def _let_finish() -> None:
    """Lower the scheduling priority of this thread, and of those it will start, below that of running threads when they wake.

    Otherwise, if two threads share a core, the receiving thread preempts the sending one, spins on the lock of its connection, and
    yields the core only at the system's next tick. That costs 4 ms for each exchange of any size, where 1.6 MB take 0.5 ms.
    """
    if hasattr(os, "sched_setscheduler") and os.sched_getscheduler(0) == os.SCHED_OTHER:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
