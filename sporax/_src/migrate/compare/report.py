"""The result of a comparison: rows, the first difference with its cause, as text, JSON and an HTML page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sporax._src.base.atomic import replacing
from sporax._src.migrate.page import Plot, page

SCHEMA = 1
STAGES = ("parameters", "forward", "training", "loss", "gradients", "updates", "metric", "settings")
# What a row may say; the later ones count as differences.
AGREE = ("same", "rounding", "one side")
DIFFER = ("different", "missing", "shape", "dtype", "not a number", "random")


@dataclass(frozen=True)
class Row:
    """One comparison of two values.

    Args:
        stage: One of `STAGES`.
        name: The dotted path of the layer, or the name of the Parameter.
        layer: The dotted path of the layer that it belongs to.
        what: What is compared: `"output"`, `"gradient"`, `"weight"`, ...
        kind: The classes of the layer, in the reference and here.
        shape: The shape, or both if they differ.
        max, mean, relative, cosine: The distances of the values; None if they cannot be computed.
        status: One of `AGREE` or `DIFFER`.
        note: Further information.
    """

    stage: str
    name: str
    layer: str
    what: str
    kind: str
    shape: str = ""
    max: float | None = None
    mean: float | None = None
    relative: float | None = None
    cosine: float | None = None
    status: str = "same"
    note: str = ""

    @property
    def differs(self) -> bool:
        """Return whether this counts as a difference."""
        return self.status in DIFFER


@dataclass(frozen=True)
class Comparison:
    """The result of `sporax.migrate.compare`.

    Args:
        first_difference: The dotted name of the first layer that differs, None if all agree.
        stage: The stage of the first difference, None if all agree.
        cause: The likely cause in a sentence, None if all agree.
        rows: Every comparison, in the order of the run.
        reference, candidate: What was compared: network and framework.
        single_step: Whether each layer got the reference's input.
    """

    first_difference: str | None
    stage: str | None
    cause: str | None
    rows: tuple[Row, ...]
    reference: str
    candidate: str
    single_step: bool = False

    @property
    def agrees(self) -> bool:
        """Return whether nothing differs."""
        return self.first_difference is None

    @property
    def verdict(self) -> str:
        """The result in a sentence."""
        if self.agrees:
            return f"{self.candidate} agrees with {self.reference}."
        return f"{self.candidate} differs from {self.reference} first at {self.first_difference} ({self.stage}): {self.cause}."

    def __str__(self) -> str:
        return self.verdict

    def data(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "schema": SCHEMA,
            "tool": "sporax compare",
            "reference": self.reference,
            "candidate": self.candidate,
            "single_step": self.single_step,
            "agrees": self.agrees,
            "first_difference": self.first_difference,
            "stage": self.stage,
            "cause": self.cause,
            "rows": [asdict(row) for row in self.rows],
        }

    def json(self, path: str | Path) -> None:
        """Write the result as JSON."""
        written(path, json.dumps(self.data(), indent=1))

    def html(self, path: str | Path) -> None:
        """Write a self-contained HTML page: the table, with search and filters, and a plot for each stage."""
        columns = ("stage", "name", "kind", "what", "shape", "max", "mean", "relative", "cosine", "status", "note")
        rows = [{column: getattr(row, column) for column in columns} for row in self.rows]
        plots = [plot for stage in STAGES[:6] if (plot := self._plot(stage)) is not None]
        written(path, page("sporax compare", self.verdict, columns, rows, plots, good=AGREE))

    def _plot(self, stage: str) -> Plot | None:
        rows = [
            row for row in self.rows if row.stage == stage and row.relative is not None and row.status != "rounding"
        ]
        if len(rows) < 2:
            return None
        points = [(row.name, row.relative or 0.0, row.differs) for row in rows]
        return Plot(f"{stage}: relative error", points)


def written(path: str | Path, text: str) -> None:
    """Write a text file completely, or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
