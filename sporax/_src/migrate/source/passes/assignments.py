"""The kinds of names and attributes after an assignment."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Context, Pass, Role
from sporax._src.migrate.source.passes.in_place import InPlace
from sporax._src.migrate.source.passes.views import Views
from sporax._src.migrate.source.scopes import PAIRS, RESULTS, Binding, element_of
from sporax._src.migrate.torch_map.rows import TENSOR


class Assignments(Pass):
    """Binds the targets of assignments and loops.

    Args:
        context: The shared state of the passes.
        in_place: Converts assignments that write into Tensors.
        views: Follows which of them are views.
    """

    def __init__(self, context: Context, in_place: InPlace, views: Views) -> None:
        super().__init__(context)
        self._in_place, self._views = in_place, views

    def visit_Assign(self, node: ast.Assign) -> str:
        kind = self.context.visit(node.value)
        for target in node.targets:
            self.bind(target, kind, node.value)
        return ""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> str:
        with self.context.reading(Role.ANNOTATION):
            self.context.visit(node.annotation)
        kind = self.context.visit(node.value) if node.value else ""
        self.bind(node.target, self.scopes.annotated(node.annotation) or kind, node.value)
        return ""

    def leave_Call(self, node: ast.Call) -> None:
        """Bind the attribute that `self.register_buffer("name", x)` assigns."""
        is_buffer = isinstance(node.func, ast.Attribute) and node.func.attr == "register_buffer"
        if is_buffer and node.args and isinstance(node.args[0], ast.Constant) and self.position.classes:
            self.position.classes[-1].attributes[str(node.args[0].value)] = TENSOR

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        self.context.visit(node.target)
        self.context.visit(node.value)
        return ""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> str:
        kind = self.context.visit(node.value)
        self.bind(node.target, kind, node.value)
        return kind

    def bind(self, target: ast.expr, kind: str, value: ast.expr | None) -> None:
        """Bind a target to a value of a kind; what begins as None may be of any kind later."""
        kind = "" if kind == "None" else kind
        if isinstance(target, ast.Name):
            self.scopes.bind(target.id, Binding(kind=kind))
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._bind_each(target, kind, value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, "list", None)
        else:
            self.context.visit(target)
            self._bind_attribute(target, kind)
        self._views.assigned(target, value)
        self._in_place.stored(target)

    def _bind_each(self, target: ast.Tuple | ast.List, kind: str, value: ast.expr | None) -> None:
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        if len(values) == len(target.elts):
            for element, inner in zip(target.elts, values, strict=True):
                self.bind(element, self.context.kind_of(inner), inner)
        else:
            for element in target.elts:
                self.bind(element, TENSOR if kind.startswith(RESULTS) else "", None)

    def _bind_attribute(self, target: ast.expr, kind: str) -> None:
        """Note the kind of an attribute of `self`."""
        if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name) or not self.position.classes:
            return
        owner = self.position.classes[-1]
        if self.scopes.find(target.value.id).kind == f"class:{owner.name}":
            owner.attributes[target.attr] = kind

    def bind_elements(self, target: ast.expr, iterable: ast.expr) -> None:
        """Bind the names of a loop to the elements of an iterable."""
        kind, builtin = self.context.kind_of(iterable), called_name(iterable)
        values = iterable.args if isinstance(iterable, ast.Call) else []
        elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        if builtin == "zip" and len(elements) == len(values):
            for element, value in zip(elements, values, strict=True):
                self.bind_elements(element, value)
        elif builtin == "enumerate" and len(elements) == 2 and values:
            self.bind(elements[0], "int", None)
            self.bind_elements(elements[1], values[0])
        elif builtin in ("list", "tuple", "sorted", "reversed") and len(values) == 1:
            self.bind_elements(target, values[0])
        elif kind.startswith(PAIRS) and len(elements) == 2:
            self.bind(elements[0], "str", None)
            self.bind(elements[1], kind[len(PAIRS) : -1], None)
        else:
            self.bind(target, "int" if builtin == "range" else element_of(kind), None)


def called_name(node: ast.expr) -> str:
    """Return the name of the function that an expression calls, "" if it calls none by a bare name."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
