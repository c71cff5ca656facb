"""Critical sections that no signal handler can interrupt."""

from __future__ import annotations

import _signal  # the functions of `signal` create an enum member for each number, which takes ten times as long
import signal
import threading
from typing import Any

_NUMBERS = sorted(
    int(number) for number in signal.valid_signals() if number < 32
)  # real-time signals are left out: no program handles them
_MAIN = threading.main_thread().ident
_came: list[int] = []


class uninterrupted:
    """A block in which no signal handler runs: `with uninterrupted(): ...`; signals that arrive are handled at its end.

    Python runs handlers between two instructions of the main thread, where they may raise, as Ctrl-C does; other threads run no
    handlers.
    """

    __slots__ = ("_handlers",)

    def __enter__(self) -> None:
        self._handlers: dict[int, Any] = {}
        if threading.get_ident() != _MAIN:
            return
        try:
            for number, handler in zip(_NUMBERS, map(_signal.getsignal, _NUMBERS), strict=True):
                if callable(handler) and handler is not _note:
                    self._handlers[number] = handler
                    _signal.signal(number, _note)
        except BaseException:  # a handler that was not replaced yet has raised
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        if self._handlers:
            try:
                _give_back(self._handlers)
            finally:
                _handle()


def _note(number: int, _frame: object) -> None:
    _came.append(number)


def _give_back(handlers: dict[int, Any]) -> None:
    """Restore all handlers, even if one runs and raises meanwhile."""
    try:
        while handlers:
            number = next(iter(handlers))
            _signal.signal(number, handlers[number])
            del handlers[number]
    finally:
        if handlers:
            _give_back(handlers)


def _handle() -> None:
    """Call the handlers for all signals that arrived, even if one raises."""
    try:
        while _came:
            signal.raise_signal(_came.pop(0))
    finally:
        if _came:
            _handle()
