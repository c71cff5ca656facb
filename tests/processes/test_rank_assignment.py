"""Processes that a script starts itself in the roles of MindSpore's cluster, as its own tests of data parallelism do."""

import os
import subprocess
import sys
import time

from launching import PROGRAMS, free_port


def _start(role: str, port: int) -> subprocess.Popen:
    named = {"MS_WORKER_NUM": "2", "MS_SCHED_HOST": "127.0.0.1", "MS_SCHED_PORT": str(port), "MS_ROLE": role}
    command = [sys.executable, "-m", "sporax", "run", str(PROGRAMS / "by_hand.py")]
    return subprocess.Popen(command, env=os.environ | named, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_workers_get_numbers_and_the_scheduler_ends_with_them():
    port = free_port()
    started = [_start(role, port) for role in ("MS_SCHED", "MS_WORKER", "MS_WORKER")]
    told = [process.communicate(timeout=200) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], told
    found = sorted(line for out, _ in told for line in out.splitlines() if line.startswith("process"))
    assert found == ["process 0 of 2 [3.0]", "process 1 of 2 [3.0]"]


def test_a_third_worker_of_two_is_refused():
    port = free_port()
    started = [_start("MS_WORKER", port) for _ in range(3)]
    try:
        refused = _ended_first(started)
    finally:
        for process in started:
            process.kill()
    told = [p.communicate()[1] for p in started]
    assert len(refused) == 1
    assert f"the run at 127.0.0.1:{port} already has all of its 2 processes (MS_WORKER_NUM)." in "".join(told)


def _ended_first(started: list[subprocess.Popen]) -> list[subprocess.Popen]:
    """Return those that have ended a second after the first one has."""
    deadline = time.monotonic() + 60
    while all(process.poll() is None for process in started) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    return [process for process in started if process.poll() is not None]
