"""What rewritten code calls: Python's own meaning for plain conditions, `cond` and `while_loop` for traced ones."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import is_tracer
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.stateful import Stateful
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.transform.controlflow.merge import NeedsValue, Path, bring, merged, plain, take, value_now


def is_traced(value: Any) -> bool:
    """Tell whether a condition is known only when the graph runs."""
    return isinstance(value, Tensor) and is_tracer(value._data)


def predicate(value: Tensor) -> Any:
    """Return a traced condition as a bool scalar."""
    if value.size != 1:
        raise ValueError(
            f"The truth value of an array with more than one element is ambiguous: got shape {list(value.shape)}."
        )
    return value._data.reshape(()).astype(bool)


# --- if ---------------------------------------------------------------------------------------------------------------


def select(cond: Tensor, run_true: Callable[[], Any], run_false: Callable[[], Any], name: str) -> Any:
    """Return what one of two functions returns, and perform what it writes."""
    paths = Path(run_true), Path(run_false)
    structure, avals = merged([p.structure for p in paths], [iter(p.avals()) for p in paths], name)
    states = list({id(s): s for p in paths for s in p.states}.values())

    def branch(path: Path) -> Callable[[], Any]:
        def run() -> Any:
            arrays, written = path.arrays()
            now = dict(zip(map(id, path.states), written, strict=True))
            kept = [now[id(s)] if id(s) in now else value_now(s) for s in states]
            return list(bring(path.structure, iter(arrays), structure, iter(avals))), kept

        return run

    arrays, written = jax.lax.cond(predicate(cond), branch(paths[0]), branch(paths[1]))
    for state, value in zip(states, written, strict=True):
        state.adopt(value)
    return take(structure, arrays)


def if_stmt(
    cond: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    get_state: Any,
    set_state: Any,
    symbol_names: Any,
    nouts: int,
) -> None:
    """`if cond: body() else: orelse()`."""
    if not is_traced(cond):
        body() if cond else orelse()
        return
    before = get_state()

    def run(part: Callable[[], Any]) -> Callable[[], Any]:
        def path() -> Any:
            set_state(before)
            part()
            return get_state()

        return path

    try:
        after = select(cond, run(body), run(orelse), ", ".join(map(str, symbol_names)))
    finally:
        set_state(before)
    set_state(after)


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """`if_true() if cond else if_false()`."""
    if not is_traced(cond):
        return if_true() if cond else if_false()
    return select(cond, lambda: (if_true(),), lambda: (if_false(),), expr_repr)[0]


# --- and, or, not -------------------------------------------------------------------------------------------------------


def _as_bool(value: Any) -> Any:
    return predicate(value) if isinstance(value, Tensor) else jnp.asarray(bool(value))


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() and b()`."""
    first = a()
    if not is_traced(first):
        return first and b()
    return wrap(jnp.logical_and(_as_bool(first), _as_bool(b())))


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() or b()`."""
    first = a()
    if not is_traced(first):
        return first or b()
    return wrap(jnp.logical_or(_as_bool(first), _as_bool(b())))


def not_(a: Any) -> Any:
    """`not a`."""
    return wrap(jnp.logical_not(predicate(a))) if is_traced(a) else not a


# --- loops ----------------------------------------------------------------------------------------------------------------


class TracedRange:
    """`range` with a traced bound."""

    def __init__(self, *bounds: Any) -> None:
        arrays = [b._data.reshape(()) if isinstance(b, Tensor) else jnp.asarray(b) for b in bounds]
        arrays = [a.astype(np.int64) for a in arrays]
        start, stop, step = (jnp.int64(0), arrays[0], jnp.int64(1)) if len(arrays) == 1 else (*arrays, jnp.int64(1))[:3]
        self.start, self.step = wrap(start), wrap(step)
        self.count = wrap(jnp.maximum(0, -((start - stop) // step)))

    def __iter__(self) -> Iterator[Any]:
        raise NeedsValue("a loop over range() of a Tensor is nested in an expression")


def while_stmt(
    test: Callable[[], Any], body: Callable[[], Any], get_state: Any, set_state: Any, symbol_names: Any, opts: Any
) -> None:
    """`while test(): body()`: iterated here as long as the condition is plain, in the graph from when it is traced."""
    while True:
        going = test()
        if is_traced(going):
            break
        if not going:
            return
        body()
    set_state(Loop(test, body, get_state, set_state, ", ".join(map(str, symbol_names))).run())


class Loop:
    """A loop in the graph: variables and written states are carried, in the structure that an iteration keeps."""

    def __init__(self, test: Any, body: Any, get_state: Any, set_state: Any, name: str) -> None:
        self.test, self.body, self.get, self.set, self.name = test, body, get_state, set_state, name
        self.before = get_state()

    def run(self) -> Any:
        """Return the variables after the loop."""
        leaves: list[Tensor] = []
        start = tree.flatten(plain(self.before), is_tensor, leaves)
        arrays = [t._data for t in leaves]
        states: list[Any] = []
        structure, avals = start, [jax.typeof(a) for a in arrays]
        for _ in range(4):  # each pass may widen a dtype or turn a number into an array; then nothing changes any more
            initial = list(bring(start, iter(arrays), structure, iter(avals)))
            path = self._iteration(structure, initial, states)
            found = list({id(s): s for s in (*states, *path.states)}.values())
            wider, wider_avals = merged([structure, path.structure], [iter(avals), iter(path.avals())], self.name)
            stable = wider == structure and [(a.shape, a.dtype) for a in wider_avals] == [
                (a.shape, a.dtype) for a in avals
            ]
            structure, avals = wider, wider_avals
            if stable and len(found) == len(states):
                return self._loop(structure, avals, initial, states)
            states = found
        raise NeedsValue(f"the variables {self.name} of a loop do not keep one structure")

    def _iteration(self, structure: Any, arrays: list[Any], states: list[Any]) -> Path:
        def once() -> Any:
            self.set(take(structure, arrays))
            self.body()
            return self.get()

        try:
            return Path(once)
        finally:
            self.set(self.before)

    def _loop(self, structure: Any, avals: list[Any], initial: list[Any], states: list[Any]) -> Any:
        def cond(carry: Any) -> Any:
            arrays, values = carry
            path = self._at(lambda: (self.test(),), structure, arrays, states, values)
            leaf = path.structure.children[0]
            return (
                path.arrays()[0][0].reshape(()).astype(bool)
                if isinstance(leaf, tree.Leaf)
                else jnp.asarray(bool(leaf.value))
            )

        def step(carry: Any) -> Any:
            arrays, values = carry

            def once() -> Any:
                self.body()
                return self.get()

            path = self._at(once, structure, arrays, states, values)
            out, written = path.arrays()
            now = dict(zip(map(id, path.states), written, strict=True))
            kept = [now.get(id(s), v) for s, v in zip(states, values, strict=True)]
            return list(bring(path.structure, iter(out), structure, iter(avals))), kept

        try:
            arrays, values = jax.lax.while_loop(cond, step, (initial, [value_now(s) for s in states]))
        finally:
            self.set(self.before)
        for state, value in zip(states, values, strict=True):
            state.adopt(value)
        return take(structure, arrays)

    def _at(self, run: Callable[[], Any], structure: Any, arrays: Any, states: list[Any], values: Any) -> Path:
        """Trace `run` with the variables and states of an iteration."""

        def placed() -> Any:
            for state, value in zip(states, values, strict=True):
                state.adopt(value)
            self.set(take(structure, arrays))
            return run()

        try:
            return Path(placed)
        finally:
            self.set(self.before)


def for_stmt(
    iter_: Any,
    extra_test: Any,
    body: Callable[[Any], Any],
    get_state: Any,
    set_state: Any,
    symbol_names: Any,
    opts: Any,
) -> None:
    """`for target in iter_: body(target)`; `extra_test` tells whether a `break` or `return` has not been met."""
    if isinstance(iter_, TracedRange):
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
    iter_: TracedRange, extra_test: Any, body: Any, get_state: Any, set_state: Any, symbol_names: Any
) -> None:
    counter = [wrap(jnp.int64(0))]

    def get() -> Any:
        return (counter[0], *get_state())

    def put(values: Any) -> None:
        counter[0] = values[0]
        set_state(tuple(values[1:]))

    def test() -> Any:
        more = wrap(counter[0]._data < iter_.count._data)
        return more if extra_test is None else and_(lambda: more, extra_test)

    def step() -> None:
        body(wrap(iter_.start._data + counter[0]._data * iter_.step._data))
        counter[0] = wrap(counter[0]._data + 1)

    put(Loop(test, step, get, put, ", ".join(map(str, symbol_names))).run())


# --- lists and items: changed in place, except on a path that may not be taken -------------------------------------------------


def list_append(target: Any, item: Any) -> Any:
    """`target.append(item)`, returning the list."""
    if isinstance(target, list) and Path.depth:
        return [*target, item]
    target.append(item)
    return target


def list_pop(target: Any, index: Any, opts: Any = None) -> tuple[Any, Any]:
    """`target.pop(index)`, returning the list and the item."""
    if isinstance(target, list) and Path.depth:
        target = list(target)
    return target, (target.pop() if index is None else target.pop(index))


def set_item(target: Any, index: Any, value: Any) -> Any:
    """`target[index] = value`, returning the container."""
    if Path.depth and isinstance(target, (list, dict)):
        target = target.copy()
    elif Path.depth and isinstance(target, Tensor) and not isinstance(target, Parameter):
        new = wrap(target._data)
        new[index] = value  # type: ignore[index]
        return new
    target[index] = value
    return target


def get_item(target: Any, index: Any, opts: Any = None) -> Any:
    """`target[index]`."""
    return target[index]


def new_list(items: Any = None) -> list[Any]:
    """`list(items)`."""
    return list(items) if items is not None else []


# --- calls ------------------------------------------------------------------------------------------------------------------


def _convert_number(kind: np.dtype) -> Callable[[Any], Any]:
    return lambda x: wrap(x._data.reshape(()).astype(kind))


def _print(*values: Any, **kwargs: Any) -> None:
    """Print when the graph runs, in order, if a traced value is to be printed."""
    traced = [v for v in values if is_traced(v)]
    if not traced:
        print(*values, **kwargs)
        return
    text = kwargs.get("sep", " ").join(
        "{}" if is_traced(v) else str(v).replace("{", "{{").replace("}", "}}") for v in values
    )
    jax.debug.print(text, *[v._data for v in traced], ordered=True)


_ON_TRACED: dict[Any, Callable[..., Any]] = {
    builtins.int: _convert_number(np.dtype(np.int64)),
    builtins.float: _convert_number(np.dtype(np.float32)),
    builtins.bool: _convert_number(np.dtype(np.bool_)),
    builtins.range: TracedRange,
}


def call_converter(rewritten: Callable[[Any], Any], original_super: Callable[..., Any]) -> Callable[..., Any]:
    """Return `converted_call`, which calls functions in their rewritten form."""

    def converted_call(f: Any, args: Any, kwargs: Any = None, scope: Any = None, options: Any = None) -> Any:
        kwargs = kwargs or {}
        if f is builtins.super and not args:
            return original_super(f, args, scope)
        if isinstance(f, type):
            replaced = _ON_TRACED.get(f)
            if replaced is not None and any(is_traced(a) for a in args):
                return replaced(*args, **kwargs)
            return f(*args, **kwargs)
        if isinstance(f, Stateful):
            return f(*args, **kwargs)
        return rewritten(f)(*args, **kwargs)

    return converted_call


def install(module: Any, rewritten: Callable[[Any], Any]) -> None:
    """Put our operators into the namespace that rewritten code calls."""
    from malt.operators import py_builtins

    original_super, read = py_builtins.super_in_original_context, module.ld

    def load(value: Any) -> Any:
        return _print if value is builtins.print else read(value)

    ours = {"if_stmt": if_stmt, "if_exp": if_exp, "and_": and_, "or_": or_, "not_": not_, "while_stmt": while_stmt,
            "for_stmt": for_stmt, "list_append": list_append, "list_pop": list_pop, "set_item": set_item, "get_item": get_item,
            "new_list": new_list, "ld": load, "converted_call": call_converter(rewritten, original_super)}  # fmt: skip
    for name, fn in ours.items():
        setattr(module, name, fn)
