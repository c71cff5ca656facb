"""Which processes run a program, and which are other commands of sporax."""

import pytest

from sporax._src.base.command_line import is_other_command, runs_a_program


@pytest.mark.parametrize(
    ("command", "argv", "runs", "is_other"),
    [
        (["python", "/bin/sporax", "train.py"], ["/bin/sporax", "train.py"], True, False),
        (["python", "-m", "sporax", "run", "train.py"], ["-m", "run", "train.py"], True, False),
        (["python", "-m", "sporax", "launch", "train.py"], ["-m", "launch", "train.py"], False, True),
        (["python", "/bin/sporax", "--version"], ["/bin/sporax", "--version"], False, True),
        (["python", "-m", "pytest", "launch"], ["-m", "launch"], False, False),
        (["python", "train.py", "launch"], ["train.py", "launch"], False, False),
        (["python"], [""], False, False),
    ],
)
def test_commands(command: list[str], argv: list[str], runs: bool, is_other: bool) -> None:
    assert (runs_a_program(command, argv), is_other_command(command, argv)) == (runs, is_other)
