"""Checks of arguments that several datasets share; every message names the call and the value."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sporax._src.base.errors import describe, shown

MAX_INT = 0x7FFFFFFF
_log = logging.getLogger("sporax.dataset")


def integer(where: str, name: str, value: object, low: int, high: int = MAX_INT) -> int:
    """Return `value` if it is an int of [low, high].

    Raises:
        TypeError: If it is not an int.
        ValueError: If it is out of range.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{where}: {name} must be an int, got {type(value).__name__} {describe(value)}.")
    if not low <= value <= high:
        raise ValueError(f"{where}: {name} must be in [{low}, {high}], got {value}.")
    return value


def count(where: str, value: object) -> None:
    """Refuse a value that is neither -1 nor a positive int."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{where}: count must be an int, got {type(value).__name__} {describe(value)}.")
    if value < 1 and value != -1:
        raise ValueError(f"{where}: count must be -1 or a positive int, got {value}.")


def workers(where: str, value: object) -> None:
    """Refuse a `num_parallel_workers` that is not a positive int; ``None`` means the configured number."""
    if value is not None:
        integer(where, "num_parallel_workers", value, 1)


def boolean(where: str, name: str, value: object) -> None:
    """Refuse a value that is not a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{where}: {name} must be a bool, got {type(value).__name__} {describe(value)}.")


def multiprocessing(where: str, value: object, max_rowsize: object) -> bool:
    """Return `python_multiprocessing`; ``None`` means False.

    `max_rowsize` bounded the memory that MindSpore kept for a row between processes. It is deprecated there since 2.6, as
    memory grows as rows need; so it does here, and one line of the log says that the number is not used.

    Raises:
        TypeError: If it is not a bool, or `max_rowsize` is neither an int nor a list of two.
        ValueError: If a `max_rowsize` is below -1.
    """
    if isinstance(max_rowsize, (list, tuple)) and len(max_rowsize) != 2:
        raise TypeError(f"{where}: max_rowsize must be an int or a list of two, got {describe(max_rowsize)}.")
    sizes = max_rowsize if isinstance(max_rowsize, (list, tuple)) else [] if max_rowsize is None else [max_rowsize]
    for size in sizes:
        integer(where, "max_rowsize", size, -1)
    if sizes:
        _say_unused()
    if value is None:
        return False
    boolean(where, "python_multiprocessing", value)
    return value is True


@functools.cache
def _say_unused() -> None:
    _log.warning("max_rowsize of datasets is not used: memory between processes grows as rows need.")


def no_more(where: str, named: Mapping[str, object]) -> None:
    """Refuse arguments that a call does not have. Its `**kwargs` is there because MindSpore's is: programs look for it.

    Raises:
        TypeError: If there are any.
    """
    for name in named:
        raise TypeError(f"{where}() got an unexpected keyword argument {name!r}")


def function(where: str, name: str, value: object) -> None:
    """Refuse a value that cannot be called."""
    if not callable(value):
        raise TypeError(f"{where}: {name} must be callable, got {type(value).__name__} {describe(value)}.")


def chosen(where: str, name: str, value: object, allowed: Sequence[str]) -> str:
    """Return `value` if it is one of `allowed`, the first of them for None.

    Raises:
        TypeError: If it is not a str.
        ValueError: If it is another one.
    """
    if value is None:
        return allowed[0]
    if not isinstance(value, str):
        raise TypeError(f"{where}: {name} must be a str, got {type(value).__name__} {describe(value)}.")
    if value not in allowed:
        raise ValueError(f"{where}: {name} must be one of {list(allowed)}, got {describe(value)}.")
    return value


def number(text: str, kind: type[int] | type[float]) -> Any:
    """Return the number in a text. Python takes ``1_000``, and digits of other scripts, too; files mean something else by them.

    Raises:
        ValueError: If it holds no number.
    """
    if "_" in text or not text.isascii():
        raise ValueError(f"could not convert string to {kind.__name__}: {text!r}")
    return kind(text)


def file(where: str, path: object) -> str:
    """Return `path` if it is a file.

    Raises:
        TypeError: If it is not a path.
        ValueError: If there is no such file.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{where}: expected the path of a file, got {describe(path)}.")
    if not os.path.isfile(path):
        if os.path.isdir(path):
            raise ValueError(f"{where}: {shown(os.fspath(path))} is a folder; expected a file.")
        raise ValueError(f"{where}: the file {shown(os.fspath(path))} does not exist.")
    return os.fspath(path)


def columns(where: str, name: str, value: object) -> list[str]:
    """Return column names as a list without repetition.

    Raises:
        TypeError: If a name is not a str.
        ValueError: If there is no name, an empty one, or one twice.
    """
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)):
        raise TypeError(f"{where}: {name} must be a str or a list of str, got {describe(value)}.")
    for item in names:
        if not isinstance(item, str):
            raise TypeError(f"{where}: {name} must hold str, got {type(item).__name__} {describe(item)}.")
    if not names or "" in names:
        raise ValueError(f"{where}: {name} must hold names, got {describe(value)}.")
    if len(set(names)) != len(names):
        raise ValueError(f"{where}: {name} must hold every name once, got {list(names)}.")
    return list(names)


def positions(where: str, wanted: Sequence[str], present: Sequence[str]) -> list[int]:
    """Return the positions of the `wanted` columns.

    Raises:
        RuntimeError: If one is missing.
    """
    for name in wanted:
        if name not in present:
            raise RuntimeError(f"{where}: column {name!r} does not exist; the dataset has {list(present)}.")
    return [present.index(name) for name in wanted]


def called(function: Callable[..., Any]) -> str:
    """Return the name of a function or operation in messages; for a lambda, its location."""
    name = getattr(function, "__qualname__", None) or type(function).__name__
    code = getattr(function, "__code__", None)
    if name.endswith("<lambda>") and code is not None:
        return f"<lambda> in {os.path.basename(code.co_filename)}, line {code.co_firstlineno},"
    return name.rsplit("<locals>.", 1)[-1]


def failed(where: str, function: Any, row: int | None, error: BaseException) -> RuntimeError:
    """Return the error to raise ``from`` an exception of a user's function."""
    at = "" if row is None else f" at row {row}"
    return RuntimeError(f"{where}: {called(function)} raised {type(error).__name__}{at}: {error}")
