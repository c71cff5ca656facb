"""Errors that a graph raises when it runs: which one, and with what values, is computed along with the results.

A `raise` that is reached under a traced condition becomes two writes in the branch that reaches it: a number that says
which error it is, and the Tensors that its message shows. Both leave the graph as states do; the call that ran the graph
looks at the number, and raises. The first error wins, loops stop after it, and the step that raised changes no Parameter.
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
Calls = tuple[tuple[str, int], ...]  # file and line of each, the innermost first


class NeedsValue(BaseException):
    """The graph cannot be built without the value of a Tensor; the call runs in PyNative mode instead.

    No `Exception`, so that a program that handles its own errors does not handle this one.
    """


class CannotJoin(NeedsValue):
    """The paths of a branch end in values of different kinds: an error in MindSpore and here, whatever the values are."""


class Diverged(BaseException):
    """Every path from here on raises, as has been recorded: there is nothing left to trace."""


class Site:
    """One form of error: its class, its arguments but for their Tensors, and where the values of these are put."""

    def __init__(
        self, number: int, kind: type[Exception], structure: tree.Structure, operands: list[HiddenState], calls: Calls
    ) -> None:
        self.number, self.kind, self.structure, self.operands, self.calls = number, kind, structure, operands, calls

    def error(self, values: dict[int, Any]) -> Exception:
        """Return the error, with the values that a run left."""
        args, attributes = tree.unflatten(self.structure, iter([wrap(values[id(p)]) for p in self.operands]))
        error = self.kind.__new__(self.kind, *args)
        error.args = args
        vars(error).update(attributes)
        return error


_number = HiddenState.of((), np.int32)  # which error was raised first; 0 is none
_sites: list[Site] = []
_by_form: dict[Any, Site] = {}
_lock = threading.Lock()


def _taken_apart(error: Exception) -> tuple[list[Tensor], Any]:
    leaves: list[Tensor] = []
    return leaves, tree.flatten((tuple(error.args), dict(vars(error))), is_operand, leaves)


def fail(error: Exception, where: Array | bool = True) -> None:
    """Record in the running trace that `error` is raised here, unless another one was raised before.

    Args:
        error: The error; one that was not raised is that of the line of the program that runs.
        where: In which runs it is raised.
    """
    leaves, structure = _taken_apart(error)
    calls = _calls(error)
    form = (type(error), structure, tuple([(t._data.shape, t._data.dtype) for t in leaves]), calls)
    with _lock:
        if form not in _by_form:
            operands = [HiddenState.of(t._data.shape, t._data.dtype) for t in leaves]
            _sites.append(Site(len(_sites) + 1, type(error), structure, operands, calls))
            _by_form[form] = _sites[-1]
        site = _by_form[form]
    first = jnp.logical_and(jnp.equal(_number._data, 0), where)
    for place, tensor in zip(site.operands, leaves, strict=True):
        place.adopt(jnp.where(first, tensor._data, place._data))
    _number.adopt(jnp.where(first, jnp.int32(site.number), _number._data))


def _calls(error: Exception) -> Calls:
    if error.__traceback__ is not None:
        return tuple([(f.f_code.co_filename, line) for f, line in traceback.walk_tb(error.__traceback__)][::-1])
    calls = ((f.f_code.co_filename, line) for f, line in traceback.walk_stack(sys._getframe()))
    return tuple(itertools.islice(itertools.filterfalse(lambda call: call[0].startswith(_SPORAX), calls), 1))


def fail_unless(holds: Array, error: Exception) -> None:
    """Record that `error` is raised here in the runs in which a condition does not hold.

    Raises:
        NeedsValue: If somebody may handle it.
    """
    if current.get().python.handled_depth:
        raise NeedsValue(f"{type(error).__name__} may be raised within a try statement: {error}")
    fail(error, jnp.logical_not(holds))


def may_have_failed() -> bool:
    """Tell whether an error may have been recorded before this point of the trace."""
    return is_tracer(_number._data)


def going_on() -> Any:
    """Return, as a traced bool, whether no error has been raised so far."""
    return jnp.equal(_number._data, 0)


def may_fail(states: Sequence[Any]) -> bool:
    """Tell whether a graph that writes these states may raise."""
    return any(s is _number for s in states)


def check(states: Sequence[Any], values: Sequence[Any], line: Callable[[Calls], str]) -> None:
    """Raise the error that a run recorded, if it did.

    Args:
        states: The states that the graph writes.
        values: What it wrote.
        line: Tells the program's line among calls; the traceback shows that of the graph only.
    """
    found = {id(s): v for s, v in zip(states, values, strict=True) if isinstance(s, HiddenState)}
    if found and (number := int(found[id(_number)])):
        error = _sites[number - 1].error(found)
        if place := line(_sites[number - 1].calls):
            error.add_note(f"The program was at {place}.")
        raise error


def of_batch(states: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Return what a batch of runs leaves in states, given along a first axis: of errors, the first that was raised."""
    numbers = [v for s, v in zip(states, values, strict=True) if s is _number]
    first = jnp.argmax(numbers[0] != 0) if numbers else 0

    def one(state: State, batch: Array) -> Any:
        if state is index_checks.OUT_OF_RANGE:
            return index_checks.first_of(batch)
        return batch[first] if isinstance(state, HiddenState) else batch[0]

    return [one(s, v) for s, v in zip(states, values, strict=True)]


def handled() -> running:
    """The body of a `try` statement that has handlers: what is raised there may be handled, so it must be known now."""
    return following(handled_depth=current.get().python.handled_depth + 1)


def not_ours() -> None:
    """The first statement of an `except` clause: that a value is not known yet is not for the program to handle."""
    error = sys.exception()
    if isinstance(error, UNTRACEABLE):
        raise NeedsValue("the value of a Tensor is asked for within a try statement") from error


def diverge(error: Exception) -> None:
    """Record an error that a traced branch raised.

    Raises:
        NeedsValue: If it cannot be left to the run: somebody handles it, or it is not the program's own.
    """
    if current.get().python.handled_depth:
        raise NeedsValue(f"a branch raised {type(error).__name__}: {error}, within a try statement") from error
    if isinstance(error, RecursionError):
        raise NeedsValue("a function calls itself until a Tensor has some value") from error
    fail(error)


def _serves_any_number(*given: Any) -> bool:
    numbers: list[Any] = []
    tree.flatten(given, lambda value: type(value) is TracedNumber, numbers)
    return bool(numbers)


def leaving_errors_to_the_run(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return `fn` that records an error whose message needs values, or before which a run may raise another one.

    Any other error is raised while the graph is built.
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except Diverged:
            if not may_have_failed():
                raise NeedsValue("every path raises, within a gradient or another transform") from None
        except UNTRACEABLE:
            raise
        except Exception as error:
            if _serves_any_number(args, kwargs):
                raise  # that one of them is not known may be the reason
            if not may_have_failed() and not any(is_tracer(t._data) for t in _taken_apart(error)[0]):
                raise
            fail(error)
        return None

    return run
