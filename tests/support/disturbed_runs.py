"""Disturbs a training that restarts itself by signals at random moments, and compares it with one that was left alone."""

import os
import random
import signal
import subprocess
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from launching import PROGRAMS, command

PROGRAM = PROGRAMS / "killed.py"
HANG = 6  # seconds after which a stopped process is lost
LAST = 90  # seconds within which a disturbed run must train again or end
HOW = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "end": signal.SIGTERM, "end all": signal.SIGTERM}


def disturbed(
    folder: Path, size: int, epochs: int, times: int, rng: random.Random, until: float = np.inf
) -> dict[str, int]:
    """Train on so many processes, disturbed so many times; return how often each way was used, and how often it started.

    Args:
        folder: Where files go.
        size: How many processes.
        epochs: How many.
        times: How often a process gets a signal.
        rng: What chooses the process, the way and the moment.
        until: When `time.monotonic` is greater, no process gets a signal any more.

    Raises:
        AssertionError: If the weights differ from those of the run left alone, or processes have trained different epochs.
    """
    alone, here = folder / "alone", folder / "disturbed"
    alone.mkdir(parents=True), here.mkdir()
    assert _start(alone, size, epochs, 0).wait(timeout=300) == 0
    ways: Counter[str] = Counter()
    starts, run = 1, _start(here, size, epochs, 0)
    while sum(ways.values()) < times and time.monotonic() < until:
        pids = _pids(here, size, run)
        if pids is None:
            break  # the training has ended
        time.sleep(rng.uniform(0, 2.5))
        way = rng.choice(list(HOW))
        for file in here.glob("pid_*"):
            file.unlink()
        try:
            os.kill(run.pid if way == "end all" else rng.choice(pids), HOW[way])
        except ProcessLookupError:
            continue
        ways[way] += 1
        if way == "end all":
            status = run.wait(timeout=LAST)
            if status == 0:
                break  # the training had ended
            are_gone = not any(Path(f"/proc/{pid}").exists() for pid in pids)
            # Once its processes have ended, the launcher is ended by the signal itself.
            assert status in (75, 128 + signal.SIGTERM) or (status == -signal.SIGTERM and are_gone), _described(
                here, f"the launcher has ended with status {status}"
            )
            run, starts = _start(here, size, epochs, starts), starts + 1
    assert run.wait(timeout=300) == 0
    _check_weights(alone, here, size)
    _check_epochs(here, size)
    return {**ways, "starts of the launcher": starts}


def _start(folder: Path, size: int, epochs: int, number: int) -> subprocess.Popen:
    variables = os.environ | {"STARTED": str(number), "SPORAX_HANG_SECONDS": str(HANG)}
    with (folder / "log").open("ab") as log:
        start = command("--max_restarts", 1000, "--grace", 20, PROGRAM, folder, epochs, processes=size)
        return subprocess.Popen(start, env=variables, stdout=log, stderr=log)


def _described(folder: Path, what: str) -> str:
    """Return a text with what was printed last."""
    return "\n".join([what, *(folder / "log").read_text(errors="replace").splitlines()[-40:]])


def _pids(folder: Path, size: int, run: subprocess.Popen) -> list[int] | None:
    """Wait until all processes have started, and return their numbers; None if the run ends instead."""
    until = time.monotonic() + LAST
    while len(files := list(folder.glob("pid_*"))) < size or not all(file.read_text() for file in files):
        if run.poll() == 0:
            return None
        assert run.poll() is None, _described(folder, f"the run has ended with status {run.poll()}")
        assert time.monotonic() < until, _described(folder, "the run does not start again")
        time.sleep(0.05)
    return [int(file.read_text()) for file in files]


def _check_weights(alone: Path, here: Path, size: int) -> None:
    expected = np.load(alone / "end_0.npz")
    for rank in range(size):
        found = np.load(here / f"end_{rank}.npz")
        assert all(np.array_equal(found[name], expected[name]) for name in expected.files), f"weights of process {rank}"


def _check_epochs(folder: Path, size: int) -> None:
    """Check that processes that started together trained the same epochs; one may be a step ahead when it is ended."""
    trained: defaultdict[str, list[list[str]]] = defaultdict(lambda: [[] for _ in range(size)])
    for rank in range(size):
        for line in (folder / f"steps_{rank}").read_text().splitlines():
            start, epoch = line.split()
            trained[start][rank].append(epoch)
    for start, ranks in trained.items():
        longest = max(ranks, key=len)
        for epochs in ranks:
            assert epochs == longest[: len(epochs)] and len(longest) - len(epochs) <= 1, (start, ranks)
