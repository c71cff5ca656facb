"""Keyword arguments of torch's factories that a program keeps in a dict to pass with `**`: `{"device": d, "dtype": t}`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from sporax._src.migrate.source.source_text import Source

PLACEMENTS = frozenset(("device", "layout", "memory_format", "pin_memory"))
_READ = re.compile(rb"\[\s*['\"]device['\"]\s*\]")


class Item(NamedTuple):
    """An item of a dict: its name, the node it begins with, and its value."""

    name: str
    first: ast.AST
    value: ast.expr


def items(node: ast.expr, source: Source) -> list[Item]:
    """Return the items of an expression that makes such a dict, none of any other.

    A file that reads `["device"]` keeps its dicts for something else.
    """
    pairs = [*_pairs(node)]
    names = {item.name for item in pairs}
    if not {"device", "dtype"} <= names <= {*PLACEMENTS, "dtype"} or _READ.search(source.data):
        return []
    return pairs


def _pairs(node: ast.expr) -> Iterator[Item]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            name = key.value if isinstance(key, ast.Constant) else ""
            yield Item(str(name), key or value, value)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "dict":
        for argument in node.args:
            yield Item("", argument, argument)
        for keyword in node.keywords:
            yield Item(keyword.arg or "", keyword, keyword.value)


def placements(items: list[Item], source: Source) -> Iterator[tuple[int, int]]:
    """Yield the spans, with their commas, of the items for the device or layout of a Tensor."""
    is_first = True
    for i, item in enumerate(items):
        if item.name not in PLACEMENTS:
            is_first = False
        elif is_first:
            yield source.start(item.first), source.start(items[i + 1].first)
        else:
            yield source.end(items[i - 1].value), source.end(item.value)
