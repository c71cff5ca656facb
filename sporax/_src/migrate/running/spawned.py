"""Worker processes of `multiprocessing`: those that do not fork get the import hook before they run the program's main module."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from multiprocessing import spawn
from types import ModuleType
from typing import Any

from sporax._src.migrate.running.finder import ConvertingFinder, ConvertingLoader, install

_MAIN = "__sporax_main__"  # the name under which a worker finds the script


class _Hook:
    """Installs the import hook in the process that unpickles it.

    Args:
        script: The program, "" if it is a module.
    """

    def __init__(self, script: str) -> None:
        self._script = script

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return _install_in_worker, (self._script,)


class _ScriptFinder(ConvertingFinder):
    """Finds the script of the program as a module.

    Args:
        finder: The import hook.
        script: The file.
    """

    def __init__(self, finder: ConvertingFinder, script: str) -> None:
        super().__init__(finder.compiler)
        self._script = script

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to load the script; None for every other name."""
        if fullname != _MAIN:
            return None
        loader = ConvertingLoader(_MAIN, self._script, self.compiler, True)
        spec = ModuleSpec(_MAIN, loader, origin=self._script)
        spec.has_location = True
        return spec


def _install_in_worker(script: str) -> None:
    finder = install()
    if script:
        sys.meta_path.insert(0, _ScriptFinder(finder, script))
    hook_workers()


def hook_workers() -> None:
    """Have the processes that `multiprocessing` spawns convert the modules that they import."""
    prepare = spawn.get_preparation_data

    def prepared(name: str) -> dict[str, Any]:
        data = prepare(name)
        script = data.pop("init_main_from_path", "")
        hook = {"sporax": _Hook(script)}  # is unpickled before the process uses the other entries
        return {**hook, **data, **({"init_main_from_name": _MAIN} if script else {})}

    spawn.get_preparation_data = prepared
