"""The secret of a run, with which its processes sign and verify entries of the shared store."""

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

SECRET = "SPORAX_SECRET"  # the environment variable of the secret
DIGEST = 32  # bytes of a signature
_LEAST = 16  # characters: a shorter one can be guessed


class ForeignEntry(RuntimeError):
    """An entry of the run's store that no process of the run has written, or an outdated one written again."""


def new_secret() -> str:
    """Return a new secret for a run, which its launcher passes to all processes."""
    return secrets.token_hex(32)


def secret_of(address: str) -> str:
    """Return the secret of the run that meets at an address.

    It is the value of the environment variable SPORAX_SECRET. Without it, processes of one user at a loopback address share a
    secret in a file that only this user can read.

    Raises:
        ValueError: If it is missing although other machines can reach the address, or is too short.
    """
    if secret := environ(SECRET):
        if len(secret) < _LEAST:
            raise ValueError(
                f"the environment variable {SECRET} must have at least {_LEAST} characters, got {len(secret)}."
            )
        return secret
    if not is_loopback(address):
        raise ValueError(
            f"this run meets at {address}, which other machines can reach: set the environment variable {SECRET} to one secret "
            f"in all its processes, such as what `openssl rand -hex 32` prints."
        )
    return _stored_secret(own_folder() / "secret")


def _stored_secret(file: Path) -> str:
    """Return the secret in a file, which the first process creates atomically."""
    if not file.exists():
        own = file.with_name(f"secret.{os.getpid()}")
        own.touch(mode=0o600)
        own.write_text(new_secret())
        try:
            os.link(own, file)
        except FileExistsError:
            pass  # another process was first, and its file is complete
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
    """Return the signature of an entry of the run's store, over its name and the concatenated bytes of its parts."""
    signature = hmac.new(key, len(name.encode()).to_bytes(4, "big") + name.encode(), "sha256")
    for part in parts:
        signature.update(part)
    return signature.digest()


def check(key: bytes, here: int, name: str, entry: bytes) -> memoryview:
    """Return an entry of the run's store without the signature at its start, after verifying it.

    Args:
        key: The key with which the processes of the run sign.
        here: The number of this process.
        name: The name of the entry.
        entry: The bytes of the entry.

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
