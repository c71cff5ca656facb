"""Attributes with different names in the layers of `nn`, of objects that may be any of these layers.

m.weight             ->  _attribute(m, "weight")
hasattr(m, "bias")   ->  _has_attribute(m, "bias")
m.weight = w         ->  _set_attribute(m, "weight", w)
"""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.scopes import is_of_torch
from sporax._src.migrate.torch_map.names import ANYTHING, canonical
from sporax._src.migrate.torch_map.rows import MODULE, Row, table

_FUNCTIONS = {"hasattr": "_has_attribute", "getattr": "_attribute", "setattr": "_set_attribute"}


class LayerAttributes(Pass):
    """Rewrites the access to attributes of layers, for objects of unknown kind."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._settings: set[int] = set()  # arguments of layers, which are no Parameters

    def row(self, kind: str, name: str, node: ast.expr) -> Row | None:
        """Return the row of an attribute of an object that may be any layer; None if it is known, or no such attribute."""
        if self.context.options.target != "classic" or kind not in ("", MODULE) or id(node) in self._settings:
            return None
        return next((row for row in table().get(f"{ANYTHING}.{name}", ()) if row.classic), None)

    def visit_Call(self, node: ast.Call) -> None:
        """Record each attribute `bias` that is an argument of a layer: it is a flag there, not a Tensor."""
        rows = table().get(canonical(self.scopes.path(node.func)), ())
        if any(self.scopes.is_module(row.result) for row in rows if row.parameters is not None):
            arguments = [*node.args, *[k.value for k in node.keywords]]
            self._settings |= {id(a) for a in arguments if isinstance(a, ast.Attribute) and a.attr == "bias"}

    def leave_Call(self, node: ast.Call) -> None:
        """Make `hasattr`, `getattr` and `setattr` use the converted names."""
        function = node.func.id if isinstance(node.func, ast.Name) else ""
        name = node.args[1] if len(node.args) > 1 else None
        if function not in _FUNCTIONS or not isinstance(name, ast.Constant):
            return
        is_torch = is_of_torch(self.scopes.path(node.args[0]))
        if not is_torch and self.row(self.context.kind_of(node.args[0]), str(name.value), node):
            start, end = self.source.start(node.func), self.source.end(node.func)
            self.edits.add(start, end, self.imports.name(_FUNCTIONS[function]))

    def store(self, node: ast.Attribute, kind: str) -> None:
        """Convert an assignment to one attribute."""
        statement = self.position.statement
        if not isinstance(statement, ast.Assign) or statement.targets != [node]:
            return
        if self.row(kind, node.attr, node):
            start, equals = self.source.start(node), self.source.data.index(b"=", self.source.end(node))
            owner = self.rewriter.take(node.value)
            self.edits.add(start, equals + 1, f'{self.imports.name("_set_attribute")}({owner}, "{node.attr}",')
            self.edits.add(self.source.end(statement), self.source.end(statement), ")")
