"""Ranks for processes that are started without one: the first that no other process on the machine has."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

_locks: list[IO[bytes]] = []  # locks, which Linux releases when this process ends


def own_folder() -> Path:
    """Return the folder that the processes of this user share on this machine; other users cannot read it.

    Raises:
        ValueError: If it belongs to another user, or this system has no users.
    """
    if not hasattr(os, "getuid"):
        raise ValueError("RANK_ID and SPORAX_SECRET must be set: processes of one user share no folder here.")
    folder = Path(tempfile.gettempdir()) / f"sporax-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise ValueError(f"{folder} belongs to another user; set RANK_ID or MS_NODE_ID, and SPORAX_SECRET.")
    folder.chmod(0o700)
    return folder


def free_number(address: str, size: int) -> int:
    """Return the first rank below `size` that no process of the run at an address has, and reserve it until this process ends.

    Raises:
        ValueError: If all ranks are reserved, or this system has no locks (see `own_folder`).
    """
    if fcntl is None:
        raise ValueError("RANK_ID or MS_NODE_ID must be set: ranks cannot be assigned on this machine.")
    folder = own_folder() / address.replace(":", "_").replace("/", "_")
    folder.mkdir(exist_ok=True)
    for number in range(size):
        file = (folder / str(number)).open("wb")
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        _locks.append(file)
        return number
    raise ValueError(f"the run at {address} already has all of its {size} processes (MS_WORKER_NUM).")
