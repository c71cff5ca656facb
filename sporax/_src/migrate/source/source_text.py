"""Source text with a syntax tree, and edits of spans; text outside of edits stays the same, byte for byte."""

from __future__ import annotations

import ast
import bisect
import difflib
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from sporax._src.migrate.source.nodes import children, every, parse

_N = TypeVar("_N", bound=ast.AST)
_CLOSES = re.compile(rb"(?:\s|\\\n|#[^\n]*\n)*\)")


class ConversionFault(Exception):
    """The converted text is not Python: an error of the converter, not of the file."""


class Edit(NamedTuple):
    """A span, in bytes, and the text that replaces it."""

    start: int
    end: int
    text: str


class Edits:
    """Edits in the order of the text."""

    def __init__(self) -> None:
        self._sorted: list[Edit] = []

    def __iter__(self) -> Iterator[Edit]:
        return iter(self._sorted)

    def add(self, start: int, end: int, text: str) -> None:
        """Note that a span is replaced."""
        bisect.insort(self._sorted, Edit(start, end, text))

    def cover(self, position: int) -> bool:
        """Return whether a position is inside the span of an edit."""
        return any(edit.start < position < edit.end for edit in self._sorted)

    def within(self, start: int, end: int) -> list[Edit]:
        """Return the edits of a span."""
        first = bisect.bisect_left(self._sorted, (start,))
        last = bisect.bisect_left(self._sorted, (end + 1,))
        return [e for e in self._sorted[first:last] if e.end <= end]

    def take(self, start: int, end: int) -> list[Edit]:
        """Return the edits of a span, and remove them."""
        inside = self.within(start, end)
        first = bisect.bisect_left(self._sorted, (start,))
        last = bisect.bisect_left(self._sorted, (end + 1,))
        self._sorted[first:last] = [e for e in self._sorted[first:last] if e.end > end]
        return inside


class Source:
    """A file's text and its tree.

    Args:
        text: The text.
        path: Its source, for messages.
        tree: Its tree, if it was parsed already.

    Raises:
        SyntaxError: If the text is not Python of the running version.
    """

    def __init__(self, text: str, path: str = "<source>", tree: ast.Module | None = None) -> None:
        self.path = path
        self.data = text.encode("utf-8")
        self.tree = parse(text, path) if tree is None else tree
        self._lines = [0]  # where each line begins
        for line in self.data.splitlines(keepends=True):
            if line.endswith((b"\n", b"\r")):
                self._lines.append(self._lines[-1] + len(line))

    def nodes(self, kind: type[_N]) -> list[_N]:
        """Return the nodes of a type in the file, in the order of `ast.walk`."""
        return every(self.tree, kind)

    def start(self, node: ast.AST) -> int:
        """Return the start of a node; decorators are part of the decorated definition."""
        if decorators := getattr(node, "decorator_list", None):
            return self.data.rindex(b"@", 0, self.start(decorators[0]))
        return self.keyword(node)

    def keyword(self, node: ast.AST) -> int:
        """Return the start of a node without its decorators: the `def` or `class` of a definition."""
        return self._lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        """Return where a node ends."""
        return self._lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def within(self, node: ast.AST, low: int, high: int) -> tuple[int, int]:
        """Return the start and end of a node, with the parentheses around it that lie between two positions."""
        start, end = self.start(node), self.end(node)
        while (before := self.data[low:start].rstrip()).endswith(b"(") and (
            behind := _CLOSES.match(self.data, end, high)
        ):
            start, end = low + len(before) - 1, behind.end()
        return start, end

    def argument(self, call: ast.Call, part: ast.AST) -> tuple[int, int]:
        """Return the start and end of an argument of a call, with its own parentheses."""
        return self.within(part, self.data.index(b"(", self.end(call.func)) + 1, self.end(call) - 1)

    def text(self, node: ast.AST) -> str:
        """Return a node's original text."""
        return self.data[self.start(node) : self.end(node)].decode("utf-8")

    def line(self, at: int) -> int:
        """Return the number of the line of a position, from 1."""
        return bisect.bisect_right(self._lines, at)

    def line_before(self, edits: Iterable[Edit], line: int) -> int:
        """Return the number of the line from which a line of the edited text comes."""
        more = 0  # lines that the edits so far have added
        for edit in sorted(edits):
            begins, added = self.line(edit.start), edit.text.count("\n")
            if edit.text and begins + more + added >= line:
                return min(begins, line - more)
            more += added - self.data[edit.start : edit.end].count(b"\n")
        return line - more

    def line_numbers(self, edits: Iterable[Edit]) -> list[int]:
        """Return, for each line of the edited text, the number of the line that it comes from."""
        numbers, at = [1], 0
        for edit in sorted(edits):
            numbers += range(self.line(at) + 1, self.line(edit.start) + 1)
            numbers += self._aligned(edit)[1:]
            at = edit.end
            if edit.text.endswith("\n") or (not edit.text and edit.start == self.line_start(edit.start)):
                numbers[-1] = self.line(at)  # what follows begins the line
        end = len(self.data) - (not self.data.endswith(b"\n"))
        return [*numbers, *range(self.line(at) + 1, self.line(end) + 1)]

    def _aligned(self, edit: Edit) -> list[int]:
        """Return, for each line of an edit's text, the number of the line of its span that is the most like it."""
        first = self.line(edit.start)
        old = [line.strip() for line in self.data[edit.start : edit.end].decode("utf-8").split("\n")]
        new = [line.strip() for line in edit.text.split("\n")]
        numbers = []
        for _, i, i_end, j, j_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            numbers += [first + min(i + step, max(i_end - 1, 0)) for step in range(j_end - j)]
        return numbers

    def line_start(self, at: int) -> int:
        """Return where the line of a position begins."""
        return self.data.rfind(b"\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Return where the line of a position ends, after its line break."""
        end = self.data.find(b"\n", at)
        return len(self.data) if end < 0 else end + 1

    def lines(self, node: ast.AST) -> tuple[int, int]:
        """Return where the lines of a node begin and end."""
        return self.line_start(self.start(node)), self.line_end(self.end(node) - 1)

    def indentation(self, at: int) -> str:
        """Return the white space at the beginning of the line of a position."""
        line = self.data[self.line_start(at) : self.line_end(at)]
        return line[: len(line) - len(line.lstrip(b" \t"))].decode("utf-8")

    def level(self, at: int) -> str:
        """Return what indents the line of a position one level deeper: a tab if the line begins with one."""
        return "\t" if self.indentation(at).startswith("\t") else "    "

    def edited(self, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> str:
        """Return the text from `start` to `end` with edits.

        Raises:
            ConversionFault: If an edit reaches into another.
        """
        end = len(self.data) if end is None else end
        parts, at = [], start
        for edit in sorted(edits):
            if edit.start < at:
                raise ConversionFault(f"line {self.line(edit.start)}: edits overlap")
            parts += [self.data[at : edit.start].decode("utf-8"), edit.text]
            at = edit.end
        return "".join([*parts, self.data[at:end].decode("utf-8")])


def one_statement_a_line(text: str) -> str:
    """Return a program whose statements each begin a line: `if x: a; b` takes three.

    Raises:
        SyntaxError: If the text is not Python of the running version.
    """
    source = Source(text)
    return source.edited(line_breaks(source))


def line_breaks(source: Source) -> Edits:
    """Return the edits after which each statement of a file begins a line."""
    edits = Edits()
    for node in every(source.tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list) or not block or not isinstance(block[0], ast.stmt):
                continue
            first = source.start(block[0])
            indentation = source.indentation(first)
            if source.data[source.line_start(first) : first].strip():  # the block begins on the line of its head
                indentation += source.level(first)
                head = source.data.rindex(b":", 0, first) + 1
                edits.add(head, first, f"\n{indentation}")
            for before, after in itertools.pairwise(block):
                end, start = source.end(before), source.start(after)
                if b"\n" not in source.data[end:start]:
                    edits.add(end, start, f"\n{indentation}")
    return edits


def parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node that have a position in the text, in no particular order."""
    for child in children(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from parts(child)
