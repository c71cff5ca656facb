"""Error text: how messages show values, and sporax's own exceptions."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

_OWN = (str(Path(__file__).resolve().parents[1]), "<op ", "<primitive ")


class CompileFallback(UserWarning):
    """A call that could not be compiled ran in PyNative mode instead."""


class IndexOutOfRange(IndexError, RuntimeError, ValueError):
    """An index lies outside of its axis: Python's class for it, and the two that MindSpore's kernels raise."""


class NotCallable(ValueError, TypeError):
    """A graph calls an object that is not callable: both the class that MindSpore's graphs raise, and Python's."""


def describe(value: object) -> str:
    """Show an operand the way error messages do: `float32[2, 3]` for arrays, `repr` for the rest."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None and not isinstance(value, type):
        return f"{str(dtype).lower()}{list(shape)}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(describe(v) for v in value[:8]) + (", ..." if len(value) > 8 else "")
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def shown(text: object, limit: int | None = 400) -> str:
    """Return a path or a name from a file for a message: one line of at most `limit` characters, without control codes.

    Examples:
        >>> shown("a\\x1b[31mb")
        'a\\\\x1b[31mb'
    """
    line = str(text)
    if not line.isprintable():
        line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    return line if limit is None or len(line) <= limit else f"{line[: limit // 4]}...{line[limit // 4 + 3 - limit :]}"


def signature(name: str, operands: Iterable[Any], attributes: dict[str, Any]) -> str:
    """Return `ops.name(float32[2, 3], axis=1)`, the head of every operator error."""
    shown = [describe(x) for x in operands] + [f"{k}={describe(v)}" for k, v in attributes.items()]
    return f"{name.replace('ops._', 'ops.')}({', '.join(shown)})"


_CONSTRUCTIBLE = (
    IndexOutOfRange,
    TypeError,
    ValueError,
    IndexError,
    KeyError,
    RuntimeError,
    NotImplementedError,
    OverflowError,
)


def with_head(error: Exception, head: str) -> Exception:
    """Return an error of the same class (or its nearest constructible base) whose text starts with `head`."""
    text = f"{head}: {str(error).strip()}"
    for kind in type(error).__mro__:
        if kind in _CONSTRUCTIBLE:
            return kind(text)
    return RuntimeError(text)


_file_names: list[Callable[[str], str | None]] = []  # functions that name the cells of notebooks


@contextmanager
def files_called(names: Callable[[str], str | None]) -> Iterator[None]:
    """Let messages use the name that `names` returns for the path of a file; if this is None, they use the path."""
    _file_names.append(names)
    try:
        yield
    finally:
        _file_names.remove(names)


def at(filename: str, line: int) -> str:
    """Return the name of a line for messages: `train.py:12`, or `Cell In[3], line 12`."""
    name = next(filter(None, (names(filename) for names in _file_names)), None)
    return f"{filename}:{line}" if name is None else f"{name}, line {line}"


def message(error: BaseException) -> str:
    """Return the message of an error; a KeyError's own text has quotes around it."""
    is_sentence = isinstance(error, KeyError) and len(error.args) == 1 and " " in str(error.args[0])
    return str(error.args[0] if is_sentence else error).strip()


def note_place(error: BaseException, filename: str, line: int) -> None:
    """Say in a note, and where the traceback is shown, where the program was: the calls of a traceback may not show it."""
    error.add_note(f"The program was at {at(filename, line)}.")
    vars(error)["_sporax_place"] = (filename, line)


@cache
def _own_or_jax() -> tuple[str, ...]:
    """Return how the names of files of sporax and of JAX begin. JAX is not imported: workers of datasets come by here."""
    spec = find_spec("jax")
    return _OWN if spec is None or spec.origin is None else (*_OWN, os.path.dirname(spec.origin) + os.sep)


def is_own(filename: str) -> bool:
    """Return whether a file belongs to sporax."""
    return filename.startswith(_OWN)


def is_own_or_jax(filename: str) -> bool:
    """Return whether a file belongs to sporax or to JAX."""
    return filename.startswith(_own_or_jax())


def user_level() -> int:
    """Return the `stacklevel` of the program's frame that called into sporax (1 is the caller)."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and is_own_or_jax(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    return level


def user_line(frame: FrameType | None = None) -> str:
    """Return the name, for messages, of the program's line that called into sporax; empty if there is none.

    Args:
        frame: The innermost call; the caller's if not given.
    """
    frame = frame or sys._getframe(1)
    while frame is not None and is_own_or_jax(frame.f_code.co_filename):
        frame = frame.f_back
    return "" if frame is None else at(frame.f_code.co_filename, frame.f_lineno)


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the program that called into sporax."""
    warnings.warn(text, category, stacklevel=user_level())
