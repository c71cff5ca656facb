"""What the conversion of a file must know of other files: those that the program consists of, and those of its package.

The program consists of its script and of the modules and packages that these import from the program's own folders. Packages that
are installed, as pip does it, are converted each by itself.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields
from importlib.machinery import PathFinder
from pathlib import Path, PurePath
from typing import Any

from sporax._src.migrate.running.disk_cache import DiskCache
from sporax._src.migrate.source.program import Program, imported_names, mixins, module_classes, starred_names

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_UNTOUCHED = frozenset(
    {"sporax", "mindspore", "_from_torch", "torch", "jax", "jaxlib", "numpy", "scipy", "einops", "safetensors"}
)
_IMPORTS_TORCH = re.compile(rb"^\s*(?:import|from)\s+(?:torch|torchvision|einops|safetensors)\b", re.MULTILINE)
_REQUIRES_TORCH = re.compile(r"^Requires-Dist: (?:torch|einops)\b", re.MULTILINE)
_FACTS = [field.name for field in fields(Program) if field.name not in ("traces", "trees")]


class Packages:
    """The files of a program and of the packages that it imports.

    Args:
        cache: Keeps what is known of installed packages.
        version: A digest of the converter.
    """

    def __init__(self, cache: DiskCache, version: str) -> None:
        self.cache, self._version = cache, version
        self._need_torch: set[str] = set()  # installed packages that import torch
        self._own: dict[PurePath, ast.Module] = {}
        self._own_packages: set[str] = set()
        self._own_program: Program | None = None
        self._imported: set[str] = set()  # installed packages that the program's own files import
        self._known: dict[str, Program] = {}  # what is known of installed packages

    def is_converted(self, name: str, path: Path, data: bytes) -> bool:
        """Return whether a module may have code for torch."""
        top = name.partition(".")[0]
        if top in _UNTOUCHED or top in sys.stdlib_module_names:
            return False
        if not _is_installed(path):
            return True
        if top not in self._need_torch and (_IMPORTS_TORCH.search(data) or _requires_torch(path, name)):
            self._need_torch.add(top)
        return top in self._need_torch

    def program_of(self, name: str, path: Path) -> Program:
        """Return what the conversion of a module must know of other files."""
        if _is_installed(path):
            return self._installed(name.partition(".")[0])
        self._add(_home(name, path))
        if self._own_program is None:
            known = frozenset().union(*(self._installed(top).modules for top in sorted(self._imported)))
            self._own_program = _program(self._own, self._own_packages, known)
        return self._own_program

    def _add(self, home: Path) -> None:
        """Add an own module or package, and what it imports."""
        waiting = [home]
        while waiting:
            home = waiting.pop()
            files = [file for file in _files(home) if file not in self._own]
            if not files:
                continue
            self._own_program = None
            self._own |= {file: _outline(file) for file in files}
            if home.is_dir():
                self._own_packages.add(home.name)
            for top in sorted({name for file in files for name in _imported(self._own[file])}):
                found = _located(top)
                if found is not None and not _is_installed(found):
                    waiting.append(found)
                elif found is not None and _requires_torch(found, top):
                    self._imported.add(top)

    def _installed(self, top: str) -> Program:
        """Return what is known of an installed package."""
        if top not in self._known:
            home = _located(top)
            files = [*_files(home)] if home else []
            key = hashlib.sha256(repr([self._version, [_state(file) for file in files]]).encode()).hexdigest()
            if (kept := self.cache.get(key)) is not None:
                self._known[top] = _loaded(kept)
            else:
                self._known[top] = _program({file: _outline(file) for file in files}, {top}, frozenset())
                self.cache.put(key, dumped(self._known[top]))
        return self._known[top]


def dumped(program: Program) -> bytes:
    """Return the facts of a program as text, the same for equal programs."""
    return json.dumps({name: _plain(getattr(program, name)) for name in _FACTS}, sort_keys=True).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return sorted(value) if isinstance(value, Set) else value


def _loaded(data: bytes) -> Program:
    facts: dict[str, Any] = json.loads(data)
    values: dict[str, Any] = {name: frozenset(one) if isinstance(one, list) else one for name, one in facts.items()}
    return Program(**values)


def _program(trees: Mapping[PurePath, ast.Module], packages: Set[str], known: Set[str]) -> Program:
    modules = module_classes([*trees.values()], known) | known
    mixed = mixins([*trees.values()], modules)
    imported: dict[PurePath, ast.Module] = dict(trees)
    names, stars = imported_names(imported), starred_names(imported)
    # the bodies of functions are not read here: they may make complex numbers
    return Program(frozenset(modules), frozenset(packages), names, stars, mixed, has_complex=True)


def _is_installed(path: Path) -> bool:
    return not _INSTALLED.isdisjoint(path.parts)


@functools.cache
def _requires_torch(path: Path, name: str) -> bool:
    """Return whether the metadata of the package at a path name torch."""
    top = name.partition(".")[0]
    site = next((folder for folder in path.parents if folder.name in _INSTALLED), path.parent)
    files = [*site.glob(f"{top}-*.dist-info/METADATA"), *site.glob(f"{top.replace('_', '-')}-*.dist-info/METADATA")]
    return any(_REQUIRES_TORCH.search(file.read_text("utf-8", errors="replace")) for file in files)


@functools.cache
def _located(top: str) -> Path | None:
    """Return the file of a module, or the folder of a package, that an import of a name would find."""
    if top in _UNTOUCHED or top in sys.stdlib_module_names:
        return None
    spec = PathFinder.find_spec(top)
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(spec.origin) if spec.origin and spec.origin.endswith(".py") else None


def _home(name: str, path: Path) -> Path:
    """Return the file of a module, or the folder of the outermost package that it is in."""
    home = path.parent if path.name == "__init__.py" else path
    return home.parents[name.count(".") - 1] if "." in name else home


def _files(home: Path) -> Iterator[Path]:
    """Yield the files of a package by its folder, or the one file of a module."""
    if not home.is_dir():
        yield home
        return
    for base, folders, names in os.walk(home):
        folders[:] = sorted(one for one in folders if not one.startswith((".", "__pycache__")))
        yield from (Path(base, name) for name in sorted(names) if name.endswith(".py"))


def _state(file: Path) -> tuple[str, int, int]:
    status = file.stat()
    return str(file), status.st_size, status.st_mtime_ns


def _outline(file: Path) -> ast.Module:
    """Return the imports and classes of a file, without their bodies; what is no Python has none."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, OSError):
        return ast.Module([], [])
    kept = (ast.Import, ast.ImportFrom)
    top = [node for node in tree.body if isinstance(node, kept)]
    inner: list[ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            inner.append(ast.ClassDef(node.name, node.bases, [], [], []))
        elif isinstance(node, kept) and node not in top:
            inner.append(node)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & {"__all__"}
    marks: list[ast.stmt] = [ast.Expr(ast.Name(name, ast.Load())) for name in names]
    return ast.Module([*top, ast.If(ast.Constant(True), inner, []), *marks], [])


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the first part of each absolute name that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]
