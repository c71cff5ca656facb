"""How a process joins the others of its run, before it has a device.

The processes connect to JAX's coordination service, which includes a key-value store. A launcher or one of the
processes starts the process that hosts it.
"""

from __future__ import annotations

import errno
import functools
import os
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

from sporax._src.base import jax_compat
from sporax._src.base.config import environ, give_to_children, keep_from_children
from sporax._src.processes import launchers, store
from sporax._src.processes.dry_run import planned_devices
from sporax._src.processes.run_secret import SECRET, is_loopback, secret_of
from sporax._src.processes.service import Service
from sporax._src.processes.world import APART, COORDINATOR, is_joined, number, patience, world

JOINED = "SPORAX_JOINED"  # the variable of a file, whose existence tells the launcher that a program has used the run
_LAST_SERVICE = 3.0  # seconds that the service of a run that has ended may still need to end
RESUMABLE = 75  # the status of a run that stopped on request and can go on: EX_TEMPFAIL
_SIOCGIFADDR = 0x8915  # Linux's request for the address of an interface
_ends_early: list[bool] = []
_hosted: list[Service] = []
_joined_files: list[str] = []  # that file, once this process has joined


def host(address: str, processes: int) -> Service:
    """Host the coordination service for so many processes.

    Raises:
        RuntimeError: If this machine cannot listen at the address.
    """
    end = time.monotonic() + _LAST_SERVICE
    while (error := _refusal(address)) is not None:
        if error.errno != errno.EADDRINUSE or time.monotonic() > end:
            raise RuntimeError(f"cannot listen at {address} ({error.strerror})")
        time.sleep(0.1)
    service = Service(address, processes)
    if not is_loopback(address):
        tell(f"listening at {address}, where the processes of this run meet")
    return service


def _refusal(address: str) -> OSError | None:
    """Return why this machine cannot listen at an address; None if it can."""
    name, port = address.rsplit(":", 1)
    with socket.socket(socket.AF_INET6 if ":" in name else socket.AF_INET) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((name.strip("[]"), int(port)))
        except OSError as error:
            return error
    return None


def tell(text: str) -> None:
    """Print a line about this run."""
    print(f"sporax: {text}", file=sys.stderr, flush=True)


def join() -> None:
    """Join the other processes of the run, if the environment names one; their devices become global devices.

    Child processes do not join: they are not part of the run, and do not get its secret.

    Raises:
        ValueError: If other machines can reach the address, and there is no secret.
        RuntimeError: If the run has a process of this rank already, or this process hosts the service and cannot.
    """
    run = world()
    if not run.address or is_joined():
        return
    if run.hosts:
        secret_of(run.address)
        try:
            _hosted.append(host(run.address, run.size))
        except RuntimeError as error:
            raise RuntimeError(f"{error}; JAX_COORDINATOR_PORT chooses another port for all processes.") from None
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
    job = launchers.job()
    if job is not None and not (is_joined() or planned_devices() or environ(COORDINATOR)):
        missing = "where they meet (MASTER_ADDR, MASTER_PORT)" if job.size else "their number (WORLD_SIZE)"
        raise RuntimeError(
            f"{what}: {job.sign} says that this process is one of several, but no variable says {missing}, so each would "
            f"train alone. Set it in all processes before they import sporax, or start one `sporax launch` on each machine; "
            f"{COORDINATOR}={APART} lets a process run alone."
        )


def note_early_end() -> None:
    """Note that the processes have stopped early, with their state saved; the program still ends as it likes."""
    _ends_early.append(True)


def early_status() -> int:
    """Return the exit status of a program that has ended well: RESUMABLE if it has stopped early, else 0."""
    return RESUMABLE if _ends_early else 0


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
    secret = secret_of(address).encode()

    def enter(table: Any) -> int:
        store.enter(table, secret, address, rank, size, patience())
        return _device(len(store.on_this_machine(range(rank))) if rank < size else 0)

    jax_compat.connect(address, rank, processes, patience(), _reached_by(address), enter)


def _device(local: int) -> int:
    """Return the number of the device of a process, which a batch system may have reserved for it."""
    is_given = environ("CUDA_VISIBLE_DEVICES").isdecimal()
    return 0 if is_given else number("DEVICE_ID", number("SPORAX_LOCAL_RANK", local))


def _reached_by(address: str) -> dict[str, str]:
    """Return by which interface or address the others reach this process: as GLOO_SOCKET_IFNAME says, or towards `address`."""
    if interface := environ("GLOO_SOCKET_IFNAME"):
        return {"interface": interface}
    return {"hostname": address_towards(address)}


def own_host() -> str:
    """Return the address at which the others reach this process (see `_reached_by`)."""
    if interface := environ("GLOO_SOCKET_IFNAME"):
        return _address_of(interface)
    return address_towards(world().address)


def address_towards(address: str) -> str:
    """Return the address of this machine in the network through which it reaches `host:port`."""
    name, port = address.rsplit(":", 1)
    family, _, _, _, target = socket.getaddrinfo(name.strip("[]"), int(port), type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, socket.SOCK_DGRAM) as route:  # nothing is sent
        route.connect(target)
        return route.getsockname()[0]


def _address_of(interface: str) -> str:
    """Return the IPv4 address of an interface, by name."""
    assert fcntl is not None, "GLOO_SOCKET_IFNAME needs Linux"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("256s", interface.encode()[:15])
        return socket.inet_ntoa(fcntl.ioctl(any_socket, _SIOCGIFADDR, request)[20:24])


def _let_finish() -> None:
    """Lower the scheduling priority of this thread, and of those it will start, below that of running threads when they wake.

    Otherwise, if two threads share a core, the receiving thread preempts the sending one, spins on the lock of its connection, and
    yields the core only at the system's next tick. That costs 4 ms for each exchange of any size, where 1.6 MB take 0.5 ms.
    """
    if hasattr(os, "sched_setscheduler") and os.sched_getscheduler(0) == os.SCHED_OTHER:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
