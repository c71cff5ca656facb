"""The module `torch` of a program that runs converted: a module for each namespace of torch that the map has.

Converted code needs it only for names that it asks for while it runs (`getattr(torch, name)`). Each attribute is converted as the
same name in a program is, and torch itself is never imported.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from sporax._src.base import release
from sporax._src.migrate.running.unconverted import Unconverted
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.helper_modules import HOME
from sporax._src.migrate.torch_map.names import canonical, is_known, is_namespace, public_names

NAME = "torch"
COMPANION = "torchvision"  # is answered in the same way if it is not installed, and converted if it is


class TorchModule(ModuleType):
    """A namespace of torch; an attribute is what the name is converted to."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "A module of torch, answered by sporax.")
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        path = f"{self.__name__}.{name}"
        if (name.startswith("__") and name != "__version__") or not is_there(path):
            text = f"module {self.__name__!r} has no attribute {name!r}: sporax has no counterpart of it"
            raise AttributeError(text, name=name, obj=self)
        return named(path)

    def __dir__(self) -> list[str]:
        return public_names(self.__name__)


@functools.cache
def roots() -> tuple[str, ...]:
    """Return the packages that are answered by modules of this kind."""
    return (NAME,) if PathFinder.find_spec(COMPANION) else (NAME, COMPANION)


def is_there(path: str) -> bool:
    """Return whether sporax answers a dotted name of torch."""
    return path in roots() or is_namespace(path) or is_known(canonical(path))


@functools.cache
def named(path: str) -> Any:
    """Return what a dotted name of torch stands for: a namespace, its counterpart, or an object that says why there is none."""
    if path in roots() or is_namespace(path):
        return TorchModule(path)
    done = convert(f"import {path.partition('.')[0]}\nvalue = {path}\n", helpers_from=HOME)
    if done.todo:
        return Unconverted(path, done.todo[0][1])
    scope: dict[str, Any] = {}
    exec(compile(done.text, f"<{path}>", "exec"), scope)
    return scope["value"]


class _Distribution(Distribution):
    """What `importlib.metadata` says of torch."""

    def read_text(self, filename: str) -> str | None:
        """Return the metadata, in which the version is that of the converted `torch.__version__`; there are no other files."""
        return (
            f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {release.followed()}\n" if filename == "METADATA" else None
        )

    def locate_file(self, path: Any) -> Path:
        """Return where a file of the package would be."""
        return Path(__file__).parent / path


class TorchFinder(MetaPathFinder, Loader):
    """Finds `torch` and its namespaces, whether or not torch is installed, and those of a torchvision that is not installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to make a namespace of torch; None for other packages.

        Raises:
            ModuleNotFoundError: If the map has no such namespace: the module of an installed torch must not be found.
        """
        if fullname.partition(".")[0] not in roots():
            return None
        if fullname not in roots() and not is_namespace(fullname):
            raise ModuleNotFoundError(f"No module named {fullname!r}: sporax has no counterpart of it", name=fullname)
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of a namespace."""
        return TorchModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module is complete."""

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> list[Distribution]:
        """Answer `importlib.metadata.version("torch")`."""
        return [_Distribution()] if context is not None and context.name == NAME else []
