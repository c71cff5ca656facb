"""Files that are written in the background: one after the other, each completely, all before the program ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from sporax._src.base.logging import warning

_pool: list[ThreadPoolExecutor] = []
_last: list[Future[None]] = []


def write_later(write: Callable[[], None]) -> None:
    """Write a file in the background, after the previous one is written; raise the error of the previous one.

    Python waits for the file before it ends, and logs an error of this file.
    """
    finish()
    if not _pool:
        _pool.append(ThreadPoolExecutor(1, "sporax-save"))
    future = _pool[0].submit(write)
    future.add_done_callback(_tell)
    _last[:] = [future]


def finish() -> None:
    """Wait until the last file is written; raise the error if it could not be written."""
    last, _last[:] = _last[:], []
    for future in last:
        future.result()


def is_writing() -> bool:
    """Return whether a file is being written."""
    return bool(_last) and not _last[0].done()


def _tell(future: Future[None]) -> None:
    if (error := future.exception()) is not None:
        warning("A checkpoint could not be written in the background: %s", error)
