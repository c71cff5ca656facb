"""State by scope: the values that Parameters read, and the destination of their writes, while a function is traced.

Outside a trace a Parameter holds its own value. Inside one, the innermost `Scope` supplies the value, looking outward
if it has none, and collects the written values. The code that opened the scope returns every write as an output of the
trace, so no traced value stays in a Parameter.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, MutableMapping, Set
from typing import Any, Protocol, TypeVar

from sporax._src.base.typing import Array
from sporax._src.core.execution import current, running
from sporax._src.core.forward_rollback import ForwardRollback
from sporax._src.core.tensor_writes import TensorWrites

T = TypeVar("T")


class State(Protocol):
    """Something whose value a trace may read and write: a Parameter, a Generator, a Tensor assigned in place.

    Attributes:
        is_consumed: Whether a run that writes it consumes its value, so that other threads wait for the new one.
        _views: The views of a state that is consumed (see `core.views`), None if it has none.
    """

    is_consumed: bool

    def concrete(self) -> Any:
        """Return the value held outside any trace."""

    def commit(self, value: Array) -> None:
        """Set the value that a finished trace computed."""

    def adopt(self, value: Array) -> None:
        """Set the value within the running trace, or without one."""


class Scope:
    """One level of tracing: the values it supplies, the values written, and the states read but not supplied.

    Args:
        values: Values by `id` of the state.
        rewrite: Turns a user's function into one whose control flow can be traced; inner scopes inherit it.
        shadows: The `Shadow` of each integer array that a gradient depends on, by `id`; None if there are none. Inner scopes
            inherit it.
        counted: The Cells, by `id`, of which every run counts (see `ForwardRollback`); inner scopes inherit it.
        differentiates: Whether a gradient of the trace is taken; inner scopes inherit it.

    Attributes:
        writes: By `id` of the state: the state, and the written value.
        undeclared: States that were read and not supplied.
        read_ids, reread_ids: The `id` of each supplied state that was read, and that was read after it was written.
        created: States that were made within this trace.
        tensors: The Tensors that are assigned in place.
        forwards: The runs of Cells, which a gradient may roll back.
        cells: The Cells that take part, by `id`.
        needs_value: Whether a value was requested that is unknown while tracing.
        parent: The trace around this one.
    """

    __slots__ = (
        "_attachments",
        "_running",
        "cells",
        "created",
        "differentiates",
        "forwards",
        "needs_value",
        "parent",
        "read_ids",
        "reread_ids",
        "rewrite",
        "shadows",
        "tensors",
        "undeclared",
        "values",
        "writes",
    )

    def __init__(
        self,
        values: dict[int, Any] | None = None,
        rewrite: Callable[[Any], Any] | None = None,
        shadows: MutableMapping[int, Any] | None = None,
        counted: Set[int] = frozenset(),
        differentiates: bool = False,
    ) -> None:
        self.differentiates = differentiates
        self.rewrite = rewrite
        self.shadows = shadows
        self.values: dict[int, Any] = dict(values or {})
        self.writes: dict[int, tuple[Any, Any]] = {}
        self.undeclared: dict[int, Any] = {}
        self.created: dict[int, Any] = {}
        self.read_ids: set[int] = set()
        self.reread_ids: set[int] = set()
        self.tensors = TensorWrites()
        self.forwards = ForwardRollback(counted)
        self.cells: dict[int, Any] = {}
        self.needs_value = False
        self.parent: Scope | None = None
        self._attachments: dict[Any, Any] = {}

    def read(self, state: State) -> Any:
        """Return the value of `state` as this trace sees it."""
        key, scope = id(state), self
        while scope is not None:
            if key in scope.values:
                scope.read_ids.add(key)
                if key in scope.writes:
                    scope.reread_ids.add(key)
                return scope.values[key]
            root, scope = scope, scope.parent
        root.undeclared[key] = state
        return state.concrete()

    def write(self, state: State, value: Array) -> None:
        """Record that `state` now has `value`."""
        key = id(state)
        self.forwards.note_write(key, self.values, self.writes)
        self.values[key] = value
        self.writes[key] = (state, value)

    def declare_created(self, state: State, value: Array) -> None:
        """Record that `state` was created within this trace and ends with it."""
        self.values[id(state)] = value
        self.created[id(state)] = state

    def written(self) -> list[tuple[Any, Any]]:
        """Return the states from outside that were written, each with its last value."""
        return [pair for key, pair in self.writes.items() if key not in self.created]

    def attached(self, kind: Callable[[], T]) -> T:
        """Return the object of a class that is attached to this trace; the first call creates it."""
        return self._attachments.setdefault(kind, kind())

    def has_created(self, tensor: object) -> bool:
        """Return whether this trace, or one around it, made a Tensor whose value comes from outside."""
        return self.tensors.has_created(tensor) or (self.parent is not None and self.parent.has_created(tensor))

    def note_cell(self, cell: object) -> None:
        """Record that a Cell takes part in this trace."""
        self.cells[id(cell)] = cell
        if self.parent is not None:
            self.parent.note_cell(cell)

    def roll_back_forward(self, cell: object, structure: object, arrays: list[Any]) -> None:
        """Undo the writes of the only run of `cell`, since the gradient that follows runs it again (see `ForwardRollback`)."""
        self.forwards.roll_back(cell, structure, arrays, self.values, self.writes)

    def request_value(self) -> None:
        """Record that a value was requested that is not known yet, even if the program handles the error that follows."""
        self.needs_value = True
        if self.parent is not None:
            self.parent.request_value()

    def __enter__(self) -> Scope:
        self.parent = current.get().scope
        if self.parent is not None:
            self.rewrite = self.rewrite or self.parent.rewrite
            self.differentiates = self.differentiates or self.parent.differentiates
            self.forwards.counted = self.forwards.counted | self.parent.forwards.counted
        if self.parent is not None and self.parent.shadows is not None:
            self.shadows = ChainMap({} if self.shadows is None else self.shadows, self.parent.shadows)
        # A graph is used again, so the hooks of the code that calls it are not part of it.
        self._running = running(scope=self) if self.parent is not None else running(scope=self, saved_hooks=None)
        self._running.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.__exit__()
        self.forwards.clear()
        if self.parent is not None:
            self.parent.forwards.repeated |= self.forwards.repeated
            self.parent.reread_ids |= self.reread_ids
        self.tensors.restore(self.writes, None if self.parent is None else self.parent.tensors)


def traceable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the program, rewritten for the running trace."""
    scope = current.get().scope
    return fn if scope is None or scope.rewrite is None else scope.rewrite(fn)


def tracing() -> bool:
    """Return whether a function is being traced."""
    return current.get().scope is not None


def as_graph() -> bool:
    """Return whether the running code belongs to a graph: it is traced, or runs in a fallback of a graph."""
    now = current.get()
    return now.scope is not None or now.fallback_depth > 0
