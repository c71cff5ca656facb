"""Attributes that the layers of `nn` have by various names, of objects that may be any of them.

m.weight             ->  _attribute(m, "weight")
hasattr(m, "bias")   ->  _has_attribute(m, "bias")
m.weight = w         ->  _set_attribute(m, "weight", w)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from sporax._src.migrate.source.import_statements import ImportStatements
from sporax._src.migrate.source.program import Program
from sporax._src.migrate.source.source_text import Source
from sporax._src.migrate.torch_map.names import ANYTHING, canonical
from sporax._src.migrate.torch_map.rows import MODULE, Row, table

_FUNCTIONS = {"hasattr": "_has_attribute", "getattr": "_attribute", "setattr": "_set_attribute"}


class LayerAttributes(ImportStatements):
    """Rewrites what asks an object of unknown kind for an attribute that layers have."""

    def __init__(self, source: Source, program: Program, helpers_from: str, target: str) -> None:
        super().__init__(source, program, helpers_from, target)
        self.settings: set[int] = set()  # expressions that are no Parameters, for a layer is made with them

    def of_any_layer(self, kind: str, name: str, node: ast.expr) -> Row | None:
        """Return the row of an attribute of an object that may be any layer; None if it is known, or no such attribute."""
        if self.target != "classic" or kind not in ("", MODULE) or id(node) in self.settings:
            return None
        return next((row for row in table().get(f"{ANYTHING}.{name}", ()) if row.classic), None)

    def note_settings(self, path: str, arguments: Sequence[ast.expr]) -> None:
        """Note that a `bias` which a layer is made with tells whether it has one."""
        made = {row.result for row in table().get(canonical(path), ()) if row.parameters is not None}
        if any(map(self.scopes.is_module, made)):
            self.settings |= {id(a) for a in arguments if isinstance(a, ast.Attribute) and a.attr == "bias"}

    def ask_of_any_layer(self, node: ast.Call) -> None:
        """Let `hasattr`, `getattr` and `setattr` know the names."""
        function = node.func.id if isinstance(node.func, ast.Name) else ""
        name = node.args[1] if len(node.args) > 1 else None
        if function not in _FUNCTIONS or not isinstance(name, ast.Constant):
            return
        if self.of_any_layer(self.kind_of(node.args[0]), str(name.value), node):
            start, end = self.source.start(node.func), self.source.end(node.func)
            self.edits.add(start, end, self.imports.name(_FUNCTIONS[function]))

    def set_of_any_layer(self, node: ast.Attribute, kind: str) -> None:
        """Convert an assignment to one attribute."""
        statement = self.statements[-1]
        if not isinstance(statement, ast.Assign) or statement.targets != [node]:
            return
        if self.of_any_layer(kind, node.attr, node):
            start, equals = self.source.start(node), self.source.data.index(b"=", self.source.end(node))
            owner = self.taken(node.value)
            self.edits.add(start, equals + 1, f'{self.imports.name("_set_attribute")}({owner}, "{node.attr}",')
            self.edits.add(self.source.end(statement), self.source.end(statement), ")")
