"""What statements read, assign and call: the questions that moving code asks of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def method_call(node: ast.AST | None, name: str) -> Any:
    """Return a call of a method of that name, None for anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
        return node
    return None


def method_calls(tree: ast.AST, name: str) -> Iterator[Any]:
    return (node for node in ast.walk(tree) if method_call(node, name) is not None)


def is_of_scaler(node: ast.expr) -> bool:
    call = method_call(node, "update") or method_call(node, "unscale_")
    return call is not None and "scaler" in ast.unparse(call.func.value).lower()


def leaves(scope: ast.AST) -> list[str]:
    """Return the names of Tensors that a function or file makes with `requires_grad`."""
    found: dict[str, None] = {}
    for node in own(scope):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if (
                isinstance(target, ast.Attribute)
                and target.attr == "requires_grad"
                and isinstance(target.value, ast.Name)
            ):
                if isinstance(value, ast.Constant) and value.value is True:
                    found[target.value.id] = None
            elif isinstance(target, ast.Name) and _wants_gradient(value):
                found[target.id] = None
        call = method_call(node, "requires_grad_")
        if call is not None and isinstance(call.func.value, ast.Name) and _wants_gradient(call):
            found[call.func.value.id] = None
    return list(found)


def own(scope: ast.AST) -> Iterator[ast.AST]:
    """Give the nodes of a function or file without those of the functions in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, _SCOPES):
            yield from own(child)


def _wants_gradient(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    name = value.func.attr if isinstance(value.func, ast.Attribute) else ""
    if name == "requires_grad_":
        return not value.args or ast.unparse(value.args[0]) == "True"
    asked = any(k.arg == "requires_grad" and ast.unparse(k.value) == "True" for k in value.keywords)
    return asked and name != "Parameter"


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """Give the nodes of a statement that are not in a function of their own; jumps of a loop within it are its own."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _SCOPES):
            continue
        for inner in inside(child):
            if not (isinstance(node, (ast.For, ast.While)) and isinstance(inner, (ast.Break, ast.Continue))):
                yield inner


def assigned(statements: Iterable[ast.stmt]) -> list[str]:
    """Return the names that statements assign, in order."""
    found: dict[str, None] = {}
    for statement in statements:
        targets = [c.target for c in ast.walk(statement) if isinstance(c, ast.comprehension)]
        comprehended = {id(name) for target in targets for name in ast.walk(target)}
        for node in inside(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in comprehended:
                found[node.id] = None
    return list(found)


def reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(node))


def read_first(statements: Sequence[ast.stmt], name: str) -> bool:
    """Tell whether statements read a name before they assign it."""
    for statement in statements:
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            if any(reads(item.context_expr, name) for item in statement.items) or read_first(statement.body, name):
                return True
            assigns = name in assigned([statement])
        elif isinstance(statement, ast.For):
            is_target = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement.target))
            if reads(statement.iter, name) or (not is_target and read_first(statement.body, name)):
                return True
            assigns = is_target
        elif isinstance(statement, (ast.If, ast.While, ast.Try)):
            if reads(statement, name) or name in assigned([statement]):
                return True
            assigns = False
        else:
            value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) else statement
            target = statement.target if isinstance(statement, ast.AugAssign) else None
            if (value is not None and reads(value, name)) or (isinstance(target, ast.Name) and target.id == name):
                return True
            assigns = name in assigned([statement])
        if assigns:
            return False
    return False


def reads_gradients(statement: ast.stmt) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("grad", "parameters", "named_parameters")
        for n in ast.walk(statement)
    )
