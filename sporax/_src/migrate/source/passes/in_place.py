"""Writes into Tensors that are not calls: augmented assignments, and `data`.

x += y             ->  x.add_(y)           where x may have another name, as an argument or the variable of a loop has
v += y             ->  v = _iadd(v, y)     where v may be a Tensor or not
d["w"] += y        ->  d["w"] = _iadd(d["w"], y)
x.data.zero_()     ->  x.zero_()
x.data = y         ->  x.assign_value(y)
"""

from __future__ import annotations

import ast

from sporax._src.migrate.source.aliases import PLAIN, Aliases, is_of_parameter
from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import access_path
from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.source.passes.numpy_memory import NumpyMemory
from sporax._src.migrate.source.passes.views import Views
from sporax._src.migrate.source.scopes import NDARRAY, Binding
from sporax._src.migrate.torch_map.rows import TENSOR

_METHODS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "pow",
}
_HELPERS = {
    ast.Add: "_iadd",
    ast.Sub: "_isub",
    ast.Mult: "_imul",
    ast.Div: "_itruediv",
    ast.FloorDiv: "_ifloordiv",
    ast.Mod: "_imod",
    ast.Pow: "_ipow",
    ast.BitAnd: "_iand",
    ast.BitOr: "_ior",
    ast.BitXor: "_ixor",
    ast.LShift: "_ilshift",
    ast.RShift: "_irshift",
}
_NOT_ADDED = ("str", "list", "tuple", "dict")  # nothing of these kinds can be added to a Tensor
_SAME = ("data", "detach")
_OF_OPTIMIZERS = ("lr", "momentum", "weight_decay", "eps")  # keys of `param_groups`


class InPlace(Pass):
    """Converts augmented assignments, and writes through `data` and `detach()`.

    Args:
        context: The shared state of the passes.
        views: Converts writes into views for a target that has none.
    """

    def __init__(self, context: Context, views: Views) -> None:
        super().__init__(context)
        self._views, self._aliases = views, Aliases(context)
        self._numpy = NumpyMemory(context, self._aliases)

    def called(self, node: ast.Call) -> tuple[str, str]:
        """Convert the object of a call that writes into it; return the text before and after the call."""
        assert isinstance(node.func, ast.Attribute)
        self._numpy.check(node.func.value)
        if self._without_data(node.func.value):
            return "", ""
        return self._views.called(node)

    def stored(self, target: ast.expr) -> None:
        """Convert an assignment to a part of a Tensor, or to its `data`."""
        if isinstance(target, ast.Attribute) and target.attr == "data" and self._owner_of_data(target):
            self._assign_data(target)
        if isinstance(target, ast.Subscript):
            self._numpy.check(target.value)
            if not self._without_data(target.value):
                self._views.stored(target)

    def leave_AugAssign(self, node: ast.AugAssign) -> None:
        """Let `x += y` write into a Tensor if it may have another name."""
        target = node.target
        if isinstance(target, ast.Subscript):
            self.stored(target)
            self._add_to_element(node, target)
        elif isinstance(target, ast.Attribute) and target.attr == "data" and (owner := self._owner_of_data(target)):
            self.rewriter.replace(target, self.rewriter.inner_text(owner))
            self._write(node, is_tensor=True)
        elif isinstance(target, ast.Name):
            self._numpy.check(target)
            self._add_to_name(node, target)
        elif isinstance(target, ast.Attribute) and self._may_be_tensor(node) and not self._counts(target):
            self._write(node, self._is_tensor(target))

    # --- augmented assignments ------------------------------------------------------------------------------------------

    def _add_to_name(self, node: ast.AugAssign, target: ast.Name) -> None:
        if self._is_number(target):
            becomes_tensor = not self._is_number(node.value) and not self._adds_text_or_container(node)
            if becomes_tensor and self._aliases.escapes(target.id):
                self._write(node, is_tensor=False)
            if becomes_tensor:  # as in `loss = 0`, `loss += criterion(x, y)`
                self.scopes.bind(target.id, Binding(kind=""))
        elif self._may_be_tensor(node):
            self._views.check(target)
            if not self._aliases.is_private(target.id):
                self._write(node, self._is_tensor(target))

    def _add_to_element(self, node: ast.AugAssign, target: ast.Subscript) -> None:
        container = target.value
        if self.context.kind_of(container) in PLAIN - {"list", "dict", "tuple"} or self._is_tensor(container):
            return
        if not self._may_be_tensor(node) or self._counts(container):
            return
        if isinstance(target.slice, ast.Constant) and target.slice.value in _OF_OPTIMIZERS:
            return
        if any(isinstance(n, (ast.Call, ast.NamedExpr, ast.Await)) for n in walk(target)):
            return  # a call would run twice
        self._write(node, is_tensor=False)

    def _write(self, node: ast.AugAssign, is_tensor: bool) -> None:
        """Write the assignment as a method of the Tensor, or as a helper that tests whether it is one."""
        operator, target = type(node.op), self.rewriter.text(node.target)
        end = self.source.end(node.target)
        value = self._value_start(node.target)
        opening, closing = ("(", ")") if isinstance(node.value, (ast.Tuple, ast.Yield)) else ("", "")
        if is_tensor and operator in _METHODS and self.context.options.target == "mint":
            self.edits.add(end, value, f".{_METHODS[operator]}_({opening}")
        elif operator in _HELPERS:
            self.edits.add(end, value, f" = {self.imports.name(_HELPERS[operator])}({target}, {opening}")
        else:
            return  # `x @= y` makes a new Tensor in torch too
        self.edits.add(self.source.end(node), self.source.end(node), f"{closing})")

    def _value_start(self, target: ast.expr) -> int:
        """Return where the value that a statement gives to a target begins, with its parentheses."""
        data, at = self.source.data, self.source.data.index(b"=", self.source.end(target)) + 1
        return at + len(data[at : self.source.line_end(at)]) - len(data[at : self.source.line_end(at)].lstrip())

    # --- kinds --------------------------------------------------------------------------------------------------------

    def _is_tensor(self, node: ast.expr) -> bool:
        return TENSOR in self.context.kinds_of(node)

    def _is_number(self, node: ast.expr) -> bool:
        return self.context.kind_of(node) in ("int", "float", "bool")

    def _may_be_tensor(self, node: ast.AugAssign) -> bool:
        """Return whether the target may be a Tensor, by its kind and by what is added to it."""
        is_possible = self._is_tensor(node.target) or not self.context.kind_of(node.target)
        return is_possible and not self._adds_text_or_container(node)

    def _adds_text_or_container(self, node: ast.AugAssign) -> bool:
        return isinstance(node.value, ast.JoinedStr) or self.context.kind_of(node.value) in _NOT_ADDED

    def _counts(self, target: ast.expr) -> bool:
        """Return whether the file gives an attribute or a container nothing but numbers."""
        name = access_path(target)
        if not name:
            return False
        of_class = next((s for s in reversed(self.position.statements) if isinstance(s, ast.ClassDef)), None)
        in_body = {} if of_class is None else {id(node): "self." for node in of_class.body}
        values = [
            node.value
            for node in (*self.source.nodes(ast.Assign), *self.source.nodes(ast.AnnAssign))
            for one in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if node.value and in_body.get(id(node), "") + access_path(one) == name
        ]
        return bool(values) and all(map(self._has_numbers, values))

    def _has_numbers(self, value: ast.expr) -> bool:
        """Return whether an expression is a number, or a container of nothing but numbers."""
        match value:
            case ast.Constant():
                return isinstance(value.value, (int, float, str))
            case ast.List() | ast.Tuple() if value.elts:
                return all(map(self._has_numbers, value.elts))
            case ast.ListComp():
                return self._has_numbers(value.elt)
            case ast.DictComp():
                return self._has_numbers(value.value)
            case ast.Dict() if value.values:
                return all(map(self._has_numbers, value.values))
            case ast.BinOp(left=left, op=ast.Mult()) if isinstance(left, ast.List):
                return self._has_numbers(left)
            case ast.Call(func=ast.Name(id="defaultdict"), args=[ast.Name(id="int" | "float")]):
                return True
            case ast.Call(func=ast.Name(id="Counter" | "int" | "float" | "len" | "bool")):
                return True
        return self.context.kind_of(value) in ("int", "float", "bool", "str", NDARRAY)

    # --- data ---------------------------------------------------------------------------------------------------------

    def _without_data(self, written: ast.expr) -> bool:
        """Write a Tensor in the place of its `data` in what is written; return whether it is the whole `data`.

        Torch records no gradient of such a write, nor does sporax of one into a Parameter, or through `stop_gradient`.
        """
        part = written
        while isinstance(part, ast.Subscript):  # x.data[0].zero_()
            part = part.value
        owner = self._owner_of_data(part) or self._unknown_owner(part)
        if owner is None:
            return False
        text = self.rewriter.inner_text(owner)
        if self.context.options.target == "mint" and not is_of_parameter(owner, self.position.scope):
            text = f"{self.imports.name('_data')}({text})"
        self.rewriter.replace(part, text)
        self._views.check(owner)
        return part is written

    def _unknown_owner(self, node: ast.expr) -> ast.expr | None:
        """Return `x` of an `x.data` that is written into if nothing is known of x, None for anything else."""
        if not isinstance(node, ast.Attribute) or node.attr != "data" or self.scopes.path(node):
            return None
        owner = node.value
        is_known = self.context.kind_of(owner) or (isinstance(owner, ast.Name) and owner.id in ("self", "cls"))
        return None if is_known else owner

    def _owner_of_data(self, node: ast.expr) -> ast.expr | None:
        """Return `x` of `x.data` and `x.detach()`, None for any other expression."""
        method = node.func if isinstance(node, ast.Call) else node
        if not isinstance(method, ast.Attribute) or method.attr not in _SAME or self.scopes.path(method):
            return None
        if isinstance(node, ast.Call) != (method.attr == "detach"):
            return None
        owner = method.value
        if self._is_tensor(owner) or method.attr == "detach":
            return owner
        kind = self.context.kind_of(owner)
        is_own = bool(kind) or (isinstance(owner, ast.Name) and owner.id in ("self", "cls"))
        return None if is_own or not is_of_parameter(owner, self.position.scope) else owner

    def _assign_data(self, target: ast.Attribute) -> None:
        statement = self.position.statement
        if isinstance(statement, ast.Assign) and statement.targets == [target]:
            self.edits.add(self.source.end(target.value), self._value_start(target), ".assign_value(")
            self.edits.add(self.source.end(statement), self.source.end(statement), ")")
        else:
            name = ast.unparse(target)
            self.context.refuse(
                target, f"{name} is assigned with another target; give it its value in a statement of its own"
            )
