"""Stubs of the name `mindspore`: they tell editors and type checkers where sporax has what a program imports.

mindspore/nn/optim/adam.pyi:   from sporax.nn import Adam as Adam
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from sporax._src.base import release
from sporax._src.compat.finder import CHILDREN, HOME, MARKED, MARKED_CHILDREN, NAME, PATHS, children_of
from sporax._src.compat.paths import Source

TOP = Path(__file__).parents[2]


def editor_stubs() -> dict[str, str]:
    """Return the text of each stub by its file, such as `mindspore/nn/__init__.pyi`."""
    public = _public_modules()
    below: dict[str, set[str]] = {path: set() for part in (public, PATHS, MARKED) for path in part}
    for children in CHILDREN, MARKED_CHILDREN, children_of(public):
        for package, leaves in children.items():
            below.setdefault(package, set()).update(leaves)
            for leaf in leaves:
                below.setdefault(_dotted(package, leaf), set())
    return {_file(path, bool(below[path])): _text(path, path in public, below) for path in sorted(below)}


def _public_modules() -> list[str]:
    """Return the paths below `sporax` of its public modules; the top is empty."""
    files = [path.relative_to(TOP).with_suffix("") for path in TOP.rglob("*.py")]
    names = [".".join(file.parts).removesuffix("__init__").rstrip(".") for file in files if file.parts[0] != "_src"]
    return [name for name in names if name != "__main__"]


def _file(path: str, is_package: bool) -> str:
    parts = [NAME, *filter(None, path.split("."))]
    return "/".join([*parts, "__init__.pyi"] if is_package or not path else [*parts[:-1], f"{parts[-1]}.pyi"])


def _text(path: str, is_public: bool, below: dict[str, set[str]]) -> str:
    """Return the stub of one module: a line for each name, and one for each module below it that no name hides."""
    sources = [*PATHS.get(path, ()), *MARKED.get(path, ())]
    sources = [Source(_dotted(HOME, path), None), *sources] if is_public else sources
    lines: dict[str, str] = {}
    for source in sources:
        lines |= {new: _line(source.module, name, new, below) for new, name in _names(source).items()}
    names = sorted(lines)
    here = _dotted(NAME, path)
    lines |= {leaf: f"from {here} import {leaf} as {leaf}" for leaf in below[path] - set(lines)}
    if not path:
        lines["__version__"] = "__version__: str"
    head = f'"""What sporax has under `{here}`, which stands for MindSpore {release.followed()}. Written by `sporax stubs`."""\n'
    return "\n".join([head, *(lines[name] for name in sorted(lines)), "", f"__all__ = {names}", ""])


def _names(source: Source) -> dict[str, str]:
    """Return the names that a path takes from a module, by what they are called there; modules below it are none."""
    if source.names is not None:
        return source.names
    module = importlib.import_module(source.module)
    values = {name: getattr(module, name) for name in module.__all__}
    return {n: n for n, v in values.items() if not isinstance(v, ModuleType) or v.__name__ != f"{source.module}.{n}"}


def _line(module: str, name: str, new: str, below: dict[str, set[str]]) -> str:
    """Return the line of a name; of a module that only the table has, there is a stub alone."""
    path = module.removeprefix(HOME).removeprefix(".")
    spec = find_spec(module)
    in_file = spec is not None and spec.origin is not None and _dotted(path, name) not in below
    return f"from {module if in_file else _dotted(NAME, path)} import {name} as {new}"


def _dotted(package: str, leaf: str) -> str:
    return ".".join(filter(None, (package, leaf)))
