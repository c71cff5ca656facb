"""What four processes exchange: values and gradients, in both modes, in groups of any processes."""

import pytest
from launching import PROGRAMS, launched


@pytest.mark.parametrize("program", ["collectives.py", "messages.py"])
def test_what_four_processes_exchange(program):
    run = launched(PROGRAMS / program, processes=4)
    assert run.returncode == 0, run.stdout + run.stderr
    assert sorted(line for line in run.stdout.splitlines() if "all right" in line) == [
        f"[{i}] all right" for i in range(4)
    ]


def test_a_process_ends_once_the_other_one_has_received_or_ended():
    run = launched(PROGRAMS / "unread.py", processes=2)
    assert run.returncode == 0, run.stdout + run.stderr
    assert [line for line in run.stdout.splitlines() if "all right" in line] == ["[1] all right"]


def test_a_process_that_an_error_ends_waits_for_no_receiver():
    run = launched(PROGRAMS / "unread.py", "raise", processes=2)
    assert run.returncode == 1 and "ValueError: no luck" in run.stdout
    assert "this run hangs" not in run.stdout + run.stderr, run.stdout + run.stderr


def test_a_message_that_nobody_receives_hangs_no_run(monkeypatch):
    monkeypatch.setenv("SPORAX_HANG_SECONDS", "6")
    run = launched(PROGRAMS / "unread.py", "exit", processes=2)
    assert run.returncode == 1 and "this run hangs: for 6 s nothing has happened" in run.stdout + run.stderr
