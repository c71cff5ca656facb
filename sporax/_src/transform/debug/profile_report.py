"""The report of a profile: the costliest operators by lines of the program, times by kind, and memory."""

from __future__ import annotations

import io
import os
import resource
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import jax

from sporax._src.base.stopwatch import COMPILING, DATA, TRACING

COMPUTING, ELSE = "computing", "everything else"
_COLUMNS = ("operator", "line", "calls", "time", "share")
_MOST = 20  # rows that are shown


@dataclass(frozen=True)
class OperatorRow:
    """An operator at one line of the program.

    Args:
        operator: The operator, `ops.dense` or `gradient of ops.dense`; for sporax's own operations JAX's name.
        line: The file and line that called it; empty if the program did not call it.
        calls: How often it ran.
        seconds: Its time; in a graph the sum over all threads.
        share: Its share of the time of all operators.
    """

    operator: str
    line: str
    calls: int
    seconds: float
    share: float

    def cells(self) -> tuple[str, ...]:
        """Return the texts of its line in the table."""
        return (self.operator, self.line, f"{self.calls:,}", milliseconds(self.seconds), f"{self.share:.1%}")


@dataclass(frozen=True)
class ProfileReport:
    """What `profile.report` returns: `print` shows it, and so does a notebook.

    Args:
        operators: The operators by line, the costliest first.
        times: Seconds by kind: waiting for data, tracing, compiling, computing (a device was busy), everything else.
        wall: Seconds from the beginning to the end. Kinds may overlap: a device computes while Python goes on.
        memory: Bytes by name: live arrays, and the peak memory of devices or the process.
    """

    operators: tuple[OperatorRow, ...]
    times: dict[str, float]
    wall: float
    memory: dict[str, int]

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.table import Table

        table = Table(title="Operators, the costliest first", title_justify="left")
        for column in _COLUMNS:
            table.add_column(column, justify="left" if column in _COLUMNS[:2] else "right", overflow="fold")
        for row in self.operators[:_MOST]:
            table.add_row(*row.cells())
        return Group(table, "", *self.sentences())

    def sentences(self) -> list[str]:
        """Return the lines about time by kind and memory."""
        parts = [f"{kind} {milliseconds(seconds)} ({seconds / self.wall:.0%})" for kind, seconds in self.times.items()]
        sizes = [f"{name} {size / 1e6:,.1f} MB" for name, size in self.memory.items()]
        more = len(self.operators) - _MOST
        return [
            *(
                [f"{more} further operators took {milliseconds(sum(r.seconds for r in self.operators[_MOST:]))}."]
                * (more > 0)
            ),
            f"Time: {milliseconds(self.wall)}, of it {', '.join(parts)}.",
            f"Memory: {', '.join(sizes)}.",
        ]

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=140, color_system=None).print(self)
        return text.getvalue().rstrip()

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{column}</th>" for column in _COLUMNS)
        lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row.cells()) for row in self.operators[:_MOST]]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        said = "<br>".join(map(escape, self.sentences()))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{said}</p>"


def report(
    operations: Mapping[tuple[str, str], float],
    calls: Mapping[tuple[str, str], int],
    times: Mapping[str, float],
    busy: float,
    wall: float,
) -> ProfileReport:
    """Return the report of a profile.

    Args:
        operations, calls: Seconds and calls by (operator, line).
        times: Seconds by kind.
        busy: For how many seconds a device computed.
        wall: Seconds in all.
    """
    whole = sum(operations.values()) or 1.0
    costliest = sorted(operations.items(), key=lambda item: -item[1])
    rows = [OperatorRow(*key, calls[key], seconds, seconds / whole) for key, seconds in costliest]
    known = {kind: times.get(kind, 0.0) for kind in (DATA, TRACING, COMPILING)} | {COMPUTING: busy}
    return ProfileReport(tuple(rows), {**known, ELSE: max(wall - sum(known.values()), 0.0)}, wall, memory())


def memory() -> dict[str, int]:
    """Return the memory of live arrays, and the peak memory of devices or the process."""
    sizes = {"arrays hold": sum(array.nbytes for array in jax.live_arrays())}
    for device in jax.local_devices():
        if stats := device.memory_stats():
            sizes[f"most on {device}"] = stats.get("peak_bytes_in_use", 0)
    unit = 1 if sys.platform == "darwin" else 1024
    sizes["most in the process"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return sizes


def milliseconds(seconds: float) -> str:
    """Return a time as milliseconds: `12.3 ms`."""
    return f"{seconds * 1000:,.1f} ms" if seconds >= 0.01 else f"{seconds * 1000:.3f} ms"


def relative(line: str) -> str:
    """Return `file:line` with the file's path from the current folder, if it is below it."""
    path, _, number = line.rpartition(":")
    return f"{os.path.relpath(path)}:{number}" if path.startswith(os.getcwd() + os.sep) else line
