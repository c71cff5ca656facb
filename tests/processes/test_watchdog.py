"""A process that gives no sign of life ends its run."""

from launching import PROGRAMS, launched

PROGRAM = PROGRAMS / "failing.py"


def _line(text: str) -> str:
    return f"{PROGRAM}:{next(i for i, line in enumerate(PROGRAM.read_text().splitlines(), 1) if text in line)}"


def test_a_run_that_hangs_is_ended(monkeypatch):
    monkeypatch.setenv("SPORAX_HANG_SECONDS", "5")
    run = launched(PROGRAM, "sleep")
    assert run.returncode == 1
    assert "sporax: this run hangs: for 5 s nothing has happened" in run.stdout
    assert f"process 0 waits for others, at {_line('waited for')}" in run.stdout
    assert f"process 1 waits for nobody, at {_line('# here')}" in run.stdout


def test_a_process_that_gives_no_sign_of_life_is_told(monkeypatch):
    monkeypatch.setenv("SPORAX_HANG_SECONDS", "5")
    run = launched(PROGRAM, "stop")
    assert run.returncode == 1 and "process 1 gives no sign of life" in run.stdout, run.stdout + run.stderr
