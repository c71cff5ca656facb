"""Long chains of elementwise operations, cut into pieces that XLA compiles one by one.

On the CPU XLA makes one kernel of elementwise operations that follow each other, and computes again in each kernel what several
of them need. Of a recurrence c = f·c + i·g that a program writes out step by step, each kernel of the gradient computes all
steps before it: compilation and run grow with the square of their number. Where a value follows from too many others through
such operations, an optimization barrier has it computed once.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
from jax import lax

from sporax._src.base import config
from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal
from sporax._src.engine.dispatch import COMPUTED_AGAIN
from sporax._src.processes.world import axes

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var

_MOST = 32  # values that one kernel may read


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
    """Return the values that are to be computed once."""
    cuts: set[Any] = set()
    read: dict[Any, frozenset[Any]] = {}  # by a value that follows elementwise from others: those
    for eqn in jaxpr.eqns:
        if not _is_elementwise(eqn):
            continue
        operands = [v for v in eqn.invars if not is_literal(v)]
        found = frozenset[Any]().union(*[read.get(v, (v,)) for v in operands])
        if len(found) > _MOST:
            late = {v for v in operands if v in read}
            cuts |= late
            for v in late:
                del read[v]
            found = frozenset(operands)
        read.update(dict.fromkeys(eqn.outvars, found))
    return cuts


def _is_elementwise(eqn: JaxprEqn) -> bool:
    inner = inner_jaxpr(eqn)
    return eqn.primitive.name in COMPUTED_AGAIN if inner is None else all(map(_is_elementwise, inner.jaxpr.eqns))


def _run(closed: ClosedJaxpr, cuts: set[Var], *arrays: Any) -> list[Any]:
    env: dict[Any, Any] = dict(zip(closed.jaxpr.constvars, closed.consts, strict=True))
    env.update(zip(closed.jaxpr.invars, arrays, strict=True))

    def read(atom: Any) -> Any:
        return atom.val if is_literal(atom) else env[atom]

    for eqn in closed.jaxpr.eqns:
        results = evaluate(eqn, [read(a) for a in eqn.invars])
        for var, value in zip(eqn.outvars, results, strict=True):
            env[var] = lax.optimization_barrier(value) if var in cuts else value
    return [read(a) for a in closed.jaxpr.outvars]
