"""What the command line says of a process that has run nothing yet: whether it is `sporax`, and which command."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

_COMMANDS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "cli", "commands")


def runs_a_program(command: Sequence[str], argv: Sequence[str]) -> bool:
    """Return whether a process is `sporax` or `python -m sporax` with a program that has not started yet.

    Args:
        command: The command line of the process, `sys.orig_argv`.
        argv: Its `sys.argv`.
    """
    word = _first_word(command, argv)
    return word is not None and _is_program(word)


def is_other_command(command: Sequence[str], argv: Sequence[str]) -> bool:
    """Return whether a process is a command of sporax that runs no program, such as `sporax launch` (see `runs_a_program`)."""
    word = _first_word(command, argv)
    return word is not None and not _is_program(word)


def _first_word(command: Sequence[str], argv: Sequence[str]) -> str | None:
    """Return what follows `sporax` or `python -m sporax`; None if a process is neither, or has run other code already.

    While Python imports the package that `-m` names, `sys.argv` begins with `-m`. So a process that has already run other code is
    excluded, whatever its arguments are.
    """
    if not 1 < len(argv) < len(command):
        return None
    started = command[-len(argv)]
    is_module = argv[0] == "-m" and re.fullmatch("(-[A-Za-z]*m)?sporax", started) is not None
    is_script = argv[0] == started and os.path.basename(started) == "sporax"
    return argv[1] if is_module or is_script else None


def _is_program(word: str) -> bool:
    """Return whether what follows `sporax` starts a program: `run`, a script, or an option that precedes one."""
    is_file = word != "run" and os.path.isfile(os.path.join(_COMMANDS, f"{word}.py"))
    return not is_file and word not in ("--help", "-h", "--version")
