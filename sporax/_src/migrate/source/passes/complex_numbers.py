"""Absolute values and random numbers of programs with complex numbers, for which MindSpore has other dtypes than torch."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.scopes import NDARRAY, WHOLE, is_of_torch
from sporax._src.migrate.torch_map.rows import TENSOR

_REAL = frozenset(("int", "float", "bool", WHOLE, NDARRAY))
_METHODS = ("abs", "absolute")


class ComplexNumbers(Pass):
    """Lets the absolute values of complex numbers be real: `abs(x)` and `x.abs()`; `REPLACED` converts `torch.abs`."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._is_own = any(function.name == "abs" for function in self.source.nodes(ast.FunctionDef))

    def leave_Call(self, node: ast.Call) -> None:
        value = self._argument(node) if self.context.has_complex else None
        if value is not None and self._may_be_complex(value):
            self.rewriter.replace(node, f"{self.imports.name('_abs')}({self.rewriter.text(value)})")

    def _argument(self, node: ast.Call) -> ast.expr | None:
        """Return what a call gives the absolute value of; None if it is another call."""
        if isinstance(node.func, ast.Attribute):
            is_method = node.func.attr in _METHODS and not node.args and not is_of_torch(self.scopes.path(node.func))
            return node.func.value if is_method else None
        is_builtin = isinstance(node.func, ast.Name) and node.func.id == "abs" and not self._is_own
        is_builtin = is_builtin and not any("abs" in names for names in self.scopes.names)
        return node.args[0] if is_builtin and len(node.args) == 1 else None

    def _may_be_complex(self, value: ast.expr) -> bool:
        kinds = self.context.kinds_of(value)
        return not kinds or (TENSOR in kinds and not _REAL & {*kinds})
