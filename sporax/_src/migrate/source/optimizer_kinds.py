"""What a file asks of its optimizers: Parameters that are trained at times only, complex Parameters, hooks of steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from sporax._src.migrate.source.dataflow import access_path, leaves, method_calls
from sporax._src.migrate.source.nodes import every, walk
from sporax._src.migrate.torch_map.rows import Parameter, Row

EXACT = "exact"  # the kind of the Parameters of an optimizer that must follow torch's formulas for each Parameter

_COMPLEX = frozenset({"cfloat", "cdouble", "chalf", "complex", "complex64", "complex128"})
_HOOKS = ("register_step_pre_hook", "register_step_post_hook")


def needs_exact(tree: ast.AST) -> bool:
    """Return whether optimizers must follow torch's formulas: Parameters are trained at times only, or are complex."""
    return (freezes(tree) and _unfreezes(tree)) or _names_complex(tree)


def freezes(tree: ast.AST) -> bool:
    """Return whether a file sets `requires_grad` to what may be False."""
    return any(ast.unparse(value) != "True" for _, value in settings(tree))


def has_step_hooks(tree: ast.AST) -> bool:
    """Return whether a file registers functions that run before or after the steps of an optimizer."""
    return any(node.attr in _HOOKS for node in every(tree, ast.Attribute))


def _unfreezes(tree: ast.AST) -> bool:
    """Return whether a file sets `requires_grad` of something else than a new Tensor to what may be True."""
    tensors = {name for scope in every(tree, ast.Module, ast.FunctionDef) for name in leaves(scope)}
    tensors -= {ast.unparse(call.func) for call in every(tree, ast.Call)}
    tensors -= {ast.unparse(call.owner) for call in method_calls(tree, "parameters")}
    tensors -= {ast.unparse(target) for loop in every(tree, ast.For) for target in walk(loop.target)}
    set_to_true = [owner for owner, value in settings(tree) if ast.unparse(value) != "False"]
    return any(access_path(owner) and access_path(owner) not in tensors for owner in set_to_true)


def settings(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Give the objects whose `requires_grad` a file sets, each with the value."""
    for node in walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                    yield target.value, node.value
        elif isinstance(node, ast.Call):
            is_method = isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_"
            named = [k.value for k in node.keywords if k.arg == "requires_grad"]
            if isinstance(node.func, ast.Attribute) and is_method:
                yield node.func.value, [*node.args, *named, ast.Constant(True)][0]
            elif named and ast.unparse(node.func).endswith("Parameter"):
                yield node, named[0]


def _names_complex(tree: ast.AST) -> bool:
    """Return whether a file names a complex dtype or writes a complex number."""
    is_written = any(isinstance(constant.value, complex) for constant in every(tree, ast.Constant))
    return is_written or any(attribute.attr in _COMPLEX for attribute in every(tree, ast.Attribute))


def is_exact(row: Row) -> bool:
    """Return whether a row is one of an optimizer that follows torch's formulas for each Parameter."""
    return any(parameter.kind == EXACT for parameter in row.parameters or ())


def of_any_kind(row: Row) -> tuple[Parameter, ...]:
    """Return the parameters of such a row for a class of the file, which always derives from an exact optimizer."""
    return tuple(replace(p, kind=None) if p.kind == EXACT else p for p in row.parameters or ())
