"""Starts the conversion of a program that runs: the import hook, worker processes, and the report at the end."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable
from types import CodeType

from sporax._src.migrate.running.finder import ConvertingFinder, install
from sporax._src.migrate.running.report import report
from sporax._src.migrate.running.spawned import hook_workers


def start(module: str, reports: bool) -> Callable[[str | bytes, str], CodeType]:
    """Convert what the process imports from now on, and return a function that compiles the program itself.

    Args:
        module: The module that `-m` runs, "" for other programs.
        reports: Whether what was left is written to standard error when the process ends.
    """
    finder = install()
    finder.main = module
    hook_workers()
    if reports:
        atexit.register(_write_report, finder)

    def compiled(text: str | bytes, filename: str) -> CodeType:
        data = text.encode() if isinstance(text, str) else text
        code = finder.compiler.compile(data, filename, "__main__", is_main=True)
        return code if code is not None else compile(text, filename, "exec", dont_inherit=True)

    return compiled


def _write_report(finder: ConvertingFinder) -> None:
    print(report(finder.compiler.modules), file=sys.stderr)
