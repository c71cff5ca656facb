"""Rolls state back when an exception or an interrupt ends Python code before its last change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.signals import uninterrupted
from sporax._src.core.execution import CONSUMED, run_apart, running


def run_whole(fn: Callable[..., Any], is_done: Callable[[], bool], *args: object) -> Any:
    """Return `fn(*args)`; if it raises while `is_done()` is False, Parameters and random states get their old values back.

    States whose memory a graph has consumed cannot be restored; all others are.

    Args:
        fn: The function; outside of every trace.
        is_done: Returns whether the last change has been made.
        *args: Its arguments.
    """
    journal: list[tuple[Any, Any]] = []
    try:
        return run_apart(_journaled, journal, fn, args)
    except BaseException:
        with uninterrupted():
            if not is_done():
                _undo(journal)
        raise


def _journaled(journal: list[tuple[Any, Any]], fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    with running(journal=journal):
        return fn(*args)


def _undo(journal: list[tuple[Any, Any]]) -> None:
    for state, value in reversed(journal):
        if value is not CONSUMED and not value.is_deleted():
            state.commit(value)
