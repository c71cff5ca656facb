"""The import alias: `import mindspore` and every module below it are answered by sporax's public modules.

    >>> from sporax._src.compat import alias
    >>> alias.install()
    >>> import mindspore.nn
    >>> import sporax
    >>> mindspore.nn is sporax.nn
    True
    >>> alias.uninstall()

A submodule is the very module object of sporax, so classes keep their identity whichever name they were imported by.
Only the top module is another object: it answers like `sporax`, and its `__version__` is the one that programs
compare with. While the alias is installed, the public modules have the names of `compat.older` as well, and NumPy those
of `compat.numpy1`.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import sporax
from sporax._src.compat import numpy1, older

NAME = "mindspore"
VERSION = "2.7.0"
WORKER_PATH = str(Path(__file__).with_name("workers"))
_placed: list[tuple[ModuleType, str]] = []


class Alias(ModuleType):
    """The module `mindspore`: every attribute is sporax's, read and written there."""

    def __init__(self) -> None:
        super().__init__(NAME, sporax.__doc__)
        self.__dict__.update(__version__=VERSION, __file__=sporax.__file__, __path__=[])

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(sporax, name)
        except AttributeError:
            raise AttributeError(f"module {NAME!r} has no attribute {name!r}", name=name, obj=self) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(sporax, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(sporax, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(sporax), *self.__dict__})


class AliasDistribution(Distribution):
    """What `importlib.metadata` says of the package `mindspore`."""

    def read_text(self, filename: str) -> str | None:
        """Return the metadata; there are no other files."""
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n"

    def locate_file(self, path: Any) -> Path:
        """Return where a file of the package would be."""
        return Path(sporax.__file__ or "").parent / path


class AliasFinder(MetaPathFinder, Loader):
    """Finds `mindspore` and `mindspore.x.y` among sporax's public modules; never looks at what else is installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a name below `mindspore`, None for every other name and for what sporax lacks."""
        if fullname == NAME:
            return ModuleSpec(fullname, self, origin=sporax.__file__, is_package=True)
        if not fullname.startswith(f"{NAME}.") or fullname.startswith(f"{NAME}._src"):
            return None
        found = _spec(counterpart(fullname))
        if found is None:
            return None
        return ModuleSpec(fullname, self, origin=found.origin, is_package=found.submodule_search_locations is not None)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module object that the name stands for."""
        if spec.name == NAME:
            return Alias()
        module = importlib.import_module(counterpart(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give a shared module its own identity back: the import system has just put the alias's there.

        The modules below it that are loaded get their second name at once. The import system would bind them, when a
        program first imports them by it, as attributes of the package, over a function of that name (`common.seed`).
        """
        if isinstance(module, Alias) or module.__spec__ is None:
            return
        module.__spec__ = module.__spec__.loader_state
        for name in [n for n in sys.modules if n.startswith(f"{module.__name__}.")]:
            sys.modules.setdefault(NAME + name.removeprefix(older.__name__).removeprefix("sporax"), sys.modules[name])

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> list[AliasDistribution]:
        """Answer `importlib.metadata.version("mindspore")`, which some packages compare instead of importing."""
        return [AliasDistribution()] if context is not None and context.name == NAME else []


def counterpart(fullname: str) -> str:
    """Return the module that answers a name in MindSpore: sporax's, or that of `older` where only it has one."""
    below = fullname.removeprefix(NAME)
    return older.__name__ + below if _spec("sporax" + below) is None else "sporax" + below


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:  # a package above it is missing
        return None


def install() -> None:
    """Serve `mindspore` from sporax in this process, ahead of an installed MindSpore.

    Raises:
        RuntimeError: If the real MindSpore is imported already: its objects and sporax's do not mix.
    """
    if is_installed():
        return
    present = sys.modules.get(NAME)
    if present is not None:
        raise RuntimeError(
            f"{NAME} is already imported, from {getattr(present, '__file__', 'an unknown place')}; "
            "install the alias before the first import of it."
        )
    sys.meta_path.insert(0, AliasFinder())
    numpy1.install()
    _place(older)
    for found in pkgutil.walk_packages(older.__path__, f"{older.__name__}."):
        _place(importlib.import_module(found.name))


def _place(module: ModuleType) -> None:
    """Add the names of a module of `older` to the public module of its path, or itself to the one above."""
    path = "sporax" + module.__name__.removeprefix(older.__name__)
    above, _, leaf = path.rpartition(".")
    if _spec(path) is not None:
        owner, names = importlib.import_module(path), {name: getattr(module, name) for name in module.__all__}
    elif _spec(above) is not None:
        owner, names = importlib.import_module(above), {leaf: module}
    else:
        return
    for name, value in names.items():
        if not hasattr(owner, name):
            setattr(owner, name, value)
            _placed.append((owner, name))


def uninstall() -> None:
    """Stop serving `mindspore`; modules that were imported under that name are forgotten by the import system."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, AliasFinder)]
    for name in [n for n in sys.modules if n == NAME or n.startswith(f"{NAME}.")]:
        del sys.modules[name]
    while _placed:
        owner, name = _placed.pop()
        delattr(owner, name)
    numpy1.uninstall()


def is_installed() -> bool:
    """Tell whether `mindspore` is served from sporax."""
    return any(isinstance(finder, AliasFinder) for finder in sys.meta_path)
