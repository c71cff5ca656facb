"""The text that a walk over a file writes: edits, what moves with them, and comments on what is left to do."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

from sporax._src.migrate.source.source_text import Edit, Edits, Source
from sporax._src.migrate.source.tracing import Seen
from sporax._src.migrate.source.walk import Walker
from sporax._src.migrate.torch_map.rows import Row

MARK = "# TODO(sporax): "


@dataclass
class Converted:
    """What became of a file.

    Args:
        text: The converted text.
        used: The names of torch that were converted, each with how often.
        todo: What was not: line, name and reason.
        notes: Differences of behaviour to know of: line, name and text.
        helpers: The names of the helpers that the text imports.
        files: The modules of the package `_from_torch` that has them: path beside the text, and text.
    """

    text: str
    used: dict[str, int] = field(default_factory=dict)
    todo: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str, str]] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    def write(self, path: str | Path) -> None:
        """Write the text, and the package that it imports its helpers from beside it."""
        path = Path(path)
        for name, text in {path.name: self.text, **self.files}.items():
            file = path.parent / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


class Writer(Walker):
    """A walk that writes a file anew.

    Args:
        source: The file.
        seen: What a run of it saw.
    """

    def __init__(self, source: Source, seen: Seen) -> None:
        super().__init__(source, seen)
        self.edits = Edits()
        self.marks: dict[int, list[str]] = {}
        self.result = Converted("")
        self.left = False  # whether a name of torch stays in the text

    def write_marks(self) -> None:
        for at in self.marks:
            self.edits.add(at, at, self.comments(at))

    def comments(self, at: int) -> str:
        indentation = self.source.indentation(at)
        return "".join(f"{indentation}{MARK}{reason}\n" for reason in dict.fromkeys(self.marks[at]))

    def taken(self, node: ast.AST) -> str:
        """Return a node's converted text, whose edits are then done with."""
        start, end = self.source.start(node), self.source.end(node)
        return self.source.edited(self.edits.take(start, end), start, end)

    def written(self, node: ast.expr) -> str:
        """Return a node's text as it is converted so far."""
        start, end = self.source.start(node), self.source.end(node)
        edits = self.edits.take(start, end)
        for edit in edits:
            self.edits.add(*edit)
        return self.source.edited(edits, start, end)

    def copied(self, statement: ast.stmt) -> str:
        """Return a statement's converted lines, one level deeper than they stand, and leave them where they are."""
        start, end = self.source.lines(statement)
        edits, marks = Edits(self.edits), dict(self.marks)
        text = self.indented(start, end)
        self.edits, self.marks = edits, marks
        return text

    def indented(self, start: int, end: int) -> str:
        """Return the converted text of whole lines, one level deeper; their edits and comments are then done with."""
        edits = self.edits.take(start, end)
        for at in [at for at in self.marks if start <= at < end]:
            if not any(e.start <= at < e.end for e in edits):
                edits.append(Edit(at, at, self.comments(at)))
            del self.marks[at]
        inside = self._lines_of_strings(start, end)
        text, at, moved = [], start, []
        while at < end:
            blank = not self.source.data[at : self.source.line_end(at)].strip()
            if not blank and at not in inside and not any(e.start < at < e.end for e in edits):
                moved.append(at)
            at = self.source.line_end(at)
        for edit in edits:
            text.append(edit._replace(text=_deeper(edit, self.source)))
        for at in moved:
            i = next((i for i, e in enumerate(text) if e.start == at), None)
            if i is None:
                text.append(Edit(at, at, "    "))
            elif text[i].start == text[i].end:  # a comment above the line
                text[i] = text[i]._replace(text=f"{text[i].text}    ")
        return self.source.edited(text, start, end)

    def _lines_of_strings(self, start: int, end: int) -> set[int]:
        """Return the beginnings of lines that are the inside of a string."""
        found = set()
        for node in ast.walk(self.scope_nodes[-1]):
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno:
                at = self.source.line_end(self.source.start(node))
                while at < self.source.end(node):
                    found.add(at)
                    at = self.source.line_end(at)
        return {at for at in found if start <= at < end}

    def refuse(self, node: ast.AST, reason: str) -> None:
        """Leave a piece of code as it is, under a comment that says why."""
        statement = self.statements[-1] if self.statements else node
        at, _ = self.source.lines(statement)
        self.marks.setdefault(at, []).append(reason)
        self.result.todo.append((node.lineno, reason))  # type: ignore[attr-defined]
        self.left = True

    def note(self, node: ast.AST, row: Row) -> None:
        """Count a use of a row, and what differs with it."""
        self.result.used[row.name] = self.result.used.get(row.name, 0) + 1
        for text in row.differs:
            self.result.notes.append((node.lineno, row.name, text))  # type: ignore[attr-defined]


def _deeper(edit: Edit, source: Source) -> str:
    """Return an edit's text with its lines one level deeper; what begins in the middle of a line goes on there."""
    lines = edit.text.splitlines(keepends=True)
    whole = edit.start == source.line_start(edit.start)
    return "".join(f"    {line}" if line.strip() and (i or whole) else line for i, line in enumerate(lines))
