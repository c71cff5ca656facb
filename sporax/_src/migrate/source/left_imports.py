"""The imports of torch that converted code still needs: beside the code that needs them, so that the file imports without torch.

A statement gets the import above it. Where a definition of the file's own level names it (a decorator, a base class, an
annotation), the import stays, and an object stands for the name where torch is not installed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from sporax._src.migrate.source.diagnostics import MARK
from sporax._src.migrate.source.nodes import children, every, walk
from sporax._src.migrate.source.source_text import Edits, Source

FALLBACK = "_not_installed"  # the helper that makes the object

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Localized(NamedTuple):
    """A converted file with its imports of torch where they are needed.

    Args:
        text: The file.
        has_fallback: Whether it needs the helper.
        numbers: For each line, the number of the line that it comes from.
    """

    text: str
    has_fallback: bool
    numbers: list[int]


def localized(text: str, is_ours: Callable[[str], bool], exported: Collection[str], helpers: str) -> Localized:
    """Return a converted file with its imports of torch where they are needed.

    Args:
        text: The file.
        is_ours: Whether a module is one of torch.
        exported: The names that other files import from it.
        helpers: The line that imports the helper.
    """
    source = Source(text)
    imports = [(node, alias) for node in source.tree.body for alias in _aliases(node, is_ours)]
    lines: dict[str, list[str]] = {}
    for node, alias in imports:
        lines.setdefault(_name(alias), []).append(_import(node, alias))
    needed, above = _needed(source, {*lines}, exported)
    edits = Edits()
    for start, names in above.items():
        indentation = source.indentation(start)
        imported = [line for name in sorted(names - needed) for line in lines[name]]
        edits.add(start, start, "".join(f"{indentation}{line}\n" for line in imported))
    has_fallback = False
    for node in dict.fromkeys(node for node, _ in imports):
        kept = [
            alias for alias in getattr(node, "names", []) if alias.name == "*" or alias not in _aliases(node, is_ours)
        ]
        guarded = [alias for alias in _aliases(node, is_ours) if _name(alias) in needed]
        first = helpers if guarded and not has_fallback else ""
        has_fallback = has_fallback or bool(guarded)
        block = [first, _statement(node, kept), *_guarded(node, guarded)]
        start, end = source.lines(node)
        edits.add(start, end, "".join(f"{line}\n" for line in block if line))
    return Localized(source.edited(edits), has_fallback, source.line_numbers(edits))


def _aliases(node: ast.stmt, is_ours: Callable[[str], bool]) -> list[ast.alias]:
    """Return the names of an import that stand for something of torch."""
    if isinstance(node, ast.Import):
        return [alias for alias in node.names if is_ours(alias.name)]
    if isinstance(node, ast.ImportFrom) and not node.level and is_ours(node.module or ""):
        return [alias for alias in node.names if alias.name != "*"]
    return []


def _name(alias: ast.alias) -> str:
    """Return the name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def _import(node: ast.stmt, *aliases: ast.alias) -> str:
    """Return an import of some names of a statement."""
    module = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
    return f"{module}import {', '.join(map(ast.unparse, aliases))}"


def _statement(node: ast.stmt, aliases: list[ast.alias]) -> str:
    return _import(node, *aliases) if aliases else ""


def _guarded(node: ast.stmt, aliases: list[ast.alias]) -> list[str]:
    """Return an import of some names of torch, with an object for each where torch is not installed."""
    if not aliases:
        return []
    module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    paths = {_name(a): f"{module}{a.name}" if module or a.asname else _name(a) for a in aliases}
    instead = [f'    {name} = {FALLBACK}("{path}")' for name, path in paths.items()]
    return ["try:", f"    {_import(node, *aliases)}", "except ImportError:", *instead]


def _needed(source: Source, names: Collection[str], exported: Collection[str]) -> tuple[set[str], dict[int, set[str]]]:
    """Return which names the file's own level needs, and which names functions need, by the start of a line of each."""
    parents = {child: node for node in every(source.tree) for child in children(node)}
    own_level = {name for name in names if name in exported}
    above: dict[int, set[str]] = {}
    for node in every(source.tree):
        if not isinstance(node, ast.Name) or node.id not in names or not isinstance(node.ctx, ast.Load):
            continue
        around = [*_around(node, parents)]
        if any(node.id in _bound(function) for function, runs_it in around if runs_it):
            continue
        at = _line_above(source, around)
        if at is None:
            own_level.add(node.id)
        else:
            above.setdefault(at, set()).add(node.id)
    return own_level, above


def _around(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the nodes around a node, innermost first, each with whether it is a function whose body has the node."""
    while (parent := parents.get(node)) is not None:
        yield parent, isinstance(parent, _FUNCTIONS) and node in parent.body
        node = parent


def _bound(function: ast.AST) -> set[str]:
    """Return the names that a function binds by arguments and assignments."""
    nodes = [*walk(function)]
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return stored | {n.arg for n in nodes if isinstance(n, ast.arg)}


def _line_above(source: Source, around: list[tuple[ast.AST, bool]]) -> int | None:
    """Return the start of the line of the statement that reads a name, above its comments; None if the file's level reads it."""
    inside = next((i for i, (_, runs_it) in enumerate(around) if runs_it), None)
    within = [node for node, _ in around[:inside]]
    if inside is None and any(map(_only_names_it, within)):
        return None
    outermost_class = max((i for i, node in enumerate(within) if isinstance(node, ast.ClassDef)), default=0)
    lines = (_own_line(source, node) for node in within[outermost_class:] if isinstance(node, ast.stmt))
    return next((at for at in lines if at is not None), None)


def _only_names_it(node: ast.AST) -> bool:
    """Return whether a statement of the file's level may name what the rest of the file can do without."""
    is_alias = isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute, ast.Tuple))
    return is_alias or isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda))


def _own_line(source: Source, node: ast.stmt) -> int | None:
    """Return the start of the lines of a statement and of the comments above it; None if the line begins with something else."""
    start = source.start(node)
    at = source.line_start(start)
    if source.data[at:start].strip() or source.data.startswith(b"elif", start):
        return None
    while at and source.data[source.line_start(at - 1) : at].lstrip().startswith(MARK.encode()):
        at = source.line_start(at - 1)
    return at
