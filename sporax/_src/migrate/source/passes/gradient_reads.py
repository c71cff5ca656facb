"""Reads of the attributes `grad` and `requires_grad`, which a Tensor of MindSpore has only after they were stored in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import (
    access_path,
    assigned_by,
    is_read,
    leaves,
    makes_leaf,
    method_calls,
    unstopped,
)
from sporax._src.migrate.source.nodes import every, walk
from sporax._src.migrate.torch_map.rows import TENSOR

_NOT_RECORDED = (
    "MindSpore does not record what depends on a Tensor with a gradient; write True or False, as the program knows"
)


class GradientReads(Pass):
    """Lets `x.grad` be None before the first gradient, and refuses to tell whether a result has a gradient."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        tree = self.source.tree
        self._leaves = {name for scope in every(tree, ast.Module, ast.FunctionDef) for name in leaves(scope)}
        self._results: set[str] = set()
        for node in (
            every(tree, ast.Assign) * 2
        ):  # what is assigned further up may depend on what is assigned further down
            if reads_any(node.value, self._leaves | self._results) and not makes_leaf(node):
                self._results |= assigned_by(*node.targets)
        self._used = {id(value) for node in every(tree) for value in _used(node)}
        self._quotes = {
            id(inner): "'" if '"' in self.source.text(node)[:3] else '"'
            for node in every(tree, ast.JoinedStr)
            for inner in walk(node)
        }

    def visit_Attribute(self, node: ast.Attribute) -> str | None:
        if node.attr == "requires_grad" and isinstance(node.ctx, ast.Load) and self._depends(node.value):
            self.context.visit(node.value)
            self.context.refuse(node, f"torch.Tensor.requires_grad: {_NOT_RECORDED}")
            return "bool"
        if node.attr != "grad" or not isinstance(node.ctx, ast.Load) or self.scopes.path(node):
            return None
        kind = self.context.visit(node.value)
        if kind and TENSOR not in self.scopes.bases(kind):
            return self.scopes.attribute(kind, node.attr)
        if id(node) not in self._used:
            quote = self._quotes.get(id(node), '"')
            self.rewriter.replace(node, f"getattr({self.rewriter.text(node.value)}, {quote}grad{quote}, None)")
        return TENSOR

    def _depends(self, value: ast.expr) -> bool:
        """Return whether a value is computed from a Tensor with a gradient."""
        name = access_path(value)
        return name in self._results - self._leaves if name else reads_any(value, self._leaves | self._results)


def reads_any(value: ast.AST, names: set[str]) -> bool:
    """Return whether code reads one of some names in a way that a gradient follows; `requires_grad_` gives the Tensor itself."""
    marked = {id(inner) for call in method_calls(value, "requires_grad_") for inner in walk(call.call)}
    return any(is_read(node, names) for node in unstopped(value) if id(node) not in marked)


def _used(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that a node uses as a Tensor, which raises in torch too if one is None."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        yield node.value
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        yield node.operand
