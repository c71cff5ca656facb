"""The names that statements read, assign and call, which determines whether code can be moved."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from sporax._src.migrate.source.nodes import children, every, walk

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_CHANGING = frozenset("append extend insert pop popleft remove clear update setdefault reverse".split())
_STOPPING = ("detach", "data", "item", "tolist", "numpy")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class MethodCall(NamedTuple):
    """A call of a method, and the object whose method it is."""

    call: ast.Call
    owner: ast.expr

    @property
    def args(self) -> list[ast.expr]:
        """The arguments by position."""
        return self.call.args


def method_call(node: ast.AST | None, name: str) -> MethodCall | None:
    """Return a call of a method of that name, None for anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
        return MethodCall(node, node.func.value)
    return None


def method_calls(tree: ast.AST, name: str) -> Iterator[MethodCall]:
    """Give the calls of methods of that name below a node."""
    return (call for node in walk(tree) if (call := method_call(node, name)) is not None)


def is_of_scaler(node: ast.expr) -> bool:
    call = method_call(node, "update") or method_call(node, "unscale_")
    return call is not None and "scaler" in ast.unparse(call.owner).lower()


def leaves(scope: ast.AST) -> list[str]:
    """Return the names of Tensors that a function or file makes with `requires_grad`."""
    names: dict[str, None] = {}
    for node in own(scope):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if (
                isinstance(target, ast.Attribute)
                and target.attr == "requires_grad"
                and isinstance(target.value, ast.Name)
            ):
                if isinstance(value, ast.Constant) and value.value is True:
                    names[target.value.id] = None
            elif isinstance(target, ast.Name) and _wants_gradient(value):
                names[target.id] = None
        call = method_call(node, "requires_grad_")
        if call is not None and isinstance(call.owner, ast.Name) and _wants_gradient(call.call):
            names[call.owner.id] = None
    return list(names)


def access_path(node: ast.AST) -> str:
    """Return an expression that is a name or a chain of attributes (`self.fake`) as text; "" for any other."""
    if isinstance(node, ast.Name):
        return node.id
    owner = access_path(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{owner}.{node.attr}" if owner and isinstance(node, ast.Attribute) else ""


def is_read(node: ast.AST, names: Set[str]) -> bool:
    """Return whether an expression reads one of these names and attributes."""
    return isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and access_path(node) in names


def unstopped(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a piece of code, without those whose gradient is stopped, such as `x` in `x.detach()`."""
    yield node
    called = node.func if isinstance(node, ast.Call) else node
    if isinstance(called, ast.Attribute) and called.attr in _STOPPING:
        return
    for child in children(node):
        yield from unstopped(child)


def own(scope: ast.AST) -> Iterator[ast.AST]:
    """Give the nodes of a function or file without those of the functions in it."""
    waiting = children(scope)[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting += children(node)[::-1]


def makes_leaf(statement: ast.stmt) -> bool:
    """Return whether a statement assigns a new Tensor with `requires_grad` to a name."""
    return isinstance(statement, ast.Assign) and _wants_gradient(statement.value)


def marks_leaf(statement: ast.stmt) -> bool:
    """Return whether a statement does nothing but ask for the gradient of a Tensor that is made already."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        return statement.targets[0].attr == "requires_grad"
    return isinstance(statement, ast.Expr) and method_call(statement.value, "requires_grad_") is not None


def _wants_gradient(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    name = value.func.attr if isinstance(value.func, ast.Attribute) else ""
    if name == "requires_grad_":
        return not value.args or ast.unparse(value.args[0]) == "True"
    asked = any(k.arg == "requires_grad" and ast.unparse(k.value) == "True" for k in value.keywords)
    return asked and name != "Parameter"


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement outside of inner functions, without the jumps of inner loops."""
    waiting = [(node, False)]
    while waiting:
        one, is_in_loop = waiting.pop()
        if not (is_in_loop and isinstance(one, (ast.Break, ast.Continue))):
            yield one
        is_in_loop = is_in_loop or isinstance(one, (ast.For, ast.While))
        waiting += [(child, is_in_loop) for child in children(one)[::-1] if not isinstance(child, _SCOPES)]


def makes_empty_vector(tree: ast.AST) -> bool:
    """Return whether a file makes empty vectors: `torch.tensor([])`, `torch.empty(0)`, `torch.Tensor()`."""
    for call in every(tree, ast.Call):
        name = access_path(call.func).rpartition(".")[2]
        first = ast.unparse(call.args[0]) if call.args else ""
        if (name.endswith("Tensor") and not call.args and not call.keywords) or (
            name.endswith("ensor") and first == "[]"
        ):
            return True
        if name.removeprefix("new_") in ("empty", "zeros", "ones", "full") and first in ("0", "(0,)", "[0]"):
            return True
    return False


def appends_none(tree: ast.AST) -> bool:
    """Return whether a file appends to lists what may be None: None, or a name or argument that is None at first."""
    for scope in every(tree, ast.Module, ast.FunctionDef):
        nodes = list(own(scope))
        nones = {
            name for node in nodes if isinstance(node, ast.Assign) and _is_none(node.value) for name in assigned([node])
        }
        if isinstance(scope, ast.FunctionDef):
            nones |= {name for name, default in defaults(scope.args) if _is_none(default)}
        for node in nodes:
            method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if method in ("append", "insert") and isinstance(node, ast.Call) and node.args:
                last = node.args[-1]
                values = [last.body, last.orelse] if isinstance(last, ast.IfExp) else [last]
                if any(_is_none(value) or (isinstance(value, ast.Name) and value.id in nones) for value in values):
                    return True
    return False


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    """Give the names of arguments with defaults, and the defaults."""
    positional = [*arguments.posonlyargs, *arguments.args]
    yield from ((a.arg, d) for a, d in zip(positional[::-1], arguments.defaults[::-1], strict=False))
    yield from ((a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d)


def assigned(statements: Iterable[ast.stmt]) -> list[str]:
    """Return the names that statements assign, in order."""
    names: dict[str, None] = {}
    for statement in statements:
        targets = [c.target for c in walk(statement) if isinstance(c, ast.comprehension)]
        comprehended = {id(name) for target in targets for name in walk(target)}
        for node in inside(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in comprehended:
                names[node.id] = None
    return list(names)


def stored(statements: Iterable[ast.stmt]) -> set[str]:
    """Return the names and attributes that statements assign."""
    nodes = [n for s in statements for n in inside(s) if isinstance(n, ast.Attribute)]
    return {*assigned(statements), *[access_path(n) for n in nodes if isinstance(n.ctx, ast.Store)]} - {""}


def reads(node: ast.AST, name: str) -> bool:
    """Return whether code reads a name of its own scope, not one of an inner comprehension or lambda.

    The name may be one of an attribute, as `self.fake`.
    """
    if isinstance(node, (ast.Name, ast.Attribute)) and access_path(node) == name:
        return isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Name):
        return False
    inner: Iterable[ast.AST] = children(node)
    if isinstance(node, ast.Lambda) and name in {a.arg for a in walk(node.args) if isinstance(a, ast.arg)}:
        inner = [d for d in [*node.args.defaults, *node.args.kw_defaults] if d]
    elif isinstance(node, _COMPREHENSIONS) and name in assigned_by(*[g.target for g in node.generators]):
        inner = [node.generators[0].iter]
    return any(reads(child, name) for child in inner)


def assigned_by(*targets: ast.expr) -> set[str]:
    """Return the names and attributes in the targets of an assignment."""
    return {access_path(n) for target in targets for n in walk(target)} - {""}


def written_into(node: ast.AST) -> Iterator[str]:
    """Yield the names and attributes whose objects a piece of code changes: by an index, an operator, or a method."""
    changed = None
    if isinstance(node, ast.AugAssign):
        changed = node.target
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        changed = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        changed = node.func.value if name in _CHANGING or (name.endswith("_") and name[:1] != "_") else None
    if changed is not None and access_path(changed):
        yield access_path(changed)


def read_first(statements: Sequence[ast.stmt], name: str) -> bool:
    """Return whether statements may read a name before they assign it."""
    return _first_use(statements, name) is Use.READ


def assigned_for_sure(statements: Sequence[ast.stmt], name: str) -> bool:
    """Return whether a statement of some assigns a name, whatever happens in it."""
    return any(_use(statement, name) is Use.ASSIGNED for statement in statements)


class Use(enum.Enum):
    """The first use of a name in statements."""

    READ = "may read it"
    ASSIGNED = "assign it, whatever happens"
    NEITHER = "neither"


def _first_use(statements: Iterable[ast.stmt], name: str) -> Use:
    """Return the first use of a name in statements."""
    uses = (_use(statement, name) for statement in statements)
    return next((use for use in uses if use is not Use.NEITHER), Use.NEITHER)


def _use(statement: ast.stmt, name: str) -> Use:
    """Return the first use of a name in a statement."""
    heads: list[ast.AST] = []  # what is read before any block
    blocks: list[list[ast.stmt]] = []  # one of which runs, or several
    targets: list[ast.expr] = []
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        heads = [item.context_expr for item in statement.items]
        targets = [item.optional_vars for item in statement.items if item.optional_vars]
        blocks = [statement.body]
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        heads, targets, blocks = [statement.iter], [statement.target], [statement.body, statement.orelse]
    elif isinstance(statement, (ast.If, ast.While)):
        heads, blocks = [statement.test], [statement.body, statement.orelse]
    elif isinstance(statement, ast.Try):
        blocks = [[*statement.body, *statement.orelse], *[h.body for h in statement.handlers], statement.finalbody]
    else:
        updates = isinstance(statement, ast.AugAssign) and name in assigned_by(statement.target)
        return (
            Use.READ
            if updates or reads(statement, name)
            else Use.ASSIGNED
            if name in stored([statement])
            else Use.NEITHER
        )
    if any(reads(head, name) for head in heads):
        return Use.READ
    if name in assigned_by(*targets):
        return Use.ASSIGNED
    uses = [_first_use(block, name) for block in blocks]
    if Use.READ in uses:
        return Use.READ
    if isinstance(statement, ast.Try):
        always = uses[-1] is Use.ASSIGNED or set(uses[:-1]) == {Use.ASSIGNED}
    else:
        always = not isinstance(statement, (ast.For, ast.AsyncFor, ast.While)) and set(uses) == {Use.ASSIGNED}
    return Use.ASSIGNED if always else Use.NEITHER


def reads_gradients(statement: ast.stmt) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("grad", "parameters", "named_parameters") for n in walk(statement)
    )


def probable_tensors(args: ast.arguments) -> list[ast.arg]:
    """Return the parameters of a `forward` that are probably Tensors: they have no annotation and no other default than None."""
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
    return [
        argument
        for argument, default in zip(plain, defaults, strict=True)
        if argument.annotation is None and (default is None or ast.unparse(default) == "None")
    ]


_TRUTH = re.compile(
    r"is(nan|inf|finite|close|in|real|neginf|posinf)|logical_\w+|eq|ne|lt|le|gt|ge|less|greater|bool|all|any"
)


def is_truth(node: ast.expr) -> bool:
    """Return whether an expression is visibly boolean: a comparison, or several that are joined."""
    if isinstance(node, ast.BinOp):
        return is_truth(node.left) or is_truth(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _TRUTH.fullmatch(node.func.attr) is not None
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and is_truth(node.operand))
