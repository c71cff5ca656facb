"""Queries of a program about torch itself: whether it has a name, and its value."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.passes.names import Names
from sporax._src.migrate.source.scopes import attribute_query, is_of_torch
from sporax._src.migrate.torch_map.names import ANYTHING, canonical, is_known

# The helper that finds what has a computed name, for each namespace whose names programs compute, and the kind of what it finds.
_BY_NAME = {
    "torch.nn": ("_layer_named", ""),
    "torch.nn.functional": ("_function_named", ""),
    "torch.optim": ("_optimizer_named", "type:torch.optim.Optimizer"),
}


class Introspection(Pass):
    """Answers such queries by the names for which the map has a counterpart.

    Args:
        context: The shared state of the passes.
        names: Converts names of torch.
    """

    def __init__(self, context: Context, names: Names) -> None:
        super().__init__(context)
        self._names = names

    def visit_Compare(self, node: ast.Compare) -> str | None:
        """Answer `"name" in dir(torch)`."""
        within, name = node.comparators[0], node.left
        if not isinstance(within, ast.Call) or ast.unparse(within.func) != "dir" or len(within.args) != 1:
            return None
        path = self.scopes.path(within.args[0]) if isinstance(node.ops[0], ast.In) else ""
        if not is_of_torch(path) or not isinstance(name, ast.Constant):
            return None
        answer = is_known(canonical(f"{path}.{name.value}"))
        self.edits.add(self.source.start(node), self.source.end(node), str(answer))
        return "bool"

    def visit_Call(self, node: ast.Call) -> str | None:
        """Answer `hasattr(torch, "name")`, `getattr(torch, "name", default)` and `getattr(torch.nn, name)`."""
        if found := self._by_name(node):
            helper, kind = found
            self.context.visit(node.args[1])
            self.rewriter.replace(node, f"{self.imports.name(helper)}({self.rewriter.take(node.args[1])})")
            return kind
        query = attribute_query(node)
        path = self.scopes.path(query.owner) if query is not None else ""
        if query is None or not is_of_torch(path):
            return None
        name = canonical(f"{path}.{query.name}")
        start, end = self.source.start(node), self.source.end(node)
        if query.function == "hasattr":
            self.edits.add(start, end, str(is_known(name)))
            return "bool"
        if is_known(name) or len(node.args) < 3:
            return self._names.reference(node, name) or ANYTHING
        kind = self.context.visit(node.args[2])
        self.edits.add(start, end, self.rewriter.take(node.args[2]))
        return kind or ANYTHING

    def _by_name(self, node: ast.Call) -> tuple[str, str] | None:
        """Return helper and kind for a call `getattr(torch.nn, name)` with a name that is computed, None for any other call."""
        is_query = isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) == 2
        if not is_query or isinstance(node.args[1], ast.Constant):
            return None
        return _BY_NAME.get(canonical(self.scopes.path(node.args[0])))
