"""Classes that programs print; each names MindSpore's module of it while the name `mindspore` is served."""

from __future__ import annotations

import functools
from types import ModuleType

from sporax._src.compat.paths import TABLE, homes

_FILES = (
    "amp",
    "common.initializer",
)  # modules of MindSpore whose path is a file of sporax: no line of the table names them
_hidden: dict[type, str] = {}  # classes that name MindSpore's module now, with their own


@functools.cache
def _homes() -> dict[str, dict[str, str]]:
    """Return MindSpore's module of the classes that lines of the table mark `@home`, by the public module and the name."""
    found: dict[str, dict[str, str]] = {}
    for path, source in homes(TABLE):
        found.setdefault(source.module, {}).update(dict.fromkeys(source.names or (), f"mindspore.{path}"))
    return found


def classes(module: ModuleType) -> dict[type, str]:
    """Return the classes of a loaded public module with MindSpore's module of each.

    They are those that a line of the table marks `@home`, and the others that the files of MindSpore's modules export.
    """
    public, file = module.__name__, module.__name__.partition(".")[2]
    homes_of = _homes().get(public, {})  # the followed release may have a name no longer
    named = {getattr(module, name): home for name, home in homes_of.items() if hasattr(module, name)}
    exported = map(vars(module).get, module.__all__ if file in _FILES else ())
    others = [value for value in exported if isinstance(value, type)]
    return dict.fromkeys(others, f"mindspore.{file}") | named


def show(module: ModuleType) -> None:
    """Have the classes of a public module name MindSpore's."""
    for printed, home in classes(module).items():
        _hidden.setdefault(printed, printed.__module__)
        printed.__module__ = home


def hide() -> None:
    """Have all classes name their public modules again."""
    while _hidden:
        printed, module = _hidden.popitem()
        printed.__module__ = module
