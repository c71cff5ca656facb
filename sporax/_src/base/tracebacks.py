"""How an error that nothing handles is shown: the program's own calls, and its message as the last line.

The calls of sporax and of JAX are left out, and those of Python and NumPy that they make. `SPORAX_FULL_TRACEBACK=1` shows
all of them.
"""

from __future__ import annotations

import contextlib
import importlib
import linecache
import os
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, NamedTuple

from sporax._src.base import config
from sporax._src.base.errors import at, files_called, is_own_or_jax, message, shown

MOST_CALLS = 4
_LAST = "last_error.txt"
_INSTALLED = tuple(sysconfig.get_path(kind) + os.sep for kind in ("purelib", "platlib"))
_PYTHON = tuple(sysconfig.get_path(kind) + os.sep for kind in ("stdlib", "platstdlib"))
_BELOW = tuple(
    f"{folder}{name}{os.sep}" for folder in _INSTALLED for name in ("numpy", "scipy", "PIL", "jaxlib", "click")
)
_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"
_origins: list[Callable[[str, int], tuple[str, int]]] = []


class Call(NamedTuple):
    """A call of a traceback: the file and line of the program, and the function."""

    filename: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        name = at(self.filename, self.line)
        place = f'File "{self.filename}", line {self.line}' if name == f"{self.filename}:{self.line}" else name
        source = linecache.getline(self.filename, self.line).strip()
        return f"  {place}{self.function and f', in {self.function}'}\n" + (f"    {source}\n" if source else "")


def lines_come_from(origin: Callable[[str, int], tuple[str, int]]) -> None:
    """Have tracebacks show the program's line for a line of rewritten code, which `origin` returns."""
    _origins.append(origin)


def are_full() -> bool:
    """Return whether tracebacks show all calls."""
    return config.environ("SPORAX_FULL_TRACEBACK") == "1"


def text(error: BaseException) -> str:
    """Return the traceback of an error as it is shown, with a hint if a name is mistyped."""
    parts: list[str] = []
    seen: set[int] = set()
    while id(error) not in seen:
        seen.add(id(error))
        calls = program_calls(error.__traceback__)
        parts.append(_one(error, calls))
        before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if before is None or (calls and _raised_inside(error)):
            break
        parts.append(_CONTEXT if error.__cause__ is None else _CAUSE)
        error = before
    return "".join(reversed(parts))


def program_calls(trace: TracebackType | None) -> list[Call]:
    """Return the program's calls, outermost first."""
    return [call for call, is_shown in _calls(trace) if is_shown]


def _calls(trace: TracebackType | None) -> Iterator[tuple[Call, bool]]:
    """Iterate over all calls, and whether each is shown."""
    inside = False
    for frame, line in traceback.walk_tb(trace):
        filename, function = frame.f_code.co_filename, frame.f_code.co_name
        for origin in _origins:
            filename, line = origin(filename, line)
        if is_own_or_jax(filename) or _is_generated(filename):
            inside = True
        elif not filename.startswith(_BELOW) and (
            not filename.startswith((*_PYTHON, "<frozen")) or filename.startswith(_INSTALLED)
        ):
            inside = False
        yield Call(filename, line, function), not inside


def _is_generated(filename: str) -> bool:
    return "/malt/" in filename or "__autograph_generated_file" in filename


def _raised_inside(error: BaseException) -> bool:
    return not [is_shown for _, is_shown in _calls(error.__traceback__)][-1]


def _one(error: BaseException, calls: Sequence[Call]) -> str:
    importlib.import_module("sporax._src.base.hints").add_hint(error)  # only errors need it
    notes = list(getattr(error, "__notes__", ()))
    if place := getattr(error, "_sporax_place", None):
        notes = [note for note in notes if not note.startswith("The program was at ")]
        if not any((call.filename, call.line) == place for call in calls):
            calls = [*calls, Call(*place)]
    if not calls:
        return "".join(traceback.format_exception(type(error), error, error.__traceback__, chain=False))
    between = len(calls) - MOST_CALLS
    lines = list(map(str, calls))
    if between > 0:
        lines[1 : 1 + between] = [f"  ... {between} calls between; SPORAX_FULL_TRACEBACK=1 shows them\n"]
    return "".join(["Traceback (most recent call last):\n", *lines, *(f"{note}\n" for note in notes), _message(error)])


def _message(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(error))
    kind = _name(type(error))
    first, *details = message(error).split("\n") if _raised_inside(error) else [message(error)]
    return "".join([*(f"{line}\n" for line in details), f"{kind}: {first}\n" if first else f"{kind}\n"])


def _name(kind: type) -> str:
    """Return how a class of errors is shown: without its module, if that is private."""
    is_short = kind.__module__ in ("builtins", "__main__") or kind.__module__.startswith("sporax._src.")
    return kind.__qualname__ if is_short else f"{kind.__module__}.{kind.__qualname__}"


# --- where Python shows errors ------------------------------------------------------------------------------------------


def show_in_process() -> None:
    """Show the errors that end the process so, and those of the cells of a notebook."""
    before = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if before is not sys.__excepthook__ or are_full() or isinstance(error, BaseExceptionGroup):
            before(kind, error, trace)
        else:
            sys.stderr.write(text(error.with_traceback(trace)))
        _keep(error)

    sys.excepthook = show
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
        show_in(shell)


def _keep(error: BaseException) -> None:
    """Keep an error with all its calls for `sporax report`, in the folder of compiled graphs, if there is one."""
    folder = config.cache_dir()
    if folder is None or not folder.is_dir() or not isinstance(error, Exception):
        return
    head = f"{datetime.now().isoformat(' ', 'seconds')} {shown(' '.join(sys.orig_argv))}\n"
    with contextlib.suppress(OSError):  # a full disk must not hide the error itself
        (folder / _LAST).write_text(head + "".join(traceback.format_exception(error)), encoding="utf-8")


def last() -> str:
    """Return the error that ended the last program on this machine, with all its calls; empty if none is known."""
    folder = config.cache_dir()
    file = folder / _LAST if folder is not None else None
    return file.read_text(encoding="utf-8") if file is not None and file.is_file() else ""


def show_in(shell: Any) -> None:
    """Show the errors of a notebook's cells so. IPython takes long to show the calls of a compiler."""
    shell.set_custom_exc((Exception, KeyboardInterrupt), _show_in_cell)


def _show_in_cell(
    shell: Any, kind: type[BaseException], error: BaseException, trace: TracebackType, tb_offset: int | None = None
) -> None:
    if are_full() or isinstance(error, (SyntaxError, BaseExceptionGroup)):
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        return
    while trace.tb_next is not None and trace.tb_frame.f_code.co_filename.startswith(_INSTALLED):
        trace = trace.tb_next  # IPython's own calls
    with files_called(lambda filename: cell_name(shell, filename)):
        shell._showtraceback(kind, error, text(error.with_traceback(trace)).splitlines())


def cell_name(shell: Any, filename: str) -> str | None:
    """Return IPython's name of a cell's file, `Cell In[3]`; None for other files."""
    name = shell.compile.format_code_name(filename)
    return name and " ".join(name)
