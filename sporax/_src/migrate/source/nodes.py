"""The nodes of a syntax tree: those below a node, and those of a whole file, which are found once for all questions."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from typing import Any, TypeVar, overload

_N = TypeVar("_N", bound=ast.AST)
_FOUND = "nodes of the file"  # the attribute of a tree with its nodes by their types
_PLAIN = frozenset("arg asname attr conversion ctx id is_async kind level module simple type_comment".split())
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}  # the fields of a type in which there may be nodes


def parse(text: str, path: str = "<source>") -> ast.Module:
    """Return the tree of a program. Python's collector pauses: all new nodes are used, and it would visit them again and again.

    Raises:
        SyntaxError: If the text is not Python of the running version.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text, path)
    finally:
        if is_on:
            gc.enable()


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes right below a node, in the order of its fields, without its context (`Load`, `Store`, `Del`)."""
    found: list[ast.AST] = []
    fields = _FIELDS.get(type(node))
    if fields is None:
        fields = _FIELDS[type(node)] = tuple(name for name in node._fields if name not in _PLAIN)
    for name in fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes below it, in the order of `ast.walk`; that takes three times as long."""
    found = [node]
    for one in found:
        found += children(one)
        yield one


@overload
def every(tree: ast.AST) -> list[ast.AST]: ...
@overload
def every(tree: ast.AST, *kinds: type[_N]) -> list[_N]: ...
def every(tree: ast.AST, *kinds: type[Any]) -> list[Any]:
    """Return the nodes of a file, or those of some types, in the order of `ast.walk`; the file must not change any more."""
    nodes: dict[type[ast.AST], list[ast.AST]] | None = vars(tree).get(_FOUND)
    if nodes is None:
        nodes = vars(tree)[_FOUND] = {ast.AST: [*walk(tree)]}
        for node in nodes[ast.AST]:
            nodes.setdefault(type(node), []).append(node)
    if len(kinds) > 1:
        return [node for node in nodes[ast.AST] if isinstance(node, kinds)]
    return nodes.get(kinds[0] if kinds else ast.AST, [])
