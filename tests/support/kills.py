"""Kills a training run again and again, and compares what comes of it with the run that was left alone."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import sporax as ms

RUN = Path(__file__).with_name("killed_run.py")


def killed(folder: Path, mode: str, epochs: int, kills: int, rng: random.Random, last: float) -> dict[str, int]:
    """Train alone, and killed so many times at random moments; return how many kills fell, and steps were done.

    Args:
        folder: Where files go.
        mode: `"graph"` or `"pynative"`.
        epochs: How many.
        kills: How often the run is killed, if it does not end before.
        rng: What chooses the moments.
        last: The most seconds after the first new step.

    Raises:
        AssertionError: If a file is not whole, or the run ends otherwise than the one left alone.
    """
    alone, folder = folder / "alone", folder / "killed"
    for path in (alone, folder):
        (path / "files").mkdir(parents=True)
    assert _start(alone, mode, epochs, seed=1).wait(timeout=600) == 0
    fallen = 0
    while True:
        count = len(_lines(folder))
        is_saved = any((folder / "files").glob("*.ckpt"))
        process = _start(folder, mode, epochs, seed=1 + fallen * is_saved)  # a file has its own random numbers
        if fallen < kills:
            _wait_for_a_step(process, folder, count)
            time.sleep(rng.uniform(0, last))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
        if process.wait(timeout=600) == 0:
            break
        assert process.returncode == -signal.SIGKILL, process.returncode
        fallen += 1
        _check_files(folder)
    _check_same(alone, folder)
    return {"kills": fallen, "steps": len(_lines(alone)), "steps done": len(_lines(folder))}


def _start(folder: Path, mode: str, epochs: int, seed: int) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, str(RUN), str(folder), mode, str(epochs), str(seed)])


def _lines(folder: Path) -> list[str]:
    steps = folder / "steps"
    return steps.read_text().splitlines() if steps.exists() else []


def _wait_for_a_step(process: subprocess.Popen, folder: Path, count: int) -> None:
    while process.poll() is None and len(_lines(folder)) == count:
        time.sleep(0.002)


def _check_files(folder: Path) -> None:
    """Load every file: a kill leaves none that is not whole."""
    for path in (folder / "files").glob("*.ckpt"):
        assert ms.load_checkpoint(str(path)), path


def _check_same(alone: Path, folder: Path) -> None:
    """Compare each step's loss, however often it was done, and the weights, moments and scale at the end."""
    expected = dict(line.split() for line in _lines(alone))
    for line in _lines(folder):
        step, loss = line.split()
        assert loss == expected[step], f"step {step}"
    assert {line.split()[0] for line in _lines(folder)} == expected.keys()
    with np.load(alone / "end.npz") as left, np.load(folder / "end.npz") as came:
        assert left.files == came.files
        for name in left.files:
            np.testing.assert_array_equal(came[name], left[name], err_msg=name)
