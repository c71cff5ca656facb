"""A process that gives no sign of life ends its run."""

import socket

import pytest
from launching import PROGRAMS, launched

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
