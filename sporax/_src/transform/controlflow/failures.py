"""Errors that a graph raises when it runs: the graph computes the error's number and its values along with the results.

A `raise` under a traced condition becomes two writes in its branch: the number of the error, and the Tensors in the
message. Both are written states of the graph; the call that ran the graph reads the number and raises. Only the first
error counts, loops stop after it, and the step that raised changes no Parameter.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import note_place
from sporax._src.base.jax_compat import UNTRACEABLE, is_tracer
from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.execution import current, following, running
from sporax._src.core.hidden_state import HiddenState
from sporax._src.core.scope import State
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.core.traced_number import TracedNumber
from sporax._src.engine import index_checks
from sporax._src.transform.functional import is_operand

_SPORAX = os.path.dirname(sys.modules["sporax"].__file__ or "") + os.sep
Calls = tuple[tuple[str, int], ...]  # file and line of each call, innermost first


class NeedsValue(BaseException):
    """The graph cannot be built without the value of a Tensor; the call runs in PyNative mode instead.

    It is not an `Exception`, so that `except Exception` in a program does not catch it.
    """


class CannotJoin(NeedsValue):
    """The paths of a branch end in values of different kinds, which is always an error, as in MindSpore."""


class Diverged(BaseException):
    """Every path from here on raises; the errors are recorded and the trace ends."""


class Site:
    """One form of error: its class, its arguments without their Tensors, and the states that hold those Tensors."""

    def __init__(
        self, number: int, kind: type[Exception], structure: tree.Structure, operands: list[HiddenState], calls: Calls
    ) -> None:
        self.number, self.kind, self.structure, self.operands, self.calls = number, kind, structure, operands, calls

    def error(self, values: dict[int, Any]) -> Exception:
        """Return the error with the values that a run recorded."""
        args, attributes = tree.unflatten(self.structure, iter([wrap(values[id(p)]) for p in self.operands]))
        error = self.kind.__new__(self.kind, *args)
        error.args = args
        vars(error).update(attributes)
        return error


_number = HiddenState.of((), np.int32)  # the number of the first error; 0: none
_sites: list[Site] = []
_by_form: dict[Any, Site] = {}
_lock = threading.Lock()


def _flattened(error: Exception) -> tuple[list[Tensor], Any]:
    leaves: list[Tensor] = []
    return leaves, tree.flatten((tuple(error.args), dict(vars(error))), is_operand, leaves)


def fail(error: Exception, where: Array | bool = True) -> None:
    """Record in the running trace that `error` is raised here, unless an earlier one was raised.

    Args:
        error: The error; if it has no traceback, it belongs to the program's current line.
        where: The condition under which it is raised.
    """
    leaves, structure = _flattened(error)
    calls = _calls(error)
    form = (type(error), structure, tuple([(t._data.shape, t._data.dtype) for t in leaves]), calls)
    with _lock:
        if form not in _by_form:
            operands = [HiddenState.of(t._data.shape, t._data.dtype) for t in leaves]
            _sites.append(Site(len(_sites) + 1, type(error), structure, operands, calls))
            _by_form[form] = _sites[-1]
        site = _by_form[form]
    first = jnp.logical_and(jnp.equal(_number._data, 0), where)
    for operand, tensor in zip(site.operands, leaves, strict=True):
        operand.adopt(jnp.where(first, tensor._data, operand._data))
    _number.adopt(jnp.where(first, jnp.int32(site.number), _number._data))


def _calls(error: Exception) -> Calls:
    if error.__traceback__ is not None:
        return tuple([(f.f_code.co_filename, line) for f, line in traceback.walk_tb(error.__traceback__)][::-1])
    calls = ((f.f_code.co_filename, line) for f, line in traceback.walk_stack(sys._getframe()))
    return tuple(itertools.islice(itertools.filterfalse(lambda call: call[0].startswith(_SPORAX), calls), 1))


def fail_unless(holds: Array, error: Exception) -> None:
    """Record that `error` is raised here in runs where a condition is false.

    Raises:
        NeedsValue: If a `try` statement of the program may handle it.
    """
    if current.get().python.handled_depth:
        raise NeedsValue(f"{type(error).__name__} may be raised within a try statement: {error}")
    fail(error, jnp.logical_not(holds))


def may_have_failed() -> bool:
    """Return whether an error may have been recorded before this point of the trace."""
    return is_tracer(_number._data)


def going_on() -> Any:
    """Return, as a traced bool, whether no error has been raised so far."""
    return jnp.equal(_number._data, 0)


def may_fail(states: Sequence[Any]) -> bool:
    """Return whether a graph that writes these states may raise."""
    return any(s is _number for s in states)


def check(states: Sequence[Any], values: Sequence[Any], place: Callable[[Calls], tuple[str, int] | None]) -> None:
    """Raise the error that a run recorded, if there is one.

    Args:
        states: The states that the graph writes.
        values: The values that it wrote.
        place: Returns the program's file and line for the recorded calls; the traceback shows only the call of the graph.
    """
    recorded = {id(s): v for s, v in zip(states, values, strict=True) if isinstance(s, HiddenState)}
    if recorded and (number := int(recorded[id(_number)])):
        error = _sites[number - 1].error(recorded)
        if call := place(_sites[number - 1].calls):
            note_place(error, *call)
        raise error


def of_batch(states: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Reduce the stacked states that a batch of runs wrote; keep the first error that was raised."""
    numbers = [v for s, v in zip(states, values, strict=True) if s is _number]
    first = jnp.argmax(numbers[0] != 0) if numbers else 0

    def one(state: State, batch: Array) -> Any:
        if state is index_checks.OUT_OF_RANGE:
            return index_checks.first_of(batch)
        return batch[first] if isinstance(state, HiddenState) else batch[0]

    return [one(s, v) for s, v in zip(states, values, strict=True)]


def handled() -> running:
    """The body of a `try` statement with handlers: its errors must be known while the graph is built."""
    return following(handled_depth=current.get().python.handled_depth + 1)


def not_ours() -> None:
    """The first statement of an `except` clause: passes on errors about unknown values, which are not the program's."""
    error = sys.exception()
    if isinstance(error, UNTRACEABLE):
        raise NeedsValue("the value of a Tensor is needed within a try statement") from error


def diverge(error: Exception) -> None:
    """Record an error that a traced branch raised.

    Raises:
        NeedsValue: If the run cannot raise it: the program may handle it, or it is not the program's own error.
    """
    if current.get().python.handled_depth:
        raise NeedsValue(f"a branch raised {type(error).__name__}: {error}, within a try statement") from error
    if isinstance(error, RecursionError):
        raise NeedsValue("a function calls itself until a Tensor has some value") from error
    fail(error)


def _serves_any_number(*values: object) -> bool:
    numbers: list[Any] = []
    tree.flatten(values, lambda value: type(value) is TracedNumber, numbers)
    return bool(numbers)


def leaving_errors_to_the_run(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return `fn` with errors recorded for the run if their message needs values or a run may raise an earlier error.

    Any other error is raised while the graph is built.
    """

    def run(*args: object, **kwargs: object) -> Any:
        try:
            return fn(*args, **kwargs)
        except Diverged:
            if not may_have_failed():
                raise NeedsValue("every path raises, within a gradient or another transform") from None
        except UNTRACEABLE:
            raise
        except Exception as error:
            if _serves_any_number(args, kwargs):
                raise  # the cause may be that one of the numbers is unknown
            if not may_have_failed() and not any(is_tracer(t._data) for t in _flattened(error)[0]):
                raise
            fail(error)
        return None

    return run
