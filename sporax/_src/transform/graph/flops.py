"""The number of floating-point operations of a captured graph, by the path of their Cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Any

import jax.numpy as jnp

from sporax._src.transform.graph.provenance import Source, source_of
from sporax._src.transform.graph.text import graphs_in, is_helper

# Operations that cost one flop per element of the result. Moves, comparisons and conversions are free.
_ELEMENTWISE = frozenset(
    "add sub mul div rem neg abs sign max min pow integer_pow square exp exp2 expm1 log log1p tanh logistic sin cos tan asin acos "
    "atan atan2 sinh cosh asinh acosh atanh sqrt rsqrt cbrt erf erfc erf_inv lgamma digamma floor ceil round clamp add_any".split()
)
_REDUCING = ("reduce_", "cum", "argm", "scatter")


def flops_of(eqn: object) -> int:
    """Return the flops of one operation of a graph: two for each multiply-add, one for each other number."""
    return product_flops(eqn) or _others(eqn)


def product_flops(eqn: Any) -> int:
    """Return the flops of a matrix product or a convolution; 0 for other operations."""
    name = eqn.primitive.name
    if name == "dot_general":
        (contracted, _), _ = eqn.params["dimension_numbers"]
        return 2 * eqn.outvars[0].aval.size * prod(eqn.invars[0].aval.shape[d] for d in contracted)
    if name == "conv_general_dilated":
        kernel = eqn.invars[1].aval
        features = kernel.shape[eqn.params["dimension_numbers"].rhs_spec[0]]
        return 2 * eqn.outvars[0].aval.size * kernel.size // max(features, 1)
    return 0


def _others(eqn: Any) -> int:
    if not eqn.outvars:
        return 0
    name, out = eqn.primitive.name, eqn.outvars[0].aval
    if not jnp.issubdtype(getattr(out, "dtype", bool), jnp.inexact):
        return 0
    if name in _ELEMENTWISE:
        return out.size
    if name.startswith("reduce_window"):
        return out.size * prod(eqn.params.get("window_dimensions", ()))
    return eqn.invars[-1 if name.startswith("scatter") else 0].aval.size if name.startswith(_REDUCING) else 0


def count(jaxpr: object, of: Callable[[Any], int] = flops_of) -> Counter[str]:
    """Return the flops of a graph by the path of their Cell (see `Source`).

    A scan counts all its iterations, a branch its costliest path, a loop of unknown length one iteration.

    Args:
        jaxpr: The graph.
        of: Returns the count of one operation.
    """
    return _count(jaxpr, of, Source(), False)


def _count(jaxpr: Any, of: Callable[[Any], int], outer: Source, known_line: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for eqn in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        source = source_of(eqn, outer, known_line)
        inner = [_count(graph, of, source, known_line or is_helper(eqn)) for _, graph in graphs_in(eqn)]
        if not inner:
            counts[source.cells] += of(eqn)
        elif eqn.primitive.name == "cond":
            counts += max(inner, key=Counter.total)
        else:
            rounds = eqn.params.get("length", 1) if eqn.primitive.name == "scan" else 1
            for part in inner:
                counts.update({path: rounds * number for path, number in part.items()})
    return counts


def products(jaxpr: object) -> int:
    """Return the flops of the matrix products and convolutions of a graph."""
    return count(jaxpr, product_flops).total()
