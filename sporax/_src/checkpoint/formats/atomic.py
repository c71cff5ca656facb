"""Atomic writing: a reader sees the old file or the whole new one, whatever goes wrong in between."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`; what the block wrote there becomes `path` if the block succeeds.

    The new file is on the disk before it gets its name. If the block raises, `path` is as it was and the
    temporary file is gone. A symbolic link is followed: its target is replaced, the link stays.

    Raises:
        FileNotFoundError: If the folder of `path` does not exist.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
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
