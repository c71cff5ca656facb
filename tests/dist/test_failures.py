"""A process that fails, is killed or ends too early: all of them end, and the launcher's status tells."""

import socket

import pytest
from launching import PROGRAMS, launched


@pytest.mark.parametrize(
    ("how", "status", "told"),
    [
        ("raise", 1, "ValueError: no luck"),
        ("exit", 3, "process 1 ended with status 3; the others were ended."),
        ("kill", 137, "process 1 was ended by SIGKILL; the others were ended."),
        ("return", 1, "process 0 ended with status 1; the others were ended."),
    ],
)
def test_all_end_when_one_does(how: str, status: int, told: str):
    run = launched(PROGRAMS / "failing.py", how)
    assert run.returncode == status and told in run.stdout + run.stderr, run.stdout + run.stderr


def test_a_taken_port_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = launched("--master_port", port, PROGRAMS / "failing.py", "raise")
    assert run.returncode == 1
    assert f"cannot listen at 127.0.0.1:{port} (Address already in use); name another --master_port." in run.stderr


def test_more_processes_than_the_run_has_are_refused():
    run = launched("--local_worker_num", 3, PROGRAMS / "failing.py", "raise")
    assert run.returncode == 2 and "node 0 with 3 processes exceeds the run's 2" in run.stderr
