"""Attention in a captured graph, as programs write it: softmax(scale · q · kᵀ + bias, masked) · v becomes one kernel.

The graph is run once more, operation by operation. The product of queries and keys, and what leads from it to the weights, is
not computed but described (`attention_rules`). If a product with values follows, attention is computed in one kernel, or by blocks
of queries. If anything else reads such a value, its operations run as they are.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal, is_tracer, without_dead_operations
from sporax._src.base.typing import OptArray
from sporax._src.engine.numpy_programs import NotInNumPy, step_of
from sporax._src.lowering.fused_attention import fused_attention, is_available, log
from sporax._src.processes.world import axes
from sporax._src.transform.graph.attention_rules import (
    HIDDEN,
    READS,
    RULES,
    Described,
    Scores,
    array_of,
    is_a,
    ordered,
    pointwise,
    side,
)

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr

_OF_MASKS = frozenset(
    "iota broadcast_in_dim reshape squeeze slice transpose convert_element_type select_n and or not ge gt le lt eq ne add sub "
    "mul".split()
)


def with_attention(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of pytrees of arrays with its attention in one kernel each; itself if the device has no such kernels."""

    def run(*args: Any) -> Any:
        closed, shapes = jax.make_jaxpr(fn, return_shape=True)(*args)
        outs = _Reading().run(without_dead_operations(closed), jax.tree.leaves(args))
        return jax.tree.unflatten(jax.tree.structure(shapes), map(array_of, outs))

    return run if is_available() else fn


def fuse_attention(closed: ClosedJaxpr) -> ClosedJaxpr:
    """Return a captured graph with its attention in one kernel each; itself if it has none, or the device no such kernels."""
    if not is_available():
        return closed
    reading, live = _Reading(), without_dead_operations(closed)
    fused = jax.make_jaxpr(lambda *arrays: list(map(array_of, reading.run(live, arrays))), axis_env=axes())(
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

    def run(self, closed: ClosedJaxpr, values: Sequence[Any]) -> list[Any]:
        """Return the results of a graph for values, which may be `Described`."""
        jaxpr = closed.jaxpr
        env: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
        env.update(zip(jaxpr.invars, values, strict=True))
        reads = collections.Counter(v for eqn in jaxpr.eqns for v in eqn.invars if not is_literal(v))
        reads.update(v for v in jaxpr.outvars if not is_literal(v))
        for eqn in jaxpr.eqns:
            operands = [a.val if is_literal(a) else env[a] for a in eqn.invars]
            has_derivative = eqn.primitive.name.startswith("custom_")  # of its own: it is kept
            inner = None if has_derivative else inner_jaxpr(eqn)
            if inner is not None:
                results = self.run(inner, operands)
            else:
                results = _known(eqn, operands) or self._apply(eqn, operands, sum(reads[v] for v in eqn.outvars))
            env.update(zip(eqn.outvars, results, strict=True))
        return [a.val if is_literal(a) else env[a] for a in jaxpr.outvars]

    def _apply(self, eqn: Any, operands: Sequence[Any], reads: int) -> list[Any]:
        shape = tuple(getattr(eqn.outvars[0].aval, "shape", ()))
        if eqn.primitive.name == "dot_general" and any(is_a(o, "weights") for o in operands):
            out = _attention(eqn, operands)
            if out is not None:
                self.kernels += 1
                return [out]
        rule = RULES.get(eqn.primitive.name)
        found = (None if rule is None else rule(eqn, operands)) or pointwise(eqn, operands)
        compute = lambda: evaluate(eqn, list(map(array_of, operands)))
        if found is None:
            return compute()
        kind, of, source = found
        return [Described(shape, kind, of, lambda: compute()[0], reads, source)]


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


# --- the kernel -----------------------------------------------------------------------------------------------------------


def _attention(eqn: Any, operands: Sequence[Any]) -> Any:
    """Return the product of weights and values, computed by the kernel; None if there is none for it."""
    at = 0 if is_a(operands[0], "weights") else 1
    weights, values, own, other = operands[at], operands[1 - at], side(eqn, at), side(eqn, 1 - at)
    scores: Scores = weights.of
    rank = len(scores.batch)
    if isinstance(values, Described) or own != tuple(range(rank + 2)) or other is None or rank > 2:
        return None
    read_elsewhere = next((kind for kind, reads in _chain(weights) if reads > READS[kind]), None)
    if read_elsewhere is not None:
        log.info("attention of batch %s is not fused: its %s are also read elsewhere", scores.batch, read_elsewhere)
        return None
    v = jnp.swapaxes(jnp.transpose(values, other), -1, -2)
    q, k, v = (x if rank == 2 else x[:, None] for x in (ordered(scores.q), ordered(scores.k), v))
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
        if value.kind in READS:
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
        ((square == 0) == counts).all() and (square[~counts] < HIDDEN).all()
        if mask is None
        else (square == counts).all()
    )
