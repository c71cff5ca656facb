"""Loops: unrolled while the condition is known, a `while_loop` of the graph from the first traced condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.execution import current
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.transform.controlflow import failures, reverse, strings
from sporax._src.transform.controlflow.aliases import mark, shared
from sporax._src.transform.controlflow.branches import (
    Path,
    and_,
    if_stmt,
    is_traced,
    predicate,
    refill,
    runs_here,
    where,
)
from sporax._src.transform.controlflow.failures import NeedsValue
from sporax._src.transform.controlflow.merge import bring, merged_results, plain, take, value_now
from sporax._src.transform.controlflow.numbers import computed
from sporax._src.transform.controlflow.undo_log import Slot
from sporax._src.transform.functional import COLLECTORS, is_operand


class TracedRange:
    """`range` with a traced bound."""

    def __init__(self, *bounds: Tensor | int) -> None:
        arrays = [b._data.reshape(()) if isinstance(b, Tensor) else jnp.asarray(b) for b in bounds]
        arrays = [a.astype(np.int64) for a in arrays]
        start, stop, step = (jnp.int64(0), arrays[0], jnp.int64(1)) if len(arrays) == 1 else (*arrays, jnp.int64(1))[:3]
        self.start, self.step = start, step
        self.count = wrap(jnp.maximum(0, -((start - stop) // step)))

    def at(self, index: Array) -> Any:
        """Return the item of a traced index."""
        return computed(int, self.start + index * self.step)

    def __iter__(self) -> Iterator[Any]:
        raise NeedsValue("range() of a Tensor is used other than in a for statement")


class TracedEnumerate:
    """`enumerate` of a `TracedRange`."""

    def __init__(self, items: TracedRange, start: int = 0) -> None:
        self._items, self._start = items, start
        self.count = items.count

    def at(self, index: Array) -> Any:
        """Return the pair of a traced index."""
        return computed(int, index + self._start), self._items.at(index)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)


COLLECTORS.update({TracedRange: tuple, TracedEnumerate: tuple})  # as a result they are refused, like any other use


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: Sequence[str],
    opts: object,
) -> None:
    """`while test(): body()`: iterated in Python while the condition is known, in the graph once it is traced."""
    while True:
        going = test()
        if is_traced(going):
            break
        if not going:
            return
        body()
    set_state(Loop(going, test, body, get_state, set_state, tuple(symbol_names)).run())


class Loop:
    """A loop in the graph: its carry holds variables, slots and states in a structure that iterations keep.

    The carry also holds the condition: an iteration is the body and then the condition, which may raise, or print,
    or write like the body.

    Args:
        going: The condition before the first iteration.
        test, body: The condition and the body; both use the variables.
        get_state, set_state: Return and replace the variables, a tuple.
        names: The names of the variables in messages.
    """

    def __init__(
        self,
        going: object,
        test: Callable[[], Any],
        body: Callable[[], Any],
        get_state: Callable[[], tuple[Any, ...]],
        set_state: Callable[[tuple[Any, ...]], None],
        names: tuple[str, ...],
    ) -> None:
        self.test, self.body, self.names = test, body, ("the condition", *names)
        self._get_variables, self._set_variables = get_state, set_state
        self._going = _condition(going)
        self.slots: list[Slot] = []
        self.states: list[Any] = []
        self.before = self._get()
        self.invariant: set[int] | None = None  # variables that are the same Tensor in every iteration
        self.assigned: set[int] = set()  # variables that are assigned in place
        self.shared: list[
            Tensor | None
        ] = []  # the roots that the variables share elements with before or after an iteration

    def run(self) -> Any:
        """Return the variables after the loop."""
        structure, avals = None, []
        for _ in range(8):  # each pass may widen a dtype, turn a number into an array, or find a state
            leaves: list[Tensor] = []
            start = tree.flatten((plain(self.before), tuple([s.get() for s in self.slots])), is_operand, leaves)
            arrays = [t._data for t in leaves]
            self._note_shared(leaves)
            if structure is None:
                structure, avals = start, [jax.typeof(a) for a in arrays]
            initial = list(bring(start, iter(arrays), structure, iter(avals)))
            path = self._iteration(structure, initial)
            if path.raises:
                raise NeedsValue("every iteration of a loop raises")
            if len(path.slots) > len(self.slots):
                self.slots, structure = path.slots, None
                continue
            both, their_avals = [structure, path.structure], [iter(avals), iter(path.avals())]
            wider, wider_avals = merged_results(both, their_avals, self.names, self.slots)
            stable = wider == structure and [(a.shape, a.dtype) for a in wider_avals] == [
                (a.shape, a.dtype) for a in avals
            ]
            states = list({id(s): s for s in (*self.states, *path.states)}.values())
            if stable and len(states) == len(self.states):
                same = leaves if start == structure else []
                return self._loop(structure, avals, initial, same)[1:]
            structure, avals, self.states = wider, wider_avals, states
        raise NeedsValue(f"the variables {', '.join(self.names)} of a loop do not keep one structure")

    def _get(self) -> tuple[Any, ...]:
        return self._going, *self._get_variables()

    def _set(self, values: tuple[Any, ...]) -> None:
        self._going = values[0]
        self._set_variables(tuple(values[1:]))

    def _once(self, structure: tree.Structure, arrays: Sequence[Array]) -> Any:
        """Run an iteration on fresh Tensors as variables."""
        value = take(structure, arrays)
        fresh: list[Tensor] = []
        tree.flatten(value, is_operand, fresh)
        if len(fresh) == len(self.shared):
            mark(fresh, self.shared)
        self._set(value[0])
        refill(self.slots, value[1])
        try:
            return self._body()
        finally:
            self._note(fresh)
            if (scope := current.get().scope) is not None:
                for tensor in fresh:  # a variable assigned in place is part of the carry
                    scope.tensors.before.pop(id(tensor), None)

    def _note(self, fresh: list[Tensor]) -> None:
        after: list[Tensor] = []
        tree.flatten((plain(self._get()), tuple([s.get() for s in self.slots])), is_operand, after)
        self._note_shared(after)
        same = {i for i, (a, b) in enumerate(zip(fresh, after, strict=False)) if a is b and len(fresh) == len(after)}
        self.invariant = same if self.invariant is None else self.invariant & same
        scope = current.get().scope
        if scope is not None:
            self.assigned |= {i for i, t in enumerate(fresh) if id(t) in scope.tensors.before}

    def _note_shared(self, variables: Sequence[Tensor]) -> None:
        known = self.shared if len(self.shared) == len(variables) else [None] * len(variables)
        self.shared = [new if old is None else old for old, new in zip(known, shared(variables), strict=True)]

    def _path(self, run: Callable[[], Any]) -> Path:
        try:
            return Path(run, slots=self.slots)
        finally:
            self._set(self.before)

    def _iteration(self, structure: tree.Structure, arrays: list[Any]) -> Path:
        return self._path(lambda: self._once(structure, arrays))

    def _body(self) -> Any:
        self.body()
        self._going = _condition(self.test())
        return self._get()

    def _at(self, structure: tree.Structure, arrays: Sequence[Array], values: Sequence[Array]) -> Path:
        """Trace an iteration with its variables and states."""

        def placed() -> Any:
            for state, value in zip(self.states, values, strict=True):
                state.adopt(value)
            return self._once(structure, arrays)

        return self._path(placed)

    def _loop(self, structure: tree.Structure, avals: list[Any], initial: list[Any], same: list[Tensor]) -> Any:
        size = len(initial)

        def test(*carry: Array) -> Any:
            return runs_here(carry[0])

        def step(*carry: Array) -> Any:
            values = carry[size:]
            with where(lambda: test(*carry)):
                path = self._at(structure, carry[:size], values)
            out, written = path.arrays()
            now = dict(zip(map(id, path.states), written, strict=True))
            after = [now.get(id(s), v) for s, v in zip(self.states, values, strict=True)]
            return [*bring(path.structure, iter(out), structure, iter(avals), now), *after]

        def quiet(*carry: Array) -> Any:
            with strings.silent():
                return step(*carry)

        carry = reverse.while_loop(test, step, [*initial, *[value_now(s) for s in self.states]], quiet)
        for state, value in zip(self.states, carry[size:], strict=True):
            state.adopt(value)
        tensors = [wrap(a) for a in carry[:size]]
        # An invariant variable stays the same Tensor, so other references to it see the change.
        for i in (self.invariant or ()) if same else ():
            if i in self.assigned:
                same[i].adopt(tensors[i]._data)
            tensors[i] = same[i]
        if len(tensors) == len(self.shared):
            mark(tensors, [None if any(t is s for s in same) else s for t, s in zip(tensors, self.shared, strict=True)])
        value, contents = tree.unflatten(structure, iter(tensors))
        refill(self.slots, contents)
        return value


def _condition(going: Any) -> Tensor:
    """Return whether a loop continues: its condition holds and no error was raised."""
    holds = predicate(going) if is_traced(going) else jnp.asarray(bool(going))
    return wrap(jnp.logical_and(holds, failures.going_on()) if failures.may_have_failed() else holds)


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: Sequence[str],
    opts: object,
) -> None:
    """`for target in iter_: body(target)`; `extra_test` returns whether no `break` or `return` was reached."""
    if isinstance(iter_, (TracedRange, TracedEnumerate)):
        _for_range(iter_, extra_test, body, get_state, set_state, symbol_names)
        return
    for target in iter_:
        going = True if extra_test is None else extra_test()
        if is_traced(going):
            if_stmt(going, lambda t=target: body(t), lambda: None, get_state, set_state, symbol_names, 0)
        elif going:
            body(target)
        else:
            break


def _for_range(
    iter_: TracedRange | TracedEnumerate,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: Sequence[str],
) -> None:
    counter = [wrap(jnp.int64(0))]

    def get() -> Any:
        return (counter[0], *get_state())

    def put(values: tuple[Any, ...]) -> None:
        counter[0] = values[0]
        set_state(tuple(values[1:]))

    def test() -> Any:
        more = wrap(counter[0]._data < iter_.count._data)
        return more if extra_test is None else and_(lambda: more, extra_test)

    def step() -> None:
        body(iter_.at(counter[0]._data))
        counter[0] = wrap(counter[0]._data + 1)

    put(Loop(test(), test, step, get, put, ("the counter", *symbol_names)).run())
