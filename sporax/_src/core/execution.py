"""What runs now and how: the state of one thread (or asyncio task) in one place, and the two locks that threads share.

The `Execution` that runs is a value: a block that changes it makes another one current and, when it ends, gives back what
it changed. So a thread starts with the default, an asyncio task with what it was started in, and neither sees what another
does. What holds for the whole process (`set_context`, graphs, the default Generator) is elsewhere, safe for threads.
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
    """How the Python of a traced function is followed.

    Attributes:
        undo_log: What the part of the program that is traced has changed (an `UndoLog`); None outside of branches and loops.
        handled_depth: How many `try` statements with handlers are open in rewritten code.
        sample_depth: How many `vmap` trace what is run for each of several samples.
        sample_conditions: For which samples what is traced runs.
        prints: Whether `print` in a trace prints when the graph runs; what is traced a second time prints once.
    """

    undo_log: Any = None
    handled_depth: int = 0
    sample_depth: int = 0
    sample_conditions: tuple[Any, ...] = ()
    prints: bool = True


@dataclass(slots=True)
class Execution:
    """How operations run; never changed while it is current.

    Attributes:
        scope: The innermost trace (a `Scope`); None in PyNative mode.
        recording: How many gradients record operations.
        session: The gradient (a `Session`) that is being taken, with all that are nested in it.
        refuses_gradients: Whether it is an error to take a gradient (`no_grad`).
        compute_dtype: What `Cell.to_float` or `auto_mixed_precision` has operators cast float operands to: a dtype, a
            rule for each operator, or None.
        fallback_depth: How many calls that could not be compiled run in PyNative mode.
        draws_lazily: Whether new Parameters wait with their first values.
        streams: The Generators that seeded operators draw from; None: those of the process.
        journal: Where states are noted that Python outside of a trace changes, with the value before; None.
        late_writes: Where the backwards of functions in a graph note the Parameters that they assign, each with its value; None
            where no gradient is taken that could take them over.
        cells: Which Cell is traced, and who watches.
        python: How the Python of the traced function is followed.
    """

    scope: Any = None  # what uses the fields stands on this module, and gives them their types
    recording: int = 0
    session: Any = None
    refuses_gradients: bool = False
    compute_dtype: Any = None
    fallback_depth: int = 0
    draws_lazily: bool = False
    streams: dict[Any, Any] | None = None
    journal: list[tuple[Any, Any]] | None = None
    late_writes: list[tuple[Any, Any]] | None = None
    cells: CellTrace = CellTrace()
    python: PythonTrace = PythonTrace()


_values = attrgetter(*(f.name for f in fields(Execution)))

EAGER = Execution()  # the default, which all threads share: operations run, and nothing traces or records them
current: ContextVar[Execution] = ContextVar("sporax_execution", default=EAGER)


def change(values: Mapping[str, Any]) -> Execution:
    """Let the thread (or task) go on with other values of some fields, and return what it goes on with."""
    new = Execution(*_values(current.get()))
    for name, value in values.items():
        setattr(new, name, value)
    current.set(new)
    return new


class running:
    """A block that runs with other values of some fields: `with running(recording=1): ...`.

    It gives back the fields it has changed and no others: a generator may leave its block after its caller has left an outer
    one, and in another context.
    """

    __slots__ = ("_before", "_values", "_within")

    def __init__(self, **values: Any) -> None:
        self._values = values

    def __enter__(self) -> None:
        self._before = current.get()
        self._within = change(self._values)

    def __exit__(self, *_: object) -> None:
        if current.get() is self._within:
            current.set(self._before)
        else:
            change({name: getattr(self._before, name) for name in self._values})


def following(**values: Any) -> running:
    """Return a block that runs with other values of some fields of `PythonTrace`."""
    return running(python=replace(current.get().python, **values))


def run_apart(fn: Callable[..., Any], *args: Any) -> Any:
    """Return `fn(*args)`; however it ends, the thread goes on as it did before.

    An interrupt at the first line of an `__exit__` ends a block that has given nothing back. A context of its own is left by
    the interpreter. What else a program has set in it (`np.seterr`) holds afterwards.
    """
    context = copy_context()
    result = context.run(fn, *args)
    for variable, value in context.items():
        if variable is not current and variable.get(None) is not value:
            variable.set(value)
    return result


# A trace leaves traced values in the objects of a program until it ends, and takes every change it finds in them for its
# own: there is one trace at a time, and no run of a graph that writes. The second lock is held while states change hands,
# from the moment a run takes their values to the moment it writes the new ones; whoever needs both takes this one first.
capturing = threading.RLock()
committing = threading.RLock()


class Consumed:
    """Stands in a state for a value whose memory a run of a graph has taken over."""

    def __repr__(self) -> str:
        return "a value that a run of a graph has taken"


CONSUMED = Consumed()


def returned(state: Any) -> Any:
    """Return the value of a state that another thread's run has taken, when it has written the new one."""
    with committing:
        return state._value
