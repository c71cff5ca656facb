"""Barriers in long chains of elementwise operations, so that XLA compiles them in pieces.

On the CPU XLA fuses consecutive elementwise operations into one kernel, and each kernel computes values again that several
kernels need. For a recurrence c = f·c + i·g that a program writes out step by step, each kernel of the gradient computes all
earlier steps: compile time and run time grow with the square of their number. If a value depends on too many others through
such operations, an optimization barrier makes XLA compute it once.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
from jax import lax

from sporax._src.base import config
from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal
from sporax._src.engine.saved_tensors import COMPUTED_AGAIN
from sporax._src.processes.world import axes

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var

_MOST = 32  # the number of values that one kernel may read


def cut_chains(closed: ClosedJaxpr) -> ClosedJaxpr:
    """Return a captured graph with barriers in its long chains; itself if it has none.

    Args:
        closed: The captured graph.
    """
    cuts = _cuts(closed.jaxpr) if config.on_cpu() else set()
    if not cuts:
        return closed
    return jax.make_jaxpr(functools.partial(_run, closed, cuts), axis_env=axes())(*closed.in_avals)


def _cuts(jaxpr: Jaxpr) -> set[Var]:
    """Return the values that need a barrier."""
    cuts: set[Any] = set()
    read: dict[Any, frozenset[Any]] = {}  # for each elementwise result, the values it depends on
    for eqn in jaxpr.eqns:
        if not _is_elementwise(eqn):
            continue
        operands = [v for v in eqn.invars if not is_literal(v)]
        sources = frozenset[Any]().union(*[read.get(v, (v,)) for v in operands])
        if len(sources) > _MOST:
            late = {v for v in operands if v in read}
            cuts |= late
            for v in late:
                del read[v]
            sources = frozenset(operands)
        read.update(dict.fromkeys(eqn.outvars, sources))
    return cuts


def _is_elementwise(eqn: JaxprEqn) -> bool:
    inner = inner_jaxpr(eqn)
    return eqn.primitive.name in COMPUTED_AGAIN if inner is None else all(map(_is_elementwise, inner.jaxpr.eqns))


def _run(closed: ClosedJaxpr, cuts: set[Var], *arrays: object) -> list[Any]:
    env: dict[Any, Any] = dict(zip(closed.jaxpr.constvars, closed.consts, strict=True))
    env.update(zip(closed.jaxpr.invars, arrays, strict=True))

    def read(atom: object) -> Any:
        return atom.val if is_literal(atom) else env[atom]

    for eqn in closed.jaxpr.eqns:
        results = evaluate(eqn, [read(a) for a in eqn.invars])
        for var, value in zip(eqn.outvars, results, strict=True):
            env[var] = lax.optimization_barrier(value) if var in cuts else value
    return [read(a) for a in closed.jaxpr.outvars]
