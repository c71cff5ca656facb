"""The modules of `migrate/helpers` that a converted program imports, and their text beside the program.

The modules are copied whole, into a package `_from_torch` with the same folders. There they import MindSpore where they import
sporax here, and each other by relative imports. For the target "classic" a call of `mint.name` in them becomes a call of
`_mint_name`, if the family `classic` has that function.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable
from importlib import resources

PACKAGE = "_from_torch"  # the name of the package beside a converted program

HOME = "sporax._src.migrate.helpers"  # a program that runs converted has no folder of its own
_MINT_CALL = re.compile(r"(?<![\w.])mint(?:\.\w+)+")
_OWN_IMPORT = re.compile(rf"^from {re.escape(HOME)}\.", re.MULTILINE)
_SPORAX_IMPORT = re.compile(r"^from sporax(?=[. ])", re.MULTILINE)
_RELATIVE_IMPORT = re.compile(r"^from \.\.([\w.]+) import", re.MULTILINE)
_NAMESPACES = {"_mint_nn_functional_": "mint.nn.functional.", "_mint_nn_": "mint.nn.", "_mint_linalg_": "mint.linalg."}


@functools.cache
def _sources() -> dict[str, str]:
    """Return the text of each helper module by its name, such as "nn.losses"."""
    families = [folder for folder in resources.files(HOME).iterdir() if folder.is_dir()]
    files = {
        f"{family.name}.{file.name.removesuffix('.py')}": file.read_text(encoding="utf-8")
        for family in families
        for file in family.iterdir()
        if file.name.endswith(".py")
    }
    return dict(sorted(files.items()))


@functools.cache
def homes() -> dict[str, str]:
    """Return the module that defines each helper."""
    return {
        node.name: module
        for module, text in _sources().items()
        for node in ast.parse(text).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }


@functools.cache
def replacements(target: str) -> dict[str, str]:
    """Return the names of `mint` that helpers replace for a target, each with its helper."""
    if target != "classic":
        return {}
    helpers = {}
    for name in (name for name in homes() if name.startswith("_mint_")):
        prefix = next((prefix for prefix in _NAMESPACES if name.startswith(prefix)), "_mint_")
        helpers[_NAMESPACES.get(prefix, "mint.") + name.removeprefix(prefix)] = name
    return helpers


def import_lines(names: Iterable[str], package: str = PACKAGE) -> list[str]:
    """Return the statements that import helpers from a package, one for each module."""
    modules: dict[str, list[str]] = {}
    for name in sorted(names):
        modules.setdefault(homes()[name], []).append(name)
    return [f"from {package}.{module} import {', '.join(members)}" for module, members in sorted(modules.items())]


def files(names: Iterable[str], target: str) -> dict[str, str]:
    """Return the files of the package that has some helpers, with the modules that those import: path and text."""
    modules: set[str] = set()
    waiting = {homes()[name] for name in names}
    while waiting:
        module = waiting.pop()
        modules.add(module)
        waiting |= {*_RELATIVE_IMPORT.findall(_text(module, target))} - modules
    packages = {f"{module.partition('.')[0]}.__init__" for module in modules}
    texts = {f"{PACKAGE}/{module.replace('.', '/')}.py": _text(module, target) for module in sorted(modules | packages)}
    return (
        {f"{PACKAGE}/__init__.py": resources.files(HOME).joinpath("__init__.py").read_text("utf-8"), **texts}
        if texts
        else {}
    )


@functools.cache
def _text(module: str, target: str) -> str:
    """Return a module's text for the package beside a converted program."""
    text = _sources()[module]
    used = {call for call in _MINT_CALL.findall(text) if call in replacements(target)}
    text = _MINT_CALL.sub(lambda call: replacements(target).get(call[0], call[0]), text)
    more = [name for name in map(replacements(target).__getitem__, used) if homes()[name] != module]
    text = _OWN_IMPORT.sub("from ..", text)
    text = _SPORAX_IMPORT.sub("from mindspore", text).replace("import sporax as mindspore\n", "import mindspore\n")
    return _with_imports(text, import_lines(more, ".")) if more else text


def _with_imports(text: str, lines: list[str]) -> str:
    """Return a module's text with further imports after those that it has."""
    last = [node for node in ast.parse(text).body if isinstance(node, (ast.Import, ast.ImportFrom))][-1]
    above = text.splitlines()
    above[last.end_lineno : last.end_lineno] = lines
    return "\n".join(above) + "\n"
