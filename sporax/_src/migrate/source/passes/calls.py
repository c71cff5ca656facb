"""Calls: the selection of the pass that converts a call, by its function or method."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from sporax._src.migrate.source.aliases import is_write
from sporax._src.migrate.source.context import Context, Pass, Role
from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.source.passes.call_conversion import BUFFER, CallConversion
from sporax._src.migrate.source.passes.gradients import AUTOGRAD
from sporax._src.migrate.source.passes.in_place import InPlace
from sporax._src.migrate.source.passes.names import Names
from sporax._src.migrate.source.passes.new_modules import NewModules
from sporax._src.migrate.source.passes.tensor_types import TensorTypes
from sporax._src.migrate.source.passes.training_loops import BACKWARD, SIMPLE, first_argument
from sporax._src.migrate.source.passes.views import is_name
from sporax._src.migrate.source.scopes import (
    NDARRAY,
    RESULTS,
    RETURNS,
    element_of,
    is_of_torch,
    may_be_of_tensors,
    owner_of,
)
from sporax._src.migrate.torch_map.names import ANYTHING, asks_itself, canonical
from sporax._src.migrate.torch_map.rows import MODULE, TENSOR, Row, table

_CHOSEN = "inplace= of a function that is held in a name or chosen by a condition; call each function by its own name"
_CONVERSIONS = ("float", "str", "list", "tuple", "dict", "bool")
_OF_ARRAYS = frozenset(name for name in dir(np.ndarray) if callable(getattr(np.ndarray, name)))
_KEYWORDS_OF_ARRAYS = frozenset(
    "axis ddof decimals dtype indices initial keepdims kind max min mode offset order out repeats where".split()
)
_REPEAT = 2  # NumPy's `repeat` takes at most so many arguments by position


class Calls(Pass):
    """Converts calls by their function or method.

    Args:
        context: The shared state of the passes.
        names: Converts names and attributes.
        conversion: Converts one call by its rows.
        types: Converts calls of types of Tensors.
        in_place: Converts the objects of calls that write.
        modules: Sets the mode of new Modules.
    """

    def __init__(
        self,
        context: Context,
        names: Names,
        conversion: CallConversion,
        types: TensorTypes,
        in_place: InPlace,
        modules: NewModules,
    ) -> None:
        super().__init__(context)
        self._names, self._conversion, self._types = names, conversion, types
        self._in_place, self._modules = in_place, modules

    def visit_Call(self, node: ast.Call) -> str:
        path = self.scopes.path(node.func)
        method = node.func if isinstance(node.func, ast.Attribute) and not path else None
        receiver = self._visit_receiver(method) if method else ""
        self._visit_arguments(node)
        if path:
            return self._call_of_path(node, path)
        if method is None:
            kind = self.context.visit(node.func)
            if kind.startswith(RETURNS) and any(keyword.arg == "inplace" for keyword in node.keywords):
                self.context.refuse(node, _CHOSEN)
            return self._types.instantiate(node, kind) or self._result(node, kind)
        return self._call_of_method(node, method, receiver)

    def _visit_receiver(self, method: ast.Attribute) -> str:
        """Visit the object of a method call and return its kind; in `x.data.cpu()` the method shows it."""
        owner = method.value
        kind = self.context.visit(owner)
        is_own = method.attr in self.context.own_methods or is_write(method.attr)
        if kind or is_own or not may_be_of_tensors(method.attr):
            return kind
        if isinstance(owner, ast.Attribute) and owner.attr == "data":
            return self._names.attribute(owner, table()[f"{ANYTHING}.data"][0])
        return kind

    def _visit_arguments(self, node: ast.Call) -> None:
        is_class_test = isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass")
        usual = Role.VALUE if self.context.role is Role.CLASS_TEST else self.context.role
        for argument in sorted([*node.args, *[k.value for k in node.keywords]], key=self.source.start):
            with self.context.reading(Role.CLASS_TEST if is_class_test and argument is not node.args[0] else usual):
                self.context.visit(argument.value if isinstance(argument, ast.Starred) else argument)

    def _call_of_path(self, node: ast.Call, path: str) -> str:
        """Convert a call of an imported name."""
        if path == AUTOGRAD and isinstance(self.position.statement, SIMPLE):
            return "tuple"  # converted with its block
        if path == BUFFER and self._conversion.register_buffer(node):
            return TENSOR
        if path.endswith(".__init__") and is_of_torch(path) and isinstance(node.func, ast.Attribute):
            with self.context.reading(Role.BASE_CLASS):  # nn.Module.__init__(self)
                self.context.visit(node.func.value)
            return ""
        if path == BACKWARD and first_argument(node) is not None:
            return "None"  # converted with its block
        if is_of_torch(path):
            return self._conversion.convert(node, table().get(canonical(path)), canonical(path))
        return NDARRAY if path.startswith("numpy.") else self._types.instantiate(node, "") or self._result(node, "")

    def _call_of_method(self, node: ast.Call, method: ast.Attribute, receiver: str) -> str:
        """Convert a call of a method of an object of a kind."""
        own_methods = self.context.own_methods
        if method.attr == "__init__" and ast.unparse(method.value) == "super()" and receiver != MODULE:
            return self._conversion.initialize(node, table().get(receiver, []), receiver)
        if not receiver and method.attr in own_methods and owner_of(method.attr) and is_name(method.value):
            return self._call_of_either(node, method, owner_of(method.attr)[0])
        if self.scopes.has_own(receiver, method.attr):
            return ""
        for base in self._bases(node, method.attr, receiver):
            name = f"{base}.{method.attr}"
            rows = table().get(name)
            if rows and all(row.parameters is None for row in rows):
                self._names.attribute(method, rows[0])
                return ""
            if rows and base == TENSOR and is_write(method.attr):
                return self._write(node, rows, name, bool(receiver))
            if rows and base == TENSOR and not receiver and _may_be_of_array(node, method):
                return self._call_of_either(node, method, TENSOR, _serves_arrays)
            if rows:
                kind = self._conversion.convert(node, rows, name, bool(receiver))
                return "" if kind == ANYTHING else kind
        if method.attr == "forward" and self._names.is_forward(receiver):
            self._names.rename(method, "construct")
            return TENSOR
        kind = self.scopes.attribute(receiver, method.attr)
        if instance := self._types.instantiate(node, kind):
            return instance
        return TENSOR if self.scopes.is_module(kind) else receiver if receiver == NDARRAY else ""

    def _bases(self, node: ast.Call, method: str, receiver: str) -> list[str]:
        """Return the kinds whose method may be called; `x.float()` is a Tensor's, unless nothing reads its result."""
        if method == "float" and not receiver and not self._is_whole(node):
            return []
        is_own = method in self.context.own_methods
        bases, owners = self.scopes.bases(receiver), [] if is_own else owner_of(method)
        may_be_mixin = receiver.startswith("class:") and owners == [MODULE]
        if not bases or may_be_mixin:
            bases = [*bases, *owners]
        if not bases and (not is_own or asks_itself(method)):
            return [ANYTHING]
        return bases

    def _is_whole(self, node: ast.Call) -> bool:
        """Return whether a call is a statement, so that nothing reads its result."""
        return isinstance(self.position.statement, ast.Expr) and self.position.statement.value is node

    def _call_of_either(
        self, node: ast.Call, method: ast.Attribute, owner: str, serves: Callable[[str, str], bool] | None = None
    ) -> str:
        """Convert a call of a method that objects of another kind have too; the converted code tests the object.

        Args:
            node: The call.
            method: What it calls.
            owner: The kind of torch that has the method.
            serves: Tells of the converted text and the text of the object whether it suits the other kind, too.
        """
        name = f"{owner}.{method.attr}"
        own, receiver = self.rewriter.text(node), self.rewriter.text(method.value)
        result = self._conversion.convert(node, table()[name], name, False)
        converted = self.rewriter.text(node)
        if serves is not None and (converted == own or serves(converted, receiver)):
            return result
        if converted == own:
            return ""
        kind = self.imports.name("nn.Cell" if owner == MODULE else "mindspore.Tensor")
        text = f"{converted} if isinstance({receiver}, {kind}) else {own}"
        self.rewriter.replace(node, text if self._is_whole(node) else f"({text})")
        return result if result.startswith(RESULTS) else ""

    def _write(self, node: ast.Call, rows: list[Row], name: str, is_sure: bool) -> str:
        """Convert a call that writes into a Tensor."""
        before, after = self._in_place.called(node)
        kind = self._conversion.convert(node, rows, name, is_sure)
        self.rewriter.wrap(node, before, after)
        return kind

    def _result(self, node: ast.Call, kind: str) -> str:
        """Return the kind of the result of calling a value of a kind."""
        if kind.startswith("type:"):
            instance = kind.removeprefix("type:")
            if self.scopes.is_module(instance):
                self._modules.created(node, instance)
            return instance
        if self.scopes.is_module(kind):
            return TENSOR
        if kind.startswith(RETURNS):
            return kind.removeprefix(RETURNS)
        return self._result_of_builtin(node, node.func.id) if isinstance(node.func, ast.Name) else ""

    def _result_of_builtin(self, node: ast.Call, name: str) -> str:
        first = self.context.kind_of(node.args[0]) if node.args else ""
        if name == "type" and len(node.args) == 1:
            return f"type:{first}"
        if name in ("next", "iter") and node.args:
            return element_of(first) if name == "next" else first
        if name in ("int", "len", "round"):
            return "int"
        if name == "super" and self.position.classes:
            return next(iter(self.position.classes[-1].bases), "")
        return name if name in _CONVERSIONS else ""


def _may_be_of_array(node: ast.Call, method: ast.Attribute) -> bool:
    """Return whether a call on an object of unknown kind may be one of a NumPy array, by its method and arguments.

    The object must be an expression that can be read twice.
    """
    is_repeatable = not any(isinstance(inner, (ast.Call, ast.Await, ast.NamedExpr)) for inner in walk(method.value))
    keywords = {str(keyword.arg) for keyword in node.keywords if keyword.arg}
    is_tiling = method.attr == "repeat" and len(node.args) > _REPEAT
    return method.attr in _OF_ARRAYS and is_repeatable and keywords <= _KEYWORDS_OF_ARRAYS and not is_tiling


def _serves_arrays(converted: str, receiver: str) -> bool:
    """Return whether a converted call calls a method that arrays have, too."""
    starts = (start for start in (f"{receiver}.", f"({receiver}).") if converted.startswith(start))
    return any(converted.removeprefix(start).partition("(")[0] in _OF_ARRAYS for start in starts)
