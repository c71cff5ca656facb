"""The import hook: a module with code for torch is converted when it is imported."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType

from sporax._src.migrate.running.compilation import Compiler
from sporax._src.migrate.running.stand_in import NAME, TorchFinder


class ConvertingLoader(SourceFileLoader):
    """Loads a module from its file, converted.

    Args:
        fullname: The name of the module.
        path: Its file.
        compiler: Converts it.
        is_main: Whether it is the program itself (`-m`).
    """

    def __init__(self, fullname: str, path: str, compiler: Compiler, is_main: bool) -> None:
        super().__init__(fullname, path)
        self._compiler, self._is_main = compiler, is_main

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module: the conversion, or the file's own if it has nothing to convert."""
        path = self.get_filename(fullname)
        code = self._compiler.compile(self.get_data(path), path, fullname, self._is_main)
        return code if code is not None else super().get_code(fullname)


class ConvertingFinder(MetaPathFinder):
    """Lets a `ConvertingLoader` load what another finder finds.

    Args:
        compiler: Converts the modules.
    """

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.main = ""  # the module that `-m` runs

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module of Python source; None for all other modules."""
        if fullname.partition(".")[0] in sys.stdlib_module_names:
            return None
        others = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next((spec for finder in others if (spec := finder.find_spec(fullname, path, target))), None)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            is_main = fullname in (self.main, f"{self.main}.__main__")
            spec.loader = ConvertingLoader(fullname, spec.loader.path, self.compiler, is_main)
        return spec


def install() -> ConvertingFinder:
    """Convert modules that are imported from now on, and answer `import torch`.

    Raises:
        RuntimeError: If torch itself is imported already.
    """
    if NAME in sys.modules:
        raise RuntimeError("torch is already imported; a program that runs converted must not import it.")
    finder = ConvertingFinder(Compiler())
    sys.meta_path[:0] = [TorchFinder(), finder]
    return finder
