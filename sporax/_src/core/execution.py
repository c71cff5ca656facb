"""The execution state of a thread (or asyncio task), and the two locks that threads share.

The current `Execution` is an immutable value in a context variable. A block that changes it sets another one and restores the
changed fields at its end. A thread therefore starts with the default, an asyncio task with the Execution of its
creator, and neither sees changes of the other. State of the whole process (`set_context`, graphs, the default
Generator) is elsewhere and is thread-safe.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any


@dataclass(frozen=True, slots=True)
class CellTrace:
    """Which Cell is traced.

    Attributes:
        cell: The Cell whose operations are traced.
        path: Its path: the class of the outermost Cell, then attributes.
        observer: Called with each Cell that is traced, when it has returned, its inputs and its result; None.
    """

    cell: Any = None
    path: str = ""
    observer: Callable[..., None] | None = None


@dataclass(frozen=True, slots=True)
class PythonTrace:
    """The state of tracing Python code.

    Attributes:
        undo_log: The changes of the branch or loop body that is traced (an `UndoLog`); None outside of these.
        handled_depth: How many `try` statements with handlers are open in rewritten code.
        sample_depth: The depth of nested `vmap` traces.
        sample_conditions: The conditions that select the samples for which the traced code runs.
        prints: Whether `print` in a trace prints when the graph runs; False while code is traced a second time.
    """

    undo_log: Any = None
    handled_depth: int = 0
    sample_depth: int = 0
    sample_conditions: tuple[Any, ...] = ()
    prints: bool = True


@dataclass(slots=True)
class Execution:
    """The execution state; it is never changed while it is current.

    Attributes:
        scope: The innermost trace (a `Scope`); None in PyNative mode.
        recording: How many gradients record operations.
        session: The `Session` of the outermost gradient in progress.
        refuses_gradients: Whether it is an error to take a gradient (`no_grad`).
        compute_dtype: The dtype to which `Cell.to_float` or `auto_mixed_precision` casts float operands: a dtype, a rule for each
            operator, or None.
        fallback_depth: How many calls that could not be compiled run in PyNative mode.
        draws_lazily: Whether new Parameters defer drawing their initial values.
        streams: The Generators that seeded operators draw from; None: those of the process.
        journal: The list that records each state changed outside of a trace with its old value; or None.
        intercepts: What operators of PyNative mode are handed to, as the kernel and its operands (see `dispatch_mode`); None.
        late_writes: The list that records Parameters assigned by backward functions in a graph, each with its value; None if no
            gradient in progress would apply them.
        cells: The Cell that is traced, and its observer.
        python: The state of tracing Python code.
        saved_hooks: The two functions of a program that pack and unpack what backwards keep (see `engine.saved_tensors`); or None.
    """

    scope: Any = None  # modules that import this one define the types of these fields
    recording: int = 0
    session: Any = None
    refuses_gradients: bool = False
    compute_dtype: Any = None
    fallback_depth: int = 0
    draws_lazily: bool = False
    streams: dict[Any, Any] | None = None
    journal: list[tuple[Any, Any]] | None = None
    intercepts: Callable[[Any, Any], Any] | None = None
    late_writes: list[tuple[Any, Any]] | None = None
    cells: CellTrace = CellTrace()
    python: PythonTrace = PythonTrace()
    saved_hooks: Any = None


_values = attrgetter(*(f.name for f in fields(Execution)))

EAGER = Execution()  # the default of all threads: operations run eagerly, without a trace or a tape
current: ContextVar[Execution] = ContextVar("sporax_execution", default=EAGER)


def change(values: Mapping[str, Any]) -> Execution:
    """Set some fields of the current Execution of this thread (or task), and return the new Execution."""
    new = Execution(*_values(current.get()))
    for name, value in values.items():
        setattr(new, name, value)
    current.set(new)
    return new


class running:
    """A block that runs with other values of some fields: `with running(recording=1): ...`.

    On exit it restores only the fields that it has changed: a generator may leave its block after its caller has left an outer one,
    and in another context.
    """

    __slots__ = ("_before", "_values", "_within")

    def __init__(self, **values: object) -> None:
        self._values = values

    def __enter__(self) -> None:
        self._before = current.get()
        self._within = change(self._values)

    def __exit__(self, *_: object) -> None:
        if current.get() is self._within:
            current.set(self._before)
        else:
            change({name: getattr(self._before, name) for name in self._values})


def following(**values: object) -> running:
    """Return a block that runs with other values of some fields of `PythonTrace`."""
    return running(python=replace(current.get().python, **values))


def run_apart(fn: Callable[..., Any], *args: object) -> Any:
    """Return `fn(*args)` run in a copy of the context, so that the Execution is restored however the call ends.

    An interrupt at the first line of an `__exit__` prevents a block from restoring fields; the interpreter always leaves a copied
    context. Other context variables that the call has set (`np.seterr`) are carried over.
    """
    context = copy_context()
    result = context.run(fn, *args)
    for variable, value in context.items():
        if variable is not current and variable.get(None) is not value:
            variable.set(value)
    return result


# While a trace is open, objects of the program hold traced values, and the trace records every change of them as its own. So the
# first lock allows one trace at a time, and no run of a graph that writes. The second lock is held from the moment a run consumes
# the values of states until it has written the new ones. Code that needs both locks acquires the first one first.
capturing = threading.RLock()
committing = threading.RLock()


class Consumed:
    """Marks a state whose buffer has been donated to the graph that is running."""

    def __repr__(self) -> str:
        return "a value that a run of a graph has taken"


CONSUMED = Consumed()


def returned(state: Any) -> Any:
    """Wait until the other thread's run has written the new value of a state, and return it."""
    with committing:
        return state._value
