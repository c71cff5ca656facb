"""A comparison for the terminal: a tree of the layers with their errors, and the differences in the other stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.markup import escape
from rich.tree import Tree

from sporax._src.migrate.compare.report import STAGES, Comparison, Row

_COLOURS = {"same": "green", "rounding": "green", "one side": "dim"}


def tree(result: Comparison) -> Tree:
    """Return the comparison as a tree, one branch for each stage that ran."""
    top = Tree(f"[{'green' if result.agrees else 'red'}]{escape(result.verdict)}")
    for stage in STAGES:
        rows = [row for row in result.rows if row.stage == stage]
        if not rows:
            continue
        counts = Counter(row.status for row in rows)
        branch = top.add(f"[bold]{stage}[/bold]  " + ", ".join(f"{count} {status}" for status, count in counts.items()))
        if stage == "forward":
            _layers(branch, rows)
        else:
            for row in rows:
                if row.differs:
                    branch.add(_line(row, row.name))
    return top


def _layers(branch: Tree, rows: Sequence[Row]) -> None:
    """Add each layer below the layer that contains it."""
    outputs = {row.name: row for row in rows}
    nodes: dict[str, Tree] = {}
    for name in sorted(outputs, key=lambda name: (outputs[name].layer.count("."), 0)):
        parent = name.rpartition(".")[0]
        while parent and parent not in nodes:
            parent = parent.rpartition(".")[0]
        nodes[name] = nodes.get(parent, branch).add(_line(outputs[name], name.removeprefix(f"{parent}.")))


def _line(row: Row, name: str) -> str:
    colour = _COLOURS.get(row.status, "red")
    error = "" if row.relative is None else f"  {row.relative:.1e}"
    what = "" if row.what == "output" else f" {row.what}"
    note = f"  {row.note}" if row.note else ""
    return f"[{colour}]{escape(name + what)}  {escape(row.kind)}{error}  {row.status}{escape(note)}[/{colour}]"
