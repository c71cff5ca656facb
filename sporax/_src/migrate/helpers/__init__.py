"""Functions that are written into converted files, where one call of MindSpore is not enough.

Each stands in a module of a family, under a name that begins with `_`, and is written with `mindspore`, `mint`, `nn`, `ops`,
`np` and `math` alone, so that a converted file needs neither torch nor sporax. The files of a package import them from one
module instead, so that a class is the same class in all of them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from importlib import resources

from sporax._src.migrate.imports import MODULES, Imports


@functools.cache
def sources() -> dict[str, tuple[str, frozenset[str], tuple[str, ...]]]:
    """Return the text of each function or class, the names it uses, and those of its base classes."""
    found = {}
    families = sorted(
        [f for f in resources.files("sporax._src.migrate.helpers").iterdir() if f.is_dir()], key=lambda f: f.name
    )
    for file in [f for family in families for f in sorted(family.iterdir(), key=lambda f: f.name)]:
        if not file.name.endswith(".py") or file.name == "__init__.py":
            continue
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
                names = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
                bases = [b.id for b in getattr(node, "bases", ()) if isinstance(b, ast.Name)]
                found[node.name] = ("\n".join(lines[first - 1 : node.end_lineno]), names, tuple(bases))
    return found


def definitions(names: Iterable[str], imports: Imports) -> tuple[str, set[str]]:
    """Return the text of the functions asked for and of those they call, and the names they use; note what they import."""
    known = sources()
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


def module(names: Iterable[str]) -> str:
    """Return the text of a module that has the functions asked for, for the files of a package to import."""
    imports = Imports(ast.Module([], []))
    text, used = definitions(names, imports)
    return f'"""What torch has and MindSpore has not, for the files of this package."""\n\n{imports.text(used)}\n\n\n{text}\n'


def _ordered(names: Iterable[str]) -> list[str]:
    """Return names in their order, but base classes before those that are derived from them."""
    ordered: dict[str, None] = {}
    for name in names:
        bases = [base for base in sources()[name][2] if base in sources()]
        ordered |= dict.fromkeys([*_ordered(bases), name])
    return list(ordered)
