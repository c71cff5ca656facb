"""Collective operators of four processes: values and gradients, in both modes, in groups of any processes."""

from launching import PROGRAMS, launched


def test_operators_in_groups_of_any_processes():
    run = launched(PROGRAMS / "collectives.py", processes=4)
    assert run.returncode == 0, run.stdout + run.stderr
    assert sorted(line for line in run.stdout.splitlines() if "all right" in line) == [f"[{i}] all right" for i in range(4)]
