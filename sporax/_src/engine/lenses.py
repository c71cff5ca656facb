"""Views derived from an operator's graph: how a write goes back to the source, and the strides of the result.

The graph of an operator whose result is a view of its first operand (`x[i]`, `reshape`, `transpose`, ...) consists of few
operations of JAX. For each of them this module defines the inverse, given the old operand, and the equivalent view in
NumPy. An operator therefore only declares that it returns views (`@op(view=True)`), or passes a `Lens` if its graph is
not enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal
from sporax._src.base.typing import Array
from sporax._src.core.derivative import written


class Lens(NamedTuple):
    """The views of an operator whose graph does not show them; both functions get the row's attributes by name.

    Attributes:
        put: Returns the first operand, with a new value for the elements in the view.
        strided: Returns the view of an array of NumPy; None if the elements are copied.
    """

    put: Callable[..., Array]
    strided: Callable[..., np.ndarray | None]


class Move(NamedTuple):
    """One operation between the first operand and a result that consists of elements of it.

    Attributes:
        name: The operation.
        params: Its parameters.
        index: The index of the result.
        old: Its first operand; None if only the operations are needed.
        rest: Its other operands.
    """

    name: str
    params: dict[str, Any]
    index: int
    old: Any
    rest: Any


class _Moved(NamedTuple):
    """An array of elements of the first operand, and the operations that moved them."""

    value: Array
    moves: tuple[Move, ...]


def put(fn: Callable[..., Any], index: int, value: Array, *operands: object) -> Array:
    """Return the first operand, with `value` for the elements in result number `index` of `fn(*operands)`."""
    for move in reversed(_moves(fn, index, operands) or ()):
        value = _PUT[move.name](value, move)
    return value


def put_at(target: Array, indices: Array, value: Array) -> Array:
    """Return an array with a value at flat (row-major) indices."""
    return target.reshape(-1).at[indices.reshape(-1)].set(value.reshape(-1)).reshape(target.shape)


def operations(fn: Callable[..., Any], index: int, operands: Sequence[Any]) -> list[Move] | None:
    """Return the operations that lead to result number `index` of a function, without arrays; None if it has other elements."""
    result: list[Move] | None = None

    def look(*arrays: Array) -> None:
        nonlocal result
        moves = _moves(fn, index, arrays)
        result = None if moves is None else [move._replace(old=None, rest=None) for move in moves]

    jax.eval_shape(look, *operands)
    return result


def strided(moves: Sequence[Move] | None, memory: np.ndarray) -> np.ndarray | None:
    """Return the strided view after some operations; None if they need a copy."""
    for move in moves or ():
        try:
            memory = _STRIDED[move.name](memory, move)
        except _NeedsCopy:
            return None
    return None if moves is None else memory


def _moves(fn: Callable[..., Any], index: int, operands: Sequence[Any]) -> tuple[Move, ...] | None:
    closed = jax.make_jaxpr(fn)(*operands)
    first, *rest = operands
    out = _followed(closed, [_Moved(first, ()), *rest])[index]
    return out.moves if isinstance(out, _Moved) else None


def _followed(closed: Any, values: Sequence[Any]) -> list[Any]:
    """Run a graph on arrays and track the elements of some of them."""
    graph = closed.jaxpr
    known = dict(zip(graph.constvars, closed.consts, strict=True)) | dict(zip(graph.invars, values, strict=True))
    for eqn in graph.eqns:
        inputs = [atom.val if is_literal(atom) else known[atom] for atom in eqn.invars]
        inner = inner_jaxpr(eqn)
        if inner is not None:
            outs = _followed(inner, inputs)
        elif any(isinstance(v, _Moved) for v in inputs):
            outs = _moved(eqn, inputs)
        else:
            outs = evaluate(eqn, inputs)
        known |= dict(zip(eqn.outvars, outs, strict=True))
    return [atom.val if is_literal(atom) else known[atom] for atom in graph.outvars]


def _moved(eqn: Any, inputs: Sequence[Any]) -> list[_Moved]:
    moved, *rest = inputs
    outs = evaluate(eqn, [moved.value, *rest])
    name = eqn.primitive.name
    return [_Moved(o, (*moved.moves, Move(name, eqn.params, i, moved.value, rest))) for i, o in enumerate(outs)]


# --- what undoes an operation: `value` stands where the operation has put elements of `move.old` ------------------------


def _as_before(value: Array, move: Move) -> Array:
    return value.reshape(move.old.shape)


def _put_slice(value: Array, move: Move) -> Array:
    return move.old.at[_slices(move.params)].set(value)


def _put_split(value: Array, move: Move) -> Array:
    start, _ = _cut(move)
    return jax.lax.dynamic_update_slice_in_dim(move.old, value, start, move.params["axis"])


def _put_slot(value: Array, move: Move) -> Array:
    return move.old.at[_slot(move)].set(value)


_PUT: dict[str, Callable[[Array, Move], Array]] = {
    "reshape": _as_before,
    "squeeze": _as_before,
    "broadcast_in_dim": _as_before,  # axes of size 1; a view with repeated elements cannot be written
    "stop_gradient": lambda value, move: written(value, move.old),
    "transpose": lambda value, move: jnp.transpose(value, [int(d) for d in np.argsort(move.params["permutation"])]),
    "rev": lambda value, move: jax.lax.rev(value, move.params["dimensions"]),
    "slice": _put_slice,
    "split": _put_split,
    "unstack": _put_slot,
    "dynamic_slice": lambda value, move: jax.lax.dynamic_update_slice(move.old, value, move.rest),
    "conj": lambda value, _: jnp.conj(value),
    "real": lambda value, move: jax.lax.complex(value, jnp.imag(move.old)),
    "imag": lambda value, move: jax.lax.complex(jnp.real(move.old), value),
}


# --- how elements lie after an operation ----------------------------------------------------------------------------------


class _NeedsCopy(Exception):
    """Strides cannot express the order of the elements; a copy is needed."""


def _reshaped(memory: np.ndarray, move: Move) -> np.ndarray:
    memory = memory.view()
    try:
        memory.shape = move.params["new_sizes"]
    except AttributeError:
        raise _NeedsCopy from None
    return memory


def _broadcast(memory: np.ndarray, move: Move) -> np.ndarray:
    shape, axes = move.params["shape"], move.params["broadcast_dimensions"]
    lain = memory.reshape([memory.shape[axes.index(d)] if d in axes else 1 for d in range(len(shape))])
    return np.broadcast_to(lain, shape)


def _blocked(memory: np.ndarray, move: Move) -> np.ndarray:
    return memory[tuple([slice(0, size) for size in move.params["slice_sizes"]])]


def _split(memory: np.ndarray, move: Move) -> np.ndarray:
    start, stop = _cut(move)
    return memory[(slice(None),) * move.params["axis"] + (slice(start, stop),)]


_STRIDED: dict[str, Callable[[np.ndarray, Move], np.ndarray]] = {
    "reshape": _reshaped,
    "squeeze": lambda memory, move: np.squeeze(memory, move.params["dimensions"]),
    "broadcast_in_dim": _broadcast,
    "stop_gradient": lambda memory, _: memory,
    "transpose": lambda memory, move: np.transpose(memory, move.params["permutation"]),
    "rev": lambda memory, move: np.flip(memory, move.params["dimensions"]),
    "slice": lambda memory, move: memory[_slices(move.params)],
    "split": _split,
    "unstack": lambda memory, move: memory[_slot(move)],
    "dynamic_slice": _blocked,
    "conj": lambda memory, _: memory,
    "real": lambda memory, _: memory.getfield(np.int8),
    "imag": lambda memory, _: memory.getfield(np.int8, 1),
}


def _slices(params: dict[str, Any]) -> tuple[slice, ...]:
    starts, stops = params["start_indices"], params["limit_indices"]
    return tuple(map(slice, starts, stops, params["strides"] or [1] * len(starts)))


def _cut(move: Move) -> tuple[int, int]:
    """Return the start and end of a piece of a split."""
    sizes = move.params["sizes"]
    start = int(sum(sizes[: move.index]))
    return start, start + int(sizes[move.index])


def _slot(move: Move) -> tuple[Any, ...]:
    return (slice(None),) * move.params["axis"] + (move.index,)
