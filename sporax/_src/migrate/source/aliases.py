"""Other names of a Tensor: whether something else may see a write into it.

`x += y` writes into the Tensor in torch, and gives the name another Tensor in MindSpore. Both are equal if the Tensor has no other
name: `is_private` follows the name back to the expressions that it was bound to, and looks for copies of it on the way.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import NamedTuple

from sporax._src.migrate.source.context import Context
from sporax._src.migrate.source.dataflow import own
from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.source.scopes import INTS, NDARRAY, is_of_torch, may_be_of_tensors
from sporax._src.migrate.torch_map.rows import TENSOR

ELSEWHERE = ""  # the name of what belongs to an object, a container or the caller

# Kinds of values that are no Tensors.
PLAIN = frozenset(("int", "float", "bool", "str", "list", "tuple", "dict", "complex", INTS, NDARRAY, "torch.Size"))
_NUMBERS = frozenset(("int", "float", "bool", "str", "complex"))
# Functions and methods whose result may have the memory of the Tensor.
_IN_ORDER = "view reshape flatten ravel squeeze unsqueeze unflatten view_as reshape_as view_as_real view_as_complex"
_MOVED = "t transpose swapaxes swapdims permute movedim moveaxis T mT H mH adjoint real imag"
_PARTS = "narrow select diagonal expand expand_as broadcast_to broadcast_tensors unfold chunk split unbind tensor_split"
_MORE_PARTS = "hsplit vsplit dsplit as_strided atleast_1d atleast_2d atleast_3d meshgrid"
_CASTS = "to type type_as float double half bfloat16 int long short bool contiguous cpu cuda detach data positive"
_MADE = "as_tensor asarray from_numpy numpy resolve_conj resolve_neg coalesce to_dense"
_DROPOUTS = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout"
_SHARING = frozenset(" ".join((_IN_ORDER, _MOVED, _PARTS, _MORE_PARTS, _CASTS, _MADE, _DROPOUTS)).split())
VIEW_ATTRIBUTES = frozenset("T mT H mH real imag data".split())
_PASSING = frozenset("max min list tuple reversed sorted zip enumerate set dict filter map iter".split())
_PASSING_LAYERS = ("Identity", "Dropout", "Flatten", "Unflatten", "Sequential", "Module", "Parallel")
_NO_WRITES = frozenset("requires_grad_ share_memory_ detach_ retain_grad_".split())


def is_write(method: str) -> bool:
    """Return whether a method of a Tensor writes into it."""
    return method.endswith("_") and not method.startswith("_") and method not in _NO_WRITES


def is_of_parameter(owner: ast.expr, scope: ast.AST) -> bool:
    """Return whether the use of `p` in a function or file shows that `p.data` belongs to a Parameter."""
    if isinstance(owner, ast.Attribute):
        return owner.attr in ("weight", "bias")
    gradient = f"{ast.unparse(owner)}.grad"
    return any(isinstance(n, ast.Attribute) and ast.unparse(n) == gradient for n in walk(scope))


def start_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Return the line and column where a node begins."""
    return node.lineno, node.col_offset


class Region(NamedTuple):
    """The statements from those that bind a name to the visited one.

    Args:
        statements: The statements.
        is_bound: Whether they bind the name in every case.
    """

    statements: list[ast.stmt]
    is_bound: bool


class Aliases:
    """Finds other names of the Tensors of one file.

    Args:
        context: The shared state of the passes.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    def is_private(self, name: str, among: frozenset[str] = frozenset()) -> bool:
        """Return whether the Tensor of a name has no other name at the visited statement.

        Args:
            name: The name.
            among: The names that are being asked about already.
        """
        region = self._region(name)
        values = list(_values(name, region.statements))
        if not region.is_bound or None in values or self.escapes(name, region):
            return False
        others = {root for value in values if value is not None for root in self.roots(value)} - {name}
        return all(self._is_dead(other, among | {name}) for other in others)

    def _is_dead(self, name: str, among: frozenset[str]) -> bool:
        return bool(name) and name not in among and not self.is_read_after(name) and self.is_private(name, among)

    def escapes(self, name: str, region: Region | None = None) -> bool:
        """Return whether the value of a name is also stored elsewhere before the visited statement is reached."""
        nodes = (node for statement in (region or self._region(name)).statements for node in walk(statement))
        return any(self._stores(node, name) for node in nodes)

    def is_read_after(self, name: str) -> bool:
        """Return whether a name is read after the visited statement, in the text or in the next round of a loop."""
        statement, scope = self._context.position.statement, self._context.position.scope
        nodes = [node for node in walk(scope) if isinstance(node, ast.Name) and node.id == name]
        loops = [
            node
            for node in walk(scope)
            if isinstance(node, (ast.For, ast.While)) and node.lineno <= statement.lineno <= (node.end_lineno or 0)
        ]
        for loop in loops:
            inside = [n for n in nodes if loop.lineno <= n.lineno <= (loop.end_lineno or 0)]
            if inside and all(isinstance(n.ctx, ast.Load) for n in inside):
                return True
        end = (statement.end_lineno or 0, statement.end_col_offset or 0)
        return any(isinstance(n.ctx, ast.Load) and start_of(n) >= end for n in nodes)

    # --- where a name was bound ---------------------------------------------------------------------------------------

    def _region(self, name: str) -> Region:
        """Return the statements between those that bind a name and the visited one, nearest first."""
        position = self._context.position
        outer = next((i for i, s in enumerate(position.statements) if s is position.scope), -1)
        stack = position.statements[outer + 1 :]
        found: list[ast.stmt] = []
        for parent, statement in zip(reversed([position.scope, *stack[:-1]]), reversed(stack), strict=True):
            block = next((b for b in _blocks(parent) if statement in b), [statement])
            at = block.index(statement)
            for before in reversed(block[:at]):
                found.append(before)
                if self._binds(before, name):
                    return Region(found, True)
            if isinstance(parent, (ast.For, ast.AsyncFor, ast.While)):
                found += block[at:]
            if name in _names_bound_by(parent):
                return Region(found, False)
        return Region(found, False)

    def _binds(self, statement: ast.stmt, name: str) -> bool:
        """Return whether a statement gives a name a value in every case, which is not of its former one."""
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            return False
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        is_bound = any(name in _names(target) for target in targets)
        return is_bound and name not in self.roots(statement.value)

    # --- what an expression may be ------------------------------------------------------------------------------------

    def roots(self, node: ast.expr) -> set[str]:
        """Return the names of which an expression may have the memory, `ELSEWHERE` among them for all that is no name."""
        if self._context.kind_of(node) in _NUMBERS:
            return set()
        match node:
            case ast.Name():
                return {node.id}
            case ast.Constant() | ast.UnaryOp() | ast.Compare() | ast.JoinedStr() | ast.Lambda():
                return set()
            case ast.BinOp():
                displays = (side for side in (node.left, node.right) if isinstance(side, (ast.List, ast.Tuple)))
                return self._union(*displays)
            case ast.BoolOp():
                return self._union(*node.values)
            case ast.IfExp():
                return self._union(node.body, node.orelse)
            case ast.NamedExpr() | ast.Starred():
                return self.roots(node.value)
            case ast.Tuple() | ast.List() | ast.Set():
                return self._union(*node.elts)
            case ast.Dict():
                return self._union(*node.values)
            case ast.Subscript():
                known = {TENSOR, "torch.Size", NDARRAY} & set(self._context.kinds_of(node.value))
                return self.roots(node.value) | (set() if known else {ELSEWHERE})
            case ast.Attribute() if node.attr in VIEW_ATTRIBUTES:
                return self.roots(node.value)
            case ast.Call():
                return self._roots_of_call(node)
        return {ELSEWHERE}

    def _union(self, *nodes: ast.expr) -> set[str]:
        return {root for node in nodes for root in self.roots(node)}

    def _roots_of_call(self, node: ast.Call) -> set[str]:
        arguments = [*node.args, *[keyword.value for keyword in node.keywords]]
        path = self._context.scopes.path(node.func)
        keywords = {keyword.arg for keyword in node.keywords}
        if "requires_grad" in keywords:
            return {ELSEWHERE}
        if is_of_torch(path):
            shares = path.rpartition(".")[2] in _SHARING or keywords & {"inplace", "out"}
            return self._union(*arguments) if shares else set()
        if path.startswith("numpy."):
            return set()
        if isinstance(node.func, ast.Attribute):
            return self._roots_of_method(node.func, arguments)
        if isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id):
            return self._union(*arguments) if node.func.id in _PASSING else set()
        return self._roots_of_layer(self._context.kind_of(node.func), arguments)

    def _roots_of_method(self, method: ast.Attribute, arguments: list[ast.expr]) -> set[str]:
        if TENSOR in self._context.kinds_of(method.value) or may_be_of_tensors(method.attr):
            shares = method.attr in _SHARING or method.attr.endswith("_")
            return self.roots(method.value) if shares else set()
        kind = self._context.scopes.attribute(self._context.kind_of(method.value), method.attr)
        if self._is_attribute_of_self(method) and not kind and arguments:
            return self._union(*arguments)  # a layer that was passed in: `self.norm = norm_layer(channels)`
        return self._roots_of_layer(kind, arguments)

    def _is_attribute_of_self(self, node: ast.Attribute) -> bool:
        """Return whether the class that is visited assigns an attribute of `self`."""
        position = self._context.position
        if not position.classes or not isinstance(node.value, ast.Name):
            return False
        owner = position.classes[-1]
        return self._context.kind_of(node.value) == f"class:{owner.name}" and node.attr in owner.attributes

    def _roots_of_layer(self, kind: str, arguments: list[ast.expr]) -> set[str]:
        """Return the roots of the result of a layer; one that is not known may return its input, or what it stores."""
        if not kind.startswith("torch.nn."):
            return self._union(*arguments) | {ELSEWHERE}
        return self._union(*arguments) if any(name in kind for name in _PASSING_LAYERS) else set()

    # --- what is stored ------------------------------------------------------------------------------------------------

    def _stores(self, node: ast.AST, name: str) -> bool:
        """Return whether a node stores the value of a name under another one, or makes it a leaf of gradients."""
        match node:
            case ast.Assign():
                targets = [target for target in node.targets if not self._copies(target, name)]
                return bool(targets) and name in self.roots(node.value)
            case ast.AnnAssign() | ast.NamedExpr() if node.value is not None:
                return not self._copies(node.target, name) and name in self.roots(node.value)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
                return owner == name and attribute in ("grad", "requires_grad", "requires_grad_", "backward")
            case ast.Yield(value=value) if value is not None:
                return name in self.roots(value)
            case ast.Expr(value=ast.Call() as call):
                return self._passes_on(call, name)
        return False

    def _copies(self, target: ast.expr, name: str) -> bool:
        """Return whether an assignment to a target keeps no other reference to the value."""
        if isinstance(target, ast.Subscript):
            return bool({TENSOR, NDARRAY} & set(self._context.kinds_of(target.value)))
        return isinstance(target, ast.Name) and target.id == name

    def _passes_on(self, call: ast.Call, name: str) -> bool:
        """Return whether a function that is called for its effect may keep the value of a name."""
        path = self._context.scopes.path(call.func)
        is_method = isinstance(call.func, ast.Attribute) and TENSOR in self._context.kinds_of(call.func.value)
        if is_of_torch(path) or is_method or (isinstance(call.func, ast.Name) and hasattr(builtins, call.func.id)):
            return False
        return name in self._union(*call.args, *[keyword.value for keyword in call.keywords])


def _blocks(parent: ast.AST) -> Iterator[list[ast.stmt]]:
    """Give the lists of statements of a statement or file."""
    for _, field in ast.iter_fields(parent):
        items = field if isinstance(field, list) else []
        if items and isinstance(items[0], ast.stmt):
            yield items
        for item in items:
            if isinstance(item, (ast.ExceptHandler, ast.match_case)):
                yield item.body


def _names(target: ast.AST) -> set[str]:
    """Return the names that a target binds."""
    return {n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _names_bound_by(parent: ast.AST) -> set[str]:
    """Return the names that the head of a loop or a with statement binds."""
    if isinstance(parent, (ast.For, ast.AsyncFor)):
        return _names(parent.target)
    if isinstance(parent, (ast.With, ast.AsyncWith)):
        return {name for item in parent.items if item.optional_vars for name in _names(item.optional_vars)}
    return set()


def _values(name: str, statements: list[ast.stmt]) -> Iterator[ast.expr | None]:
    """Give the expressions that statements bind to a name; None for one that is not known."""
    for statement in statements:
        for node in (statement, *own(statement)):
            if name in _names_bound_by(node):
                yield None
            elif isinstance(node, ast.Assign):
                yield from (_part(target, node.value, name) for target in node.targets if name in _names(target))
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value and name in _names(node.target):
                yield node.value


def _part(target: ast.expr, value: ast.expr, name: str) -> ast.expr:
    """Return the part of a value that an assignment gives to a name."""
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        pairs = zip(target.elts, value.elts, strict=False)
        return next((v for t, v in pairs if isinstance(t, ast.Name) and t.id == name), value)
    return value
