"""What a worker does: it loads its function, then answers tasks until the program closes the socket."""

from __future__ import annotations

import faulthandler
import hashlib
import mmap
import os
import random
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sporax._src.data import config, randomness
from sporax._src.data.row_calls import call_rows
from sporax._src.data.workers.absent import Absent, with_remedy
from sporax._src.data.workers.blocks import Block, Channel
from sporax._src.data.workers.pickles import opened, pickled_error

_NOTES = struct.Struct("<qq")  # the row that is being worked on, how many rows have begun
LOADING = -1  # the row while the function is loaded
ASK = signal.SIGUSR1  # tells a worker to write its stack into its trace


@dataclass
class Setup:
    """The first message: what the program's process is like."""

    path: list[str]
    settings: dict[str, Any]
    arguments: list[str]
    sizes: list[int]  # of the parts of the function's parcel


@dataclass
class Task:
    """Rows to work on. Their results go into the block number `slot`."""

    slot: int
    key: randomness.Key
    first: int
    items: list[Any]


@dataclass
class Failure:
    """An exception on its way to the program: its pickle, its text, those of its cause, and the traceback of the user's code."""

    error: bytes | None
    text: str
    cause: bytes | None
    cause_text: str | None
    trace: str
    row: int | None  # if the text names neither the operation nor the row


@dataclass
class Reply:
    """The answer to a task, as it travels."""

    results: list[Any]
    failure: Failure | None
    seconds: float


class Notes:
    """What a worker tells while it works: one page that the program maps, too."""

    SIZE = mmap.PAGESIZE

    def __init__(self, file: int) -> None:
        self._page = mmap.mmap(file, self.SIZE)

    def tell(self, row: int) -> None:
        """Write that a row begins."""
        _NOTES.pack_into(self._page, 0, row, self.read()[1] + 1)

    def read(self) -> tuple[int, int]:
        """Return the row that began last, and how many have begun."""
        row, begun = _NOTES.unpack_from(self._page)
        return row, begun


def serve(files: list[int]) -> None:
    """Answer tasks until the program closes the socket.

    Args:
        files: The socket, the notes, the trace, the parcel, the program's working folder, the blocks.
    """
    connection, notes_file, trace, parcel, folder, *blocks = files
    faulthandler.enable(file=trace)
    faulthandler.register(ASK, file=trace, all_threads=True)
    notes = Notes(notes_file)
    channel = Channel(socket.socket(fileno=connection), [Block(block) for block in blocks])
    try:
        notes.tell(LOADING)
        setup: Setup = channel.receive()
        os.fchdir(folder)
        function = _loaded(setup, parcel)
        while True:
            task: Task = channel.receive()
            channel.send(_answer(function, task, notes), task.slot)
            sys.stdout.flush()
            sys.stderr.flush()
    except (EOFError, BrokenPipeError):
        return


def _loaded(setup: Setup, parcel: int) -> Callable[[int, Any], Any]:
    sys.path[:], sys.argv[:] = setup.path, setup.arguments
    config._values.update(setup.settings)
    Absent.is_lenient = True
    try:
        return opened(parcel, setup.sizes)
    except Exception as error:
        return _Unloadable(error)
    finally:
        Absent.is_lenient = False


class _NotLoaded(RuntimeError):
    """A function could not be loaded."""


class _Unloadable:
    """Stands for a function that could not be loaded: the first row says why."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __call__(self, number: int, item: object) -> Any:
        raise _NotLoaded(f"could not load the function: {with_remedy(self._error)}") from self._error


def _answer(function: Callable[[int, Any], Any], task: Task, notes: Notes) -> Reply:
    def begin(number: int, item: Any) -> None:
        notes.tell(item if isinstance(item, int) else number)  # a source's own number, which a shuffle hides
        seed_by_row(task.key, number)

    answer = call_rows(function, task.key, task.first, task.items, begin)
    return Reply(
        answer.results, None if answer.error is None else failure_of(answer.error, notes.read()[0]), answer.seconds
    )


def seed_by_row(key: randomness.Key, row: int) -> None:
    """Seed `random` and `numpy.random`, so that what a function draws there depends on the row, not on the worker."""
    digest = hashlib.blake2b(struct.pack("<4q", *key, row), digest_size=4).digest()
    seed = int.from_bytes(digest, "little")
    random.seed(seed)
    np.random.seed(seed)


def failure_of(error: BaseException, row: int) -> Failure:
    """Return what the program is told about an exception at a row."""
    cause = error.__cause__
    trace = "".join(traceback.format_exception(cause or error)).rstrip()
    is_bare = isinstance(error, _NotLoaded) or not isinstance(error, Exception)
    text = with_remedy(error) if isinstance(error, Exception) else f"raised {type(error).__name__}: {error}"
    kept = None if is_bare or text != str(error) else pickled_error(error)
    at = row if is_bare else None
    if cause is None:
        return Failure(kept, text, None, None, trace, at)
    return Failure(kept, text, pickled_error(cause), str(cause), trace, at)
