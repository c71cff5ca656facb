"""State by scope: what a Parameter reads and where its writes go while a function is being traced.

Outside a trace a Parameter holds its own value. Inside one, the innermost `Scope` supplies the value, looking
outward where it has none of its own, and collects what is written. Whoever opened the scope returns every write
as an output of the trace, so that no traced value is ever left in a Parameter.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol


class State(Protocol):
    """Something whose value a trace may read and write: a Parameter, a Generator, a Tensor assigned in place."""

    def concrete(self) -> Any:
        """Return the value held outside any trace."""

    def commit(self, value: Any) -> None:
        """Take over a value that a finished trace computed."""

    def adopt(self, value: Any) -> None:
        """Take over a value within the trace that is running, or outside of any."""


class Scope:
    """One level of tracing: values supplied, values written, and what was asked for but not supplied.

    Args:
        values: Values by `id` of the state.
        rewrite: Turns a user's function into one whose control flow can be traced; inner scopes inherit it.
    """

    __slots__ = ("_token", "cells", "missed", "parent", "read_ids", "restores", "rewrite", "values", "writes")

    def __init__(self, values: dict[int, Any] | None = None, rewrite: Callable[[Any], Any] | None = None) -> None:
        self.rewrite = rewrite
        self.values: dict[int, Any] = dict(values or {})
        self.writes: dict[int, tuple[Any, Any]] = {}
        self.missed: dict[int, Any] = {}
        self.read_ids: set[int] = set()
        self.restores: dict[int, tuple[Any, Any]] = {}
        self.cells: dict[int, Any] = {}
        self.parent: Scope | None = None

    def read(self, state: Any) -> Any:
        """Return the value of `state` as this trace sees it."""
        key, scope = id(state), self
        while scope is not None:
            if key in scope.values:
                scope.read_ids.add(key)
                return scope.values[key]
            root, scope = scope, scope.parent
        root.missed[key] = state
        return state.concrete()

    def write(self, state: Any, value: Any) -> None:
        """Record that `state` now has `value`."""
        self.values[id(state)] = value
        self.writes[id(state)] = (state, value)

    def assigned(self, tensor: Any, before: Any) -> None:
        """Record that a plain Tensor was assigned in place, so that its outer value can be put back."""
        self.restores.setdefault(id(tensor), (tensor, before))

    def enters(self, cell: Any) -> None:
        """Record that a Cell takes part in this trace."""
        self.cells[id(cell)] = cell
        if self.parent is not None:
            self.parent.enters(cell)

    def __enter__(self) -> Scope:
        self.parent = current.get()
        if self.rewrite is None and self.parent is not None:
            self.rewrite = self.parent.rewrite
        self._token = current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        current.reset(self._token)
        for key in list(self.restores):
            tensor, before = self.restores.pop(key)
            if sys.getrefcount(tensor) > 2:  # somebody outside this trace still holds it
                self.writes[key] = (tensor, tensor.concrete())
                tensor.commit(before)


current: ContextVar[Scope | None] = ContextVar("sporax_scope", default=None)


def tracing() -> bool:
    """Tell whether a function is being traced."""
    return current.get() is not None
