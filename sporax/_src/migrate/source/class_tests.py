"""Where a file compares classes: the names of classes that it asks about, directly or through variables, and does not call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sporax._src.migrate.source.nodes import every, walk

_TESTS = ("isinstance", "issubclass")
_COLLECTIONS = ("frozenset", "list", "set", "tuple")


class ClassTests:
    """The expressions of a file that are classes to ask about.

    Args:
        tree: The file.
    """

    def __init__(self, tree: ast.AST) -> None:
        bound: dict[str, list[ast.expr]] = {}
        for name, value in _bindings(tree):
            bound.setdefault(name, []).append(value)
        asked, names = list(_asked(tree)), set[str]()
        for expression in asked:  # which grows: a variable may have the value of another one
            for name in {*_names(expression)} - names:
                names.add(name)
                asked += bound.get(name, ())
        called = {name for call in every(tree, ast.Call) for name in _names(call.func)}
        through_both = [value for name in names & called for value in bound.get(name, ())]
        self._called = {id(node) for value in through_both for node in walk(value)}
        self._asked = {id(node) for expression in asked for node in _references(expression)} - self._called

    def asks_about(self, node: ast.AST) -> bool:
        """Return whether a name stands for a class that is only asked about."""
        return id(node) in self._asked

    def asks_and_calls(self, node: ast.AST) -> bool:
        """Return whether a variable with the value of a name is asked about and called."""
        return id(node) in self._called


def _asked(tree: ast.AST) -> Iterator[ast.expr]:
    """Give the second operands of `isinstance`, what is compared with `type(x)` or `x.__class__`, and the keys of dicts."""
    for call in every(tree, ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in _TESTS and len(call.args) == 2:
            yield call.args[1]
    for compare in every(tree, ast.Compare):
        sides = [compare.left, *compare.comparators]
        if any(map(_is_class_of_object, sides)):
            yield from (side for side in sides if not _is_class_of_object(side))
    for table in every(tree, ast.Dict):
        yield from (key for key in table.keys if isinstance(key, ast.Attribute))


def _is_class_of_object(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1
    return isinstance(node, ast.Attribute) and node.attr == "__class__"


def _bindings(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Give the names of variables, attributes and parameters, each with a value; of a loop, what it runs over."""
    for node in every(tree):
        match node:
            case ast.Assign():
                yield from ((name, node.value) for target in node.targets for name in _names(target))
            case ast.AnnAssign() | ast.NamedExpr() if node.value is not None:
                yield from ((name, node.value) for name in _names(node.target))
            case ast.For() | ast.comprehension():
                yield from ((name, node.iter) for name in _names(node.target))
            case ast.keyword() if node.arg is not None:
                yield node.arg, node.value
            case ast.arguments():
                positional = [*node.posonlyargs, *node.args]
                given = zip(positional[len(positional) - len(node.defaults) :], node.defaults, strict=True)
                yield from ((parameter.arg, default) for parameter, default in given)
                named = zip(node.kwonlyargs, node.kw_defaults, strict=True)
                yield from ((parameter.arg, default) for parameter, default in named if default is not None)


def _names(node: ast.expr) -> Iterator[str]:
    """Give the variables and attributes of which an expression consists, through collections."""
    for part in _references(node):
        yield part.id if isinstance(part, ast.Name) else part.attr


def _references(node: ast.expr) -> Iterator[ast.Name | ast.Attribute]:
    match node:
        case ast.Name() | ast.Attribute():
            yield node
        case ast.Tuple() | ast.List() | ast.Set():
            for element in node.elts:
                yield from _references(element)
        case ast.Starred() | ast.Subscript():
            yield from _references(node.value)
        case ast.BinOp():  # (A,) + B, A | B
            yield from _references(node.left)
            yield from _references(node.right)
        case ast.IfExp():
            yield from _references(node.body)
            yield from _references(node.orelse)
        case ast.Call(ast.Name(name), [argument]) if name in _COLLECTIONS:
            yield from _references(argument)
