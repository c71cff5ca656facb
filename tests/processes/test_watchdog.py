"""A process that gives no sign of life ends its run."""

import os
import socket
import subprocess
import sys

import jax
import pytest
from launching import PROGRAMS, free_port, launched

from sporax._src.processes import watchdog
from sporax._src.processes.world import World

PROGRAM = PROGRAMS / "failing.py"


def _line(text: str) -> str:
    return f"{PROGRAM}:{next(i for i, line in enumerate(PROGRAM.read_text().splitlines(), 1) if text in line)}"


def test_a_run_that_hangs_is_ended(monkeypatch):
    monkeypatch.setenv("SPORAX_HANG_SECONDS", "5")
    run = launched(PROGRAM, "wait")
    assert run.returncode == 1
    assert "sporax: this run hangs: for 5 s nothing has happened" in run.stdout
    assert f"process 0 waits for others, at {_line('waited for')}" in run.stdout
    assert f"process 1 waits for others, at {_line('# here')}" in run.stdout


def test_a_process_that_sleeps_is_left_alone(monkeypatch):
    monkeypatch.setenv("SPORAX_HANG_SECONDS", "5")
    run = launched(PROGRAM, "sleep")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("how", ["stop", "stop, and the sum is divided"])
def test_a_process_that_gives_no_sign_of_life_is_told(monkeypatch, how: str):
    monkeypatch.setenv("SPORAX_HANG_SECONDS", "5")
    run = launched(PROGRAM, how)
    told = f"sporax: process 1 on {socket.gethostname()} gives no sign of life: it has not reported for 5 s (SPORAX_HANG_SECONDS"
    assert run.returncode == 1 and told in run.stdout, run.stdout + run.stderr


@pytest.mark.parametrize("killed", [0, 1])
def test_who_is_lost_is_named_where_no_launcher_is(killed: int):
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    processes = [
        subprocess.Popen(
            [sys.executable, PROGRAM, f"kill {killed}"],
            env=os.environ | shared | {"RANK": str(rank)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for rank in range(2)
    ]  # fmt: skip
    printed = [process.communicate(timeout=200)[0] for process in processes]
    assert processes[killed].returncode < 0 and processes[1 - killed].returncode == 1, printed
    who = f"process {killed} on {socket.gethostname()} gives no sign of life"
    assert f"RuntimeError: an exchange with the other processes of the run failed; {who}" in printed[1 - killed]
    assert "terminate called" not in printed[1 - killed] and "recoverable" not in "".join(printed)


def test_a_service_that_cannot_be_reached_is_named(monkeypatch):
    def unreachable(name: str, seconds: float) -> bytes:
        raise jax.errors.JaxRuntimeError(f"UNAVAILABLE: {name}")

    monkeypatch.setattr(watchdog, "world", lambda: World("10.0.0.1:8118", 1, 2))
    monkeypatch.setattr(watchdog.store, "wait_for", unreachable)
    assert watchdog.lost() == "10.0.0.1:8118, where the processes meet, cannot be reached"
