"""Public modules, and names in them, that load when a program first asks for them.

A public module lists in a block `if TYPE_CHECKING:` what few programs need, as imports; type checkers follow them. Such an import
runs when its name is first asked for. The import system guards it against other threads.

    if TYPE_CHECKING:
        from sporax import dataset
        from sporax.train import Model
"""

from __future__ import annotations

import ast
import functools
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

from sporax._src.base.public_names import show_public_name, show_public_names

_listeners: list[Callable[[ModuleType], None]] = []


class PublicFinder(MetaPathFinder):
    """Finds the files of public modules as Python does, and has `loaded` complete each module once its file has run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a public module that has a file; None for every other name."""
        if not fullname.startswith("sporax.") or fullname.startswith("sporax._src"):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        loaded(module)


class Later:
    """The `__getattr__` of a public module: it runs the imports of the blocks `if TYPE_CHECKING:`, and holds their names."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    @functools.cached_property
    def sources(self) -> dict[str, tuple[str, str]]:
        """Module and name there of each name."""
        spec: Any = self.module.__spec__
        blocks = [
            node
            for node in ast.parse(spec.loader.get_source(self.module.__name__)).body
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ]
        imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
        return {a.asname or a.name: (node.module or "", a.name) for node in imports for a in node.names}

    def __contains__(self, name: str) -> bool:
        return not name.startswith("__") and name in self.sources

    def __iter__(self) -> Iterator[str]:
        return iter(self.sources)

    def __call__(self, name: str) -> Any:
        package = self.module.__name__
        if name not in self:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=self.module)
        module, original = self.sources[name]
        if module == package:  # a module below it
            return importlib.import_module(f"{module}.{original}")
        value = getattr(importlib.import_module(module), original)
        show_public_name(package, name, value)
        vars(self.module)[name] = value
        return value


def loaded(module: ModuleType) -> None:
    """Complete a public module whose file has run: its names are shown, and what it imports later can be asked for."""
    if vars(module).pop("TYPE_CHECKING", None) is not None:
        vars(module)["__getattr__"] = Later(module)
    show_public_names(module.__name__)
    for listener in _listeners:
        listener(module)


def serve_public_modules(listener: Callable[[ModuleType], None]) -> None:
    """Complete `sporax`, and each public module that is loaded later; the listener is told of each."""
    _listeners.append(listener)
    sys.meta_path.insert(0, PublicFinder())
    loaded(sys.modules["sporax"])
