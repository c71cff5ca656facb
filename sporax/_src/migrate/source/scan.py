"""The names of torch that a program uses, and the conversion of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sporax._src.migrate.source.lookup import SCHEMA, STATES, entry, state
from sporax._src.migrate.source.project import migrate
from sporax._src.migrate.source.scopes import is_of_torch
from sporax._src.migrate.torch_map.rows import table

PROGRAM = "(code of the program)"  # in the place of a name of torch


@dataclass(frozen=True)
class Use:
    """A name of torch that a program uses.

    Args:
        name: The name.
        state: One of `STATES`.
        count: How often it is used and converted; for a missing name, how often it is left.
        becomes: The converted expression, or the reason why there is none.
        why: The differences, in sentences.
        places: Where it is left to do: `file:line`.
    """

    name: str
    state: str
    count: int
    becomes: str
    why: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scan:
    """The names that a program uses; those that need most care come first."""

    uses: list[Use]
    errors: list[str]

    def counts(self) -> dict[str, int]:
        """Return how many uses are of each state."""
        counted: Counter[str] = Counter()
        for use in self.uses:
            counted[use.state] += use.count
        return {name: counted[name] for name in STATES}

    def json(self) -> dict[str, object]:
        """Return the scan as data."""
        return {
            "schema": SCHEMA,
            "counts": self.counts(),
            "errors": self.errors,
            "uses": [vars(use) | {"places": list(use.places)} for use in self.uses],
        }


def scan(path: str | Path, target: str = "mint") -> Scan:
    """Return which of torch's names a file or folder uses; nothing is written.

    Args:
        path: The file, notebook or folder.
        target: "mint" or "classic".

    Raises:
        FileNotFoundError: If there is no such path.
    """
    report = migrate(path, None, target)
    uses = []
    for name, count in report.used.items():
        rows = table()[name]
        worst = max((state(row, target) for row in rows if row.target), key=STATES.index, default="missing")
        uses.append(Use(name, worst, count, entry(rows[0], target).mindspore, " ".join(rows[0].differs)))
    left: dict[str, list[str]] = {}
    for file, line, reason in report.todo:
        left.setdefault(reason, []).append(f"{file}:{line}")
    for reason, lines in left.items():
        first = reason.split(":")[0].split(" ")[0]
        name = first if is_of_torch(first) else PROGRAM
        uses.append(Use(name, "missing", len(lines), "", reason, tuple(lines)))
    order = {name: i for i, name in enumerate(reversed(STATES))}
    errors = [f"{file.path}: {file.error}" for file in report.files if file.error]
    return Scan(sorted(uses, key=lambda use: (order[use.state], -use.count, use.name)), errors)
