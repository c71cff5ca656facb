"""Channels last: a captured graph computed with its images stored as (N, spatial axes, C).

On the CPU, XLA's convolutions want the channels of a place next to each other. MindSpore's programs keep images as
(N, C, H, W), so each convolution would transpose what it takes and what it gives. This pass runs a graph with every
image stored channels last from its first convolution to the operation that needs the order of the program: convolutions
take and give images so, elementwise operations, reductions, windows, slices, joins and what splits or joins axes that stand
together follow the order of their operands, a transpose is only noted, and everything else gets its operands in the order of
the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base import config
from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal, jaxpr_as_fun, jaxprs_in
from sporax._src.base.typing import OptArray

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var

Order = tuple[int, ...]  # which axis of the program each stored axis is

_ELEMENTWISE = frozenset(
    "abs acos acosh add add_any and asin asinh atan atan2 atanh cbrt ceil clamp convert_element_type copy copy_p cos cosh "
    "digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt integer_pow is_finite le lgamma log log1p logistic lt max "
    "min mul ne neg nextafter not optimization_barrier or pow reduce_precision rem round rsqrt select_n sign sin sinh sqrt "
    "square stop_gradient sub tan tanh xor".split()
)
_REDUCTIONS = frozenset("reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or".split())
_WINDOWS = frozenset(
    "reduce_window reduce_window_max reduce_window_min reduce_window_sum select_and_scatter_add select_and_gather_add "
    "pad slice".split()
)
# Parameters of these with one entry for each axis.
_BY_AXIS = (
    "window_dimensions window_strides padding base_dilation window_dilation padding_config start_indices limit_indices "
    "strides"
).split()


class Stored:
    """A value of the graph: an array whose axis i is the program's axis `order[i]`.

    Args:
        array: The array as it is stored.
        order: The order of its axes (None: the program's).
        make: Instead of an array, what makes it in an order that is asked for (a broadcast value).
    """

    __slots__ = ("_found", "_make", "order")

    def __init__(
        self, array: OptArray, order: Order | None = None, make: Callable[[Order | None], Any] | None = None
    ) -> None:
        self.order = _known(order)
        self._make = make
        self._found: dict[Order | None, Any] = {} if make is not None else {self.order: array}

    def stored(self, order: Order | None) -> Any:
        """Return the array with its axes in an order."""
        if order not in self._found:
            if self._make is not None:
                self._found[order] = self._make(order)
            elif order is None:
                assert self.order is not None
                self._found[order] = jnp.transpose(self._found[self.order], _inverse(self.order))
            else:
                self._found[order] = jnp.transpose(self.stored(None), order)
        return self._found[order]


def has_images(jaxpr: Jaxpr) -> bool:
    """Tell whether a graph, or a graph in it, has a convolution."""
    return any(
        e.primitive.name == "conv_general_dilated" or any(has_images(getattr(g, "jaxpr", g)) for _, g in jaxprs_in(e))
        for e in jaxpr.eqns
    )


def channels_last(closed: ClosedJaxpr) -> Callable[..., list[Any]]:
    """Return the function of a captured graph, with images stored channels last where that is faster.

    The function is for running: operations with a derivative of their own are replaced by what they compute.

    Args:
        closed: The captured graph.
    """
    if not config.on_cpu() or not has_images(closed.jaxpr):
        return jaxpr_as_fun(closed)
    return lambda *arrays: [v.stored(None) for v in _run(closed, [Stored(a) for a in arrays])]


def _run(closed: ClosedJaxpr, values: Sequence[Stored]) -> list[Stored]:
    env: dict[Any, Stored] = dict(zip(closed.jaxpr.constvars, map(Stored, closed.consts), strict=True))
    env.update(zip(closed.jaxpr.invars, values, strict=True))

    def read(atom: Var | Literal) -> Stored:
        return Stored(atom.val) if is_literal(atom) else env[atom]

    for eqn in closed.jaxpr.eqns:
        given = [read(a) for a in eqn.invars]
        inner = inner_jaxpr(eqn)
        results = _run(inner, given) if inner is not None else _apply(eqn, given)
        env.update(zip(eqn.outvars, results, strict=True))
    return [read(a) for a in closed.jaxpr.outvars]


def _apply(eqn: JaxprEqn, given: Sequence[Stored]) -> list[Stored]:
    name, results = eqn.primitive.name, None
    if name in _SETTERS:
        results = _SETTERS[name](eqn, given)
    elif name in _FOLLOWERS:
        order = next((g.order for g in given if g.order is not None), None)
        results = None if order is None else _FOLLOWERS[name](eqn, given, order)
    return results if results is not None else _bind(eqn, [g.stored(None) for g in given], None)


def _known(order: Order | None) -> Order | None:
    return None if order is None or order == tuple(range(len(order))) else order


def _inverse(order: Order) -> Order:
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _permuted(values: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[i] for i in order)


def _in_order(eqn: Any, given: Sequence[Stored], order: Order) -> list[Any]:
    return [g.stored(order if a.aval.ndim else None) for a, g in zip(eqn.invars, given, strict=True)]


def _bind(eqn: JaxprEqn, arrays: list[Any], order: Order | None, **changed: Any) -> list[Stored]:
    return [Stored(v, order) for v in evaluate(eqn, arrays, **changed)]


# --- operations that set the order of their results; None: the program's ------------------------------------------------


def _conv(eqn: Any, given: Sequence[Stored]) -> list[Stored]:
    x, w = given
    lhs, rhs, out = (tuple(s) for s in eqn.params["dimension_numbers"])
    window, result = (_permuted(v.aval.shape, s[2:]) for v, s in ((eqn.invars[1], rhs), (eqn.outvars[0], out)))
    is_image = all(a <= b for a, b in zip(window, result, strict=True)) or max(window) == 1
    last = (lhs[0], *lhs[2:], lhs[1])
    at = x.order or (last if is_image else tuple(range(len(lhs))))
    of = w.order or tuple(range(len(rhs)))
    to = (out[0], *out[2:], out[1]) if is_image else tuple(range(len(out)))
    numbers = lax.ConvDimensionNumbers(*(tuple(o.index(d) for d in s) for o, s in ((at, lhs), (of, rhs), (to, out))))
    return _bind(eqn, [x.stored(_known(at)), w.stored(w.order)], to, dimension_numbers=numbers)


def _broadcast(eqn: JaxprEqn, given: Sequence[Stored]) -> list[Stored] | None:
    operand, shape, dims = given[0], eqn.params["shape"], eqn.params["broadcast_dimensions"]
    if len(given) > 1 or len(shape) < 3:
        return None
    if operand.order is not None:
        order = [dims[a] for a in operand.order]
        for d in range(len(shape)):
            if d not in dims:  # beside the axis before it, with which it may be joined
                order.insert(order.index(d - 1) + 1 if d else 0, d)
        at = [order.index(dims[a]) for a in operand.order]
        return [Stored(lax.broadcast_in_dim(operand.stored(operand.order), _permuted(shape, order), at), tuple(order))]

    def make(order: Order | None) -> Any:
        at = [d if order is None else order.index(d) for d in dims]
        turned = (
            jnp.transpose(operand.stored(None), sorted(range(len(at)), key=at.__getitem__))
            if at
            else operand.stored(None)
        )
        return lax.broadcast_in_dim(turned, shape if order is None else _permuted(shape, order), sorted(at))

    return [Stored(None, None, make)]


# --- operations that follow the order of an operand ---------------------------------------------------------------------


def _elementwise(eqn: JaxprEqn, given: Sequence[Stored], order: Order) -> list[Stored]:
    return _bind(eqn, _in_order(eqn, given, order), order)


def _reduce(eqn: JaxprEqn, given: Sequence[Stored], order: Order) -> list[Stored]:
    axes = eqn.params["axes"]
    left = [d for d in order if d not in axes]
    ranks = {d: i for i, d in enumerate(sorted(left))}
    changed = {"axes": tuple(sorted(order.index(a) for a in axes))}
    return _bind(eqn, [g.stored(order) for g in given], tuple(ranks[d] for d in left), **changed)


def _windows(eqn: JaxprEqn, given: Sequence[Stored], order: Order) -> list[Stored]:
    changed = {n: _permuted(v, order) for n in _BY_AXIS if (v := eqn.params.get(n)) is not None}
    return _bind(eqn, _in_order(eqn, given, order), order, **changed)


def _flip(eqn: JaxprEqn, given: Sequence[Stored], order: Order) -> list[Stored]:
    return _bind(eqn, [given[0].stored(order)], order, dimensions=tuple(map(order.index, eqn.params["dimensions"])))


def _concatenate(eqn: JaxprEqn, given: Sequence[Stored], order: Order) -> list[Stored]:
    return _bind(eqn, [g.stored(order) for g in given], order, dimension=order.index(eqn.params["dimension"]))


def _transpose(eqn: JaxprEqn, given: Sequence[Stored], order: Order) -> list[Stored]:
    return [Stored(given[0].stored(order), tuple(map(eqn.params["permutation"].index, order)))]


def _reshape(eqn: Any, given: Sequence[Stored], order: Order) -> list[Stored] | None:
    """Split and join axes as they are stored; None if axes that are joined do not stand together."""
    before, after = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
    if (eqn.params.get("dimensions") and eqn.primitive.name == "reshape") or 0 in before:
        return None
    groups = sorted(_groups(before, after), key=lambda group: order.index(group[0][0]) if group[0] else -1)
    if [d for sources, _ in groups for d in sources] != list(order):
        return None
    to = tuple(d for _, targets in groups for d in targets)
    return [Stored(given[0].stored(order).reshape(_permuted(after, to)), to)]


def _groups(before: Sequence[int], after: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Return which axes become which: the shortest runs of as many elements, of shapes without a 0."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(before) or j < len(after):
        start, begin = i, j
        i, j = min(i + 1, len(before)), min(j + 1, len(after))
        while (m := math.prod(before[start:i])) != (n := math.prod(after[begin:j])):
            i, j = (i + 1, j) if m < n else (i, j + 1)
        groups.append((list(range(start, i)), list(range(begin, j))))
    return groups


_SETTERS: dict[str, Callable[[Any, Sequence[Stored]], list[Stored] | None]] = {
    "conv_general_dilated": _conv,
    "broadcast_in_dim": _broadcast,
}
_FOLLOWERS: dict[str, Callable[[Any, Sequence[Stored], Order], list[Stored] | None]] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys(_REDUCTIONS, _reduce),
    **dict.fromkeys(_WINDOWS, _windows),
    "concatenate": _concatenate,
    "rev": _flip,
    "transpose": _transpose,
    "reshape": _reshape,
    "squeeze": _reshape,
}
