"""The kinds of the results of operators, literals and indices."""

from __future__ import annotations

import ast

from sporax._src.migrate.source import factory_keywords
from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import defaults, is_truth
from sporax._src.migrate.source.passes.learning_rates import names_of_groups
from sporax._src.migrate.source.passes.tensor_types import either_type
from sporax._src.migrate.source.passes.training_loops import PARAMETER
from sporax._src.migrate.source.scopes import EACH, INTS, NDARRAY, OPTIONAL_LIST, RESULTS, WHOLE, is_of_torch
from sporax._src.migrate.torch_map.rows import TENSOR

_LITERALS = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str", type(None): "None"}


class Values(Pass):
    """Derives the kind of an expression from its form."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._groups = names_of_groups(context.source.tree)

    def visit_Constant(self, node: ast.Constant) -> str:
        return _LITERALS.get(type(node.value), "")

    def visit_List(self, node: ast.List) -> str:
        """Return "list", or "complex" if the list has complex numbers, or `INTS` if it has whole numbers alone."""
        kinds = {self.context.visit(value) for value in node.elts}
        if any(self._may_be_none(value) for value in node.elts):
            return OPTIONAL_LIST
        return "complex" if "complex" in kinds else INTS if kinds and kinds <= {"int", INTS} else "list"

    def _may_be_none(self, value: ast.expr) -> bool:
        """Return whether a value is None, or an argument that is None if a call leaves it out."""
        functions = [f for f in self.position.functions if isinstance(f, ast.FunctionDef)]
        usual = {name: default for function in functions for name, default in defaults(function.args)}
        values = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        values = [usual.get(one.id, one) if isinstance(one, ast.Name) else one for one in values]
        return any(isinstance(one, ast.Constant) and one.value is None for one in values)

    def visit_Tuple(self, node: ast.Tuple) -> str:
        for value in node.elts:
            self.context.visit(value)
        return "tuple"

    def visit_Dict(self, node: ast.Dict) -> str:
        if not self.factory_keywords(node):
            for value in sorted([*filter(None, node.keys), *node.values], key=self.source.start):
                self.context.visit(value)
        return "dict"

    def visit_Call(self, node: ast.Call) -> str | None:
        return "dict" if self.factory_keywords(node) else None

    def leave_Call(self, node: ast.Call) -> None:
        """Drop where Tensors are placed from `partial(torch.arange, device=d)`."""
        if self.scopes.path(node.func) != "functools.partial" or not node.args:
            return
        if not is_of_torch(self.scopes.path(node.args[0])):
            return
        ends = [self.source.end(argument) for argument in (*node.args, *node.keywords)]
        for before, keyword in zip(ends[len(node.args) - 1 :], node.keywords, strict=False):
            if keyword.arg in factory_keywords.PLACEMENTS:
                end = self.source.end(keyword)
                self.edits.take(before, end)
                self.edits.add(before, end, "")

    def factory_keywords(self, node: ast.expr) -> bool:
        """Convert a dict of keyword arguments for torch's factories; False for any other expression."""
        items = factory_keywords.items(node, self.source)
        for item in items:
            if item.name not in factory_keywords.PLACEMENTS:
                self.context.visit(item.value)
        for start, end in factory_keywords.placements(items, self.source):
            self.edits.add(start, end, "")
        return bool(items)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        kind = self.context.visit(node.operand)
        if isinstance(node.op, ast.Invert) and TENSOR in self.scopes.bases(kind) and not is_truth(node.operand):
            # `~` inverts the bits of whole numbers in torch; in MindSpore it asks whether they are 0
            text = self.rewriter.take(node.operand)
            self.edits.add(
                self.source.start(node), self.source.end(node), f"{self.imports.name('mint.bitwise_not')}({text})"
            )
        return "bool" if isinstance(node.op, ast.Not) else kind

    def visit_BinOp(self, node: ast.BinOp) -> str:
        kinds = {self.context.visit(node.left), self.context.visit(node.right)}
        is_division = isinstance(node.op, ast.Div)
        if isinstance(node.op, (ast.LShift, ast.RShift)) and not kinds <= {"int", "bool"}:
            self._shift(node)
        if self._has_tensor(kinds):
            return WHOLE if kinds <= {WHOLE, "int", "bool"} and not is_division else TENSOR
        for kind in (NDARRAY, "complex"):
            if kind in kinds:
                return kind
        numbers = kinds - {"bool"}
        if is_division and kinds <= {"int", "float", "bool"}:
            return "float"
        return numbers.pop() if len(numbers) == 1 else "float" if numbers == {"int", "float"} else ""

    def _shift(self, node: ast.BinOp) -> None:
        """Convert a shift of what may be a Tensor, which has no such operator in MindSpore."""
        helper = self.imports.name("_left_shift" if isinstance(node.op, ast.LShift) else "_right_shift")
        left, right = self.rewriter.take(node.left), self.rewriter.take(node.right)
        self.edits.add(self.source.start(node), self.source.end(node), f"{helper}({left}, {right})")

    def visit_Compare(self, node: ast.Compare) -> str:
        kinds = {self.context.visit(node.left), *[self.context.visit(c) for c in node.comparators]}
        if self._has_tensor(kinds):
            return TENSOR
        return "bool" if kinds <= {"int", "float", "str", "bool", "None"} else ""

    def _has_tensor(self, kinds: set[str]) -> bool:
        return any(TENSOR in self.scopes.bases(kind) for kind in kinds)

    def visit_IfExp(self, node: ast.IfExp) -> str:
        kinds = {self.context.visit(node.body), self.context.visit(node.orelse)}
        self.context.visit(node.test)
        return next(iter(kinds)) if len(kinds) == 1 else either_type(kinds)

    def visit_Subscript(self, node: ast.Subscript) -> str:
        kind = self.context.visit(node.value)
        self.context.visit(node.slice)
        if TENSOR in self.scopes.bases(kind) or kind.startswith(RESULTS):
            return WHOLE if kind == WHOLE else TENSOR
        if isinstance(node.value, ast.Name) and node.value.id in self._groups and ast.unparse(node.slice) == "'params'":
            return f"{EACH}{PARAMETER}]"
        if kind == "torch.Size":
            return kind if isinstance(node.slice, ast.Slice) else "int"
        return kind if kind == NDARRAY else ""
