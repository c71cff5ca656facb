"""Branches on traced conditions: `if`, conditional expressions, `and`, `or`, `not`, comparisons, the choice of an item."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.jax_compat import UNTRACEABLE, is_tracer, jaxpr_as_fun
from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.execution import current, following, running
from sporax._src.core.scope import Scope
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine.known_scalars import settled
from sporax._src.transform.controlflow.aliases import mark, shared_by_branch
from sporax._src.transform.controlflow.failures import Diverged, diverge
from sporax._src.transform.controlflow.merge import bring, mark_unassigned, merged_results, plain, take, value_now
from sporax._src.transform.controlflow.numbers import computed, kind_of
from sporax._src.transform.controlflow.undo_log import Slot, UndoLog, assigns
from sporax._src.transform.functional import is_operand


def is_traced(value: object) -> bool:
    """Return whether a condition is known only when the graph runs."""
    return isinstance(value, Tensor) and is_tracer(value._data)


def predicate(value: Tensor) -> Any:
    """Return a traced condition as a bool scalar."""
    if value.size != 1:
        raise ValueError(
            f"The truth value of an array with more than one element is ambiguous: got shape {list(value.shape)}."
        )
    return value._data.reshape(()).astype(bool)


# Under `vmap` all samples run all paths. A loop in a path uses the path's condition to stop for the other samples.


def each_sample() -> running:
    """Trace a function that runs for each of several samples."""
    return following(sample_depth=current.get().python.sample_depth + 1)


def where(condition: Callable[[], Any]) -> running:
    """Trace code that runs only for the samples whose condition holds."""
    now = current.get()
    known = (*now.python.sample_conditions, condition()) if now.python.sample_depth else now.python.sample_conditions
    return following(sample_conditions=known)


def runs_here(going: Array) -> Any:
    """Return the condition of a loop, false for samples that do not reach the loop."""
    return functools.reduce(jnp.logical_and, current.get().python.sample_conditions, going)


class Path:
    """A piece of Python traced on its own: its graph, its result, and the states and slots it changes.

    Args:
        run: The function that runs the piece.
        outside: Ids of the outer Tensors that it may return unchanged.
        slots: Slots whose values are always part of its result, even if unchanged.

    Attributes:
        structure: The structure of `(result, values of the slots)`; None if the piece raises.
        states: The states it writes.
        slots: The slots passed to it, and those it changes.
        shared: For each returned Tensor, the root it shares elements with (see `aliases`).
    """

    def __init__(self, run: Callable[[], Any], outside: Collection[int] = (), slots: Sequence[Slot] = ()) -> None:
        self.states: list[Any] = []
        self.slots: list[Slot] = list(slots)
        self.structure: Any = None
        self.shared: list[Tensor | None] = []

        def traced() -> Any:
            with Scope() as scope, UndoLog(slots) as undo_log:
                leaves: list[Tensor] = []
                try:
                    result = (plain(run()), tuple([s.get() for s in undo_log.slots]))
                except UNTRACEABLE:
                    raise
                except Diverged:
                    pass
                except Exception as error:
                    diverge(error)
                else:
                    self.structure = tree.flatten(result, lambda v: is_operand(v) and id(v) not in outside, leaves)
                self.slots = undo_log.slots
                for key in scope.tensors.escaping:  # the values of the slots are results
                    scope.tensors.before.pop(key, None)
                scope.tensors.escaping.clear()
                arrays = [t._data for t in leaves]
                self.shared = shared_by_branch(leaves)
            written = scope.written()
            self.states = [s for s, _ in written]
            return arrays, [v for _, v in written]

        self.graph = jax.make_jaxpr(traced)()

    @property
    def raises(self) -> bool:
        """Whether the piece always raises."""
        return self.structure is None

    @property
    def is_pure_bool(self) -> bool:
        """Whether the piece changes nothing and returns a bool, known or traced."""
        if self.raises or self.states or self.slots:
            return False
        value = self.structure.children[0]
        if isinstance(value, tree.Leaf):
            return self.avals()[0].dtype == bool and self.avals()[0].size == 1
        return isinstance(value, tree.Static) and isinstance(value.value, bool)

    def arrays(self) -> tuple[list[Any], list[Any]]:
        """Return (results, written values) in the running trace."""
        out = list(map(_as_array, jaxpr_as_fun(self.graph)(), self.graph.out_avals))
        n = len(out) - len(self.states)
        return out[:n], out[n:]

    def avals(self) -> list[Any]:
        """Return the shapes and dtypes of the results."""
        return list(self.graph.out_avals[: len(self.graph.out_avals) - len(self.states)])


def _as_array(value: Any, aval: Any) -> Any:
    """Return a result of a graph that JAX has run; a constant of the graph may be a Python number."""
    return value if hasattr(value, "dtype") else jnp.asarray(value, None if aval.weak_type else aval.dtype)


def refill(slots: Sequence[Slot], values: Sequence[Any]) -> None:
    """Put values into slots, and note these changes in the current undo log."""
    for slot, value in zip(slots, values, strict=True):
        assigns(slot.owner, slot.name, value)
        slot.put(value)


def operand_ids(value: object) -> set[int]:
    """Return the ids of the Tensors of a nested value."""
    leaves: list[Tensor] = []
    tree.flatten(value, is_operand, leaves)
    return set(map(id, leaves))


def _both(
    holds: Array, run_true: Callable[[], Any], run_false: Callable[[], Any], outside: Collection[int]
) -> tuple[Path, Path, list[Slot]]:
    """Trace both paths; the slots that either of them changes are results of both."""
    slots: list[Slot] = []
    while True:
        with where(lambda: holds):
            first = Path(run_true, outside, slots)
        with where(lambda: jnp.logical_not(holds)):
            second = Path(run_false, outside, first.slots)
        if first.raises or second.raises or len(second.slots) == len(first.slots):
            return first, second, (first if second.raises else second).slots
        slots = second.slots


def _result(paths: Sequence[Path], slots: Sequence[Slot], names: str | tuple[str, ...]) -> tuple[Any, list[Any]]:
    whole = [p for p in paths if not p.raises]
    if not whole:
        return None, []
    if len(whole) == 1:
        return whole[0].structure, whole[0].avals()
    return merged_results([p.structure for p in paths], [iter(p.avals()) for p in paths], names, slots)


def select(
    cond: Tensor,
    run_true: Callable[[], Any],
    run_false: Callable[[], Any],
    names: str | tuple[str, ...],
    outside: Collection[int] = (),
) -> Any:
    """Return the result of one of two functions, and apply its changes.

    Args:
        cond: The traced condition.
        run_true, run_false: The functions.
        names: The name of the result in messages; a tuple of names if the result is a tuple of variables.
        outside: Ids of the outer Tensors that the functions may return unchanged.
    """
    holds = predicate(cond)
    *paths, slots = _both(holds, run_true, run_false, outside)
    structure, avals = _result(paths, slots, names)
    states = list({id(s): s for p in paths for s in p.states}.values())

    def branch(path: Path) -> Callable[[], Any]:
        def run() -> Any:
            arrays, written = path.arrays()
            now = dict(zip(map(id, path.states), written, strict=True))
            values = [now[id(s)] if id(s) in now else value_now(s) for s in states]
            if path.raises:
                return [jnp.zeros(a.shape, a.dtype) for a in avals], values
            return list(bring(path.structure, iter(arrays), structure, iter(avals), now)), values

        return run

    arrays, written = jax.lax.cond(holds, branch(paths[0]), branch(paths[1]))
    for state, value in zip(states, written, strict=True):
        state.adopt(value)
    if structure is None:
        raise Diverged
    value, contents = take(structure, arrays)
    mark_chosen((value, contents), paths)
    refill(slots, contents)
    return value


def mark_chosen(value: object, paths: Sequence[Path]) -> None:
    """Mark the Tensors of a selected value if on any path they share elements with other Tensors."""
    known = [s for path in paths for s in path.shared if s is not None]
    if not known:
        return
    tensors: list[Tensor] = []
    tree.flatten(value, is_operand, tensors)
    for path in paths:
        # A path that returns numbers or outer Tensors instead has other leaves.
        mark(tensors, path.shared if len(path.shared) == len(tensors) else [known[0]] * len(tensors))


def if_stmt(
    cond: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """`if cond: body() else: orelse()`."""
    cond = settled(cond)
    if not is_traced(cond):
        body() if cond else orelse()
        return
    mark_unassigned(get_state)
    before = get_state()

    def run(part: Callable[[], Any]) -> Callable[[], Any]:
        def path() -> Any:
            set_state(before)
            part()
            return get_state()

        return path

    try:
        after = select(cond, run(body), run(orelse), tuple(symbol_names), operand_ids(plain(before)))
    finally:
        set_state(before)
    set_state(after)


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """`if_true() if cond else if_false()`."""
    cond = settled(cond)
    if not is_traced(cond):
        return if_true() if cond else if_false()
    return select(cond, if_true, if_false, expr_repr)


# --- and, or, not -------------------------------------------------------------------------------------------------------


def _logic(first: Tensor, rest: Callable[[], Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Return the logical combination of two bools, or None if they are not bools."""
    if first._data.dtype != bool:
        return None
    path = Path(rest)
    if not path.is_pure_bool:
        return None
    arrays, _ = path.arrays()
    second = arrays[0].reshape(()) if arrays else jnp.asarray(path.structure.children[0].value)
    are_numbers = kind_of(first) is bool and (not arrays or path.structure.children[0].kind is type(first))
    return (functools.partial(computed, bool) if are_numbers else wrap)(combine(predicate(first), second))


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() and b()`."""
    first = a()
    if not is_traced(first):
        return first and b()
    both = _logic(first, b, jnp.logical_and)
    return select(first, b, lambda: first, "the value of `and`", {id(first)}) if both is None else both


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() or b()`."""
    first = a()
    if not is_traced(first):
        return first or b()
    either = _logic(first, b, jnp.logical_or)
    return select(first, lambda: first, b, "the value of `or`", {id(first)}) if either is None else either


def not_(a: Any) -> Any:
    """`not a`."""
    return computed(bool, jnp.logical_not(predicate(a))) if is_traced(a) else not a


# --- comparisons --------------------------------------------------------------------------------------------------------


def contains(container: Any, item: Any) -> Any:
    """`item in container`."""
    if isinstance(container, Tensor):
        return (
            computed(bool, jnp.any((container == item)._data))
            if is_traced(container) or is_traced(item)
            else item in container
        )
    if not isinstance(container, (list, tuple, set, frozenset, dict)) or not any(map(is_traced, (item, *container))):
        return item in container
    result: Any = False
    for element in container:
        if element is item:
            return True
        result = or_(lambda f=result: f, lambda e=element: _is_equal(e, item))
    return result


def _is_equal(a: object, b: object) -> Any:
    """Compare for `in`: Tensors are equal if they have the same shape and elements, as in MindSpore's graphs."""
    if kind_of(a) or kind_of(b) or not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return a == b
    return computed(bool, jnp.all((a == b)._data)) if a.shape == b.shape else False


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge,
    "Is": operator.is_, "IsNot": operator.is_not, "In": lambda a, b: contains(b, a), "NotIn": lambda a, b: not_(contains(b, a)),
}  # fmt: skip


def compare(left: object, symbol: str, right: Callable[[], Any], *rest: Any) -> Any:
    """`left symbol right() ...`: a chain of comparisons; each operand is evaluated at most once, and only if needed."""
    middle = right()
    first = _COMPARISONS[symbol](left, middle)
    return and_(lambda: first, lambda: compare(middle, *rest)) if rest else first


# --- the choice of an item ------------------------------------------------------------------------------------------------


def choose(items: Sequence[Callable[[], Any]], index: Tensor, kind: str) -> Any:
    """Return the result of one of several functions, selected by a traced index into a container of this kind."""

    def missing() -> Any:
        raise IndexError(f"{kind} index out of range")

    def chosen(choices: Sequence[Callable[[], Any]], offset: int) -> Any:
        if len(choices) == 1:
            return choices[0]()
        half = len(choices) // 2
        return if_exp(
            wrap(position < offset + half),
            lambda: chosen(choices[:half], offset),
            lambda: chosen(choices[half:], offset + half),
            "the item",
        )

    at = index._data.reshape(())
    position = jnp.where(at < 0, at + len(items), at)
    known = wrap(jnp.logical_and(position >= 0, position < len(items)))
    return if_exp(known, lambda: chosen(items, 0), missing, "the item")
