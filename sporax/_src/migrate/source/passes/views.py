"""Writes into views for the target "classic": on a CPU, MindSpore's methods that write into a view do not change its Tensor.

x[0].fill_(1)      ->  x[0] = x[0].fill_(1)
x.view(-1).add_(1) ->  x.copy_(x.view(-1).add_(1).view_as(x))
x[0][1] = 5        ->  x[0, 1] = 5
y = x.t()          ->  refused, where x is read after it
y.mul_(2)
"""

from __future__ import annotations

import ast
import dataclasses

from sporax._src.migrate.source.aliases import VIEW_ATTRIBUTES, Aliases, is_of_parameter
from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.nodes import walk
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


class Views(Pass):
    """Tracks the views of one file, and rewrites or refuses writes into them; for the target "mint" it does nothing.

    Args:
        context: The shared state of the passes.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._aliases = Aliases(context)
        self._is_on = context.options.target == "classic"

    # --- what is a view of what ---------------------------------------------------------------------------------------

    def _inner(self, node: ast.expr) -> ast.expr | None:
        """Return the expression of which an expression is a view; None if it is not a view."""
        if isinstance(node, ast.Attribute) and node.attr in VIEW_ATTRIBUTES:
            return node.value if self._is_tensor(node.value) or self._is_parameter(node) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS:
            path = self.scopes.path(node.func)
            if path == f"torch.{node.func.attr}" and node.args:
                return node.args[0]
            return node.func.value if not path and node.func.attr not in VIEW_ATTRIBUTES else None
        if isinstance(node, ast.Subscript):
            known = self._is_tensor(node.value) or self._inner(node.value) is not None
            return node.value if known and self._is_basic(node.slice) is not False else None
        return None

    def _is_tensor(self, node: ast.expr) -> bool:
        return TENSOR in self.scopes.bases(self.context.kind_of(node))

    def _is_parameter(self, node: ast.Attribute) -> bool:
        """Return whether an attribute is the `data` of a Parameter of which no kind is known."""
        owner = node.value
        is_unknown = isinstance(owner, ast.Attribute) or (
            isinstance(owner, ast.Name) and not self.context.kind_of(owner)
        )
        return node.attr == "data" and is_unknown and is_of_parameter(owner, self.position.scope)

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
        if value is None or not self._is_on:
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
        if self._is_on and isinstance(target, ast.Name) and is_name(over) and self._is_tensor(over):
            self.scopes.bind(target.id, dataclasses.replace(self.scopes.find(target.id), base=ast.unparse(over)))

    # --- writing ------------------------------------------------------------------------------------------------------

    def called(self, node: ast.Call) -> tuple[str, str]:
        """Return the text around a call that writes into its object, so that the base Tensor changes."""
        if not self._is_on:
            return "", ""
        assert isinstance(node.func, ast.Attribute)
        receiver = node.func.value
        inner = self._inner(receiver)
        if inner is None:
            self.check(receiver)
            return "", ""
        base = self.base(receiver)
        if not base:
            return "", ""
        statement = self.position.statement
        alone = isinstance(statement, ast.Expr) and statement.value is node
        if alone and is_name(inner) and (parts := self._written_back(receiver, ast.unparse(inner))):
            self.check(inner)
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

    def stored(self, target: ast.Subscript) -> None:
        """Rewrite or refuse an assignment to a part of a view."""
        if not self._is_on:
            return
        view = target.value
        inner = self._inner(view)
        if inner is None:
            self.check(view)
        elif (
            isinstance(view, ast.Subscript) and self.context.kind_of(view.slice) == "int" and self._inner(inner) is None
        ):
            if isinstance(target.slice, ast.Tuple) and self.source.text(target.slice).startswith("("):
                self._refuse(target, ast.unparse(view), self.base(view))
            else:  # x[0][1] = y
                self.edits.add(self.source.end(view) - 1, self.source.start(target.slice), ", ")
        elif base := self.base(view):
            self._refuse(target, ast.unparse(view), base)

    def check(self, written: ast.expr) -> None:
        """Refuse a write into a Tensor that is or has a view, if the other one is read after the write."""
        if not self._is_on or not is_name(written):
            return
        name = ast.unparse(written)
        base = self.scopes.find(name).base
        if base and not base.startswith("=") and self._is_known_elsewhere(base):
            self._refuse(written, name, base)
        for other, binding in self.scopes.names[-1].items():
            if binding.base == name and self._aliases.is_read_after(other):
                self._refuse(written, other, name)

    def _is_known_elsewhere(self, base: str) -> bool:
        """Return whether a Tensor is read after this statement, or belongs to an object or the caller."""
        scope = self.position.scope
        is_argument = isinstance(scope, ast.FunctionDef) and any(
            isinstance(n, ast.arg) and n.arg == base for n in walk(scope.args)
        )
        return "." in base or (is_argument and not _stores(scope, base)) or self._aliases.is_read_after(base)

    def _refuse(self, node: ast.expr | ast.stmt, view: str, base: str) -> None:
        self.context.refuse(
            node,
            f"{view} is a view of {base}: in torch a write into one changes the other, here it does not; "
            f"write into {base} itself with an index, or read a new view of it after the write",
        )


def is_name(node: ast.expr) -> bool:
    """Return whether an expression is a name, or an attribute of one."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and is_name(node.value))


def _stores(scope: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in walk(scope))
