"""How functions, sources and errors travel between a program and its workers.

Functions and classes of the program's own files travel by value, with what they use, as those of `__main__` do: a worker
imports neither the script nor, in general, the modules beside it. Installed packages travel by name.
"""

from __future__ import annotations

import functools
import importlib
import io
import math
import mmap
import os
import pickle
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.public_names import defined_in
from sporax._src.data import checks
from sporax._src.data.workers.blocks import reserve, unnamed_file

REMEDY = (
    "make it where it is used (in __getitem__, at the first call, or in the function), or pass python_multiprocessing=False, "
    "which calls the function on threads"
)
_LARGE = 1 << 28  # bytes: smaller functions always have room
_OURS = ("sporax", "mindspore")
_OWN = ("sporax._src.data", "sporax._src.base")  # what a worker has of them
_NO_FILE = "<dynamic-code>"  # what cloudpickle writes instead
_CACHED: Any = functools._lru_cache_wrapper
_lock = threading.Lock()


class CannotTravel(RuntimeError):
    """A function cannot be sent to a worker process."""


class Parcel:
    """A function in memory that workers map: its large arrays are one copy for all of them until one writes there.

    Args:
        where: The operation, for messages.
        function: The function.
        user: What of it the user wrote, for messages.

    Raises:
        CannotTravel: If it cannot be pickled, or takes more than half of the memory that is free.

    Attributes:
        file: The memory.
        sizes: The sizes of its parts.
        modules: The names of the modules that it needs where it is opened.
    """

    def __init__(self, where: str, function: object, user: object) -> None:
        parts: list[Any] = [b""]
        modules: set[str] = set()
        try:
            parts[0] = _dumps(function, parts, modules)
        except Exception as error:
            path = _culprit(user)
            raise CannotTravel(
                f"{where}: {checks.called(user) if callable(user) else describe(user)} cannot be sent to a worker process: "
                f"{path}{error}; {REMEDY}."
            ) from error
        self.modules = sorted(modules)
        self.sizes = [len(part) for part in parts]
        if sum(self.sizes) > _LARGE and 2 * sum(self.sizes) > (free := _free_memory()):
            raise CannotTravel(
                f"{where}: {checks.called(user) if callable(user) else describe(user)} holds {_in_gigabytes(sum(self.sizes))}, "
                f"of which worker processes need a copy, and {_in_gigabytes(free)} of memory are free; keep the data in a file "
                "(a memmap is not copied), or pass python_multiprocessing=False, which calls the function on threads."
            )
        self.file = unnamed_file()
        reserve(self.file, max(sum(map(_paged, self.sizes)), mmap.PAGESIZE))
        with mmap.mmap(self.file, 0) as memory:
            for part, at in zip(parts, _places(self.sizes), strict=True):
                memory[at : at + len(part)] = part

    def close(self) -> None:
        """Give the memory up."""
        os.close(self.file)


def opened(file: int, sizes: list[int]) -> Any:
    """Return what is in a parcel; its arrays can be written, and others do not see that."""
    memory = memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_COPY))
    parts = [memory[at : at + size] for size, at in zip(sizes, _places(sizes), strict=True)]
    return pickle.loads(parts[0], buffers=parts[1:])


def _paged(size: int) -> int:
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


def _places(sizes: list[int]) -> list[int]:
    return [sum(map(_paged, sizes[:k])) for k in range(len(sizes))]


def _dumps(value: object, parts: list[Any] | None = None, modules: set[str] | None = None) -> bytes:
    """Return the pickle of a value.

    Args:
        value: The value.
        parts: What large arrays are appended to; None: they are part of the pickle.
        modules: What the names of modules are added to that are needed to load it, other than those of sporax.
    """
    import cloudpickle

    needed = set() if modules is None else modules

    class Pickler(cloudpickle.Pickler):
        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, ModuleType) and obj.__name__ != "__main__":
                needed.add(obj.__name__)
                return importlib.import_module, (obj.__name__,)
            if isinstance(obj, (type, FunctionType)) and (name := _name_of_ours(obj)) is not None:
                return _named, name
            if isinstance(obj, CodeType):  # with the name of its file, for tracebacks
                made, parts = self.dispatch_table[CodeType](obj)[:2]
                return made, tuple(obj.co_filename if part == _NO_FILE else part for part in parts)
            if isinstance(obj, _CACHED):  # by name otherwise, even of `__main__`
                return _cached, (obj.__wrapped__, obj.cache_parameters())
            if isinstance(obj, np.memmap) and isinstance(obj.base, mmap.mmap) and obj.filename is not None:
                order = "F" if obj.flags.f_contiguous and not obj.flags.c_contiguous else "C"
                return _mapped, (str(obj.filename), obj.dtype, obj.mode, obj.offset, obj.shape, order)
            made = super().reducer_override(obj)
            if made is NotImplemented and isinstance(obj, (type, FunctionType)):  # by name
                needed.add(obj.__module__)
            return made

    file = io.BytesIO()
    callback = None if parts is None else lambda buffer: parts.append(buffer.raw())
    with _by_value(cloudpickle):
        Pickler(file, protocol=5, buffer_callback=callback).dump(value)
    needed.difference_update([name for name in needed if name.partition(".")[0] in (*_OURS, "__main__", "builtins")])
    return file.getvalue()


def _name_of_ours(obj: Any) -> tuple[str, str] | None:
    """Return the module and the name by which a worker has a class or function of sporax; None for all others.

    `__module__` does not say it: it is a public module, or MindSpore's while programs import `mindspore`.
    """
    module, name = defined_in(obj), obj.__qualname__
    if obj is _named or module.partition(".")[0] not in _OURS or obj is not _part(sys.modules.get(module), name):
        return None
    return module if module.startswith(_OWN) else obj.__module__, name


def _part(module: ModuleType | None, name: str) -> Any:
    return functools.reduce(lambda whole, part: getattr(whole, part, None), name.split("."), module)


def _mapped(filename: str, dtype: np.dtype, mode: Any, offset: int, shape: tuple[int, ...], order: Any) -> np.memmap:
    """Map a file again; a new file has been made already."""
    return np.memmap(filename, dtype, "r+" if mode == "w+" else mode, offset, shape, order)


def _free_memory() -> float:
    """Return how many bytes of memory programs can still take; infinite where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":") for line in file)
    except OSError:
        return math.inf
    return int(lines["MemAvailable"].split()[0]) * 1024


def _in_gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"


def _cached(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)


@contextmanager
def _by_value(cloudpickle: Any) -> Iterator[None]:
    """Let cloudpickle treat the program's own modules as it does `__main__`."""
    with _lock:
        known = cloudpickle.list_registry_pickle_by_value()
        modules = [m for name, m in sys.modules.copy().items() if name not in known and _is_programs(name, m)]
        for module in modules:
            cloudpickle.register_pickle_by_value(module)
        try:
            yield
        finally:
            for module in modules:
                cloudpickle.unregister_pickle_by_value(module)


def _is_programs(name: str, module: object) -> bool:
    """Return whether a module is a file of the program, not one of Python's, of an installed package or of sporax."""
    file = getattr(module, "__file__", None)
    if file is None or not file.endswith(".py") or getattr(module, "__name__", None) != name:
        return False
    if name.partition(".")[0] in (*_OURS, "__main__"):
        return False
    folder = os.path.dirname(os.path.abspath(file))
    for _ in range(name.count(".") + (os.path.basename(file) == "__init__.py")):
        folder = os.path.dirname(folder)
    return not folder.startswith(_PYTHON) and not _has_installed(folder)


_PYTHON = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.__file__)})


@functools.cache
def _has_installed(folder: str) -> bool:
    """Return whether packages were installed into a folder: each leaves its metadata there."""
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(folder))
    except OSError:  # an archive
        return True


def _culprit(value: object, depth: int = 3) -> str:
    """Return the way to the part that cannot be pickled, `source.file: `, as far as attributes and closures lead to it."""
    path, here = "", value
    here: Any
    for _ in range(depth):
        parts = dict(getattr(here, "__dict__", {}))
        code, cells = getattr(here, "__code__", None), getattr(here, "__closure__", None)
        if code is not None:
            parts |= {name: here.__globals__[name] for name in code.co_names if name in here.__globals__}
            parts |= {name: c.cell_contents for name, c in zip(code.co_freevars, cells or (), strict=True)}
        for name, part in parts.items():
            if not _can(part):
                path, here = f"{path}.{name}", part
                break
        else:
            break
    return f"{path.lstrip('.')}: " if path else ""


def _can(value: object) -> bool:
    try:
        _dumps(value, [])
    except Exception:  # whatever a class raises: this only looks for the part
        return False
    return True


# --- errors of a worker ------------------------------------------------------------------------------------------------


class _ErrorPickler(pickle.Pickler):
    """Names the classes that came by value, so that the program finds its own."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type) and obj.__module__ != "builtins":
            return _named, (obj.__module__, obj.__qualname__)
        return NotImplemented


def _named(module: str, name: str) -> Any:
    return functools.reduce(getattr, name.split("."), sys.modules.get(module) or importlib.import_module(module))


def pickled_error(error: BaseException) -> bytes | None:
    """Return the pickle of an exception; None if it has none from which it can be made again."""
    file = io.BytesIO()
    try:
        _ErrorPickler(file, protocol=5).dump(error)
    except Exception:  # whatever its class raises: the program gets its text
        return None
    return file.getvalue()


def error_again(data: bytes | None, text: str) -> BaseException:
    """Return the exception of a pickle, or one with its text if its class cannot make it again."""
    if data is not None:
        try:
            error = pickle.loads(data)
        except Exception:  # a class whose __init__ takes other arguments than it keeps
            return RuntimeError(text)
        if isinstance(error, BaseException):
            return error
    return RuntimeError(text)
