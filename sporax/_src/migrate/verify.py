"""A program and its conversion side by side: what both print, number by number, from the same initial weights.

Each runs in a process of its own (`cli/verified_run.py`).
"""

from __future__ import annotations

import itertools
import math
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf)\b")
_FRAME = re.compile(r'File "(.+?)", line (\d+)')
_RUN = "sporax._src.cli.verified_run"
_NO_TORCH = 3  # the status of the process of the source if torch is not installed


@dataclass(frozen=True)
class Verification:
    """What a program and its conversion print.

    Args:
        lines: How many lines agree.
        line: The number of the first line that differs, 0 if none does.
        source: This line of the source.
        converted: This line of the conversion.
    """

    lines: int
    line: int = 0
    source: str = ""
    converted: str = ""

    def summary(self) -> str:
        """Return the result in a sentence or two."""
        if not self.line:
            return f"verified: {self.lines} printed lines agree."
        return f"line {self.line} differs:\n  source:    {self.source}\n  converted: {self.converted}"


def verify(
    source: Path, converted: Path, command: str, tolerance: float = 1e-3, timeout: float | None = None
) -> Verification:
    """Run a program and its conversion, and compare what they print.

    Args:
        source: The folder of the program.
        converted: The folder of its conversion.
        command: How it is run in its folder: `python SCRIPT ARGUMENTS` or `python -m MODULE ARGUMENTS`.
        tolerance: How far two numbers may be apart, relative to the larger one.
        timeout: How many seconds each run may take, None for any.

    Raises:
        ValueError: If the command is of another form.
        RuntimeError: If torch is not installed, or a run fails or takes longer.
    """
    words = shlex.split(command)
    if len(words) < 2 or not Path(words[0]).name.startswith("python"):
        raise ValueError(f"--verify {command!r}: expected `python SCRIPT ...` or `python -m MODULE ...`.")
    with tempfile.TemporaryDirectory() as weights:
        expected = _output("torch", source, weights, words[1:], timeout)
        printed = _output("mindspore", converted, weights, words[1:], timeout)
    return compared(expected.splitlines(), printed.splitlines(), tolerance)


def compared(source: Sequence[str], converted: Sequence[str], tolerance: float) -> Verification:
    """Compare the lines that two programs print: their numbers, and the text between these."""
    pairs = itertools.zip_longest(source, converted, fillvalue="(nothing)")
    for number, (one, other) in enumerate(pairs, 1):
        if not _agree(one, other, tolerance):
            return Verification(number - 1, number, one, other)
    return Verification(len(source))


def _agree(one: str, other: str, tolerance: float) -> bool:
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    numbers = zip(map(float, _NUMBER.findall(one)), map(float, _NUMBER.findall(other)), strict=True)
    return all(a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-6) or (a != a and b != b) for a, b in numbers)


def _output(framework: str, folder: Path, weights: str, words: Sequence[str], timeout: float | None) -> str:
    """Run a program in its folder and return what it prints."""
    side = "the source" if framework == "torch" else "the conversion"
    command = [sys.executable, "-B", "-m", _RUN, framework, weights, *words]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"verify: {side} did not end within {timeout:g} seconds.") from None
    if done.returncode == _NO_TORCH and framework == "torch":
        raise RuntimeError("verify: torch is not installed here; install it to run the source.")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        own = [
            (file, line)
            for file, line in _FRAME.findall(done.stderr)
            if (folder / file).resolve().is_relative_to(folder.resolve())
        ]
        where = f" ({own[-1][0]}:{own[-1][1]})" if own else ""
        raise RuntimeError(f"verify: {side} ended with status {done.returncode}: {last}{where}")
    return done.stdout
