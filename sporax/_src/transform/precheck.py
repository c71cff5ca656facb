"""What a graph can look at before it runs: indices that come from its arguments.

Whether an index is out of range is a result of a graph like any other, so a call that asks for it waits for the whole run.
Labels and tokens are arguments, integers that are at most cast and reshaped. Those are looked at by NumPy, before the run: a
wrong one is found before anything is written, and the run is not waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import inner_jaxpr, is_literal
from sporax._src.ops import bounds

Reader = Callable[[Sequence[Any]], Any]  # from a graph's arguments to a value of it
Check = Callable[[Sequence[Any]], None]

# What may lie between an argument and the index that is looked at: functions of an operation and its operands.
_BETWEEN: dict[str, Callable[..., Any]] = {
    "convert_element_type": lambda eqn, x: x.astype(eqn.params["new_dtype"]),
    "reshape": lambda eqn, x: x.reshape(eqn.params["new_sizes"]),
    "squeeze": lambda eqn, x: x.squeeze(eqn.params["dimensions"]),
    "transpose": lambda eqn, x: x.transpose(eqn.params["permutation"]),
    "broadcast_in_dim": lambda eqn, x: _broadcast(x, eqn.params["shape"], eqn.params["broadcast_dimensions"]),
    "eq": lambda eqn, x, y: x == y,
    "ne": lambda eqn, x, y: x != y,
    "select_n": lambda eqn, which, *cases: np.choose(which.astype(np.intp), cases),
}


def _broadcast(x: Any, shape: Sequence[int], dims: Sequence[int]) -> Any:
    sizes = dict(zip(dims, x.shape, strict=True))
    return np.broadcast_to(x.reshape([sizes.get(i, 1) for i in range(len(shape))]), shape)


def prechecks(closed: Any, found: int, arguments: int) -> list[Check] | None:
    """Return the checks of the indices that a graph looks at, each a function of its arguments; None if one takes more.

    Args:
        closed: The captured graph.
        found: The place of the result that says which index was out of range.
        arguments: The place of the first argument; the inputs before it are states.
    """
    jaxpr = closed.jaxpr
    made_by = {out: eqn for eqn in jaxpr.eqns for out in eqn.outvars}
    given = enumerate(jaxpr.invars[arguments:])
    readers: dict[Any, Reader] = {v: _argument(i) for i, v in given if v.aval.dtype.kind in "iub"}
    checks: list[Check] = []
    state = jaxpr.outvars[found]
    while not is_literal(state) and state in made_by:
        eqn = made_by[state]
        name = str(eqn.params.get("name"))
        if not name.startswith(bounds.LOOK):
            return None
        state, index = eqn.invars
        if (read := _reader(index, made_by, readers)) is None:
            return None
        checks.append(_check(bounds.SITES[int(name.removeprefix(bounds.LOOK))], read))
    return checks[::-1] or None


def _argument(i: int) -> Reader:
    return lambda arrays: np.asarray(arrays[i])


def _check(site: bounds.Site, read: Reader) -> Check:
    return lambda arrays: bounds.check_at(site, read(arrays))


def _reader(atom: Any, made_by: dict[Any, Any], readers: dict[Any, Reader]) -> Reader | None:
    """Return the function of a graph's arguments that gives a value of it, if it takes no more than is in the table."""
    if is_literal(atom):
        return lambda arrays: np.asarray(atom.val)
    if atom in readers:
        return readers[atom]
    if atom not in made_by:
        return None
    eqn = made_by[atom]
    operands = [r for a in eqn.invars if (r := _reader(a, made_by, readers)) is not None]
    if len(operands) < len(eqn.invars):
        return None
    if (inner := inner_jaxpr(eqn)) is not None:
        within = {o: e for e in inner.jaxpr.eqns for o in e.outvars}
        known = dict(zip(inner.jaxpr.invars, operands, strict=True))
        return _reader(inner.jaxpr.outvars[eqn.outvars.index(atom)], within, known)
    if (run := _BETWEEN.get(eqn.primitive.name)) is None:
        return None
    return lambda arrays: run(eqn, *[r(arrays) for r in operands])
