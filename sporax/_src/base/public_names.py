"""The `__module__` of public classes and functions is their public module: `nn.Conv2d.__module__` is `sporax.nn`.

The `repr` of a class, pickles, tracebacks and documentation tools use it. For the source of a class (but not of a
function) Python reads the file of that module, which contains imports only: `inspect.getsource(nn.Conv2d)` is an
OSError, as it is for the classes of NumPy and JAX; `inspect.getsource(nn.Conv2d.construct)` has its source.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

_definitions: dict[Any, str] = {}


def show_public_names(namespace: str) -> None:
    """Set `__module__` of the objects that a loaded public module exports under their own names.

    A name that two modules export belongs to the first that is loaded: the other one imports it from there.
    """
    names = vars(sys.modules[namespace])
    for name in names.get("__all__", ()):
        if name in names:  # else it is imported when it is asked for
            show_public_name(namespace, name, names[name])


def show_public_name(namespace: str, name: str, value: object) -> None:
    """Set `__module__` of one object, if it is a class or function of sporax that no public module has shown yet."""
    if (
        isinstance(value, (type, FunctionType))
        and value.__qualname__ == name
        and (value.__module__ or "sporax._src.").startswith("sporax._src.")  # generated functions have none
    ):
        _name(value, namespace)


def _name(value: object, namespace: str) -> None:
    if isinstance(value, type) and (annotations := vars(value).get("__annotations__")):
        # Python resolves annotations in `__module__`, where names are missing and `int` is a dtype: they are resolved before.
        names = vars(sys.modules[value.__module__])
        value.__annotations__ = {k: eval(v, names) if isinstance(v, str) else v for k, v in annotations.items()}
    if value.__module__:
        _definitions[value] = value.__module__
    value.__module__ = namespace


def defined_in(value: object) -> str:
    """Return the name of the module whose source has a class or function; its public one if it has no source."""
    return _definitions.get(value, str(value.__module__))
