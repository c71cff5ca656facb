"""The names of the framework in a worker process: programs may import and mention them there, and use those of datasets.

A function may come from a module that imports the whole framework. So these names exist, without JAX: `sporax.dataset` as it
is, and every other name as an `Absent`, which says what to do once it is called for a row.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

HOME, ALIAS = "sporax", "mindspore"
REMEDY = (
    "a worker process of a dataset has no operators, Tensors or JAX: compute with NumPy there, or pass "
    "python_multiprocessing=False, which calls the function on threads"
)
_OWN = ("_src.data", "_src.base")  # the packages that import no JAX
_PARTS = ("audio", "config", "text", "transforms", "utils", "vision")
_NAMES = (
    "transformations",
    "sources",
    "samplers",
    "callbacks",
    "dataset",
    "iterator",
)  # where `dataset` has its names from


class Absent:
    """A name of the framework that a worker may mention, not use.

    Args:
        name: The name.
    """

    is_lenient = False  # while functions are loaded, with the modules that they need: calls return one more Absent

    def __init__(self, name: str = "mindspore", *arguments: object, **named: object) -> None:
        self._name = name  # the rest is what classes derived from absent ones pass to it

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __call__(self, *args: object, **named: object) -> Any:
        if Absent.is_lenient:
            return (
                args[0] if len(args) == 1 and callable(args[0]) else Absent(f"{self._name}()")
            )  # a decorator, perhaps
        raise RuntimeError(f"{self._name} was called in a worker; {REMEDY}.")

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, Absent)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        first = next(base for base in bases if isinstance(base, Absent))
        return (Absent,) if first is self else ()

    def __repr__(self) -> str:
        return self._name


class Finder(MetaPathFinder, Loader):
    """Finds the modules of the framework: those of datasets as they are, and others full of absent names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to make a module of the framework; None for others, and for what a worker really has."""
        top, _, below = fullname.partition(".")
        if top not in (HOME, ALIAS):
            return None
        if top == HOME and below.startswith("_src"):
            if below == "_src" or below.startswith(_OWN):
                return None
            raise ImportError(f"{fullname} is not there: {REMEDY}.", name=fullname)
        if top == HOME and below.startswith("dataset.") and PathFinder.find_spec(fullname, path) is not None:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module of sporax that a name below `mindspore` stands for."""
        top, dot, below = spec.name.partition(".")
        return importlib.import_module(HOME + dot + below) if top == ALIAS else None

    def exec_module(self, module: Any) -> None:
        """Let the module answer for its names."""
        name = module.__name__
        if name == f"{HOME}.dataset":
            module.__path__ = [f"{folder}/dataset" for folder in sys.modules[HOME].__path__]
            module.__getattr__ = _of_dataset
        elif not name.startswith(f"{HOME}.dataset.") or not hasattr(module, "__file__"):
            module.__getattr__ = Names(name)


class Names:
    """The `__getattr__` of a module whose names are absent.

    Args:
        module: The name of the module.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __call__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if (self._module, name) == (HOME, "dataset"):
            return importlib.import_module(f"{HOME}.dataset")
        return Absent(f"{self._module.replace(HOME, ALIAS)}.{name}")


def _of_dataset(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(f"{HOME}.dataset.{name}")
    for module in _NAMES:
        found = getattr(importlib.import_module(f"{HOME}._src.data.{module}"), name, None)
        if found is not None:
            return found
    raise AttributeError(f"module 'mindspore.dataset' has no attribute {name!r}")


def install(folder: str) -> None:
    """Make this process one without the framework.

    Args:
        folder: The folder of sporax.
    """
    module: Any = ModuleType(HOME)
    module.__path__ = [folder]
    module.__getattr__ = Names(HOME)
    sys.modules[HOME] = module
    loaded: dict[str, Any] = sys.modules
    loaded["jax"] = loaded["jaxlib"] = None  # to import them is an ImportError
    sys.meta_path.insert(0, Finder())


def needs_framework(error: BaseException) -> bool:
    """Return whether an error comes from the use of the framework in a worker; only its text comes from there."""
    return REMEDY in str(error)


def with_remedy(error: BaseException) -> str:
    """Return the text of an error, with the remedy where it comes from what a worker does not have."""
    text, link = str(error), error
    while link is not None:
        if isinstance(link, ImportError) and (link.name or "").partition(".")[0] in ("jax", "jaxlib"):
            return text if REMEDY in text else f"{text}; {REMEDY}."
        link = link.__cause__
    return text
