"""What a program asks of torch itself: whether it has a name, and what it is."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.import_statements import ImportStatements
from sporax._src.migrate.source.scopes import asks_for, is_of_torch
from sporax._src.migrate.torch_map.names import ANYTHING, canonical, is_known


class Questions(ImportStatements):
    """Answers by what the map has a counterpart of."""

    def visit_Compare(self, node: ast.Compare) -> str:
        """Answer `"name" in dir(torch)`."""
        within, name = node.comparators[0], node.left
        is_dir = isinstance(within, ast.Call) and ast.unparse(within.func) == "dir" and len(within.args) == 1
        path = self.scopes.path(within.args[0]) if is_dir and isinstance(node.ops[0], ast.In) else ""  # type: ignore[attr-defined]
        if not is_of_torch(path) or not isinstance(name, ast.Constant):
            return super().visit_Compare(node)
        self.edits.add(self.source.start(node), self.source.end(node), str(is_known(canonical(f"{path}.{name.value}"))))
        return "bool"

    def asked_of_torch(self, node: ast.Call) -> str:
        """Answer `hasattr(torch, "name")` and `getattr(torch, "name", default)`; "" of any other call."""
        asked = asks_for(node)
        path = self.scopes.path(asked.owner) if asked is not None else ""
        if asked is None or not is_of_torch(path):
            return ""
        name = canonical(f"{path}.{asked.name}")
        found = is_known(name)
        start, end = self.source.start(node), self.source.end(node)
        if asked.function == "hasattr":
            self.edits.add(start, end, str(found))
            return "bool"
        if found or len(node.args) < 3:
            return self.reference(node, name) or ANYTHING
        kind = self.visit(node.args[2])
        self.edits.add(start, end, self.taken(node.args[2]))
        return kind or ANYTHING
