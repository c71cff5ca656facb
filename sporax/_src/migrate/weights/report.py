"""The report: the outcome for every name of both sides, as a table for the terminal and as JSON."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from sporax._src.base.atomic import replacing

FAILURES = ("missing", "unexpected", "differs")
STATUSES = ("carried", "renamed", "reshaped", "tied", "derived", "dropped", *FAILURES)
_COLOURS = {
    "carried": "green",
    "renamed": "green",
    "reshaped": "cyan",
    "tied": "cyan",
    "derived": "yellow",
    "dropped": "yellow",
}


@dataclass(frozen=True)
class Note:
    """Information about a name before matching: its status (empty if none) and the text for the report."""

    status: str
    text: str


@dataclass(frozen=True)
class WeightsRow:
    """The outcome for one name.

    Attributes:
        source, target: The names on either side; empty where there is none.
        status: `carried` as it is, `renamed`, `reshaped` (or transposed, cut or joined), `tied` (another name's array),
            `derived` (computed), `dropped` for a reason; or a failure: `missing` in the source, `unexpected` by the
            target, or one whose shape `differs`.
        shape: The shape, of the target if it has one.
        dtype: The dtype.
        reason: The operation, or the reason why there is none.
    """

    source: str
    target: str
    status: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    reason: str = ""


@dataclass
class WeightsReport:
    """The outcome of the conversion of weights from one side to the other.

    Attributes:
        source, target: The files or nets.
        rows: A row for each name.
        difference: The greatest difference between the outputs of both nets, if they were run.

    Examples:
        >>> from sporax._src.migrate.weights.report import WeightsReport, WeightsRow
        >>> report = WeightsReport("a.pth", "a.ckpt", [WeightsRow("fc.weight", "", "unexpected", (2, 3))])
        >>> report.ok, report.counts()
        (False, {'unexpected': 1})
    """

    source: str
    target: str
    rows: list[WeightsRow] = field(default_factory=list)
    difference: float | None = None

    @property
    def failures(self) -> list[WeightsRow]:
        """The rows of names that are missing, unexpected, or of another shape."""
        return [row for row in self.rows if row.status in FAILURES]

    @property
    def ok(self) -> bool:
        """Whether every name was carried, or left out for a reason."""
        return not self.failures

    def counts(self) -> dict[str, int]:
        """Return the number of names of each status."""
        counter = Counter(row.status for row in self.rows)
        return {status: counter[status] for status in STATUSES if counter[status]}

    def as_dict(self) -> dict[str, Any]:
        """Return the report as numbers, strings, lists and dicts."""
        return {
            "tool": "weights",
            "version": 1,
            "source": self.source,
            "target": self.target,
            "ok": self.ok,
            "difference": self.difference,
            "counts": self.counts(),
            "rows": [asdict(row) | {"shape": list(row.shape)} for row in self.rows],
        }

    def write_json(self, path: str | os.PathLike[str]) -> None:
        """Write the report as JSON; the file appears whole or not at all.

        Args:
            path: The file.
        """
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n")

    def table(self) -> Any:
        """Return the report as a table of `rich`."""
        from rich.table import Table
        from rich.text import Text

        table = Table(title=f"{self.source} → {self.target}")
        for title in ("source", "target", "status", "shape", "what was done"):
            table.add_column(title, overflow="fold")
        for row in self.rows:
            status = Text(row.status, _COLOURS.get(row.status, "bold red"))
            shape = f"{row.dtype}{list(row.shape)}" if row.dtype else ""
            table.add_row(Text(row.source or "–"), Text(row.target or "–"), status, Text(shape), Text(row.reason))
        return table

    def summary(self) -> str:
        """Return the numbers of names in one line."""
        counts = ", ".join(f"{n} {status}" for status, n in self.counts().items())
        return f"{len(self.rows)} names: {counts}." if self.rows else "no names."

    def __str__(self) -> str:
        """Return the summary, and the failures line by line."""
        return "\n".join([self.summary(), *(describe_failure(row) for row in self.failures)])


def describe_failure(row: WeightsRow) -> str:
    """Return what is wrong with one name.

    Args:
        row: The row of a failure.
    """
    return f"{row.source or row.target}: {row.reason}"
