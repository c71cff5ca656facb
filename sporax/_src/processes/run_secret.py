"""The secret of a run, by which its processes tell what one of them has written from what a stranger has."""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import socket
from collections.abc import Sequence
from pathlib import Path

from sporax._src.base.config import environ
from sporax._src.processes.rank_assignment import own_folder

SECRET = "SPORAX_SECRET"  # the environment variable that holds it
DIGEST = 32  # bytes of what signs an entry
_LEAST = 16  # characters: a shorter one can be guessed


class ForeignEntry(RuntimeError):
    """An entry of the run's table that no process of the run has written there, or none at this time."""


def new_secret() -> str:
    """Return a secret for a run whose processes all get it from one that starts them."""
    return secrets.token_hex(32)


def secret_of(address: str) -> str:
    """Return the secret of the run that meets at an address.

    It is that of the environment variable SPORAX_SECRET. Without one, processes of one user that meet at an address which only
    their machine reaches share one that is kept in a file which only this user may read.

    Raises:
        ValueError: If it is missing where other machines reach the address, or is too short.
    """
    if secret := environ(SECRET):
        if len(secret) < _LEAST:
            raise ValueError(
                f"the environment variable {SECRET} must have at least {_LEAST} characters, got {len(secret)}."
            )
        return secret
    if not is_loopback(address):
        raise ValueError(
            f"this run meets at {address}, which other machines reach: set the environment variable {SECRET} to one secret in "
            f"all its processes, such as what `openssl rand -hex 32` prints."
        )
    return _stored_secret(own_folder() / "secret")


def _stored_secret(file: Path) -> str:
    """Return what a file holds, which is written whole by the first process that asks."""
    if not file.exists():
        own = file.with_name(f"secret.{os.getpid()}")
        own.touch(mode=0o600)
        own.write_text(new_secret())
        try:
            os.link(own, file)
        except FileExistsError:
            pass  # another process was first, and its secret is whole
        own.unlink()
    return file.read_text()


def is_loopback(address: str) -> bool:
    """Return whether only processes of this machine reach `host:port`."""
    host = address.rsplit(":", 1)[0].strip("[]")
    try:
        addresses = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return all(ipaddress.ip_address(name.partition("%")[0]).is_loopback for name in addresses)


def digest(key: bytes, name: str, parts: Sequence[bytes | memoryview]) -> bytes:
    """Return what signs an entry of the run's table: its name, and the bytes of its parts one behind the other."""
    signature = hmac.new(key, len(name.encode()).to_bytes(4, "big") + name.encode(), "sha256")
    for part in parts:
        signature.update(part)
    return signature.digest()


def check(key: bytes, here: int, name: str, entry: bytes) -> memoryview:
    """Return an entry of the run's table without the digest that it begins with.

    Args:
        key: What the processes of the run sign with.
        here: The number of this process.
        name: The name of the entry.
        entry: What was found there.

    Raises:
        ForeignEntry: If the digest is not that of this name and these bytes.
    """
    body = memoryview(entry)[DIGEST:]
    if not hmac.compare_digest(entry[:DIGEST], digest(key, name, [body])):
        raise ForeignEntry(
            f"process {here}: the entry {name!r} is not signed with the secret of this run; a stranger has written it, or a "
            f"process that has another {SECRET}."
        )
    return body
