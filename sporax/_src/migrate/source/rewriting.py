"""The converted text of pieces of a file, for passes that move or wrap them."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.diagnostics import Diagnostics
from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.source.source_text import Edit, Edits, Source


class Rewriter:
    """Returns the converted text of parts of a file.

    Args:
        source: The file.
        edits: Its edits so far.
        diagnostics: Its comments so far.
    """

    def __init__(self, source: Source, edits: Edits, diagnostics: Diagnostics) -> None:
        self.source, self.edits, self.diagnostics = source, edits, diagnostics
        self._former: list[
            tuple[int, int, list[Edit]]
        ] = []  # start and end of each node whose edits were discarded, with them

    def text(self, node: ast.AST) -> str:
        """Return a node's text with the edits so far."""
        start, end = self.source.start(node), self.source.end(node)
        return self.source.edited(self.edits.within(start, end), start, end)

    def take(self, node: ast.AST) -> str:
        """Return a node's converted text and discard its edits: the caller writes the text."""
        start, end = self.source.start(node), self.source.end(node)
        return self.source.edited(self._taken(start, end), start, end)

    def inner_text(self, node: ast.AST) -> str:
        """Return a node's text with its edits, also if a node around it has been replaced."""
        start, end = self.source.start(node), self.source.end(node)
        former = (edits for first, last, edits in reversed(self._former) if first <= start and end <= last)
        for edits in (self.edits.within(start, end), *former):
            if inside := [edit for edit in edits if start <= edit.start and edit.end <= end]:
                return self.source.edited(inside, start, end)
        return self.source.edited([], start, end)

    def replace(self, node: ast.AST, text: str) -> None:
        """Replace a node by a text, and discard the edits inside the node."""
        start, end = self.source.start(node), self.source.end(node)
        self._taken(start, end)
        self.edits.add(start, end, text)

    def _taken(self, start: int, end: int) -> list[Edit]:
        edits = self.edits.take(start, end)
        if edits:
            self._former.append((start, end, edits))
        return edits

    def wrap(self, node: ast.AST, before: str, after: str) -> None:
        """Write texts before and after a node."""
        for position, text in ((self.source.start(node), before), (self.source.end(node), after)):
            if text:
                self.edits.add(position, position, text)

    def copy_indented(self, statement: ast.stmt, scope: ast.AST) -> str:
        """Return a statement's converted lines, one level deeper, and leave them where they are."""
        start, end = self.source.lines(statement)
        return self._indented(self.edits.within(start, end), start, end, scope)

    def take_indented(self, start: int, end: int, scope: ast.AST) -> str:
        """Return the converted text of whole lines, one level deeper; discard their edits and comments.

        Args:
            start, end: The start and end of the lines.
            scope: The function or file that contains them.
        """
        text = self._indented(self.edits.take(start, end), start, end, scope)
        for position in [p for p in self.diagnostics.comments if start <= p < end]:
            del self.diagnostics.comments[position]
        return text

    def _indented(self, edits: list[Edit], start: int, end: int, scope: ast.AST) -> str:
        """Return the text of whole lines with edits and with their comments, one level deeper."""
        for position in [p for p in self.diagnostics.comments if start <= p < end]:
            if not any(e.start <= position < e.end for e in edits):
                edits.append(Edit(position, position, self.diagnostics.comment_text(position)))
        moved = [
            position
            for position in self._line_starts(start, end) - self._string_lines(scope)
            if not any(e.start < position < e.end for e in edits)
        ]
        level = self.source.level(start)
        indented = [edit._replace(text=_deeper(edit, self.source, level)) for edit in edits]
        for position in sorted(moved):
            i = next((i for i, e in enumerate(indented) if e.start == position), None)
            if i is None:
                indented.append(Edit(position, position, level))
            elif indented[i].start == indented[i].end:  # a comment above the line
                indented[i] = indented[i]._replace(text=f"{indented[i].text}{level}")
        return self.source.edited(indented, start, end)

    def _line_starts(self, start: int, end: int) -> set[int]:
        """Return the starts of the lines of a span that are not blank."""
        starts = set()
        while start < end:
            line_end = self.source.line_end(start)
            if self.source.data[start:line_end].strip():
                starts.add(start)
            start = line_end
        return starts

    def _string_lines(self, scope: ast.AST) -> set[int]:
        """Return the starts of the lines inside strings."""
        starts = set()
        for node in walk(scope):
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno:
                position = self.source.line_end(self.source.start(node))
                while position < self.source.end(node):
                    starts.add(position)
                    position = self.source.line_end(position)
        return starts


def _deeper(edit: Edit, source: Source, level: str) -> str:
    """Return an edit's text with its lines one level deeper; the text that continues a line stays on it."""
    lines = edit.text.splitlines(keepends=True)
    is_whole = edit.start == source.line_start(edit.start)
    return "".join(f"{level}{line}" if line.strip() and (i or is_whole) else line for i, line in enumerate(lines))
