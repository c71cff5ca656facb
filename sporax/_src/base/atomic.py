"""Atomic writing: a reader sees the old file or the whole new one, whatever goes wrong in between."""

from __future__ import annotations

import os
import re
import secrets
import socket
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_OURS = re.compile(r"\.sporax-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}\.tmp")
_ABANDONED_AFTER = 24 * 3600  # seconds without a write: of a process that cannot be asked, on another machine


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`; what the block wrote there becomes `path` if the block succeeds.

    The new file is on the disk before it gets its name. If the block raises, `path` is as it was and the
    temporary file is gone; if the process is killed, the next save into the folder removes it. A symbolic link is
    followed: its target is replaced, the link stays.

    Raises:
        FileNotFoundError: If the folder of `path` does not exist.
    """
    target = Path(os.path.realpath(path))
    _remove_abandoned(target.parent)
    temporary = target.with_name(f".sporax-{_system()}-{os.getpid()}-{secrets.token_hex(8)}.tmp")
    temporary.touch(exist_ok=False)
    mode = temporary.stat().st_mode
    try:
        yield temporary
        temporary.chmod(mode)  # writers that make their own file may have chosen another
        _flush(temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def _flush(path: Path) -> None:
    with open(path, "r+b") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    # Some systems cannot open or flush a folder; the rename itself is atomic there too.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# --- what killed processes left ---------------------------------------------------------------------------------------


@cache
def _system() -> str:
    """Return eight digits for the machine and its container: process numbers of one mean nothing in another."""
    name = socket.gethostname()
    with suppress(OSError):
        name += os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(name.encode()):08x}"


def _remove_abandoned(folder: Path) -> None:
    with os.scandir(folder) as entries:
        found = [(entry, match) for entry in entries if (match := _OURS.fullmatch(entry.name))]
    for entry, match in found:
        with suppress(OSError):  # another save may be removing it, or the file is another user's
            if entry.is_file(follow_symlinks=False) and _is_abandoned(entry, match[1], int(match[2])):
                os.unlink(entry)


def _is_abandoned(entry: os.DirEntry[str], system: str, process: int) -> bool:
    if system != _system() or os.name != "posix":
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED_AFTER
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):  # another user's process; no process can have the number
        return False
    return False
