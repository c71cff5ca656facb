"""How a process joins the others of its run, before it has a device.

They meet at JAX's coordination service, which a launcher hosts or one of them; there is a table of values that they share.
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

JOINED = "SPORAX_JOINED"  # names a file by which the launcher learns that the program of a process asked for the others
_joined_files: list[str] = []  # that file, once this process has joined


def host(address: str, processes: int) -> Any:
    """Host the service at which so many processes meet, until the object that is returned goes."""
    service = jax_compat.coordinate(address, processes)
    if not is_loopback(address):
        print(f"sporax: listening at {address}, where the processes of this run meet", file=sys.stderr, flush=True)
    return service


def join() -> None:
    """Join the other processes of the run, if the environment names one; its device is one of theirs from then on.

    Processes that this one starts do not join: they are not of the run, and do not get its secret.

    Raises:
        ValueError: If other machines reach where they meet, and there is no secret.
        RuntimeError: If the run has a process of this number already.
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
    """Check that this process is no part of a job whose processes would each train alone; `what` asks for the others.

    Raises:
        RuntimeError: If the environment says that there are others, and not where they meet.
    """
    sign = sign_of_others()
    if sign and not (world().address or planned_devices() or environ(COORDINATOR)):
        raise RuntimeError(
            f"{what}: {sign} says that this process is one of several, but nothing says where they meet, so that each would "
            f"train alone. Start them by `sporax launch`, on each machine once; unset {sign.partition('=')[0]} for a process "
            f"that is to run alone."
        )


@functools.cache
def note_use() -> None:
    """Tell the launcher that the program of this process asks for the others."""
    for file in filter(None, _joined_files):
        Path(file).touch()


def connect(address: str, rank: int, size: int, processes: int) -> None:
    """Connect with those that meet at an address.

    Args:
        address: Where they meet.
        rank: The number of this one.
        size: How many compute.
        processes: How many there are, with one that only hosts the service.
    """
    local = number("DEVICE_ID", number("SPORAX_LOCAL_RANK", rank))
    secret = secret_of(address).encode()
    enter = lambda table: store.enter(table, secret, address, rank, size, patience())
    jax_compat.connect(address, rank, processes, local, patience(), enter)


def _let_finish() -> None:
    """Have this thread, and those it will start, wait for the one that runs when they wake.

    Where two share a core, the thread that hears of a message would else take the core from the one that sends, spin on
    the lock of that one's connection, and give the core back at the system's next tick: 4 ms for each exchange of any
    size, where 1.6 MB take 0.5 ms.
    """
    if hasattr(os, "sched_setscheduler") and os.sched_getscheduler(0) == os.SCHED_OTHER:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
