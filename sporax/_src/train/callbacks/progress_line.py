"""A line with the progress of a run: a bar on a terminal, an element in a notebook, and nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from html import escape
from typing import Any, ClassVar

from sporax._src.base.config import environ

PERIOD = 0.1  # seconds between two looks at the values, each of which waits for the device


def on_terminal() -> bool:
    """Return whether the output goes to a terminal."""
    return getattr(sys.stdout, "isatty", bool)() or bool(environ("FORCE_COLOR"))


def shell_of_notebook() -> Any:
    """Return IPython's shell if it runs in a notebook, else None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


class _Terminal:
    """A bar of the package rich; the output of the program appears above it."""

    def __init__(self, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[text]}"),
        )
        self._progress = Progress(*columns, console=Console(), refresh_per_second=1 / PERIOD)
        self._task = self._progress.add_task("", total=total, text="")

    def show(self, label: str, done: int, total: int | None, text: str) -> None:
        description, text = escape_markup(label), escape_markup(text)
        self._progress.update(self._task, completed=done, total=total, description=description, text=text)
        self._progress.start()  # nothing but the first time

    def close(self) -> None:
        self._progress.stop()


class _Notebook:
    """An element of a cell's output, which each change replaces."""

    def __init__(self, total: int | None) -> None:
        from IPython.display import display

        self._handle: Any = display(self._shown("", 0, total, ""), raw=True, display_id=True)

    @staticmethod
    def _shown(label: str, done: int, total: int | None, text: str) -> dict[str, str]:
        progress = f"{done}/{total}" if total else str(done)
        line = f"{label} {progress} {text}".strip()
        element = f'<progress value="{done}" max="{total}"></progress>' if total else "<progress></progress>"
        return {"text/plain": line, "text/html": f"{element} <span>{escape(line)}</span>"}

    def show(self, label: str, done: int, total: int | None, text: str) -> None:
        self._handle.update(self._shown(label, done, total, text), raw=True)

    def close(self) -> None:
        """Leave the element as it is."""


def escape_markup(text: str) -> str:
    """Return a text that rich shows as it is."""
    from rich.markup import escape as escaped

    return escaped(text)


class ProgressLine:
    """The progress of a run: steps, values, steps a second, time left.

    Args:
        total: The number of steps; None if unknown.
    """

    shown: ClassVar[ProgressLine | None] = None  # there is one on a terminal; whoever comes second prints lines

    def __init__(self, total: int | None = None) -> None:
        kind = _Notebook if shell_of_notebook() else _Terminal if on_terminal() else None
        self._display: Any = kind(total) if kind is not None and ProgressLine.shown is None else None
        if self._display is not None:
            ProgressLine.shown = self
        self.total = total
        self._last = 0.0
        self._first: tuple[float, int] | None = None

    @property
    def is_due(self) -> bool:
        """Whether it is time to update the line, which changes at most every `PERIOD` seconds."""
        return self._display is not None and time.perf_counter() - self._last >= PERIOD

    def show(self, label: str, done: int, values: Mapping[str, Any]) -> None:
        """Show a label, how many steps are done, and values by name."""
        if self._display is None:
            return
        self._last = time.perf_counter()
        if self._first is None:
            self._first = self._last, done  # the first step, which compiles, tells nothing about the others
        self._display.show(label, done, self.total, self.text(done, self._last, values))

    def text(self, done: int, now: float, values: Mapping[str, Any]) -> str:
        """Return the values, the speed and the time left as a text."""
        parts = [
            f"{name} {value:.4g}" if isinstance(value, (int, float)) else f"{name} {value}"
            for name, value in values.items()
        ]
        since, before = self._first or (now, done)
        if done > before and now > since:
            speed = (done - before) / (now - since)
            parts.append(f"{speed:.3g} steps/s")
            if self.total is not None and done < self.total:
                parts.append(f"{clock((self.total - done) / speed)} left")
        return "  ".join(parts)

    def close(self) -> None:
        """Leave the line as it is; a second call does nothing."""
        if self._display is not None:
            self._display.close()
            self._display = None
            ProgressLine.shown = None


def clock(seconds: float) -> str:
    """Return a time as `0:05` or `2:03:04`."""
    minutes, second = divmod(round(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02d}:{second:02d}" if hour else f"{minute}:{second:02d}"
