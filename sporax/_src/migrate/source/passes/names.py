"""The conversion of names and attributes of torch."""

from __future__ import annotations

import ast

from sporax._src.migrate.source import calls
from sporax._src.migrate.source.context import Context, Pass, Role
from sporax._src.migrate.source.optimizer_kinds import is_exact
from sporax._src.migrate.source.passes.layer_attributes import LayerAttributes
from sporax._src.migrate.source.scopes import is_of_torch, kind_of_callable, owner_of
from sporax._src.migrate.torch_map.expressions import created_class, dotted, same_call
from sporax._src.migrate.torch_map.names import ANYTHING, canonical, namespaces
from sporax._src.migrate.torch_map.rows import MODULE, TENSOR, Row, table

_PARTS = ("real", "imag")
_COMPUTED = ', or as in `{"ReLU": torch.nn.ReLU, "Tanh": torch.nn.Tanh}[kind]()` if the name is computed'
_ASSIGNED_PART = "a part of a complex Tensor is a copy; make the Tensor of both parts with torch.complex(real, imag)"


class Names(Pass):
    """Converts names and attributes that are not called.

    Args:
        context: The shared state of the passes.
        layers: Converts attributes of objects that may be any layer.
    """

    def __init__(self, context: Context, layers: LayerAttributes) -> None:
        super().__init__(context)
        self._layers = layers
        self._is_exact = context.needs_exact

    def visit_Name(self, node: ast.Name) -> str:
        binding = self.scopes.find(node.id)
        return self.reference(node, binding.path) if is_of_torch(binding.path) else binding.kind

    def visit_Attribute(self, node: ast.Attribute) -> str:
        path = self.scopes.path(node)
        if path:
            return self.reference(node, path) if is_of_torch(path) else ""
        kind = self.context.visit(node.value)
        is_of_device = not kind and f"torch.device.{node.attr}" in table()
        if is_of_device and isinstance(node.value, ast.Attribute) and node.value.attr == "device":
            kind = self.attribute(node.value, table()[f"{ANYTHING}.device"][0])
        if node.attr == "forward" and self.is_forward(kind):
            self.rename(node, "construct")
        if not isinstance(node.ctx, ast.Load):
            self._store(node, kind)
            return self.scopes.attribute(kind, node.attr)
        for base in self.scopes.bases(kind) or owner_of(node.attr):
            for row in table().get(f"{base}.{node.attr}", ()):
                if row.parameters is None:
                    return self.attribute(node, row)
        if not kind and f"{ANYTHING}.{node.attr}" in table() and node.attr in _PARTS:
            self.attribute(node, table()[f"{ANYTHING}.{node.attr}"][0])
            return ""
        if row := self._layers.row(kind, node.attr, node):
            self.attribute(node, row)
        return self.scopes.attribute(kind, node.attr)

    def rename(self, node: ast.Attribute, name: str) -> None:
        """Write another name for an attribute."""
        end = self.source.end(node)
        self.edits.add(end - len(node.attr.encode()), end, name)

    def is_forward(self, kind: str) -> bool:
        """Return whether `forward` of a kind is a Module's: it is known, or a mixin's, or the file's only one."""
        kind = kind.removeprefix("type:")
        may_be_mixin = not kind or kind.startswith("class:")
        return self.scopes.is_module(kind) or (may_be_mixin and "forward" not in self.context.own_methods)

    def _store(self, node: ast.Attribute, kind: str) -> None:
        """Assign to an attribute by the name that it has in MindSpore."""
        if node.attr in _PARTS and TENSOR in self.scopes.bases(kind):
            self.context.refuse(node, f"torch.Tensor.{node.attr} is assigned: {_ASSIGNED_PART}")
        for row in table().get(f"{kind}.{node.attr}", ()):
            name = dotted(row.expression(self.context.options.target)).removeprefix("self.")
            if row.parameters is None and name != node.attr and name.replace(".", "_").isidentifier():
                self.rename(node, name)
        self._layers.store(node, kind)

    def attribute(self, node: ast.Attribute, row: Row) -> str:
        """Convert an attribute by its row, and return its kind."""
        if not row.target:
            self.context.refuse(node, f"{row.name}: {row.missing}")
            return row.result
        self.context.count(node, row)
        expression = row.expression(self.context.options.target)
        if dotted(expression) != f"self.{node.attr}":
            self.rewriter.replace(node, self._value(row, expression, node))
        return row.result

    def _value(self, row: Row, expression: ast.expr, function: ast.expr) -> str:
        """Return the text of the right side of a row that is not a call."""
        bound = calls.Bound(row, {}, [], [], False)
        return calls.rewritten(bound, ast.Call(function, [], []), expression, self.context.rendering)

    def reference(self, node: ast.expr | ast.alias, path: str) -> str:
        """Convert a name of torch that is not called, and return its kind."""
        rows = table().get(canonical(path))
        if rows and not self._is_exact and self.context.role is not Role.BASE_CLASS:
            rows = [row for row in rows if not is_exact(row)]
        if not rows:
            self._refuse_without_rows(node, path)
            return ""
        row = next((row for row in rows if row.target), rows[0])
        if not row.target:
            self.context.refuse(node, f"{row.name}: {row.missing}")
            return ""
        if row.parameters is not None and not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            self.context.refuse(
                node, f"{row.name} is assigned: this has no effect on calls of its counterpart; change the calls"
            )
            return ""
        self.context.count(node, row)
        is_asked = self.context.role is Role.VALUE and self.context.class_tests.asks_about(node)
        with self.context.reading(Role.CLASS_TEST if is_asked else self.context.role):
            text = self._text(rows, row, path)
        if not text.replace(".", "_").isidentifier() and self.context.class_tests.asks_and_calls(node):
            self.context.refuse(
                node,
                f"one variable with {row.name} is called and compared with the classes of objects; the counterpart takes other "
                "arguments, so write a function for the calls and the class for the comparisons",
            )
            return ""
        if not text:
            self.context.refuse(node, f"{row.name} is a function in MindSpore, not a class; ask about another class")
            return ""
        self.edits.add(self.source.start(node), self.source.end(node), text)
        return row.result if row.parameters is None else kind_of_callable(canonical(path), row.result)

    def _refuse_without_rows(self, node: ast.expr | ast.alias, path: str) -> None:
        if canonical(path) in namespaces():
            self.context.refuse(
                node,
                f"{path} is a namespace; write what is used of it, as in `f = torch.nn.functional.relu`"
                f"{_COMPUTED if path == 'torch.nn' else ''}",
            )
        else:
            self.refuse_unknown(node, canonical(path))

    def refuse_unknown(self, node: ast.expr | ast.alias, name: str) -> None:
        """Report that the map does not have a name of torch."""
        self.context.refuse(
            node,
            f"{name} has no counterpart here; write its formula with functions of mindspore.mint, as in "
            "`y = mint.log(1 + mint.exp(x))`",
        )

    def _text(self, rows: list[Row], row: Row, path: str) -> str:
        """Return the conversion of a name; "" for a class that is asked about and is a function in MindSpore."""
        target, role = self.context.options.target, self.context.role
        if role is Role.BASE_CLASS and (exact := [one for one in rows if is_exact(one)]):
            return self.imports.name(created_class(exact[0].expression(target)))
        expression = row.expression(target)
        if role is Role.ANNOTATION and (name := self._type(rows)):
            return self.imports.name(name)
        if row.parameters is None:
            return self._value(row, expression, ast.Name(path))
        if role is Role.CLASS_TEST:
            return self.imports.name(created_class(expression)) if created_class(expression) else ""
        if same := same_call(rows, target):
            return self.imports.name(self._of_class(dotted(same.func), row))
        if role is Role.BASE_CLASS and created_class(expression):
            return self.imports.name(created_class(expression))
        return calls.function_of(row, expression, self.context.rendering)

    def _type(self, rows: list[Row]) -> str:
        """Return the type of the objects that a class of torch makes, "" for a name that is no such class."""
        classes = [row for row in rows if row.target and row.parameters is not None]
        bases = self.scopes.bases(classes[0].result) if classes else []
        for row in classes:
            if name := created_class(row.expression(self.context.options.target)):
                return name
        return "mindspore.Tensor" if TENSOR in bases else "nn.Cell" if MODULE in bases else ""

    def _of_class(self, name: str, row: Row) -> str:
        """Return the name of a function; a method (`self.item`) is named with its class."""
        owner, _, method = name.partition(".")
        return f"{self._type(table()[row.name.rpartition('.')[0]])}.{method}" if owner == "self" else name
