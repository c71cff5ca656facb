"""Writes into views: torch also changes the Tensor of the view; a converted view shares no memory with its Tensor.

x[0].fill_(1)      ->  x[0] = x[0].fill_(1)
x.view(-1).add_(1) ->  x.copy_(x.view(-1).add_(1).view_as(x))
x.data.zero_()     ->  x.zero_()
x[0][1] = 5        ->  x[0, 1] = 5
y = x.t()          ->  refused, where x is read after it
y.mul_(2)
"""

from __future__ import annotations

import ast
import dataclasses

from sporax._src.migrate.source.context import Pass
from sporax._src.migrate.source.scopes import INTS
from sporax._src.migrate.torch_map.rows import TENSOR

# Methods whose result has the elements in their order, is undone by the same call again, or is a part of the Tensor.
_IN_ORDER = frozenset("view reshape flatten ravel squeeze unsqueeze unflatten view_as reshape_as".split())
_UNDONE = frozenset("t transpose swapaxes swapdims T mT".split())
_PARTS = frozenset(
    "permute movedim moveaxis narrow select diagonal expand expand_as broadcast_to unfold chunk split unbind "
    "tensor_split hsplit vsplit dsplit as_strided real imag H mH adjoint".split()
)
_SAME = frozenset(("data", "detach"))
_VIEWS = _IN_ORDER | _UNDONE | _PARTS | _SAME
_ATTRIBUTES = frozenset("T mT H mH real imag data".split())
_NO_WRITES = frozenset("requires_grad_ share_memory_ detach_ retain_grad_".split())
_OPERATORS = {
    ast.Add: "add_",
    ast.Sub: "sub_",
    ast.Mult: "mul_",
    ast.Div: "div_",
    ast.FloorDiv: "floor_divide_",
    ast.Mod: "remainder_",
    ast.Pow: "pow_",
}


def is_write(method: str) -> bool:
    """Return whether a method of a Tensor writes into it."""
    return method.endswith("_") and not method.startswith("_") and method not in _NO_WRITES


class Views(Pass):
    """Tracks the views of one file, and rewrites or refuses writes into them."""

    # --- what is a view of what ---------------------------------------------------------------------------------------

    def _inner(self, node: ast.expr) -> ast.expr | None:
        """Return the expression of which an expression is a view; None if it is not a view."""
        if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
            return node.value if self._is_tensor(node.value) or self._is_parameter(node) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS:
            path = self.scopes.path(node.func)
            if path == f"torch.{node.func.attr}" and node.args:
                return node.args[0]
            return node.func.value if not path and node.func.attr not in _ATTRIBUTES else None
        if isinstance(node, ast.Subscript):
            known = self._is_tensor(node.value) or self._inner(node.value) is not None
            return node.value if known and self._is_basic(node.slice) is not False else None
        return None

    def _is_tensor(self, node: ast.expr) -> bool:
        return TENSOR in self.scopes.bases(self.context.kind_of(node))

    def _is_parameter(self, node: ast.Attribute) -> bool:
        """Return whether the name or the gradient of `p` shows that `p.data` belongs to a Parameter."""
        if node.attr == "data" and isinstance(node.value, ast.Attribute) and node.value.attr in ("weight", "bias"):
            return True
        if node.attr != "data" or not isinstance(node.value, ast.Name) or self.context.kind_of(node.value):
            return False
        gradient = f"{node.value.id}.grad"
        return any(isinstance(n, ast.Attribute) and ast.unparse(n) == gradient for n in ast.walk(self.position.scope))

    def _is_basic(self, index: ast.expr) -> bool | None:
        """Return whether an index makes a view; None if unknown."""
        if isinstance(index, ast.Tuple):
            answers = [self._is_basic(part) for part in index.elts]
            return False if False in answers else None if None in answers else True
        if isinstance(index, ast.Slice) or (isinstance(index, ast.Constant) and index.value in (..., None)):
            return True
        kind = self.context.kind_of(index)
        if kind == "int":
            return True
        return (
            False
            if kind in ("list", INTS, "complex") or isinstance(index, ast.Compare) or self._is_tensor(index)
            else None
        )

    def base(self, node: ast.expr) -> str:
        """Return the name of the Tensor of which an expression is a view; "" if there is none."""
        inner, is_view = self._inner(node), False
        while inner is not None:
            node, is_view = inner, True
            inner = self._inner(node)
        return ast.unparse(node) if is_view and is_name(node) else ""

    def assigned(self, target: ast.expr, value: ast.expr | None) -> None:
        """Record that a name is a view of another Tensor, or that Tensor itself."""
        if value is None:
            return
        base = self.base(value)
        if not base and isinstance(value, ast.Name) and self._is_tensor(value):
            base = f"={value.id}"
        names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        for name in names if base else ():
            if isinstance(name, ast.Name) and name.id != base.removeprefix("="):
                binding = dataclasses.replace(self.scopes.find(name.id), base=base)
                self.scopes.bind(name.id, binding)

    def iterated(self, target: ast.expr, over: ast.expr) -> None:
        """Note that a loop over a Tensor gives views of it."""
        if isinstance(target, ast.Name) and is_name(over) and self._is_tensor(over):
            self.scopes.bind(target.id, dataclasses.replace(self.scopes.find(target.id), base=ast.unparse(over)))

    # --- writing ------------------------------------------------------------------------------------------------------

    def called(self, node: ast.Call) -> tuple[str, str]:
        """Return the text around a call that writes into its object, so that the base Tensor changes."""
        assert isinstance(node.func, ast.Attribute)
        receiver = node.func.value
        inner = self._inner(receiver)
        if inner is None and isinstance(receiver, ast.Attribute) and receiver.attr == "data":
            inner = receiver.value
        if inner is None:
            self._check(receiver)
            return "", ""
        if self._is_same(receiver):
            self._strip(receiver, inner)
            self._check(inner)
            return "", ""
        base = self.base(receiver)
        if not base:
            return "", ""
        statement = self.position.statement
        alone = isinstance(statement, ast.Expr) and statement.value is node
        whole = self._inner(inner) if isinstance(receiver, ast.Subscript) and self._is_same(inner) else None
        if alone and whole is not None:  # x.data[0].zero_()
            self._strip(inner, whole)
            inner = whole
        if alone and is_name(inner) and (parts := self._written_back(receiver, ast.unparse(inner))):
            self._check(inner)
            return parts
        self._refuse(node, ast.unparse(receiver), base)
        return "", ""

    def _written_back(self, view: ast.expr, base: str) -> tuple[str, str] | None:
        """Return the text that writes a changed view back into its base Tensor."""
        if isinstance(view, ast.Subscript):
            return (f"{self.rewriter.text(view)} = ", "") if self._is_basic(view.slice) else None
        method = view if isinstance(view, ast.Attribute) else view.func  # type: ignore[attr-defined]
        if ast.unparse(method.value) != base:  # torch.t(x)
            return None
        if method.attr in _IN_ORDER:
            return f"{base}.copy_(", f".view_as({base}))"
        if method.attr in _UNDONE:
            return f"{base}.copy_(", f"{self.rewriter.text(view).removeprefix(base)})"
        return None

    def _is_same(self, node: ast.expr) -> bool:
        """Return whether a view is the whole Tensor, without the gradient."""
        name = node.attr if isinstance(node, ast.Attribute) else getattr(getattr(node, "func", None), "attr", "")
        return name in _SAME

    def _strip(self, view: ast.expr, inner: ast.expr) -> None:
        """Write a Tensor in the place of its `data`."""
        self.rewriter.replace(view, self.rewriter.text(inner))

    def stored(self, target: ast.expr) -> None:
        """Rewrite or refuse an assignment to a part of a Tensor, or to its `data`."""
        if isinstance(target, ast.Attribute) and target.attr == "data" and self._inner(target) is not None:
            self._assign_data(target)
        if not isinstance(target, ast.Subscript):
            return
        view = target.value
        inner = self._inner(view)
        if inner is None:
            self._check(view)
        elif self._is_same(view):
            self._strip(view, inner)
            self._check(inner)
        elif (
            isinstance(view, ast.Subscript) and self.context.kind_of(view.slice) == "int" and self._inner(inner) is None
        ):
            if isinstance(target.slice, ast.Tuple) and self.source.text(target.slice).startswith("("):
                self._refuse(target, ast.unparse(view), self.base(view))
            else:  # x[0][1] = y
                self.edits.add(self.source.end(view) - 1, self.source.start(target.slice), ", ")
        elif base := self.base(view):
            self._refuse(target, ast.unparse(view), base)

    def _assign_data(self, target: ast.Attribute) -> None:
        statement = self.position.statement
        if isinstance(statement, ast.Assign) and statement.targets == [target]:
            self.edits.add(self.source.end(target.value), self._value_start(target), ".assign_value(")
            self.edits.add(self.source.end(statement), self.source.end(statement), ")")
        else:
            self._refuse(target, ast.unparse(target), ast.unparse(target.value))

    def leave_AugAssign(self, node: ast.AugAssign) -> None:
        """Make `x += y` write into the Tensor if it also has another name."""
        target = node.target
        if isinstance(target, ast.Subscript):
            self.stored(target)
        elif isinstance(target, ast.Attribute) and target.attr == "data" and self._inner(target) is not None:
            self._strip(target, target.value)
            self._write_in_place(node)
        elif isinstance(target, ast.Name) and self._is_tensor(target):
            self._check(target)
            if any(self._is_read_after(name) for name in self._others(target.id)):
                self._write_in_place(node)

    def _write_in_place(self, node: ast.AugAssign) -> None:
        method = _OPERATORS.get(type(node.op))
        if method is None:
            self._refuse(node, ast.unparse(node.target), ast.unparse(node.target))
            return
        self.edits.add(self.source.end(node.target), self._value_start(node.target), f".{method}(")
        self.edits.add(self.source.end(node), self.source.end(node), ")")

    def _value_start(self, target: ast.expr) -> int:
        """Return where the value that a statement gives to a target begins, with its parentheses."""
        data, at = self.source.data, self.source.data.index(b"=", self.source.end(target)) + 1
        return at + len(data[at : self.source.line_end(at)]) - len(data[at : self.source.line_end(at)].lstrip())

    def _others(self, name: str) -> list[str]:
        """Return the other names of the Tensor of a name."""
        base = self.scopes.find(name).base
        own = [base[1:]] if base.startswith("=") else []
        scope = self.scopes.names[-1]
        return own + [other for other, binding in scope.items() if binding.base == f"={name}"]

    def _check(self, written: ast.expr) -> None:
        """Refuse a write into a Tensor that is or has a view, if the other one is read after the write."""
        if not is_name(written):
            return
        name = ast.unparse(written)
        base = self.scopes.find(name).base
        if base and not base.startswith("=") and self._is_known_elsewhere(base):
            self._refuse(written, name, base)
        for other, binding in self.scopes.names[-1].items():
            if binding.base == name and self._is_read_after(other):
                self._refuse(written, other, name)

    def _is_known_elsewhere(self, base: str) -> bool:
        """Return whether a Tensor is read after this statement, or belongs to an object or the caller."""
        scope = self.position.scope
        is_argument = isinstance(scope, ast.FunctionDef) and any(
            isinstance(n, ast.arg) and n.arg == base for n in ast.walk(scope.args)
        )
        return "." in base or (is_argument and not _stores(scope, base)) or self._is_read_after(base)

    def _is_read_after(self, name: str) -> bool:
        """Return whether a name is read after this statement, in the text or in the next round of a loop."""
        statement, scope = self.position.statement, self.position.scope
        loops = [
            node
            for node in ast.walk(scope)
            if isinstance(node, (ast.For, ast.While)) and node.lineno <= statement.lineno <= (node.end_lineno or 0)
        ]
        again = any(_loads(loop, name) and not _stores(loop, name) for loop in loops)
        return again or any(at > (statement.end_lineno or 0) for at in _loads(scope, name))

    def _refuse(self, node: ast.expr | ast.stmt, view: str, base: str) -> None:
        self.context.refuse(
            node,
            f"{view} is a view of {base}: in torch a write into one changes the other, here it does not; "
            f"write into {base} itself with an index, or read a new view of it after the write",
        )


def is_name(node: ast.expr) -> bool:
    """Return whether an expression is a name, or an attribute of one."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and is_name(node.value))


def _loads(scope: ast.AST, name: str) -> list[int]:
    """Return the lines on which a name is read."""
    return [
        n.lineno for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]


def _stores(scope: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(scope))
