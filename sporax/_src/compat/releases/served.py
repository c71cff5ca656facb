"""Public names answer as the followed release does: attributes of public modules and classes are replaced by its versions."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import defaultdict
from types import ModuleType
from typing import Any

from sporax._src.base.release import followed, on_change
from sporax._src.bindings.primitive import Written
from sporax._src.compat.releases import arguments, arithmetic, names  # noqa: F401  (they fill the table)
from sporax._src.compat.releases.table import CHANGES, refuse, version

__all__ = ["followed", "is_gone", "refuse_of", "serve"]

HOME = "sporax"
_LATER: Any = object()  # stands for what a public module imports when it is asked for
_oldest: dict[tuple[Any, str], Any] = {}  # what sporax's own code has, for each attribute that is replaced


def serve(module: ModuleType) -> None:
    """Give names of a public module, and of its classes, the versions of the followed release."""
    for name in _names().get(module.__name__, ()):
        owner: Any = module
        *classes, leaf = _parts(name)[1]
        for part in classes:
            owner = vars(owner)[part]
        _serve(owner, leaf, name)


def _serve(owner: Any, leaf: str, name: str) -> None:
    present = inspect.getattr_static(owner, leaf, _LATER)
    if isinstance(present, Written):
        present.then(functools.partial(_serve, owner, leaf, name))
        return
    if present is not _LATER:
        _oldest.setdefault((owner, leaf), present)
    _put(owner, leaf, name)


class _Gone:
    """In the place of a method that is gone: asking for it gives the reason."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        refuse(self.name)


def _put(owner: Any, leaf: str, name: str) -> None:
    listed = vars(owner).get("__all__", [])
    try:
        refuse(name)
    except AttributeError:
        if isinstance(owner, type):
            setattr(owner, leaf, _Gone(name))  # the method may be of a base
        elif leaf in vars(owner):
            delattr(owner, leaf)
        if leaf in listed:
            listed.remove(leaf)
        return
    if (owner, leaf) in _oldest:
        setattr(owner, leaf, version(name, _oldest[owner, leaf]))
    if isinstance(owner, ModuleType) and leaf not in listed:
        listed.append(leaf)


def refuse_of(module: ModuleType, leaf: str) -> None:
    """Raise the reason if the followed release has a name of a public module no longer.

    Raises:
        AttributeError: It says since when the name is gone, and what stands in its place.
    """
    name = f"{module.__name__}.{leaf}".removeprefix(f"{HOME}.")
    if name in _names().get(module.__name__, ()):
        refuse(name)


def is_gone(module: ModuleType, leaf: str) -> bool:
    """Return whether the followed release has a name of a public module no longer."""
    try:
        refuse_of(module, leaf)
    except AttributeError:
        return True
    return False


@functools.cache
def _names() -> dict[str, list[str]]:
    """Return the names that the table mentions, by module."""
    found = defaultdict(list)
    for name in dict.fromkeys(name for change in CHANGES for name in change.names):
        found[_parts(name)[0]].append(name)
    return dict(found)


def _parts(name: str) -> tuple[str, list[str]]:
    """Return the module of a public name, and the classes and the attribute below it."""
    parts = name.split(".")
    below = next((i for i, part in enumerate(parts) if part[0].isupper()), len(parts) - 1)
    return ".".join([HOME, *parts[:below]]), parts[below:]


@on_change
def _serve_all() -> None:
    for name in _names():
        if name in sys.modules:
            serve(sys.modules[name])
