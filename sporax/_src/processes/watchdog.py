"""A thread that ends a run in which a process is lost, or all wait for others that will never come.

Processes report their activity to each other through the store of the run. A process that does not report for a while is lost.
A run hangs if all processes wait for others, and for a while none has been active: no computation, and no input or output.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import sys
import threading
import time
import weakref
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import jax

from sporax._src.base.command_line import is_other_command
from sporax._src.base.config import environ, give_to_children
from sporax._src.base.errors import user_line
from sporax._src.processes import rendezvous, store
from sporax._src.processes.dry_run import prepare_devices
from sporax._src.processes.run_secret import ForeignEntry
from sporax._src.processes.world import APART, COORDINATOR, is_joined, scheduler, world

_LOOK = 1.0  # seconds between checks
_TELL = 4.0  # seconds between reports
_BUSY = 0.05  # share of a core that an active process uses; heartbeats and this thread use less
_MOVES = 8  # switches of the main thread in a second: reading a file or a socket makes more
_PATIENCE = 20.0  # seconds
_SILENCE = 60.0  # seconds without a report after which a process has failed
_ENDED = b"ended"
_NO_LINE = "no line of the program"
_REPORTS = Path("/proc/self/task")  # Linux only: what a process reports of itself

waiting_files = {store.__file__}  # files of functions in which a process may wait for others
_last: list[weakref.ref[Any]] = []  # results of the last collective function; a reference would keep it from donation


class _State(NamedTuple):
    """The report of a process.

    Attributes:
        beat: The number of its reports.
        still: Whether it has been inactive for a while.
        waits: Whether it waits for others.
        line: The current line of its program.
    """

    beat: int
    still: bool
    waits: bool
    line: str


class _Seen(NamedTuple):
    """The last report of a process: its number, and when it was seen first."""

    beat: int
    since: float


def note_launch(results: object) -> None:
    """Record the results of a collective function, which are ready once the processes have exchanged values."""
    _last[:] = [weakref.ref(x) for x in jax.tree.leaves(results) if isinstance(x, jax.Array)]


def join_run() -> None:
    """Join the run that the environment names, if any, and watch it until this process ends.

    A command such as `sporax launch` stays apart, also below a batch system, and so do the processes that it starts.
    The environment variable SPORAX_HANG_SECONDS is the time limit of inactivity; 0: no limit.
    """
    if is_joined():
        return
    prepare_devices()
    if is_other_command(sys.orig_argv, sys.argv):
        give_to_children(COORDINATOR, APART)
        return
    if environ("MS_ROLE") == "MS_SCHED" and environ("MS_SCHED_HOST"):
        os._exit(_schedule(*scheduler()))  # the program itself does not run here
    parent = os.getppid() if environ(COORDINATOR) else None
    rendezvous.join()
    if not is_joined() or world().size == 1:
        return
    if not _REPORTS.exists():
        return
    seconds = float(environ("SPORAX_HANG_SECONDS") or _PATIENCE) or math.inf
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(seconds, ended, parent), daemon=True, name="sporax watchdog")
    watcher.start()

    def stop() -> None:
        ended.set()
        watcher.join()
        store.put(_key(world().rank), _ENDED)
        if world().hosts and not hasattr(sys, "last_value"):  # an error here ends it for the others too
            _wait_for_ends(set(range(world().size)))

    atexit.register(stop)


def lost() -> str:
    """Return which processes of the run report no more, after a look at the reports of all; empty if none is known to be lost.

    `sporax launch` says so itself, at once.
    """
    if world().is_launched or not _REPORTS.exists():
        return ""
    ranks = [rank for rank in range(world().size) if rank != world().rank]
    try:
        before = {rank: store.wait_for(_key(rank), _LOOK) for rank in ranks}
        time.sleep(2 * _TELL + _LOOK)
        after = {rank: store.wait_for(_key(rank), _LOOK) for rank in ranks}
    except jax.errors.JaxRuntimeError:
        return f"{world().address}, where the processes meet, cannot be reached"
    return "; ".join(_lost(rank, after[rank]) for rank in ranks if after[rank] in (before[rank], _ENDED))


def _lost(rank: int, entry: bytes | None) -> str:
    name = f"process {rank} on {store.host_of(rank)}"
    if entry == _ENDED:
        return f"{name} has ended"
    line = "" if entry is None else _State(*json.loads(entry)).line
    return f"{name} gives no sign of life; it was at {line or _NO_LINE}"


def _schedule(address: str, processes: int) -> int:
    """Host the service of processes that were started by hand, until they end; return the exit status: 0 if all ended well."""
    rendezvous.host(address, processes + 1)
    rendezvous.connect(address, processes, processes, processes + 1)
    return int(not _wait_for_ends(set(range(processes))))


def _wait_for_ends(left: set[int]) -> bool:
    """Wait until processes have ended, and return True, or print that one is lost and return False; they need the service."""
    seen: dict[int, tuple[bytes | None, float]] = {}
    while left:
        time.sleep(_LOOK)
        for rank in list(left):
            state, before = store.wait_for(_key(rank), _LOOK), seen.get(rank)
            if before is None or state != before[0]:
                seen[rank] = state, time.monotonic()
            elif time.monotonic() - before[1] > _SILENCE:
                print(f"sporax: process {rank} gives no sign of life", file=sys.stderr)
                return False
            if state == _ENDED:
                left.discard(rank)
    return True


def _watch(patience: float, ended: threading.Event, parent: int | None) -> None:
    beat, reported, seen = 0, 0.0, {}
    before, moved = _activity(), time.monotonic()
    while not ended.wait(_LOOK):
        now = _activity()
        if _happens(before, now):
            moved = time.monotonic()
        before = now
        if parent is not None and os.getppid() != parent:
            _end("the launcher of this run has ended")
        still = time.monotonic() - moved > patience
        if now[0] - reported < _TELL:
            continue
        beat, reported = beat + 1, now[0]
        try:
            store.put(_key(world().rank), json.dumps(_own_state(beat, still)).encode())
            if still:
                _look_at_others(patience, seen)
        except ForeignEntry as error:
            _end(str(error))
        except jax.errors.JaxRuntimeError as error:
            _end(f"{world().address}, where the processes of this run meet, cannot be reached: {error}")


def _activity() -> tuple[float, float, int, bool]:
    """Return the time, seconds of computation, context switches of the main thread, and whether it waits for a disk."""
    folder = _REPORTS / str(os.getpid())
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    switches = int(status["voluntary_ctxt_switches"]) + int(status["nonvoluntary_ctxt_switches"])
    return time.monotonic(), time.process_time(), switches, status["State"].split()[0] == "D"


def _happens(before: tuple[float, float, int, bool], now: tuple[float, float, int, bool]) -> bool:
    seconds = now[0] - before[0]
    return now[3] or now[1] - before[1] > _BUSY * seconds or now[2] - before[2] > _MOVES * seconds


def _own_state(beat: int, still: bool) -> _State:
    """Return the report of this process. It does not keep the main thread's frame, whose arrays could not be donated."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    return _State(beat, still, _waits(frame), user_line(frame))


def _waits(frame: FrameType | None) -> bool:
    """Return whether a launched function is not finished, or the main thread is in a function that waits for others."""
    if any(map(_is_awaited, _last.copy())):
        return True
    while frame is not None and frame.f_code.co_filename not in waiting_files:
        frame = frame.f_back
    return frame is not None


def _is_awaited(result: weakref.ref[Any]) -> bool:
    array = result()
    try:
        return array is not None and not array.is_deleted() and not array.is_ready()
    except RuntimeError:  # the program has donated it since
        return False


def _key(rank: int) -> str:
    return f"sporax/states/{rank}"


def _look_at_others(patience: float, seen: dict[int, _Seen]) -> None:
    """End the run if a process gives no sign of life, or all wait for others; one that sleeps or waits for a program is alive."""
    states: dict[int, _State | None] = {}
    for rank in range(world().size):
        entry = store.wait_for(_key(rank), _LOOK)
        states[rank] = state = None if entry in (None, _ENDED) else _State(*json.loads(entry))
        if state is None:
            seen.pop(rank, None)  # it has not begun to report, or has ended
        elif rank not in seen or state.beat != seen[rank].beat:
            seen[rank] = _Seen(state.beat, time.monotonic())
        elif time.monotonic() - seen[rank].since > patience:
            _end(
                f"process {rank} on {store.host_of(rank)} gives no sign of life: it has not reported for {patience:.0f} s "
                f"(SPORAX_HANG_SECONDS sets this time). It was at {state.line or _NO_LINE}"
            )
    going = {rank: state for rank, state in states.items() if state is not None}
    if not all(state.still and state.waits for state in going.values()) or world().rank != min(going):
        return  # the first one reports
    lines = [f"  process {rank} {_described(state)}" for rank, state in states.items()]
    head = f"this run hangs: for {patience:.0f} s nothing has happened (SPORAX_HANG_SECONDS sets this time)"
    _end("\n".join([head, *lines]))


def _described(state: _State | None) -> str:
    return "has ended" if state is None else f"waits for others, at {state.line or _NO_LINE}"


def _end(why: str) -> None:
    try:
        sys.stdout.flush()
        print(f"sporax: {why}", file=sys.stderr, flush=True)
    finally:  # also where the launcher that reads the output is gone
        os._exit(1)
