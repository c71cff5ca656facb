"""The right sides of rows: their names, and whether they take the arguments of the left side."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from sporax._src.migrate.torch_map.rows import IGNORED, Row

# Arguments of torch's first years, which no call by position has now.
_OLD = ("size_average", "reduce")


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` for a chain of names, "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


def bare(value: ast.expr) -> str:
    """Return the parameter that an argument of the right side passes on, "" if it does more."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd):
        value = value.operand
    if isinstance(value, ast.Starred):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def created_class(expression: ast.expr) -> str:
    """Return the class of the object that an expression creates, "" if it creates none."""
    name = dotted(expression.func) if isinstance(expression, ast.Call) else ""
    last = name.rpartition(".")[2].lstrip("_")
    return name if last[:1].isupper() and last != "Function" else ""


def is_literal(kinds: str) -> bool:
    return any(kind.strip()[:1] in "'-0123456789" or kind.strip() in ("True", "False") for kind in kinds.split("|"))


def is_same_call(expression: ast.expr, row: Row) -> bool:
    """Return whether both sides take the same arguments, so that one name can replace the other.

    Arguments that the right side does not take must be optional, and last or keyword-only, so that a call with them
    fails. An argument that is written out in any case (`+dim`) has another default on the right side.
    """
    if not isinstance(expression, ast.Call) or not dotted(expression.func):
        return False
    if any(isinstance(value, ast.UnaryOp) for value in [*expression.args, *(k.value for k in expression.keywords)]):
        return False
    passed = [bare(a) for a in expression.args] + [
        bare(k.value) for k in expression.keywords if k.arg == bare(k.value) or k.arg is None
    ]
    parameters = [
        p
        for p in row.parameters or ()
        if p.name not in IGNORED
        and (p.name not in _OLD or p.name in passed)
        and p.name != "out"
        and (p.form != "keyword" or p.name in passed)
    ]
    if any(p.kind and not (is_literal(p.kind) or p.kind == p.default) for p in parameters):
        return False
    return (
        passed == [p.name for p in parameters[: len(passed)]]
        and all(p.default is not None for p in parameters[len(passed) :])
        and len(expression.args) + len(expression.keywords) == len(passed)
    )


def same_call(rows: Iterable[Row], target: str) -> ast.Call | None:
    """Return the most complete of the right sides whose names can replace the left side's."""
    expressions = [(row, row.expression(target)) for row in rows if row.target]
    same = [e for row, e in expressions if isinstance(e, ast.Call) and is_same_call(e, row)]
    return max(same, key=lambda call: len(call.args) + len(call.keywords), default=None)
