"""Attention in a captured graph, as programs write it: softmax(scale · q · kᵀ + bias, masked) · v becomes one kernel.

The graph is run once more, operation by operation. The product of queries and keys, and what leads from it to the weights, is
not computed but described: see `Described`. If a product with values follows, attention is computed in one kernel, or by blocks
of queries. If anything else reads such a value, its operations run as they are.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal, is_tracer, without_dead_operations
from sporax._src.base.typing import Array, OptArray
from sporax._src.engine.numpy_programs import NotInNumPy, step_of
from sporax._src.lowering.fused_attention import (
    HALF,
    Tail,
    are_large,
    are_numbered,
    bits_of_rows,
    fused_attention,
    is_available,
    log,
)
from sporax._src.processes.world import axes

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, JaxprEqn

_HIDDEN = -9000.0  # numbers below it hide a score: programs add -1e4, -1e9 or the lowest number
_OF_MASKS = frozenset(
    "iota broadcast_in_dim reshape squeeze slice transpose convert_element_type select_n and or not ge gt le lt eq ne add sub "
    "mul".split()
)


@dataclass(frozen=True)
class Scores:
    """scale · q · kᵀ + bias where the mask is True, over (batch axes, queries, keys).

    Attributes:
        q, k: The arrays, and how their axes are ordered as (batch axes, length, features).
        batch: The sizes of the batch axes.
        precision: Of the products.
        scale: The factor of the products.
        bias: What is added to the products; its axes have size 1 or that of the scores.
        mask: Which scores count, likewise.
        tail: What follows the softmax, as dropout does, for the weights of a block of queries.
    """

    q: tuple[Any, tuple[int, ...]]
    k: tuple[Any, tuple[int, ...]]
    batch: tuple[int, ...]
    precision: lax.PrecisionLike
    scale: float = 1.0
    bias: Any = None
    mask: Any = None
    tail: Tail | None = None

    @property
    def are_large(self) -> bool:
        """Whether they are computed by blocks."""
        return are_large((*self.batch, self.q[0].shape[self.q[1][-2]], self.k[0].shape[self.k[1][-2]]))


class Described:
    """A value of the graph that is computed only if an operation other than those of attention needs it.

    Args:
        shape: Its shape.
        kind: "scores", "peak" (their largest, for each query), "shifted" (scores less the peak), "exp" (of that), "total" (the
            sums of that), "weights"; or "spread" (an array that is broadcast), "number", "drawn" (computed from random bits).
        of: The scores; of "spread" the array before, with axes of size 1, of "number" the number, and of "drawn" the function that
            draws a block.
        compute: Computes the value.
        reads: How many operations read the value.
        source: The value that this one was made of.
    """

    __slots__ = ("_array", "compute", "kind", "of", "reads", "shape", "source")

    def __init__(
        self,
        shape: tuple[int, ...],
        kind: str,
        of: Any,
        compute: Callable[[], Any],
        reads: int,
        source: Described | None,
    ) -> None:
        self.shape, self.kind, self.of, self.compute, self.reads, self.source = shape, kind, of, compute, reads, source
        self._array: Any = None

    @property
    def array(self) -> Any:
        """The value."""
        if self._array is None:
            self._array = self.compute()
        return self._array


def _array(value: object) -> Any:
    """Return a value, computed if it is described."""
    return value.array if isinstance(value, Described) else value


def _ordered(operand: tuple[Any, tuple[int, ...]]) -> Any:
    """Return an array with its axes ordered as (batch axes, length, features)."""
    array, order = operand
    return jnp.transpose(array, order)


def with_attention(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of pytrees of arrays with its attention in one kernel each; itself if the device has no such kernels."""

    def run(*args: Any) -> Any:
        closed, shapes = jax.make_jaxpr(fn, return_shape=True)(*args)
        outs = _Reading().run(without_dead_operations(closed), jax.tree.leaves(args))
        return jax.tree.unflatten(jax.tree.structure(shapes), map(_array, outs))

    return run if is_available() else fn


def fuse_attention(closed: ClosedJaxpr) -> ClosedJaxpr:
    """Return a captured graph with its attention in one kernel each; itself if it has none, or the device no such kernels."""
    if not is_available():
        return closed
    reading, live = _Reading(), without_dead_operations(closed)
    fused = jax.make_jaxpr(lambda *arrays: list(map(_array, reading.run(live, arrays))), axis_env=axes())(
        *closed.in_avals
    )
    return fused if reading.kernels else closed


class _Reading:
    """One more run of a graph.

    Attributes:
        kernels: How many products became a kernel.
    """

    def __init__(self) -> None:
        self.kernels = 0

    def run(self, closed: ClosedJaxpr, values: Sequence[Any], outside: Sequence[int] | None = None) -> list[Any]:
        """Return the results of a graph for values, which may be `Described`.

        Args:
            closed: The graph.
            values: Its operands.
            outside: How many operations read each result. Default: one.
        """
        jaxpr = closed.jaxpr
        env: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
        env.update(zip(jaxpr.invars, values, strict=True))
        reads = _reads(jaxpr, outside or [1] * len(jaxpr.outvars))
        for eqn in jaxpr.eqns:
            operands = [a.val if is_literal(a) else env[a] for a in eqn.invars]
            if (inner := _inner(eqn)) is not None:
                results = self.run(inner, operands, [reads[v] for v in eqn.outvars])
            else:
                results = _known(eqn, operands) or self._apply(eqn, operands, sum(reads[v] for v in eqn.outvars))
            env.update(zip(eqn.outvars, results, strict=True))
        return [a.val if is_literal(a) else env[a] for a in jaxpr.outvars]

    def _apply(self, eqn: Any, operands: Sequence[Any], reads: int) -> list[Any]:
        shape = tuple(getattr(eqn.outvars[0].aval, "shape", ()))
        if eqn.primitive.name == "dot_general" and any(_is(o, "weights") for o in operands):
            out = _attention(eqn, operands)
            if out is not None:
                self.kernels += 1
                return [out]
        rule = _RULES.get(eqn.primitive.name)
        found = (None if rule is None else rule(eqn, operands)) or _pointwise(eqn, operands)
        compute = lambda: evaluate(eqn, list(map(_array, operands)))
        if found is None:
            return compute()
        kind, of, source = found
        return [Described(shape, kind, of, lambda: compute()[0], reads, source)]


def _inner(eqn: JaxprEqn) -> ClosedJaxpr | None:
    """Return the graph that an operation only wraps; one with a derivative of its own is kept."""
    return None if eqn.primitive.name.startswith("custom_") else inner_jaxpr(eqn)


def _reads(jaxpr: Any, outside: Sequence[int]) -> collections.Counter[Any]:
    """Return how many operations read each value of a graph, those within and behind wrapped graphs included."""
    reads: collections.Counter[Any] = collections.Counter()
    for var, count in zip(jaxpr.outvars, outside, strict=True):
        reads.update({} if is_literal(var) else {var: count})
    for eqn in reversed(jaxpr.eqns):
        inner = _inner(eqn)
        within = None if inner is None else _reads(inner.jaxpr, [reads[v] for v in eqn.outvars])
        for at, var in enumerate(eqn.invars):
            if not is_literal(var):
                reads[var] += 1 if within is None or inner is None else within[inner.jaxpr.invars[at]]
    return reads


def _known(eqn: Any, operands: Sequence[Any]) -> list[Any] | None:
    """Return the results of an operation that makes masks if they are known while the graph is built; else None."""
    if eqn.primitive.name not in _OF_MASKS or any(isinstance(o, Described) or is_tracer(o) for o in operands):
        return None
    if math.prod(eqn.outvars[0].aval.shape[:-2]) != 1:
        return None  # one mask that is broadcast over the batch
    if eqn.primitive.name == "convert_element_type":
        return [np.asarray(operands[0]).astype(eqn.params["new_dtype"])]
    try:
        return list(step_of(eqn)(*map(np.asarray, operands)))
    except NotInNumPy:
        return None


# --- the rules: what an operation makes of described values; None: it is not part of attention -------------------------

_Found = tuple[str, Any, Any] | None


def _is(value: object, *kinds: str) -> TypeGuard[Described]:
    """Return whether a value is described as one of some kinds."""
    return isinstance(value, Described) and value.kind in kinds


def _number(value: Any) -> float | None:
    """Return a value that is one number, known while the graph is built."""
    if _is(value, "number"):
        return value.of
    if isinstance(value, Described) or is_tracer(value) or np.size(value) != 1 or not _is_array(value):
        return None
    return float(np.asarray(value).reshape(()))


def _is_array(value: Any) -> bool:
    """Return whether a value holds numbers, and no keys of random draws."""
    return isinstance(np.result_type(value) if isinstance(value, (int, float, complex)) else value.dtype, np.dtype)


def _spread_out(value: Any, ndim: int) -> Any:
    """Return an array that broadcasts against scores, as it is before it is broadcast."""
    if _is(value, "spread"):
        return value.of
    return None if isinstance(value, Described) or np.ndim(value) != ndim else value


def _dot(eqn: Any, operands: Sequence[Any]) -> _Found:
    """Multiply queries and keys."""
    if any(isinstance(o, Described) for o in operands):
        return None
    q, k = _side(eqn, 0), _side(eqn, 1)
    if q is None or k is None:
        return None
    scores = Scores((operands[0], q), (operands[1], k), eqn.outvars[0].aval.shape[:-2], eqn.params["precision"])
    are_half = all(v.aval.dtype.name in HALF for v in eqn.invars)
    return ("scores", scores, None) if are_half or (scores.are_large and _are_floats(eqn)) else None


def _are_floats(eqn: Any) -> bool:
    return all(jnp.issubdtype(v.aval.dtype, jnp.floating) for v in eqn.invars)


def _side(eqn: Any, i: int) -> tuple[int, ...] | None:
    """Return the order of an operand's axes as (batch axes, the free one, the contracted one); None if there are others."""
    contracted, batch = (dims[i] for dims in eqn.params["dimension_numbers"])
    free = set(range(eqn.invars[i].aval.ndim)) - {*contracted, *batch}
    return (*batch, *free, *contracted) if len(free) == len(contracted) == 1 and batch else None


def _scaled(eqn: JaxprEqn, operands: Sequence[Any]) -> _Found:
    """Multiply or divide scores by a number."""
    divides = eqn.primitive.name == "div"
    if divides and _is(operands[0], "exp") and _is(operands[1], "total") and operands[0].of is operands[1].of:
        return "weights", operands[0].of, operands[0]
    one, other = operands if divides or _is(operands[0], "scores") else reversed(operands)
    factor = _number(other)
    if not _is(one, "scores") or factor is None or (divides and factor == 0) or one.of.mask is not None:
        return None
    factor = 1 / factor if divides else factor
    bias = None if one.of.bias is None else one.of.bias * factor
    return "scores", replace(one.of, scale=one.of.scale * factor, bias=bias), one


def _shifted(eqn: JaxprEqn, operands: Sequence[Any]) -> _Found:
    """Add to scores, or subtract from them; the largest of them is what softmax subtracts."""
    one, other = operands
    subtracts = eqn.primitive.name == "sub"
    if subtracts and _is(one, "scores") and _is(other, "peak") and one.of is other.of:
        return "shifted", one.of, one
    if not subtracts and _is(other, "scores"):
        one, other = other, one
    if not _is(one, "scores"):
        return None
    bias = _spread_out(other, len(one.of.batch) + 2)
    if bias is None:
        return None
    bias = -bias if subtracts else bias
    return "scores", replace(one.of, bias=bias if one.of.bias is None else one.of.bias + bias), one


def _selected(eqn: Any, operands: Sequence[Any]) -> _Found:
    """Hide scores where a condition says so."""
    if len(operands) > 3:
        return None
    which, if_false, if_true = operands
    counts = _spread_out(which, eqn.outvars[0].aval.ndim)
    scores, fill = (if_true, if_false) if _is(if_true, "scores") else (if_false, if_true)
    number = _number(fill)
    if counts is None or not _is(scores, "scores") or number is None or number > _HIDDEN:
        return None
    counts = counts if scores is if_true else ~counts
    return "scores", replace(scores.of, mask=counts if scores.of.mask is None else scores.of.mask & counts), scores


def _followed(*kinds: str) -> Callable[[JaxprEqn, Sequence[Any]], _Found]:
    """Return the rule of an operation that changes nothing that matters about values of some kinds."""

    def rule(eqn: JaxprEqn, operands: Sequence[Any]) -> _Found:
        described = [o for o in operands if _is(o, *kinds)]
        if (
            not described
            or _has_tail(described[0])
            or any(isinstance(o, Described) for o in operands if o is not described[0])
        ):
            return None
        return described[0].kind, described[0].of, described[0]

    return rule


def _has_tail(value: Described) -> bool:
    return value.kind == "weights" and value.of.tail is not None


def _reduced(kind: str, of: str) -> Callable[[JaxprEqn, Sequence[Any]], _Found]:
    """Return the rule of a reduction of each query's values."""

    def rule(eqn: Any, operands: Sequence[Any]) -> _Found:
        value, last = operands[0], eqn.invars[0].aval.ndim - 1
        return (kind, value.of, value) if _is(value, of) and tuple(eqn.params["axes"]) == (last,) else None

    return rule


def _largest(eqn: JaxprEqn, operands: Sequence[Any]) -> _Found:
    is_peak = any(_is(o, "peak") for o in operands) and any(_number(o) == -math.inf for o in operands)
    return _followed("peak")(eqn, operands) if is_peak else None


def _exponential(eqn: JaxprEqn, operands: Sequence[Any]) -> _Found:
    return ("exp", operands[0].of, operands[0]) if _is(operands[0], "shifted") else None


def _broadcast(eqn: JaxprEqn, operands: Sequence[Any]) -> _Found:
    value, shape = operands[0], eqn.params["shape"]
    if len(operands) > 1:
        return None
    if _is(value, "peak", "total"):
        return value.kind, value.of, value
    if (number := _number(value)) is not None:
        return "number", number, None
    if isinstance(value, Described):
        return None
    sizes = [1] * len(shape)
    for axis, d in enumerate(eqn.params["broadcast_dimensions"]):
        sizes[d] = value.shape[axis]
    return "spread", value.reshape(sizes), None


def _reshaped(eqn: Any, operands: Sequence[Any]) -> _Found:
    """Split or join the batch axes of scores or weights."""
    value, shape = operands[0], eqn.outvars[0].aval.shape
    if _is(value, "peak", "total"):
        return value.kind, value.of, value
    if not _is(value, "scores", "weights") or shape[-2:] != eqn.invars[0].aval.shape[-2:] or len(shape) < 3:
        return None
    scores = value.of
    if scores.bias is not None or scores.mask is not None or scores.tail is not None:
        return None
    q, k = (x.reshape(*shape[:-2], *x.shape[-2:]) for x in (_ordered(scores.q), _ordered(scores.k)))
    order = tuple(range(len(shape)))
    return value.kind, replace(scores, q=(q, order), k=(k, order), batch=tuple(shape[:-2])), value


# --- what follows the softmax of large scores: it is computed for each block of queries ----------------------------------

_POINTWISE = frozenset(
    "add and bitcast_convert_type convert_element_type div eq ge gt le lt max min mul ne neg not or select_n "
    "shift_right_logical sub xor".split()
)


def _bits(eqn: Any, operands: Sequence[Any]) -> _Found:
    """Draw the bits of a block, equal to those of the same queries in an array of all bits."""
    (key,), shape = operands, eqn.params["shape"]
    if not 3 <= len(shape) <= 4 or not are_large(shape) or not are_numbered(key):
        return None
    if math.prod(shape[-2:]) > 2**32:
        return None
    width = eqn.params["bit_width"]
    return "drawn", lambda weights, first: bits_of_rows(key, shape, first, weights.shape[-2:], width), None


def _pointwise(eqn: Any, operands: Sequence[Any]) -> _Found:
    """Compute element by element from large weights, bits and numbers."""
    blocks = {id(o): o for o in operands if _is(o, "weights", "drawn")}
    weights = [o for o in blocks.values() if o.kind == "weights"]
    numbers = [None if id(o) in blocks else _single(o) for o in operands]
    shape = eqn.outvars[0].aval.shape
    if (
        eqn.primitive.name not in _POINTWISE
        or not blocks
        or len(weights) > 1
        or any(number is None and id(o) not in blocks for o, number in zip(operands, numbers, strict=True))
        or any(one.shape != shape for one in blocks.values())
        or (weights and not weights[0].of.are_large)
    ):
        return None

    def tail(given: Array, first: Array) -> Array:
        size = *shape[:-2], *given.shape[-2:]
        values = []
        for operand, number, var in zip(operands, numbers, eqn.invars, strict=True):
            if number is not None:
                value = jnp.broadcast_to(number, size)
            elif operand.kind == "drawn":
                value = operand.of(given, first)
            else:
                value = given if operand.of.tail is None else operand.of.tail(given, first)
            values.append(value.reshape(size).astype(var.aval.dtype))
        return evaluate(eqn, values)[0]

    if weights:
        return "weights", replace(weights[0].of, tail=tail), weights[0]
    return "drawn", tail, None


def _single(value: Any) -> Any:
    """Return a value that is one element, as an array without axes."""
    if _is(value, "number"):
        return value.of
    value = value.of if _is(value, "spread") else value
    return (
        None if isinstance(value, Described) or np.size(value) != 1 or not _is_array(value) else jnp.reshape(value, ())
    )


_RULES: dict[str, Callable[[JaxprEqn, Sequence[Any]], _Found]] = {
    "dot_general": _dot,
    "mul": _scaled,
    "div": _scaled,
    "add": _shifted,
    "add_any": _shifted,
    "sub": _shifted,
    "select_n": _selected,
    "reduce_max": _reduced("peak", "scores"),
    "reduce_sum": _reduced("total", "exp"),
    "max": _largest,
    "exp": _exponential,
    "broadcast_in_dim": _broadcast,
    "reshape": _reshaped,
    "convert_element_type": _followed("scores", "peak", "shifted", "exp", "total", "weights", "number"),
    "stop_gradient": _followed("peak", "number"),
    "copy": _followed("scores", "weights"),
    "random_bits": _bits,
}
_READS = {"scores": 2, "shifted": 1, "exp": 2, "weights": 1}  # how often the operations of attention read them, at most


# --- the kernel -----------------------------------------------------------------------------------------------------------


def _attention(eqn: Any, operands: Sequence[Any]) -> Any:
    """Return the product of weights and values, computed by the kernel; None if there is none for it."""
    at = 0 if _is(operands[0], "weights") else 1
    weights, values, own, other = operands[at], operands[1 - at], _side(eqn, at), _side(eqn, 1 - at)
    scores: Scores = weights.of
    rank = len(scores.batch)
    if isinstance(values, Described) or own != tuple(range(rank + 2)) or other is None or rank > 2:
        return None
    read_elsewhere = next((kind for kind, reads in _chain(weights) if reads > _READS[kind]), None)
    if read_elsewhere is not None:
        log.info("attention of batch %s is not fused: its %s are also read elsewhere", scores.batch, read_elsewhere)
        return None
    v = jnp.swapaxes(jnp.transpose(values, other), -1, -2)
    q, k, v = (x if rank == 2 else x[:, None] for x in (_ordered(scores.q), _ordered(scores.k), v))
    bias, mask = (x if x is None or rank == 2 else x[:, None] for x in (scores.bias, scores.mask))
    is_causal = _is_causal(bias, mask)
    bias, mask = (None, None) if is_causal else (bias, mask)
    q, k, v = jnp.swapaxes(q, 1, 2), jnp.swapaxes(k, 1, 2), jnp.swapaxes(v, 1, 2)
    out = fused_attention(q, k, v, bias, mask, scores.scale, is_causal, scores.precision, scores.tail)
    if out is None:
        return None
    out = jnp.swapaxes(out, 1, 2) if rank == 2 else out[:, :, 0]
    result = eqn.outvars[0].aval
    return (out if at == 0 else jnp.swapaxes(out, -1, -2)).astype(result.dtype)


def _chain(value: Described | None) -> list[tuple[str, int]]:
    """Return the kinds of the values that one was made of, and how often they are read; a cast reads what it casts once."""
    chain: list[tuple[str, int]] = []
    while value is not None:
        if value.kind in _READS:
            chain.append((value.kind, value.reads))
        value = value.source
    return chain


def _is_causal(bias: OptArray, mask: OptArray) -> bool:
    """Return whether a bias or a mask is known to hide exactly the keys after each query, and does nothing else."""
    known = mask if bias is None else bias
    if known is None or is_tracer(known) or (bias is not None and mask is not None):
        return False
    *batch, queries, keys = known.shape
    if math.prod(batch) != 1 or queries != keys:
        return False
    square, counts = np.asarray(known).reshape(queries, keys), np.tri(queries, dtype=bool)
    return bool(
        ((square == 0) == counts).all() and (square[~counts] < _HIDDEN).all()
        if mask is None
        else (square == counts).all()
    )
