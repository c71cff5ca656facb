"""Files that are written while a program goes on: one after the other, each whole, all before the program ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from sporax._src.base.logging import warning

_pool: list[ThreadPoolExecutor] = []
_last: list[Future[None]] = []


def write_later(write: Callable[[], None]) -> None:
    """Have a file written, once the one before is; an error of that one is raised here.

    Python waits for the file before it ends, and what fails then is told.
    """
    finish()
    if not _pool:
        _pool.append(ThreadPoolExecutor(1, "sporax-save"))
    future = _pool[0].submit(write)
    future.add_done_callback(_tell)
    _last[:] = [future]


def finish() -> None:
    """Wait until the last file is written; raise the error if it could not be."""
    last, _last[:] = _last[:], []
    for future in last:
        future.result()


def is_writing() -> bool:
    """Tell whether a file is being written."""
    return bool(_last) and not _last[0].done()


def _tell(future: Future[None]) -> None:
    if (error := future.exception()) is not None:
        warning("A checkpoint could not be written in the background: %s", error)
