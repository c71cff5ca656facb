"""Ranges as indices, which MindSpore does not take: x[range(n), y]  ->  x[[*range(n)], y]."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Pass


class Indices(Pass):
    """Makes lists of the ranges that a program uses as indices; lists and arrays take them, too."""

    def leave_Subscript(self, node: ast.Subscript) -> None:
        """Convert the ranges among the indices."""
        for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            if isinstance(index, ast.Call) and isinstance(index.func, ast.Name) and index.func.id == "range":
                self.rewriter.wrap(index, "[*", "]")
