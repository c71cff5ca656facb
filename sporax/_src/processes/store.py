"""The key-value store that the processes of a run share; a single process has a private one.

Anyone who can connect to the address of the run can read and write the store. Each value is therefore signed with a key
known only to the processes of the run. The signature covers the value, its name, the writer's rank, and a count of the
writer's values. A reader rejects a value with a wrong signature, and one that is older than a value it has read under
the same name.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import itertools
import secrets
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jax

from sporax._src.base.jax_compat import shared_table
from sporax._src.processes.run_secret import ForeignEntry, check, digest
from sporax._src.processes.world import is_joined

_POLL = 1000  # milliseconds between checks for interrupts
_PAUSE = 0.01  # seconds between attempts to be the one that changes a value
_TOKEN = 32  # bytes
_HEAD = struct.Struct(">Iq")  # the writer's rank, and the count of its values
_own: dict[str, bytes] = {}


class _Signer:
    """The state with which this process signs.

    Attributes:
        rank: Its rank.
        key: The key of the run.
        written: The count of the values that it has written.
        latest: For each name and writer, the count of the value that this process has read last.
        machines: The machine of each process.
    """

    rank, key = 0, b""
    written = itertools.count()
    latest: dict[tuple[str, int], int] = {}
    machines: list[str] = []


def enter(client: Any, secret: bytes, address: str, rank: int, size: int, patience: float) -> None:
    """Register this process in the store of a run, and derive the key of the run from the entries of all processes.

    Each process enters a fresh random number, so that values signed in another run with the same secret are invalid in this one,
    and the name of its machine.

    Args:
        client: The store.
        secret: The secret of the run.
        address: The address of the run.
        rank: The rank of this process.
        size: The number of processes; one with a rank of `size` or more only observes.
        patience: Seconds to wait for the others.

    Raises:
        RuntimeError: If there is a process of this rank already, or another process does not join in time.
        ForeignEntry: If one has another secret.
    """
    name, own = _member(rank), secrets.token_bytes(_TOKEN) + _machine().encode()
    try:
        client.key_value_set_bytes(name, digest(secret, name, [own]) + own, allow_overwrite=False)
    except jax.errors.JaxRuntimeError as error:
        if "ALREADY_EXISTS" not in str(error):
            raise
        check(secret, rank, name, client.key_value_try_get_bytes(name))
        raise RuntimeError(
            f"the run at {address} has a process {rank} already; this one must have another number (RANK_ID, --node_rank), or "
            f"all processes must be started again."
        ) from None
    entered, machines = hashlib.sha256(), []
    for other in range(size):
        entry = _waited_for(client, _member(other), patience)
        if entry is None:
            raise RuntimeError(f"process {other} has not joined the run at {address} in {patience:.0f} s.")
        member = check(secret, rank, _member(other), entry)
        entered.update(member)
        machines.append(bytes(member[_TOKEN:]).decode())
    _Signer.machines = machines
    _Signer.rank, _Signer.key = rank, hmac.digest(secret, entered.digest(), "sha256")


def _machine() -> str:
    """Return a name of this machine that no other machine of the run has: a container is a machine of its own."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{socket.gethostname()}/{boot.read_text().strip() if boot.exists() else ''}"


def host_of(rank: int) -> str:
    """Return the host name of a process that has joined the run."""
    return _Signer.machines[rank].partition("/")[0]


def on_this_machine(ranks: Sequence[int]) -> list[int]:
    """Return those of some processes that run on the machine of this one."""
    here = _Signer.machines
    return [rank for rank in ranks if here[rank] == here[_Signer.rank]]


def _member(rank: int) -> str:
    return f"sporax/members/{rank}"


def put(name: str, *parts: bytes | memoryview) -> None:
    """Store bytes, given in parts, under a name, and replace the old value."""
    if not is_joined():
        _own[name] = b"".join(parts)
        return
    head = _HEAD.pack(_Signer.rank, next(_Signer.written))
    signed = digest(_Signer.key, _clean(name), [head, *parts])
    shared_table().key_value_set_bytes(name, b"".join((signed, head, *parts)), allow_overwrite=True)


def wait_for(name: str, seconds: float) -> bytes | None:
    """Wait for the value under a name and return it; None if there is none in time, or no other process could store one.

    Raises:
        ForeignEntry: If no process of this run has stored it, or it is older than a value that this process has read.
    """
    value = _signed_value(name, seconds)
    if value is None or not is_joined():
        return None if value is None else bytes(value)
    writer, number = _HEAD.unpack_from(value)
    if number < _Signer.latest.get((name, writer), 0):
        raise ForeignEntry(
            f"process {_Signer.rank}: the entry {name!r} is an earlier one of process {writer}; a stranger has written it again."
        )
    _Signer.latest[name, writer] = number
    return bytes(value[_HEAD.size :])


def look_at(name: str, seconds: float) -> memoryview | None:
    """Return the value under a name that is used once (see `wait_for`), without a copy."""
    value = _signed_value(name, seconds)
    return value if value is None or not is_joined() else value[_HEAD.size :]


def _signed_value(name: str, seconds: float) -> memoryview | None:
    """Wait for the entry under a name and return its verified content."""
    if not is_joined():
        return memoryview(_own[name]) if name in _own else None
    entry = _waited_for(shared_table(), name, seconds)
    return None if entry is None else check(_Signer.key, _Signer.rank, _clean(name), entry)


def _waited_for(client: Any, name: str, seconds: float) -> bytes | None:
    until = time.monotonic() + seconds
    while True:
        left = 1000 * (until - time.monotonic())
        try:
            return client.blocking_key_value_get_bytes(name, int(max(1, min(left, _POLL))))
        except jax.errors.JaxRuntimeError as error:
            if "DEADLINE_EXCEEDED" not in str(error):
                raise
            if left <= _POLL:
                return None


def has(name: str) -> bool:
    """Return whether there is a value under a name now (see `wait_for`)."""
    if not is_joined():
        return name in _own
    try:
        entry = shared_table().key_value_try_get_bytes(name)
    except jax.errors.JaxRuntimeError as error:
        if "NOT_FOUND" not in str(error):
            raise
        return False
    check(_Signer.key, _Signer.rank, _clean(name), entry)
    return True


def add(name: str, amount: int, seconds: float) -> int:
    """Add to the number under a name, 0 if there is none, and return the sum; one process does so at a time.

    Raises:
        RuntimeError: If other processes do so for all of `seconds`.
        ValueError: If the value is not a number.
        ForeignEntry: See `wait_for`.
    """
    with _only_one(name, seconds):
        value = (wait_for(name, seconds) if has(name) else None) or b"0"
        if not value.removeprefix(b"-").isdigit():
            raise ValueError(f"the value under {name!r} must be a number, got {value!r}.")
        put(name, str(total := int(value) + amount).encode())
        return total


@contextlib.contextmanager
def _only_one(name: str, seconds: float) -> Iterator[None]:
    """Let other processes wait that change the value under a name, too."""
    if not is_joined():
        yield
        return
    client, lock, until = shared_table(), f"sporax/locks/{name}", time.monotonic() + seconds
    while not _entered(client, lock):
        if time.monotonic() > until:
            raise RuntimeError(f"other processes have changed the value under {name!r} for {seconds:.0f} s.")
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        client.key_value_delete(lock)


def _entered(client: Any, name: str) -> bool:
    """Make an entry and return True, or return False if there is one."""
    try:
        client.key_value_set_bytes(name, b"", allow_overwrite=False)
    except jax.errors.JaxRuntimeError as error:
        if "ALREADY_EXISTS" not in str(error):
            raise
        return False
    return True


def remove(name: str) -> None:
    """Remove the value under a name, if there is one, and those under names that begin with it and a slash."""
    if is_joined():
        shared_table().key_value_delete(name)
        return
    for own in [own for own in _own if own == name or own.startswith(f"{name}/")]:
        del _own[own]


def signature(name: str, *parts: bytes | memoryview) -> bytes:
    """Return the signature of a message, which has a name, with the key of the run."""
    return digest(_Signer.key, name, parts)


def verify(name: str, signed: bytes, *parts: bytes) -> None:
    """Check the signature of a message (see `signature`).

    Raises:
        ForeignEntry: If no process of the run has signed it.
    """
    check(_Signer.key, _Signer.rank, name, b"".join((signed, *parts)))


def _clean(name: str) -> str:
    """Return a name as the store normalises it: without leading, trailing and repeated slashes."""
    return "/".join(part for part in name.split("/") if part)
