"""Functions that are written into converted files, where one call of MindSpore is not enough.

Each stands in a module of a family, under a name that begins with `_`, and is written with `mindspore`, `mint`, `nn`, `ops`,
`np` and `math` alone, so that a converted file needs neither torch nor sporax. The files of a package import them from one
module instead, so that a class is the same class in all of them.

For the target "classic" `_mint_name` stands for `mint.name` (those of the family `classic`), in calls and in other helpers.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable
from importlib import resources

from sporax._src.migrate.source.imports import MODULES, Imports

_MINT = re.compile(r"(?<![\w.])mint(?:\.\w+)+")


@functools.cache
def replacements(target: str) -> dict[str, str]:
    """Return the names of `mint` for which a function or class is written, of a target."""
    if target != "classic":
        return {}
    names = [node.name for _, node in _definitions() if node.name.startswith("_mint_")]
    spaces = {"_mint_nn_functional_": "mint.nn.functional.", "_mint_nn_": "mint.nn.", "_mint_linalg_": "mint.linalg."}
    found = {}
    for name in names:
        begin = next((space for space in spaces if name.startswith(space)), "_mint_")
        found[spaces.get(begin, "mint.") + name.removeprefix(begin)] = name
    return found


@functools.cache
def _definitions() -> list[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Return the functions and classes of all families, each with its text."""
    found = []
    families = [f for f in resources.files("sporax._src.migrate.helpers").iterdir() if f.is_dir()]
    files = [f for family in sorted(families, key=lambda f: f.name) for f in family.iterdir()]
    for file in sorted([f for f in files if f.name.endswith(".py")], key=lambda f: str(f)):
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
                found.append(("\n".join(lines[first - 1 : node.end_lineno]), node))
    return found


@functools.cache
def sources(target: str = "mint") -> dict[str, tuple[str, frozenset[str], tuple[str, ...]]]:
    """Return the text of each function or class, the names it uses, and those of its base classes."""
    found = {}
    for text, node in _definitions():
        text = _MINT.sub(lambda m: replacements(target).get(m[0], m[0]), text)
        names = frozenset(n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name))
        bases = [b.id for b in getattr(node, "bases", ()) if isinstance(b, ast.Name)]
        found[node.name] = (text, names, tuple(bases))
    return found


def definitions(names: Iterable[str], imports: Imports) -> tuple[str, set[str]]:
    """Return the text of the functions asked for and of those they call, and the names they use; note what they import."""
    known = sources(imports.target)
    wanted: dict[str, None] = {}
    used: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in wanted:
            continue
        wanted[name] = None
        used |= known[name][1]
        waiting += sorted(known[name][1] & known.keys())
    for root in used & MODULES.keys():
        imports.lines[MODULES[root]] = None
    return "\n\n\n".join(known[name][0] for name in _ordered(name for name in known if name in wanted)), used


def module(names: Iterable[str], target: str) -> str:
    """Return the text of a module that has the functions asked for, for the files of a package to import."""
    imports = Imports(ast.Module([], []), target, replacements(target))
    text, used = definitions(names, imports)
    return f'"""What torch has and MindSpore has not, for the files of this package."""\n\n{imports.text(used)}\n\n\n{text}\n'


def _ordered(names: Iterable[str]) -> list[str]:
    """Return names in their order, but base classes before those that are derived from them."""
    ordered: dict[str, None] = {}
    for name in names:
        bases = [base for base in sources()[name][2] if base in sources()]
        ordered |= dict.fromkeys([*_ordered(bases), name])
    return list(ordered)
