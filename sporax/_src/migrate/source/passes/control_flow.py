"""The effect of branches, loops and comprehensions on the kinds of names."""

from __future__ import annotations

import ast
from dataclasses import replace

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import own
from sporax._src.migrate.source.passes.assignments import Assignments, called_name
from sporax._src.migrate.source.passes.views import Views
from sporax._src.migrate.source.scopes import Binding

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_COLLECTIONS = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict"}


class ControlFlow(Pass):
    """Visits the blocks of statements in the order in which they run.

    Args:
        context: The shared state of the passes.
        assignments: Binds the names of loops.
        views: Follows which of them are views.
    """

    def __init__(self, context: Context, assignments: Assignments, views: Views) -> None:
        super().__init__(context)
        self._assignments, self._views = assignments, views

    def visit_If(self, node: ast.If) -> str:
        self.context.visit(node.test)
        kinds = {name: self.scopes.tested_kind(classes) for name, classes in _class_tests(node.test)}
        outside = {name: self.scopes.find(name) for name, kind in kinds.items() if kind}
        inside = {name: replace(binding, kind=kinds[name]) for name, binding in outside.items()}
        for name, binding in inside.items():
            self.scopes.bind(name, binding)
        imports = self._visit_and_return_imports(node.body)
        for name, binding in inside.items():
            if self.scopes.find(name) is binding:
                self.scopes.bind(name, outside[name])
        if node.orelse:
            self.context.visit_block(node.orelse)
        self.scopes.names[-1].update(imports)
        return ""

    def visit_Try(self, node: ast.Try) -> str:
        imports = self._visit_and_return_imports(node.body)
        for handler in node.handlers:
            self.context.visit(handler)
        self.scopes.names[-1].update(imports)
        for block in (node.orelse, node.finalbody):
            if block:
                self.context.visit_block(block)
        return ""

    def _visit_and_return_imports(self, block: list[ast.stmt]) -> dict[str, Binding]:
        """Visit a block and return its imports: they hold after the statement, whatever another branch assigns instead."""
        self.context.visit_block(block)
        nodes = (node for statement in block for node in (statement, *own(statement)))
        imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
        names = {alias.asname or alias.name for node in imports for alias in node.names}
        return {name: binding for name, binding in self.scopes.names[-1].items() if name in names and binding.path}

    def visit_For(self, node: ast.For) -> str:
        self.context.visit(node.iter)
        self._assignments.bind_elements(node.target, node.iter)
        self._views.iterated(node.target, node.iter)
        self.context.visit_block(node.body)
        if node.orelse:
            self.context.visit_block(node.orelse)
        return ""

    def _visit_comprehension(self, node: _Comprehension) -> str:
        with self.scopes.nested():
            for generator in node.generators:
                self.context.visit(generator.iter)
                self._assignments.bind_elements(generator.target, generator.iter)
                for test in generator.ifs:
                    self.context.visit(test)
            for value in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
                self.context.visit(value)
        return _COLLECTIONS.get(type(node), "")

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _visit_comprehension

    def visit_Lambda(self, node: ast.Lambda) -> str:
        with self.scopes.nested():
            for value in [*node.args.defaults, *[d for d in node.args.kw_defaults if d]]:
                self.context.visit(value)
            for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
                self.scopes.bind(argument.arg, Binding())
            self.context.visit(node.body)
        return ""


def _class_tests(test: ast.expr) -> list[tuple[str, ast.expr]]:
    """Return the names of which a condition tests the class, each with the class or classes."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [pair for value in test.values for pair in _class_tests(value)]
    if isinstance(test, ast.Call) and called_name(test) == "isinstance" and len(test.args) == 2:
        name, classes = test.args
        return [(name.id, classes)] if isinstance(name, ast.Name) else []
    return []
