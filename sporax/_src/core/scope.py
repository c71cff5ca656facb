"""State by scope: what a Parameter reads and where its writes go while a function is being traced.

Outside a trace a Parameter holds its own value. Inside one, the innermost `Scope` supplies the value, looking
outward where it has none of its own, and collects what is written. Whoever opened the scope returns every write
as an output of the trace, so that no traced value is ever left in a Parameter.
"""

from __future__ import annotations

import sys
from collections import ChainMap, Counter
from collections.abc import Callable, MutableMapping, Set
from typing import Any, Protocol

from sporax._src.base.jax_compat import is_made_here
from sporax._src.base.typing import Array
from sporax._src.core.execution import current, running


class State(Protocol):
    """Something whose value a trace may read and write: a Parameter, a Generator, a Tensor assigned in place.

    Attributes:
        is_taken: Whether a run that writes it takes its value out first, so that other threads wait for the new one.
        _views: Of a state that is taken: its views (see `core.views`), None if it has none.
    """

    is_taken: bool

    def concrete(self) -> Any:
        """Return the value held outside any trace."""

    def commit(self, value: Array) -> None:
        """Take over a value that a finished trace computed."""

    def adopt(self, value: Array) -> None:
        """Take over a value within the trace that is running, or outside of any."""


_ABSENT = object()


class Scope:
    """One level of tracing: values supplied, values written, and what was asked for but not supplied.

    Args:
        values: Values by `id` of the state.
        rewrite: Turns a user's function into one whose control flow can be traced; inner scopes inherit it.
        shadows: By the `id` of an integer array, what gradients by it go by; None if there are none. Inner scopes see it.
        counted: The Cells, by `id`, of which each forward counts (see `take_back_forward`); inner scopes inherit it.
    """

    __slots__ = (
        "_running",
        "cells",
        "counted",
        "created",
        "cuts",
        "escaping",
        "forwards",
        "needs_value",
        "own_tensors",
        "parent",
        "read_ids",
        "repeated",
        "rewrite",
        "runs",
        "saved_values",
        "shadows",
        "taken_back",
        "undeclared",
        "undo",
        "values",
        "writes",
    )  # fmt: skip

    def __init__(
        self,
        values: dict[int, Any] | None = None,
        rewrite: Callable[[Any], Any] | None = None,
        shadows: MutableMapping[int, Any] | None = None,
        counted: Set[int] = frozenset(),
    ) -> None:
        self.rewrite = rewrite
        self.shadows = shadows
        self.counted = counted
        self.values: dict[int, Any] = dict(values or {})
        self.writes: dict[int, tuple[Any, Any]] = {}
        self.undeclared: dict[int, Any] = {}
        self.created: dict[int, Any] = {}
        self.own_tensors: dict[int, Any] = {}
        self.cuts: dict[int, tuple[str, tuple[Any, ...]]] = {}  # who first cut a Parameter over devices, and along what
        self.read_ids: set[int] = set()
        self.saved_values: dict[int, tuple[Any, Any]] = {}
        self.cells: dict[int, Any] = {}
        self.undo: list[tuple[int, Any, Any]] = []  # for each write its state's `id`, value and write before
        # Of each Cell, by its `id`: its last call (see `note_forward`), how many there were, whether it was taken back, and
        # whether it turned out that each counts.
        self.forwards: dict[int, tuple[Any, Any, list[Any], int, int]] = {}
        self.runs: Counter[int] = Counter()
        self.taken_back: set[int] = set()
        self.repeated: set[int] = set()
        self.escaping: dict[int, Any] = {}
        self.needs_value = False
        self.parent: Scope | None = None

    def read(self, state: State) -> Any:
        """Return the value of `state` as this trace sees it."""
        key, scope = id(state), self
        while scope is not None:
            if key in scope.values:
                scope.read_ids.add(key)
                return scope.values[key]
            root, scope = scope, scope.parent
        root.undeclared[key] = state
        return state.concrete()

    def write(self, state: State, value: Array) -> None:
        """Record that `state` now has `value`."""
        key = id(state)
        self.undo.append((key, self.values.get(key, _ABSENT), self.writes.get(key, _ABSENT)))
        self.values[key] = value
        self.writes[key] = (state, value)

    def declare_created(self, state: State, value: Array) -> None:
        """Record that `state` was made within this trace, with which it ends."""
        self.values[id(state)] = value
        self.created[id(state)] = state

    def written(self) -> list[tuple[Any, Any]]:
        """Return the states from outside that were written, each with its last value."""
        return [pair for key, pair in self.writes.items() if key not in self.created]

    def note_tensor(self, tensor: Any) -> None:
        """Record that this trace made a Tensor, though its value may come from outside."""
        self.own_tensors[id(tensor)] = tensor

    def has_made(self, tensor: Any) -> bool:
        """Tell whether this trace, or one around it, made a Tensor whose value comes from outside."""
        return id(tensor) in self.own_tensors or (self.parent is not None and self.parent.has_made(tensor))

    def assigned(self, tensor: Any, before: Array) -> None:
        """Record that a plain Tensor was assigned in place, so that its outer value can be put back."""
        if (
            not is_made_here(before) and id(tensor) not in self.own_tensors
        ):  # what the running trace made is known nowhere else
            self.saved_values.setdefault(id(tensor), (tensor, before))

    def note_escape(self, tensor: Any) -> None:
        """Record that an attribute was assigned a Tensor: it may outlive this trace, and is then of the outer one."""
        self.escaping[id(tensor)] = tensor

    def note_cell(self, cell: Any) -> None:
        """Record that a Cell takes part in this trace."""
        self.cells[id(cell)] = cell
        if self.parent is not None:
            self.parent.note_cell(cell)

    def note_forward(self, cell: Any, structure: Any, arrays: list[Any], start: int) -> None:
        """Record that a Cell has run on arguments, and what it wrote: the writes from `start` on."""
        key = id(cell)
        self.forwards[key] = cell, structure, arrays, start, len(self.undo)
        self.runs[key] += 1
        if key in self.taken_back:
            self.repeated.add(key)

    def take_back_forward(self, cell: Any, structure: Any, arrays: list[Any]) -> None:
        """Take back what the one call of `cell` wrote, if it had these arguments and nothing was written since.

        The gradient that follows runs it again: a step `loss = net(x)`, `grads = grad(net, weights)(x)` moves the statistics
        of its layers once, as in MindSpore's graphs. There all runs count if there are others: when one comes, the Cell is
        `repeated`, and the function is to be traced again with it `counted`.
        """
        key = id(cell)
        if key in self.taken_back:
            self.repeated.add(key)
        if self.runs[key] != 1 or key in self.counted or key in self.taken_back:
            return
        _, of, given, start, end = self.forwards.pop(key)
        if end != len(self.undo) or of != structure or [*map(id, given)] != [*map(id, arrays)]:
            return
        self.taken_back.add(key)
        while len(self.undo) > start:
            state, *before = self.undo.pop()
            for kept, item in zip((self.values, self.writes), before, strict=True):
                if item is _ABSENT:
                    kept.pop(state, None)
                else:
                    kept[state] = item

    def request_value(self) -> None:
        """Record that a value is asked for that is not known yet, whoever handles the error that follows."""
        self.needs_value = True
        if self.parent is not None:
            self.parent.request_value()

    def __enter__(self) -> Scope:
        self.parent = current.get().scope
        if self.parent is not None:
            self.rewrite = self.rewrite or self.parent.rewrite
            self.counted = self.counted | self.parent.counted
        if self.parent is not None and self.parent.shadows is not None:
            self.shadows = ChainMap({} if self.shadows is None else self.shadows, self.parent.shadows)
        self._running = running(scope=self)
        self._running.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.__exit__()
        self.undo.clear()
        self.forwards.clear()
        if self.parent is not None:
            self.parent.repeated |= self.repeated
        escaping = set(self.escaping)
        for key in escaping:
            tensor = self.escaping.pop(key)
            self.saved_values.setdefault(key, (tensor, tensor.concrete()))
        for key in list(self.saved_values):
            tensor, before = self.saved_values.pop(key)
            if sys.getrefcount(tensor) > 2:  # somebody outside this trace still holds it
                self.writes[key] = (tensor, tensor.concrete())
                tensor.commit(before)
                if key in escaping and self.parent is not None:
                    self.parent.note_escape(tensor)


def traceable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the program in the form in which the running trace calls it."""
    scope = current.get().scope
    return fn if scope is None or scope.rewrite is None else scope.rewrite(fn)


def tracing() -> bool:
    """Tell whether a function is being traced."""
    return current.get().scope is not None


def as_graph() -> bool:
    """Tell whether what runs is a graph's: it is traced, or would be if it could."""
    now = current.get()
    return now.scope is not None or now.fallback_depth > 0
