"""Files of the user's programs, each loaded with modules of its own: two programs may have modules of one name."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.machinery
import inspect
import os
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_INSTALLED = ("site-packages", "dist-packages")
_programs: dict[str, Program] = {}
_owners: weakref.WeakKeyDictionary[Any, Program] = weakref.WeakKeyDictionary()


class Program:
    """The modules of one folder. They are in `sys.modules` only while the program is active.

    Modules that were imported before it, and installed ones, are shared with the rest of the process.
    """

    _current: Program | None = None

    def __init__(self, root: str) -> None:
        self.paths = [root]
        self.modules: dict[str, types.ModuleType] = {}
        self._package = ""
        self._hidden: dict[str, types.ModuleType] = {}
        self._shared: set[str] = set()
        self._path: list[str] = []

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Let the modules of this program be found, and not those of the program that was active."""
        earlier = Program._current
        if earlier is self:
            yield
            return
        if earlier is not None:
            earlier._leave()
        self._enter()
        try:
            yield
        finally:
            self._leave()
            if earlier is not None:
                earlier._enter()

    def import_package(self, name: str, folder: str) -> types.ModuleType:
        """Import a module of a package; its modules may also import each other as files of `folder`."""
        self.paths += [folder] if folder not in self.paths else []
        self._package = name.partition(".")[0]
        with self.active():
            return importlib.import_module(name)

    def _enter(self) -> None:
        names = {
            name for name, module in sys.modules.copy().items() if _top(name) == self._package and not self._has(module)
        }
        self._hidden = _taken(names | self.modules.keys())
        self._shared, self._path = {_top(name) for name in sys.modules}, list(sys.path)
        sys.modules.update(self.modules)
        sys.path[:0] = self.paths
        importlib.invalidate_caches()
        Program._current = self

    def _leave(self) -> None:
        Program._current = None
        self.paths += [path for path in sys.path if path not in self._path and path not in self.paths]
        new = {
            name for name, module in sys.modules.copy().items() if _top(name) not in self._shared and self._has(module)
        }
        self.modules.update(_taken(new | self.modules.keys()))
        sys.modules.update(self._hidden)
        sys.path[:] = self._path

    def _has(self, module: object) -> bool:
        """Return whether the file of a module lies in a folder of this program, and is not an installed one."""
        folders = getattr(module, "__path__", ())  # an object of its own in `torch.classes`
        places = [getattr(module, "__file__", None), *(folders if isinstance(folders, Iterable) else ())]
        for place in (os.path.realpath(place) for place in places if isinstance(place, str)):
            for folder in (os.path.join(os.path.realpath(path), "") for path in self.paths):
                if place.startswith(folder):
                    return not {*_INSTALLED}.intersection(place[len(folder) :].split(os.sep))
        return False


def _top(name: str) -> str:
    return name.partition(".")[0]


def _taken(names: Iterable[str]) -> dict[str, types.ModuleType]:
    """Take modules out of `sys.modules`."""
    return {name: sys.modules.pop(name) for name in list(names) if name in sys.modules}


def load_program(path: str) -> tuple[Program, types.ModuleType]:
    """Run a file as a module, of its package if the folder has an `__init__.py`; files beside it can be imported.

    Args:
        path: The file.

    Returns:
        Its program and the module. The program is that of earlier files in the same folder, or the same package.
    """
    path = os.path.abspath(path)
    folder = root = os.path.dirname(path)
    names = [os.path.basename(path)[: -len(".py")]]
    while os.path.isfile(os.path.join(root, "__init__.py")) and os.path.basename(root).isidentifier():
        names.insert(0, os.path.basename(root))
        root = os.path.dirname(root)
    program = _programs.setdefault(os.path.realpath(root), Program(root))
    if len(names) > 1 and names[-1].isidentifier():
        return program, program.import_package(".".join(names).replace(".__init__", ""), folder)
    program.paths += [folder] if folder not in program.paths else []
    loader = importlib.machinery.SourceFileLoader(f"sporax_program_{abs(hash(path))}", path)
    module = types.ModuleType(loader.name)
    module.__file__ = path
    with program.active():
        sys.modules[loader.name] = module
        loader.exec_module(module)
    return program, module


def bound(program: Program, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs with the modules of its program.

    Args:
        program: The program.
        function: The function. What it returns belongs to the program, see `modules_of`.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with program.active():
            result = function(*args, **kwargs)
        for value in result if isinstance(result, (tuple, list)) else (result,):
            with contextlib.suppress(TypeError):  # numbers and texts cannot be keys here
                _owners[value] = program
        return result

    return call


def modules_of(value: object) -> contextlib.AbstractContextManager[None]:
    """Return a context in which the modules of the program that made a network are found.

    Args:
        value: The network.
    """
    program = _owners.get(value)
    return contextlib.nullcontext() if program is None else program.active()


def load_function(spec: str) -> Callable[..., Any]:
    """Return the function named by `FILE.py:name`.

    Raises:
        ValueError: If the text is no such name, there is no such file or function, or the file fails to load.
    """
    path, _, name = spec.rpartition(":")
    if not path.endswith(".py") or not name.isidentifier():
        raise ValueError(f"{spec!r}: expected FILE.py:function, such as net.py:build.")
    if not os.path.isfile(path):
        raise ValueError(f"{spec!r}: there is no file {path}.")
    try:
        program, module = load_program(path)
    except Exception as error:
        raise ValueError(f"{spec!r}: {path} fails to load: {type(error).__name__}: {error}") from error
    if not callable(getattr(module, name, None)):
        functions = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        raise ValueError(f"{spec!r}: {path} has no function {name}; it has {', '.join(functions) or 'none'}.")
    return bound(program, getattr(module, name))
