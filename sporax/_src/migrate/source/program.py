"""Information about the other files of a program that the conversion of a file needs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import PurePath

from sporax._src.migrate.source.dataflow import access_path
from sporax._src.migrate.source.nodes import every
from sporax._src.migrate.source.scopes import is_of_torch
from sporax._src.migrate.source.tracing import Trace
from sporax._src.migrate.torch_map.rows import table

_OF_COMPLEX = re.compile(r"c(float|double|half)|complex.*|.*fft.*|.*stft|polar|eig|eigvals|view_as_complex")


@dataclass(frozen=True)
class Program:
    """The files that are converted together. A module is known by the last part of its name.

    Args:
        modules: The names of the classes that are `torch.nn.Module`s.
        packages: The packages; torchvision's names are its own in torchvision.
        imported: The names that files import from a module.
        starred: The names of torch that `from module import *` imports, with their dotted names.
        mixins: The names of the classes that others are derived from beside a `torch.nn.Module`.
        traces: The classes of the values in a run of the program, by file.
        has_complex: Whether one of the files may make complex numbers.
        trees: The trees of files that were parsed already, by file.
    """

    modules: Set[str] = frozenset()
    packages: Set[str] = frozenset()
    imported: Mapping[str, Set[str]] = field(default_factory=dict)
    starred: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    mixins: Set[str] = frozenset()
    traces: Mapping[str, Trace] = field(default_factory=dict)
    has_complex: bool = False
    trees: Mapping[str, ast.Module] = field(default_factory=dict)

    def star_imports(self, node: ast.ImportFrom) -> Mapping[str, str]:
        """Return the names of torch that an import of all names of a module of the program binds."""
        module = (node.module or "").rpartition(".")[2]
        return self.starred.get(module, {}) if node.names[0].name == "*" else {}


def has_complex(tree: ast.AST) -> bool:
    """Return whether a file may make complex numbers: it names a function or dtype of them, or writes one."""
    if any(isinstance(constant.value, complex) for constant in every(tree, ast.Constant)):
        return True
    names = {node.attr for node in every(tree, ast.Attribute)} | {node.id for node in every(tree, ast.Name)}
    names |= {part for alias in every(tree, ast.alias) for part in alias.name.split(".")}
    return any(map(_OF_COMPLEX.fullmatch, names))


def module_name(path: PurePath) -> str:
    """Return the last part of the name of a file's module."""
    return path.parent.name if path.stem == "__init__" else path.stem


def imported_names(trees: Mapping[PurePath, ast.Module]) -> dict[str, set[str]]:
    """Return the names that files import from one another, or read as `module.name`, by module."""
    names: dict[str, set[str]] = {}
    for tree in trees.values():
        imports = [a for node in every(tree, ast.Import) for a in node.names]
        modules = {a.asname or a.name: a.name.rpartition(".")[2] for a in imports if not is_of_torch(a.name)}
        for node in every(tree, ast.Attribute):
            if module := modules.get(access_path(node.value)):
                names.setdefault(module, set()).add(node.attr)
    for node in (node for tree in trees.values() for node in every(tree, ast.ImportFrom)):
        if node.module:
            names.setdefault(node.module.rpartition(".")[2], set()).update(alias.name for alias in node.names)
    return names


def starred_names(trees: Mapping[PurePath, ast.Module]) -> dict[str, dict[str, str]]:
    """Return the names of torch that `import *` binds, by module, across files; `__all__` may restrict them."""
    exports: dict[str, dict[str, str]] = {}
    stars: list[tuple[str, str]] = []
    for path, tree in trees.items():
        name = module_name(path)
        if any(node.id == "__all__" for node in every(tree, ast.Name)):
            continue
        for node in tree.body:
            exports.setdefault(name, {}).update(_of_torch(node))
            if isinstance(node, ast.ImportFrom) and node.module and node.names[0].name == "*":
                stars.append((name, node.module.rpartition(".")[2]))
    for _ in range(len(stars)):
        for name, other in stars:
            exports[name] = {**exports.get(other, {}), **exports[name]}
    return {name: names for name, names in exports.items() if names}


def _of_torch(node: ast.stmt) -> dict[str, str]:
    """Return the names that a statement imports from torch."""
    if isinstance(node, ast.Import):
        roots = [(a.asname or a.name.split(".")[0], a.name if a.asname else a.name.split(".")[0]) for a in node.names]
        return {name: path for name, path in roots if is_of_torch(path)}
    if isinstance(node, ast.ImportFrom) and not node.level and is_of_torch(node.module or ""):
        return {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names if a.name != "*"}
    return {}


def module_classes(trees: Sequence[ast.AST], known: Set[str] = frozenset()) -> frozenset[str]:
    """Return the names of the classes in some files that are derived from `torch.nn.Module`, over any number of files.

    A class of torch that is no layer is none of the files' classes, even if one of those has its name.

    Args:
        trees: The files.
        known: Such classes of other packages.
    """
    layers = {name.rpartition(".")[2] for name in table() if name.startswith("torch.nn.") and name.count(".") == 2}
    layers = {"Module", "ScriptModule", *(name for name in layers if name[:1].isupper() and name != "Parameter")}
    read = [(tree, _foreign(tree), _of_torch_anywhere(tree)) for tree in trees]
    classes = [(n, *names) for tree, *names in read for n in every(tree, ast.ClassDef)]
    bases: dict[str, set[str]] = {node.name: set() for node, *_ in classes}
    for node, foreign, of_torch in classes:
        for base in map(ast.unparse, node.bases):
            first, last = base.partition(".")[0], base.rpartition(".")[2]
            is_other = first in of_torch and last in bases and last not in layers
            if not is_other and (first not in foreign or last not in layers or last in bases):
                bases[node.name].add(last)
    modules = {*layers, *known}
    while more := {name for name, of in bases.items() if of & modules} - modules:
        modules |= more
    return frozenset(modules & bases.keys())


def mixins(trees: Sequence[ast.AST], modules: Set[str]) -> frozenset[str]:
    """Return the names of base classes of Modules in some files that are not Modules themselves."""
    classes = [node for tree in trees for node in every(tree, ast.ClassDef)]
    names = {node.name for node in classes}
    bases = {ast.unparse(base).rpartition(".")[2] for node in classes if node.name in modules for base in node.bases}
    return frozenset((bases & names) - modules)


def _of_torch_anywhere(tree: ast.AST) -> set[str]:
    """Return the names that a file imports from torch."""
    return {name for node in every(tree, ast.Import, ast.ImportFrom) for name in _of_torch(node)}


def _foreign(tree: ast.AST) -> set[str]:
    """Return the names that a file imports from packages other than torch and its own."""
    names = set()
    for node in every(tree, ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            names |= {a.asname or a.name.split(".")[0] for a in node.names if not is_of_torch(a.name)}
        elif isinstance(node, ast.ImportFrom) and not node.level and not is_of_torch(node.module or ""):
            names |= {a.asname or a.name for a in node.names}
    return names


def names_imported(tree: ast.AST, program: Program) -> Iterator[str]:
    """Yield the names of the modules that a file imports, and the names that it imports from them."""
    for node in every(tree, ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (alias.name for alias in node.names)
            yield from program.star_imports(node).values()
