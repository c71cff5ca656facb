"""Channels last: a captured graph computed with its images stored as (N, spatial axes, C).

On the CPU, XLA's convolutions need the channels of a pixel adjacent in memory. MindSpore's programs store images as
(N, C, H, W), so each convolution would transpose its input and its output. This pass runs a graph with every
image stored channels last, from its first convolution to the operation that needs the program's order. Convolutions
use this order. Elementwise operations, reductions, windows, slices, concatenations and reshapes of adjacent axes
follow the order of their operands. A transpose only changes the recorded order. All other operations get their operands in
the program's order.
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
from sporax._src.lowering.normalization import batch_norm_of_last, gradient_of_last

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var

Order = tuple[int, ...]  # the program's axis of each stored axis

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
        make: Instead of an array, a function that builds it in a requested order (a broadcast value).
    """

    __slots__ = ("_by_order", "_make", "order")

    def __init__(
        self, array: OptArray, order: Order | None = None, make: Callable[[Order | None], Any] | None = None
    ) -> None:
        self.order = _known(order)
        self._make = make
        self._by_order: dict[Order | None, Any] = {} if make is not None else {self.order: array}

    def stored(self, order: Order | None) -> Any:
        """Return the array with its axes in an order."""
        if order not in self._by_order:
            if self._make is not None:
                self._by_order[order] = self._make(order)
            elif order is None:
                assert self.order is not None
                self._by_order[order] = jnp.transpose(self._by_order[self.order], _inverse(self.order))
            else:
                self._by_order[order] = jnp.transpose(self.stored(None), order)
        return self._by_order[order]


def has_images(jaxpr: Jaxpr) -> bool:
    """Return whether a graph, or a graph in it, has a convolution."""
    return any(
        e.primitive.name == "conv_general_dilated" or any(has_images(getattr(g, "jaxpr", g)) for _, g in jaxprs_in(e))
        for e in jaxpr.eqns
    )


def channels_last(closed: ClosedJaxpr) -> Callable[..., list[Any]]:
    """Return the function of a captured graph, with images stored channels last if that is faster.

    The function has no custom derivatives: operations that define one are replaced by their computation.

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
        operands = [read(a) for a in eqn.invars]
        inner = inner_jaxpr(eqn)
        results = _run(inner, operands) if inner is not None else _apply(eqn, operands)
        env.update(zip(eqn.outvars, results, strict=True))
    return [read(a) for a in closed.jaxpr.outvars]


def _apply(eqn: JaxprEqn, operands: Sequence[Stored]) -> list[Stored]:
    name, results = eqn.primitive.name, None
    if name in _SETTERS:
        results = _SETTERS[name](eqn, operands)
    elif name in _FOLLOWERS:
        order = next((g.order for g in operands if g.order is not None), None)
        results = None if order is None else _FOLLOWERS[name](eqn, operands, order)
    return results if results is not None else _bind(eqn, [g.stored(None) for g in operands], None)


def _known(order: Order | None) -> Order | None:
    return None if order is None or order == tuple(range(len(order))) else order


def _inverse(order: Order) -> Order:
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _permuted(values: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[i] for i in order)


def _in_order(eqn: Any, operands: Sequence[Stored], order: Order) -> list[Any]:
    """Return the operands that are images in an order, and numbers and values by channel as they are."""
    return [g.stored(order if a.aval.ndim == len(order) else None) for a, g in zip(eqn.invars, operands, strict=True)]


def _bind(eqn: JaxprEqn, arrays: list[Any], order: Order | None, **changed: object) -> list[Stored]:
    return [Stored(v, order) for v in evaluate(eqn, arrays, **changed)]


# --- operations that set the order of their results; None: the program's ------------------------------------------------


def _conv(eqn: Any, operands: Sequence[Stored]) -> list[Stored]:
    x, w = operands
    lhs, rhs, out = (tuple(s) for s in eqn.params["dimension_numbers"])
    window, result = (_permuted(v.aval.shape, s[2:]) for v, s in ((eqn.invars[1], rhs), (eqn.outvars[0], out)))
    is_image = all(a <= b for a, b in zip(window, result, strict=True)) or max(window) == 1
    last = (lhs[0], *lhs[2:], lhs[1])
    at = x.order or (last if is_image else tuple(range(len(lhs))))
    of = w.order or tuple(range(len(rhs)))
    to = (out[0], *out[2:], out[1]) if is_image else tuple(range(len(out)))
    numbers = lax.ConvDimensionNumbers(*(tuple(o.index(d) for d in s) for o, s in ((at, lhs), (of, rhs), (to, out))))
    return _bind(eqn, [x.stored(_known(at)), w.stored(w.order)], to, dimension_numbers=numbers)


def _broadcast(eqn: JaxprEqn, operands: Sequence[Stored]) -> list[Stored] | None:
    operand, shape, dims = operands[0], eqn.params["shape"], eqn.params["broadcast_dimensions"]
    if len(operands) > 1 or len(shape) < 3:
        return None
    if operand.order is not None:
        order = [dims[a] for a in operand.order]
        for d in range(len(shape)):
            if d not in dims:  # adjacent to the axis before it, so that a reshape may join them
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


def _elementwise(eqn: JaxprEqn, operands: Sequence[Stored], order: Order) -> list[Stored]:
    return _bind(eqn, _in_order(eqn, operands, order), order)


def _reduce(eqn: JaxprEqn, operands: Sequence[Stored], order: Order) -> list[Stored]:
    axes = eqn.params["axes"]
    left = [d for d in order if d not in axes]
    ranks = {d: i for i, d in enumerate(sorted(left))}
    changed = {"axes": tuple(sorted(order.index(a) for a in axes))}
    return _bind(eqn, [g.stored(order) for g in operands], tuple(ranks[d] for d in left), **changed)


def _windows(eqn: JaxprEqn, operands: Sequence[Stored], order: Order) -> list[Stored]:
    changed = {n: _permuted(v, order) for n in _BY_AXIS if (v := eqn.params.get(n)) is not None}
    return _bind(eqn, _in_order(eqn, operands, order), order, **changed)


def _flip(eqn: JaxprEqn, operands: Sequence[Stored], order: Order) -> list[Stored]:
    return _bind(eqn, [operands[0].stored(order)], order, dimensions=tuple(map(order.index, eqn.params["dimensions"])))


def _concatenate(eqn: JaxprEqn, operands: Sequence[Stored], order: Order) -> list[Stored]:
    return _bind(eqn, [g.stored(order) for g in operands], order, dimension=order.index(eqn.params["dimension"]))


def _batch_norm(eqn: JaxprEqn, operands: Sequence[Stored], order: Order) -> list[Stored] | None:
    """Normalize over all axes but the last one, if that is the channels'."""
    params = dict(eqn.params)
    if order[-1] != 1 or set(params.pop("axes")) != {*order[:-1]}:
        return None
    outs = _OF_LAST[eqn.primitive.name](*_in_order(eqn, operands, order), **params)
    return [Stored(out, order if out.ndim == len(order) else None) for out in outs]


def _transpose(eqn: JaxprEqn, operands: Sequence[Stored], order: Order) -> list[Stored]:
    return [Stored(operands[0].stored(order), tuple(map(eqn.params["permutation"].index, order)))]


def _reshape(eqn: Any, operands: Sequence[Stored], order: Order) -> list[Stored] | None:
    """Split and join axes in their stored order; None if joined axes are not adjacent."""
    before, after = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
    if (eqn.params.get("dimensions") and eqn.primitive.name == "reshape") or 0 in before:
        return None
    groups = sorted(_groups(before, after), key=lambda group: order.index(group[0][0]) if group[0] else -1)
    if [d for sources, _ in groups for d in sources] != list(order):
        return None
    to = tuple(d for _, targets in groups for d in targets)
    return [Stored(operands[0].stored(order).reshape(_permuted(after, to)), to)]


def _groups(before: Sequence[int], after: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Return groups of source and target axes with equal numbers of elements, as short as possible; no size may be 0."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(before) or j < len(after):
        start, begin = i, j
        i, j = min(i + 1, len(before)), min(j + 1, len(after))
        while (m := math.prod(before[start:i])) != (n := math.prod(after[begin:j])):
            i, j = (i + 1, j) if m < n else (i, j + 1)
        groups.append((list(range(start, i)), list(range(begin, j))))
    return groups


_OF_LAST = {"batch_norm": batch_norm_of_last, "batch_norm_gradient": gradient_of_last}
_SETTERS: dict[str, Callable[[Any, Sequence[Stored]], list[Stored] | None]] = {
    "conv_general_dilated": _conv,
    "broadcast_in_dim": _broadcast,
}
_FOLLOWERS: dict[str, Callable[[Any, Sequence[Stored], Order], list[Stored] | None]] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys(_REDUCTIONS, _reduce),
    **dict.fromkeys(_WINDOWS, _windows),
    **dict.fromkeys(_OF_LAST, _batch_norm),
    "concatenate": _concatenate,
    "rev": _flip,
    "transpose": _transpose,
    "reshape": _reshape,
    "squeeze": _reshape,
}
