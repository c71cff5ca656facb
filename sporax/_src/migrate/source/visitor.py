"""The visit of a file's nodes, in the order of the text, by the passes that handle their types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sporax._src.migrate.source.scopes import Class, Scopes
from sporax._src.migrate.source.source_text import Source, parts
from sporax._src.migrate.source.tracing import Trace, location
from sporax._src.migrate.source.tracing import kind as kind_of_values


@dataclass
class Position:
    """The position of the visit: the nodes around the visited node, innermost last."""

    scopes: list[ast.AST]  # the file and the functions
    statements: list[ast.stmt] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)

    @property
    def statement(self) -> ast.stmt:
        """The statement that is visited."""
        return self.statements[-1]

    @property
    def scope(self) -> ast.AST:
        """The function that is visited, or the file."""
        return self.scopes[-1]

    @property
    def functions(self) -> list[ast.AST]:
        """The functions that are visited."""
        return self.scopes[1:]

    @contextmanager
    def inside(self, scope: ast.AST) -> Iterator[None]:
        """Visit the inside of a function within the block."""
        self.scopes.append(scope)
        try:
            yield
        finally:
            self.scopes.pop()


class Visitor:
    """Dispatches nodes to passes by their type.

    Args:
        source: The file.
        trace: The classes of its values in a run, by location.
    """

    def __init__(self, source: Source, trace: Trace) -> None:
        self._source, self._trace = source, trace
        self._visits: dict[str, list[Callable[[ast.AST], str | None]]] = {}
        self._leaves: dict[str, list[Callable[[ast.AST], None]]] = {}
        self._leave_block: list[Callable[[list[ast.stmt]], None]] = []
        self.scopes = Scopes()
        self.kinds: dict[int, str] = {}  # the kinds of the expressions that were visited
        self.position = Position([source.tree])

    def register(self, passes: Iterable[object]) -> None:
        """Register passes; the first pass that returns a result for a node converts it."""
        for one in passes:
            for name in dir(one):
                prefix, _, kind = name.partition("_")
                method = getattr(one, name)
                if name == "leave_block":
                    self._leave_block.append(method)
                elif prefix in ("visit", "leave") and isinstance(getattr(ast, kind, None), type):
                    methods = self._visits if prefix == "visit" else self._leaves
                    methods.setdefault(kind, []).append(method)

    def visit(self, node: ast.AST) -> str:
        """Convert a node and return the kind of its value, "" if it is not known."""
        if not isinstance(node, ast.stmt):
            return self._dispatch(node)
        self.position.statements.append(node)
        try:
            return self._dispatch(node)
        finally:
            self.position.statements.pop()

    def visit_block(self, block: list[ast.stmt]) -> None:
        """Convert the statements of a block."""
        for statement in block:
            self.visit(statement)
        for leave in self._leave_block:
            leave(block)

    def _dispatch(self, node: ast.AST) -> str:
        name = type(node).__name__
        answers = (visit(node) for visit in self._visits.get(name, ()))
        kind = next((answer for answer in answers if answer is not None), None)
        if kind is None:
            kind = self._visit_parts(node)
        if isinstance(node, ast.expr):
            kind = self.kinds[id(node)] = kind or self._kind_when_traced(node)
        for leave in self._leaves.get(name, ()):
            leave(node)
        return kind

    def _visit_parts(self, node: ast.AST) -> str:
        """Visit the nodes below a node."""
        for part in sorted(parts(node), key=self._source.start):
            self.visit(part)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                for leave in self._leave_block:
                    leave(block)
        return ""

    def _kind_when_traced(self, node: ast.expr) -> str:
        """Return the kind that an expression had in a run of the program."""
        classes = self._trace.get(location(node)) if self._trace else None
        return kind_of_values(classes, self.scopes.of_classes) if classes else ""
