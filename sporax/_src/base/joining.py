"""How a process joins the others of its run, before it has a device.

They meet at JAX's coordination service, which a launcher hosts or one of them; there is a table of values that they share.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from sporax._src.base import jax_compat, run_table
from sporax._src.base.config import keep_from_children
from sporax._src.base.run_secret import SECRET, is_loopback, secret_of
from sporax._src.base.world import COORDINATOR, is_joined, number, patience, world


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
    keep_from_children(COORDINATOR)
    _let_finish()
    connect(run.address, run.rank, run.size, run.size)
    keep_from_children(SECRET)


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
    enter = lambda table: run_table.enter(table, secret, address, rank, size, patience())
    jax_compat.connect(address, rank, processes, local, patience(), enter)


def _let_finish() -> None:
    """Have this thread, and those it will start, wait for the one that runs when they wake.

    Where two share a core, the thread that hears of a message would else take the core from the one that sends, spin on
    the lock of that one's connection, and give the core back at the system's next tick: 4 ms for each exchange of any
    size, where 1.6 MB take 0.5 ms.
    """
    if hasattr(os, "sched_setscheduler") and os.sched_getscheduler(0) == os.SCHED_OTHER:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
