"""Blocks that no handler of a signal can split."""

from __future__ import annotations

import _signal  # the functions of `signal` make an enum member of each number, which takes ten times as long
import signal
import threading
from typing import Any

_NUMBERS = sorted(
    int(number) for number in signal.valid_signals() if number < 32
)  # no program handles the real-time ones
_MAIN = threading.main_thread().ident
_came: list[int] = []


class uninterrupted:
    """A block in which no handler of a signal runs: `with uninterrupted(): ...`; what comes meanwhile is handled at its end.

    Python runs handlers between two instructions of the main thread, where they may raise, as Ctrl-C does; other threads run
    none.
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
        except BaseException:  # a handler has raised that was not taken yet
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
    """Install the handlers again, all of them also if one runs and raises meanwhile."""
    try:
        while handlers:
            number = next(iter(handlers))
            _signal.signal(number, handlers[number])
            del handlers[number]
    finally:
        if handlers:
            _give_back(handlers)


def _handle() -> None:
    """Let the handlers have what came, all of it also if one raises."""
    try:
        while _came:
            signal.raise_signal(_came.pop(0))
    finally:
        if _came:
            _handle()
