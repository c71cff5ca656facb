"""Checks before a run of a graph: indices that come from its arguments.

Whether an index is out of range is a result of the graph, so a call that reads it waits for the whole run.
Labels and tokens are arguments: integers that are at most cast and reshaped. NumPy checks them before the run: a wrong
    index raises an error before anything is written, and the call need not wait for the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import inner_jaxpr, is_literal
from sporax._src.base.pieces import piece_here
from sporax._src.engine import index_checks

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, JaxprEqn, Var

_MOST = 20  # operations of a check; a longer check stays in the graph
Check = Callable[[Sequence[Any]], None]


class Reader(NamedTuple):
    """A function that computes a value of the graph from its arguments, and its number of operations."""

    read: Callable[[Sequence[Any]], Any]
    count: int


# The operations allowed between an argument and a checked index, as functions of the operation and its operands.
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


def prechecks(closed: ClosedJaxpr, output: int, arguments: int) -> list[Check] | None:
    """Return the checks of a graph's indices as functions of its arguments; None if one of them needs the run.

    Args:
        closed: The captured graph.
        output: The index of the result that records which index was out of range.
        arguments: The index of the first argument; the inputs before it are states.
    """
    jaxpr = closed.jaxpr
    producers = {out: eqn for eqn in jaxpr.eqns for out in eqn.outvars}
    numbered = enumerate(jaxpr.invars[arguments:])
    readers: dict[Any, Reader | None] = {v: _argument(i) for i, v in numbered if _is_whole(v)}
    checks: list[Check] = []
    state = jaxpr.outvars[output]
    while not is_literal(state) and state in producers:
        eqn = producers[state]
        name = str(eqn.params.get("name"))
        if not name.startswith(index_checks.LOOK):
            return None
        state, index = eqn.invars
        if (reader := _reader(index, producers, readers)) is None:
            return None
        checks.append(_check(index_checks.SITES[int(name.removeprefix(index_checks.LOOK))], reader))
    return checks[::-1] or None


def _argument(i: int) -> Reader:
    """Return the reader of an argument; with several processes each checks its own shard."""
    return Reader(
        lambda arrays: np.asarray(piece_here(arrays[i]) if isinstance(arrays[i], jax.Array) else arrays[i]), 0
    )


def _check(site: index_checks.Site, reader: Reader) -> Check:
    return lambda arrays: index_checks.check_at(site, reader.read(arrays))


def _reader(atom: Any, producers: dict[Any, Any], readers: dict[Any, Reader | None]) -> Reader | None:
    """Return the reader of a value of a graph, or None if it needs too many operations or one that is not in the table.

    Args:
        atom: The value.
        producers: The operation that computes each value of the graph.
        readers: The readers known so far, with those of the arguments.
    """
    if is_literal(atom):
        return Reader(lambda arrays: np.asarray(atom.val), 0)
    if atom not in readers:
        known = atom in producers and _is_whole(atom)
        readers[atom] = _reader_of_result(producers[atom], atom, producers, readers) if known else None
    return readers[atom]


def _is_whole(variable: Any) -> bool:
    return jnp.issubdtype(variable.aval.dtype, jnp.integer) or variable.aval.dtype == jnp.bool_


def _reader_of_result(
    eqn: JaxprEqn, atom: Var, producers: dict[Any, Any], readers: dict[Any, Reader | None]
) -> Reader | None:
    run, inner = _BETWEEN.get(eqn.primitive.name), inner_jaxpr(eqn)
    if run is None and inner is None:
        return None
    operands = [_reader(a, producers, readers) for a in eqn.invars]
    if inner is not None:
        within = {out: e for e in inner.jaxpr.eqns for out in e.outvars}
        return _reader(
            inner.jaxpr.outvars[eqn.outvars.index(atom)], within, dict(zip(inner.jaxpr.invars, operands, strict=True))
        )
    known = [r for r in operands if r is not None]
    count = 1 + sum(r.count for r in known)
    if run is None or len(known) < len(operands) or count > _MOST:
        return None
    return Reader(lambda arrays: run(eqn, *[r.read(arrays) for r in known]), count)
