"""Kills one of two training processes again and again, and compares what comes of the run with one that was left alone."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from launching import free_port

RUN = Path(__file__).with_name("rank_run.py")
LAST = 30  # seconds within which all processes of a run must have ended
ON = 3  # steps of a run that is resumed on another number of processes


def killed(
    folder: Path, kills: int, rng: random.Random, others: dict[int, int], minutes: float = np.inf
) -> dict[str, object]:
    """Train on two processes, one of which is killed so many times; return what happened.

    Args:
        folder: Where files go.
        kills: How often.
        rng: What chooses the process and the moment.
        others: After which kills, counted from 1, the run goes on for some steps on another number of processes.
        minutes: After how many no process is killed any more.

    Raises:
        AssertionError: If processes go on after a kill, or losses are not those of the run left alone.
    """
    here, alone = folder / "killed", folder / "alone"
    here.mkdir(parents=True), alone.mkdir()
    longest = 0.0
    resumed: dict[int, int] = {}
    end, kill = time.monotonic() + 60 * minutes, 0
    while kill < kills and time.monotonic() < end:
        kill += 1
        longest = max(longest, _kill_one(here, rng))
        if kill in others:
            size = others[kill]
            assert _start(here, size, _next_step(here) + ON).wait(timeout=600) == 0
            resumed[size] = resumed.get(size, 0) + 1
    steps = _next_step(here) + ON
    assert _start(here, 2, steps).wait(timeout=600) == 0
    assert _start(alone, 2, steps).wait(timeout=1200) == 0
    return {
        "kills": kill, "seconds from a kill to the end of all, at most": round(longest, 1),
        "steps": steps, "steps done": len(_losses(here)), "resumed on": {2: kill, **resumed},
        "largest relative difference of a loss": _largest_difference(alone, here, steps),
    }  # fmt: skip


def _start(folder: Path, size: int, steps: int, pause: float = 0.0) -> subprocess.Popen:
    for file in folder.glob("pid_*"):
        file.unlink()
    command = [sys.executable, "-m", "sporax", "launch", "-n", size, "--master_port", free_port(), RUN]
    command += ["train", folder, steps, pause]
    return subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _kill_one(folder: Path, rng: random.Random) -> float:
    """Start a run, kill one of its two processes as it begins or between later steps; return how long the others went on."""
    before = len(_losses(folder))
    run = _start(folder, 2, 10**6, pause=0.005)
    pids = _wait(lambda: sorted(folder.glob("pid_*")) if len(list(folder.glob("pid_*"))) == 2 else None, run)
    if rng.random() < 0.7:
        _wait(lambda: len(_losses(folder)) > before, run)
    time.sleep(rng.uniform(0, 1))
    numbers = [int(file.read_text()) for file in pids]
    os.kill(rng.choice(numbers), signal.SIGKILL)
    at = time.monotonic()
    assert run.wait(timeout=LAST) != 0
    while any(Path(f"/proc/{number}").exists() for number in numbers):
        assert time.monotonic() - at < LAST, "a process goes on"
        time.sleep(0.05)
    return time.monotonic() - at


def _wait(found: object, run: subprocess.Popen) -> object:
    while not (value := found()):  # type: ignore[operator]
        assert run.poll() is None, "the run has ended by itself"
        time.sleep(0.02)
    return value


def _losses(folder: Path) -> list[tuple[int, int, float]]:
    file = folder / "steps"
    lines = file.read_text().splitlines() if file.exists() else []
    return [(int(step), int(size), float(loss)) for step, size, loss in (line.split() for line in lines)]


def _next_step(folder: Path) -> int:
    done = _losses(folder)
    return done[-1][0] + 1 if done else 0


def _largest_difference(alone: Path, folder: Path, steps: int) -> float:
    expected = {step: loss for step, _, loss in _losses(alone)}
    found = _losses(folder)
    assert {step for step, _, _ in found} == set(expected) == set(range(steps))
    return float(max(abs(loss - expected[step]) / expected[step] for step, _, loss in found))


def dispatched(folder: Path, steps: int) -> dict[str, object]:
    """Start a run of two processes twice, which dispatches steps without waiting; return what the second one tells."""
    told = []
    for _ in range(2):
        command = [sys.executable, "-m", "sporax", "launch", "-n", 2, "--master_port", free_port(), RUN]
        environment = os.environ | {"SPORAX_CACHE_DIR": str(folder / "cache"), "JAX_EXPLAIN_CACHE_MISSES": "1"}
        run = subprocess.run(
            [*map(str, [*command, "many", folder, steps, 0])],
            env=environment,
            capture_output=True,
            text=True,
            timeout=1200,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        missed = [line for line in run.stdout.splitlines() if "PERSISTENT COMPILATION CACHE MISS" in line]
        told.append([json.loads((folder / f"end_{rank}.json").read_text()) for rank in range(2)])
    if any(rank["compiled"] for rank in told[1]):
        print("\n".join(missed), *sorted(path.name for path in (folder / "cache").iterdir()), sep="\n")
    assert all(np.isfinite(rank["loss"]) for start in told for rank in start)
    return {
        "steps": steps,
        "seconds": round(max(rank["seconds"] for rank in told[1]), 1),
        "graphs compiled by each process at the first start": [rank["compiled"] for rank in told[0]],
        "at the second": [rank["compiled"] for rank in told[1]],
    }
