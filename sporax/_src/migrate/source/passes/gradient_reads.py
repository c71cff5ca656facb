"""Reads of the attribute `grad`, which a Tensor of MindSpore has only after a gradient was stored in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.torch_map.rows import TENSOR


class GradientReads(Pass):
    """Lets `x.grad` be None before the first gradient."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        nodes = list(ast.walk(self.source.tree))
        self._used = {id(value) for node in nodes for value in _used(node)}
        self._quotes = {
            id(inner): "'" if '"' in self.source.text(node)[:3] else '"'
            for node in nodes
            if isinstance(node, ast.JoinedStr)
            for inner in ast.walk(node)
        }

    def visit_Attribute(self, node: ast.Attribute) -> str | None:
        if node.attr != "grad" or not isinstance(node.ctx, ast.Load) or self.scopes.path(node):
            return None
        kind = self.context.visit(node.value)
        if kind and TENSOR not in self.scopes.bases(kind):
            return self.scopes.attribute(kind, node.attr)
        if id(node) not in self._used:
            quote = self._quotes.get(id(node), '"')
            self.rewriter.replace(node, f"getattr({self.rewriter.text(node.value)}, {quote}grad{quote}, None)")
        return TENSOR


def _used(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that a node uses as a Tensor, which raises in torch too if one is None."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        yield node.value
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        yield node.operand
