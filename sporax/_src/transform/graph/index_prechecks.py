"""What a graph can look at before it runs: indices that come from its arguments.

Whether an index is out of range is a result of a graph like any other, so a call that asks for it waits for the whole run.
Labels and tokens are arguments, integers that are at most cast and reshaped. Those are looked at by NumPy, before the run: a
wrong one is found before anything is written, and the run is not waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import inner_jaxpr, is_literal, piece_here
from sporax._src.engine import index_checks

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, JaxprEqn, Var

_MOST = 20  # operations of a check; more are better left to the graph
Check = Callable[[Sequence[Any]], None]


class Reader(NamedTuple):
    """How a value of a graph is read: a function of the graph's arguments, and how many operations that runs."""

    read: Callable[[Sequence[Any]], Any]
    count: int


# What may lie between an argument and the index that is looked at: functions of an operation and its operands.
_BETWEEN: dict[str, Callable[..., Any]] = {
    "convert_element_type": lambda eqn, x: x.astype(eqn.params["new_dtype"]),
    "sharding_constraint": lambda eqn, x: x,
    "reshape": lambda eqn, x: x.reshape(eqn.params["new_sizes"]),
    "squeeze": lambda eqn, x: x.squeeze(eqn.params["dimensions"]),
    "transpose": lambda eqn, x: x.transpose(eqn.params["permutation"]),
    "broadcast_in_dim": lambda eqn, x: _broadcast(x, eqn.params["shape"], eqn.params["broadcast_dimensions"]),
    "eq": lambda eqn, x, y: x == y,
    "ne": lambda eqn, x, y: x != y,
    "max": lambda eqn, x, y: np.maximum(x, y),
    "select_n": lambda eqn, which, *cases: np.choose(which.astype(np.intp), cases),
}


def _broadcast(x: np.ndarray, shape: Sequence[int], dims: Sequence[int]) -> Any:
    sizes = dict(zip(dims, x.shape, strict=True))
    return np.broadcast_to(x.reshape([sizes.get(i, 1) for i in range(len(shape))]), shape)


def prechecks(closed: ClosedJaxpr, found: int, arguments: int) -> list[Check] | None:
    """Return the checks of the indices that a graph looks at, each a function of its arguments; None if one takes more.

    Args:
        closed: The captured graph.
        found: The place of the result that says which index was out of range.
        arguments: The place of the first argument; the inputs before it are states.
    """
    jaxpr = closed.jaxpr
    made_by = {out: eqn for eqn in jaxpr.eqns for out in eqn.outvars}
    given = enumerate(jaxpr.invars[arguments:])
    readers: dict[Any, Reader | None] = {v: _argument(i) for i, v in given if _is_whole(v)}
    checks: list[Check] = []
    state = jaxpr.outvars[found]
    while not is_literal(state) and state in made_by:
        eqn = made_by[state]
        name = str(eqn.params.get("name"))
        if not name.startswith(index_checks.LOOK):
            return None
        state, index = eqn.invars
        if (reader := _reader(index, made_by, readers)) is None:
            return None
        checks.append(_check(index_checks.SITES[int(name.removeprefix(index_checks.LOOK))], reader))
    return checks[::-1] or None


def _argument(i: int) -> Reader:
    """Return how an argument is read; of one of several processes each looks at its piece."""
    return Reader(
        lambda arrays: np.asarray(piece_here(arrays[i])) if isinstance(arrays[i], jax.Array) else arrays[i], 0
    )


def _check(site: index_checks.Site, reader: Reader) -> Check:
    return lambda arrays: index_checks.check_at(site, reader.read(arrays))


def _reader(atom: Any, made_by: dict[Any, Any], readers: dict[Any, Reader | None]) -> Reader | None:
    """Return how a value of a graph is read, or None if it takes more operations, or others than are in the table.

    Args:
        atom: The value.
        made_by: The operation that each value of the graph comes from.
        readers: Those of the values that were asked for before, arguments among them.
    """
    if is_literal(atom):
        return Reader(lambda arrays: np.asarray(atom.val), 0)
    if atom not in readers:
        known = atom in made_by and _is_whole(atom)
        readers[atom] = _reader_of_result(made_by[atom], atom, made_by, readers) if known else None
    return readers[atom]


def _is_whole(variable: Any) -> bool:
    return jnp.issubdtype(variable.aval.dtype, jnp.integer) or variable.aval.dtype == jnp.bool_


def _reader_of_result(
    eqn: JaxprEqn, atom: Var, made_by: dict[Any, Any], readers: dict[Any, Reader | None]
) -> Reader | None:
    run, inner = _BETWEEN.get(eqn.primitive.name), inner_jaxpr(eqn)
    if run is None and inner is None:
        return None
    operands = [_reader(a, made_by, readers) for a in eqn.invars]
    if inner is not None:
        within = {out: e for e in inner.jaxpr.eqns for out in e.outvars}
        return _reader(
            inner.jaxpr.outvars[eqn.outvars.index(atom)], within, dict(zip(inner.jaxpr.invars, operands, strict=True))
        )
    found = [r for r in operands if r is not None]
    count = 1 + sum(r.count for r in found)
    if run is None or len(found) < len(operands) or count > _MOST:
        return None
    return Reader(lambda arrays: run(eqn, *[r.read(arrays) for r in found]), count)
