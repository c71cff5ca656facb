"""An LRU disk cache of compiled graphs, whose files are checked for integrity and ownership.

JAX trusts the machine code in its folder. In this cache each file begins with a digest of key and content: if a file
was truncated, swapped or replaced, the graph is compiled and written again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path

from sporax._src.base.errors import warn_user
from sporax._src.base.jax_compat import CacheInterface

ENDING = "-cache"
_DIGEST = hashlib.sha256().digest_size
_SWEEP_SECONDS = 3600
_SWEEP_BYTES = 64 * 2**20
_MARK = ".swept"


class CompileCache(CacheInterface):
    """JAX's cache of executables by key.

    Args:
        folder: The folder of the files; the first write creates it.
        most: The largest size in bytes.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._path = folder
        self._most = most
        self._unswept = 0
        self._has_warned = False

    def get(self, key: str) -> bytes | None:
        """Return the executable of a key; None if there is none, or if its file fails the checks."""
        path = self._path / (key + ENDING)
        try:
            with path.open("rb") as file:
                if not self._is_ours(os.fstat(file.fileno()), path):
                    return None
                content = file.read()
            os.utime(path)  # the time of the last use
        except OSError:
            return None
        return content[_DIGEST:] if content[:_DIGEST] == _digest(key, content[_DIGEST:]) else None

    def put(self, key: str, value: bytes) -> None:
        """Store an executable under a key.

        Raises:
            OSError: If it cannot be written; no file is left then.
        """
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._is_ours(self._path.stat(), self._path):
            return
        part = self._path / f".{os.getpid()}-{time.monotonic_ns()}.part"
        try:
            part.write_bytes(_digest(key, value) + value)
            part.replace(self._path / (key + ENDING))
        finally:
            part.unlink(missing_ok=True)
        self._unswept += len(value)
        self._sweep()

    def _is_ours(self, status: os.stat_result, path: Path) -> bool:
        """Return whether only this user can have written machine code there."""
        if not hasattr(os, "getuid") or (status.st_uid in (os.getuid(), 0) and not status.st_mode & stat.S_IWOTH):
            return True
        if not self._has_warned:
            self._has_warned = True
            warn_user(
                f"the compile cache {self._path} is not used: {path} belongs to another user or may be written by everyone. "
                "SPORAX_CACHE_DIR names another folder."
            )
        return False

    def _sweep(self) -> None:
        """Delete the least recently used files above the size limit: once an hour, or after many bytes were written."""
        mark, now = self._path / _MARK, time.time()
        if self._unswept < _SWEEP_BYTES and mark.exists() and now - mark.stat().st_mtime < _SWEEP_SECONDS:
            return
        mark.touch()
        self._unswept = 0
        files = []
        for entry in os.scandir(self._path):
            if entry.name.endswith((ENDING, ".part")):
                try:
                    status = entry.stat()
                except FileNotFoundError:  # another process sweeps as well
                    continue
                abandoned = entry.name.endswith(".part") and now - status.st_mtime > _SWEEP_SECONDS
                files.append((0 if abandoned else status.st_mtime_ns, status.st_size, entry.path))
        left = sum(size for _, size, _ in files)
        for used, size, path in sorted(files):
            if used and left <= self._most:
                break
            Path(path).unlink(missing_ok=True)
            left -= size


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\0" + content).digest()
