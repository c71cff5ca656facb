"""Faults of worker processes at random rows: each is one clear error within seconds, and leaves nothing behind."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import sporax.dataset as ds
from sporax._src.data.workers import starting

ROWS = 40
PATIENCE = 2  # seconds that a row may take which hangs
LIMIT = 20.0  # seconds until the error, on a busy machine


def exits(row: int) -> None:
    """End the process without a word."""
    os._exit(3)


def is_killed(row: int) -> None:
    """Be killed, as by a system without memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def crashes(row: int) -> None:
    """Be ended by the system for an access to memory that is not there."""
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs(row: int) -> None:
    """Wait for what never comes."""
    time.sleep(3600)


def stops(row: int) -> None:
    """Be stopped, so that not even signals are answered."""
    os.kill(os.getpid(), signal.SIGSTOP)


def raises(row: int) -> None:
    """Raise an exception."""
    raise KeyError(f"row {row} is bad")


def leaves(row: int) -> None:
    """Ask Python to end."""
    raise SystemExit(4)


FAULTS: dict[str, tuple[Callable[[int], None], str]] = {
    "exit": (exits, r"worker \d \(process \d+\) ended with exit code 3 at (row|batch) {row}\."),
    "kill": (is_killed, r"worker \d \(process \d+\) was killed by SIGKILL, .* at (row|batch) {row}\."),
    "crash": (crashes, r"worker \d \(process \d+\) was killed by SIGSEGV at (row|batch) {row}\."),
    "hang": (hangs, r"worker \d \(process \d+\) has been at (row|batch) {row} for more than 2 seconds .*\n.* in hangs"),
    "stop": (stops, r"worker \d \(process \d+\) has been at (row|batch) {row} for more than 2 seconds"),
    "exception": (raises, r"raised KeyError at (row|batch) {row}: 'row {row} is bad'"),
    "SystemExit": (leaves, r"worker \d \(process \d+\) at (row|batch) {row}: it raised SystemExit: 4"),
}


class Source:
    """Rows of which one has a fault."""

    def __init__(self, at: int, fault: Callable[[int], None]) -> None:
        self.at, self.fault = at, fault

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int) -> Any:
        if index == self.at:
            self.fault(index)
        return np.full(1000, index)


def dataset(kind: str, at: int, fault: Callable[[int], None], workers: int) -> Any:
    """Return a dataset whose row or batch number `at` has a fault, in one of three operations."""
    plain = ds.NumpySlicesDataset(np.arange(ROWS), ["x"], shuffle=False)
    options: dict[str, Any] = {"num_parallel_workers": workers, "python_multiprocessing": True}
    if kind == "GeneratorDataset":
        return ds.GeneratorDataset(Source(at, fault), ["x"], shuffle=False, **options)

    def called(value: Any, info: Any = None) -> Any:
        if (int(value) if info is None else info.get_batch_num()) == at:
            fault(at)
        return value

    if kind == "Dataset.map":
        return plain.map(called, ["x"], **options)
    return plain.batch(1, per_batch_map=called, **options)


KINDS = ("GeneratorDataset", "Dataset.map", "Dataset.batch")


def left_behind(collects: bool = True) -> dict[str, Any]:
    """Return what a fault could leave: processes, open files, threads of datasets, shared memory."""
    if collects:
        gc.collect()
    server = starting._server
    children = []
    if server is not None:
        told = subprocess.run(["ps", "-o", "pid=", "--ppid", str(server._process.pid)], capture_output=True, text=True)
        children = told.stdout.split()
    return {
        "processes": children,
        "files": len(os.listdir("/proc/self/fd")),
        "threads": [thread.name for thread in threading.enumerate() if thread.name.startswith("dataset")],
        "shared memory": sorted(path.name for path in Path("/dev/shm").iterdir() if "sporax" in path.name),
    }


def raised(random: Random, name: str) -> tuple[str, str, float]:
    """Return the operation of a fault at a random row, the row's number in a pattern of the message, and the seconds it took.

    Args:
        random: What chooses the operation, the row, and the number of workers.
        name: The fault.

    Raises:
        AssertionError: If there is no error, another one, or the rows before it are not those of the dataset.
    """
    fault, pattern = FAULTS[name]
    kind, at, workers = random.choice(KINDS), random.randrange(ROWS), random.choice([2, 2, 1])
    workers = 2 if kind == "GeneratorDataset" else workers  # a single one is the program's thread
    rows = dataset(kind, at, fault, workers).create_tuple_iterator(output_numpy=True, num_epochs=2)
    seen, began = [], time.monotonic()
    try:
        for row in rows:
            seen.append(int(np.ravel(row[0])[0]))
    except RuntimeError as error:
        text = str(error)
        notes = [*getattr(error, "__notes__", ()), *getattr(error.__cause__, "__notes__", ())]
    else:
        raise AssertionError(f"{name} of {kind} at {at}: no error")
    seconds = time.monotonic() - began
    rows.stop()
    assert seen == list(range(len(seen))) and len(seen) <= at, (name, kind, at, seen)
    assert kind in text and _matches(pattern.replace("{row}", str(at)), text), (name, kind, at, text)
    if name in ("exception", "SystemExit"):
        assert any("Traceback" in note and f"in {fault.__name__}" in note for note in notes), notes
    assert seconds < LIMIT, (name, kind, seconds)
    return kind, text, seconds


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.DOTALL) is not None


def check(random: Random, name: str) -> dict[str, Any]:
    """Cause a fault, and see that it is one error and leaves nothing behind; return how long that took."""
    starting.prepare()
    before = left_behind()
    kept = ds.config.get_multiprocessing_timeout_interval()
    ds.config.set_multiprocessing_timeout_interval(PATIENCE if name in ("hang", "stop") else 60)
    try:
        kind, _, seconds = raised(random, name)
    finally:
        ds.config.set_multiprocessing_timeout_interval(kept)
    after = left_behind()
    assert after == before, (name, kind, before, after)
    return {"operation": kind, "seconds": seconds}


def slow(value: Any) -> Any:
    """Return a value after some milliseconds."""
    time.sleep(0.003)
    return value


def check_kill(random: Random, whom: str) -> dict[str, Any]:
    """Kill a worker, or the process that forks workers, from outside at a random moment.

    Args:
        random: What chooses the moment.
        whom: `"worker"` or `"fork server"`.
    """
    starting.prepare()
    server = starting._server
    assert server is not None
    before = left_behind()
    data = ds.NumpySlicesDataset(np.arange(200), ["x"], shuffle=False)
    rows = data.map(slow, num_parallel_workers=2, python_multiprocessing=True).create_tuple_iterator(output_numpy=True)
    seen = [int(next(rows)[0])]
    victim = random.choice(left_behind()["processes"]) if whom == "worker" else server._process.pid
    timer = threading.Timer(random.random() * 0.2, os.kill, (int(victim), signal.SIGKILL))
    timer.start()
    began = time.monotonic()
    try:
        seen += [int(row[0]) for row in rows]
    except RuntimeError as error:
        seconds = time.monotonic() - began
        how = (
            "was killed by SIGKILL"
            if whom == "worker"
            else r"(was killed by SIGKILL|ended with the process that starts)"
        )
        assert _matches(
            rf"Dataset\.map\(.*\): worker \d \(process \d+\) {how}.* (at row \d+|between two rows|while it)", str(error)
        ), error
    else:
        raise AssertionError("no error")
    finally:
        timer.join()
        rows.stop()
    position = rows.get_state()["step"]
    again = data.map(slow, num_parallel_workers=2, python_multiprocessing=True).create_tuple_iterator(output_numpy=True)
    again.set_state(rows.get_state())
    assert [int(row[0]) for row in again] == list(range(position, 200))  # with new workers
    again.stop()
    after = left_behind()
    assert after == before, (whom, before, after)
    return {"seconds": seconds, "rows": position}


PROGRAM = """
import os, signal, sys, time
import numpy as np
import sporax.dataset as ds
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
call = lambda x: time.sleep(3600 if hangs and x > 3 else 0.01) or x
hangs, end = bool(int(sys.argv[2])), sys.argv[1]
data = ds.NumpySlicesDataset(np.arange(1000), ['x'], shuffle=False).map(call, num_parallel_workers=2, python_multiprocessing=True)
rows = data.create_tuple_iterator(output_numpy=True, num_epochs=1)
next(rows)
from sporax._src.data.workers import starting
print(starting._server._process.pid, flush=True)
if end == 'exit':
    sys.exit(5)
if end == 'os._exit':
    os._exit(5)
if end == 'exception':
    raise ValueError('of the training')
for row in rows:
    pass
"""
ENDS = {
    "exit": 5,
    "os._exit": 5,
    "exception": 1,
    "SIGINT": -signal.SIGINT,
    "SIGTERM": -signal.SIGTERM,
    "SIGKILL": -signal.SIGKILL,
}


def check_end(random: Random, end: str, python: str) -> dict[str, Any]:
    """End a program while its workers work, or hang, and see that none of its processes is left.

    Args:
        random: What chooses the moment of a signal, and whether workers hang.
        end: How the program ends.
        python: The Python that runs it.
    """
    command = [python, "-W", "error", "-c", PROGRAM, end, str(int(random.random() < 0.5))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            server = int(process.stdout.readline())
            if end.startswith("SIG"):
                time.sleep(random.random() * 0.5)
                process.send_signal(signal.Signals[end])
            began = time.monotonic()
            _, told = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == ENDS[end], (end, process.returncode, told)
    assert all(word not in told for word in ("resource_tracker", "ResourceWarning", "Exception ignored")), told
    deadline = time.monotonic() + LIMIT
    while (left := group(server)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left, (end, left)
    return {"seconds": time.monotonic() - began}


def group(server: int) -> list[str]:
    """Return the processes of the session that a fork server leads."""
    told = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(server)], capture_output=True, text=True).stdout
    return [line for line in told.splitlines() if " Z" not in line]
