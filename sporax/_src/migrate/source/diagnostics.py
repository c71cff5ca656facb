"""The report of the conversion of a file: converted names, code to convert by hand, and differences of results."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

from sporax._src.migrate.source.source_text import Edits, Source
from sporax._src.migrate.torch_map.rows import Row

MARK = "# TODO(sporax): "


@dataclass
class Converted:
    """The result of converting a file.

    Args:
        text: The converted text.
        used: The names of torch that were converted, each with how often.
        todo: The code that was not converted: line, and name and reason.
        notes: Differences of behaviour to know of: line, name and text.
        helpers: The names of the helpers that the text imports.
        files: The modules of the package `_from_torch` that has them: path beside the text, and text.
        lines: For each line of the text, the line of the source that it comes from; empty if the text is the source.
    """

    text: str
    used: dict[str, int] = field(default_factory=dict)
    todo: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str, str]] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)

    def write(self, path: str | Path) -> None:
        """Write the text, and the package that it imports its helpers from beside it."""
        path = Path(path)
        for name, text in {path.name: self.text, **self.files}.items():
            file = path.parent / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


class Diagnostics:
    """Collects what the passes over a file report.

    Args:
        source: The file.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.result = Converted("")
        self.comments: dict[int, list[str]] = {}  # the reasons that stand in comments above a line, by its position

    @property
    def leaves_torch(self) -> bool:
        """Whether a name of torch stays in the text."""
        return bool(self.result.todo)

    def refuse(self, node: ast.expr | ast.stmt | ast.alias, statement: ast.AST, reason: str) -> None:
        """Leave a piece of a statement unchanged, under a comment with the reason."""
        start, _ = self._source.lines(statement)
        self.comments.setdefault(start, []).append(reason)
        self.result.todo.append((node.lineno, reason))

    def count(self, node: ast.expr | ast.stmt | ast.alias, row: Row) -> None:
        """Count a use of a row, and note how its two sides differ."""
        self.result.used[row.name] = self.result.used.get(row.name, 0) + 1
        for text in row.differs:
            self.note(node, row.name, text)

    def note(self, node: ast.expr | ast.stmt | ast.alias, name: str, text: str) -> None:
        """Note a difference of behaviour."""
        self.result.notes.append((node.lineno, name, text))

    def comment_text(self, start: int) -> str:
        """Return the comments that stand above the line at a position."""
        indentation = self._source.indentation(start)
        return "".join(f"{indentation}{MARK}{reason}\n" for reason in dict.fromkeys(self.comments[start]))

    def write_comments(self, edits: Edits) -> None:
        """Write the comments above their lines."""
        for start in self.comments:
            edits.add(start, start, self.comment_text(start))
