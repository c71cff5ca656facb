"""The source tree as data: modules, what they import, what they define. Read by the tests of the layout."""

from __future__ import annotations

import ast
import io
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "sporax"


def settings() -> dict[str, Any]:
    """Return `[tool.sporax]` of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["sporax"]


@dataclass(frozen=True)
class Import:
    """One imported module, as the dotted name that Python would load."""

    target: str
    line: int
    in_function: bool
    typing_only: bool


@dataclass(frozen=True)
class Module:
    """One source file."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def lines(self) -> list[str]:
        """Return the text line by line."""
        return self.path.read_text().splitlines()

    @property
    def package(self) -> str | None:
        """Return the layer this module belongs to, None for public modules."""
        parts = self.name.split(".")
        return parts[2] if parts[:2] == ["sporax", "_src"] and len(parts) > 2 else None

    @property
    def layer(self) -> str | None:
        """Return the row of `[tool.sporax.layers]` that is this module's, None for `python -m sporax`."""
        return "facade" if self.is_facade else self.package

    @property
    def is_facade(self) -> bool:
        """Tell whether this is a public module."""
        return "_src" not in self.name.split(".") and self.path.name != "__main__.py"

    @property
    def imports(self) -> list[Import]:
        """Return everything this module imports, wherever it does so."""
        return list(_imports(self))


@cache
def modules() -> dict[str, Module]:
    """Return every module of the package by dotted name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path, ast.parse(path.read_text(), str(path)))
    return found


def walk(tree: ast.AST, in_function: bool = False, typing_only: bool = False) -> Iterator[tuple[ast.AST, bool, bool]]:
    """Give every node, whether it is inside a function, and whether only type checkers see it."""
    for node in ast.iter_child_nodes(tree):
        function = in_function or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        typing = typing_only or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        yield node, in_function, typing_only
        yield from walk(node, function, typing)


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Give every function of a module, nested ones and methods too."""
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def body(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) -> list[ast.stmt]:
    """Return the statements after the docstring."""
    return node.body[1:] if ast.get_docstring(node) is not None else node.body


_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(text: str) -> int:
    """Return how many lines of a source text hold code: no docstrings, comments, decorator rows or blanks."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        free = [*getattr(node, "decorator_list", ())]
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            free.append(node.body[0])
        for part in free:
            lines.difference_update(range(part.lineno, part.end_lineno + 1))
    return len(lines)


def public_names(module: Module) -> list[str]:
    """Return the names that are written out in `__all__`."""
    names: list[str] = []
    for node in module.tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if [ast.unparse(t) for t in targets if t] == ["__all__"] and node.value:
            names += [c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant)]
    return names


def _imports(module: Module) -> Iterator[Import]:
    for node, in_function, typing_only in walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, in_function, typing_only)
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                target = inner if inner in modules() else base
                yield Import(target, node.lineno, in_function, typing_only)


def _base(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    parts = parts if module.path.name == "__init__.py" else parts[:-1]
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *(node.module or "").split(".")]).rstrip(".")
