"""The state that the passes over one file share: the file, its names, edits, reports, and the position of the visit."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sporax._src.migrate.source.calls import Rendering
from sporax._src.migrate.source.class_tests import ClassTests
from sporax._src.migrate.source.dataflow import appends_none, makes_empty_vector
from sporax._src.migrate.source.diagnostics import Diagnostics
from sporax._src.migrate.source.helper_modules import PACKAGE, replacements
from sporax._src.migrate.source.imports import Imports
from sporax._src.migrate.source.optimizer_kinds import needs_exact
from sporax._src.migrate.source.program import Program, has_complex
from sporax._src.migrate.source.rewriting import Rewriter
from sporax._src.migrate.source.scopes import own_methods
from sporax._src.migrate.source.source_text import Edits, Source
from sporax._src.migrate.source.visitor import Visitor
from sporax._src.migrate.torch_map.rows import Row

# Helpers that take complex numbers as torch does, by what they replace in a program that has such numbers.
_OF_COMPLEX = {"mint.abs": "_abs", "mint.rand": "_rand", "mint.randn": "_randn"}


@dataclass(frozen=True)
class Options:
    """How a file is converted.

    Args:
        target: "mint" (`mindspore.mint`, called as torch is) or "classic" (`nn` and `ops`).
        helpers: The package that the text imports helpers from.
    """

    target: str = "mint"
    helpers: str = PACKAGE


class Role(enum.Enum):
    """The use of a name that is read."""

    VALUE = "a value, or a function that is passed on"
    ANNOTATION = "the type of a value"
    BASE_CLASS = "a class to derive from"
    CLASS_TEST = "a class that is asked about"


class Context:
    """The state that the passes over one file share.

    Args:
        source: The file.
        program: The information from the other files.
        options: How it is converted.
        visitor: Visits its nodes.
    """

    def __init__(self, source: Source, program: Program, options: Options, visitor: Visitor) -> None:
        self.source, self.program, self.options = source, program, options
        self.visit, self.visit_block = visitor.visit, visitor.visit_block
        self.scopes, self.position, self._kinds = visitor.scopes, visitor.position, visitor.kinds
        self.edits = Edits()
        self.diagnostics = Diagnostics(source)
        self.rewriter = Rewriter(source, self.edits, self.diagnostics)
        self.needs_exact = needs_exact(source.tree)
        self.class_tests = ClassTests(source.tree)
        self.has_complex = program.has_complex or has_complex(source.tree)
        joins = {"mint.cat": "_cat"} if makes_empty_vector(source.tree) else {}
        joins |= _OF_COMPLEX if self.has_complex else {}
        joins |= {"nn.CellList": "_ModuleList"} if appends_none(source.tree) else {}
        self.imports = Imports(source.tree, options.target, replacements(options.target) | joins)
        self.rendering = Rendering(source, self.rewriter.take, self.imports.name, options.target)
        self.own_methods = own_methods(source.tree, {*program.modules, *program.mixins})
        self.role = Role.VALUE

    @contextmanager
    def reading(self, role: Role) -> Iterator[None]:
        """Set the role of the names that are visited within the block."""
        before, self.role = self.role, role
        try:
            yield
        finally:
            self.role = before

    def kind_of(self, node: ast.expr) -> str:
        """Return the kind of an expression that was visited."""
        return self._kinds.get(id(node), "")

    def kinds_of(self, node: ast.expr) -> list[str]:
        """Return the kind of an expression that was visited, and the kinds it is one of."""
        return self.scopes.bases(self.kind_of(node))

    def refuse(self, node: ast.expr | ast.stmt | ast.alias, reason: str) -> None:
        """Leave a piece of code unchanged, under a comment with the reason."""
        statements = self.position.statements
        self.diagnostics.refuse(node, statements[-1] if statements else node, reason)

    def count(self, node: ast.expr | ast.stmt | ast.alias, row: Row) -> None:
        """Count a use of a row."""
        self.diagnostics.count(node, row)


class Pass:
    """A part of the conversion.

    A method `visit_Name` handles the nodes of type `ast.Name`: it converts one and returns the kind of its value, or None to leave
    it to the next pass. A method `leave_Name` runs after that, whichever pass has handled the node, and `leave_block` after the
    statements of a block.

    Args:
        context: The shared state of the passes.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.source, self.scopes, self.edits = context.source, context.scopes, context.edits
        self.imports, self.rewriter, self.position = context.imports, context.rewriter, context.position
