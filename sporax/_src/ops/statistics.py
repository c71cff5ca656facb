"""Spread, order statistics and norms."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from sporax._src.base.typing import Array, Axis, Static
from sporax._src.core.dtype import to_float, to_numpy, unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.checks import floats, inexact, known
from sporax._src.ops.methods import method
from sporax._src.ops.reduction import amax, amin, dims, mean
from sporax._src.ops.table import composite, op

_REF = "sporax._src.testing.math_references."
_AXIS = (("T(2, 3), 5", "axis must be in [-2, 2), got 5"),)
_SPREAD = ("T(2, 3)", "T(2, 3), 1", "T(2, 3, 4), (0, -1), 1", "T(2, 3), 1, 1, True", "I(2, 3), 1")


@op(ref=_REF + "var", cases=_SPREAD, errors=_AXIS)
def var(input: Array, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the variance Σ(x - mean)² / (n - ddof) over axes.

    Args:
        input: A Tensor; integers become float32.
        axis: An axis, several, or None for all.
        ddof: What is subtracted from the number n of elements.
        keepdims: Whether reduced axes stay with size 1.

    Examples:
        >>> float(ops.var(Tensor([1.0, 3.0])))
        1.0
    """
    (x,) = floats(input)
    return jnp.var(x, dims(axis, x.ndim), ddof=int(ddof), keepdims=keepdims).astype(x.dtype)


@op(ref=_REF + "std", cases=_SPREAD, errors=_AXIS)
def std(input: Array, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the standard deviation √var over axes (arguments as `var`)."""
    return jnp.sqrt(var.raw(input, axis, ddof, keepdims))


@composite(ref=_REF + "std_mean", cases=("T(2, 3)", "T(2, 3), 1, 1, True"), errors=_AXIS)
def std_mean(input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return standard deviation and mean over axes (arguments as `var`)."""
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


@composite(ref=_REF + "var_mean", cases=("T(2, 3)", "T(2, 3), 1, 1, True"), errors=_AXIS)
def var_mean(input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return variance and mean over axes (arguments as `var`)."""
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


@method("ptp")
def _ptp(self: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the largest minus the smallest element over axes."""
    return amax(self, axis, keepdims) - amin(self, axis, keepdims)


# --- order statistics -----------------------------------------------------------------------------------------------


def _at(x: Array, index: Array, axis: int, keepdims: bool) -> tuple[Array, Array]:
    found = jnp.take_along_axis(x, index, axis)
    return (found, index) if keepdims else (jnp.squeeze(found, axis), jnp.squeeze(index, axis))


_MEDIAN = ("T(2, 3)", "T(2, 4), 0", "T(2, 3), 1, True", "I(2, 4)")


@op(ref=_REF + "median", cases=_MEDIAN, errors=_AXIS, method="median")
def median(input: Array, axis: int = -1, keepdims: bool = False) -> tuple[Array, Array]:
    """Return the median along an axis (the lower of two middle elements; NaN wins) and its index as int64."""
    axis = axes.one(axis, input.ndim)
    lost = input != input
    middle = jnp.take(jnp.argsort(input, axis), jnp.array([(input.shape[axis] - 1) // 2]), axis)
    index = jnp.where(jnp.any(lost, axis, keepdims=True), jnp.argmax(lost, axis, keepdims=True), middle)
    return _at(input, index.astype(np.int64), axis, keepdims)


@op(ref=_REF + "nanmedian", cases=_MEDIAN[:3], errors=_AXIS, method="nanmedian")
def nanmedian(input: Array, axis: int = -1, keepdims: bool = False) -> tuple[Array, Array]:
    """Return the median along an axis of the elements that are not NaN, and its index as int64."""
    axis = axes.one(axis, input.ndim)
    there = jnp.sum(input == input, axis, keepdims=True)
    middle = jnp.maximum(there - 1, 0) // 2
    index = jnp.take_along_axis(jnp.argsort(input, axis), middle, axis)
    return _at(input, index.astype(np.int64), axis, keepdims)


_QUANTILE = ("T(2, 3), 0.5", "T(2, 3), D([0.3, 0.6]), 1", "T(2, 3), 0.3, 1, keepdims=True")


@op(
    ref="numpy.quantile",
    cases=_QUANTILE,
    errors=(("T(2, 3), 0.5, 5", "axis must be in"), ("I(3), 0.5", "float")),
    method="quantile",
)
def quantile(input: Array, q: Array, axis: Static = None, keepdims: bool = False) -> Array:
    """Return the q-th quantiles along an axis (None: of all elements), interpolated linearly; NaN wins.

    Args:
        input: A Tensor of floats.
        q: A number in [0, 1], or a 1-D Tensor of them, which becomes the first axis of the result.
        axis: The axis.
        keepdims: Whether the axis stays with size 1.
    """
    x = inexact(input)
    axis = None if axis is None else axes.one(axis, x.ndim)
    return jnp.quantile(x, jnp.asarray(q).astype(x.dtype), axis, keepdims=keepdims)


@op(ref="numpy.nanquantile", cases=_QUANTILE, errors=(("T(2, 3), 0.5, 5", "axis must be in"),), method="nanquantile")
def nanquantile(input: Array, q: Array, axis: Static = None, keepdims: bool = False) -> Array:
    """Return the quantiles of the elements that are not NaN (arguments as `quantile`)."""
    x = inexact(input)
    axis = None if axis is None else axes.one(axis, x.ndim)
    return jnp.nanquantile(x, jnp.asarray(q).astype(x.dtype), axis, keepdims=keepdims)


# --- norms ----------------------------------------------------------------------------------------------------------

_NORM = (
    "T(2, 3)",
    "T(2, 3), None, 1",
    "T(4), 3",
    "T(2, 3), 1, 1",
    "T(2, 3), 'fro'",
    "T(2, 3), 'nuc'",
    "T(2, 3), 2",
    "T(2, 3), 1, (0, 1), True",
    "T(2, 3, 4), 2, 0",
    "I(3)",
    "T(4), np.inf",
)


@op(
    ref="numpy.linalg.norm",
    cases=_NORM,
    errors=(("T(2, 3), None, 5", "dim must be in"), ("T(2, 2, 2), 2", "vector")),
    method="norm",
)
def norm(A: Array, ord: Static = None, dim: Axis = None, keepdim: bool = False, *, dtype: Static = None) -> Array:
    """Return a vector norm (over one axis) or matrix norm (over two).

    Args:
        A: A Tensor; integers become float32.
        ord: The order: a number, `"fro"`, `"nuc"` or None (the 2-norm of all elements over `dim`).
        dim: One or two axes; None means all of them, which for an order other than None must be one or two.
        keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Examples:
        >>> float(ops.norm(Tensor([3.0, 4.0])))
        5.0
    """
    x = to_float(known(A)) if dtype is None else known(A).astype(to_numpy(dtype))
    over = None if dim is None else axes.several(dim, x.ndim, "dim")
    if over is None and ord is not None and x.ndim > 2:
        raise ValueError(
            f"a norm of order {ord!r} is one of a vector or matrix; name one or two axes with dim for {x.ndim} axes."
        )
    if ord is None and over is not None and len(over) != 1:
        return jnp.sqrt(jnp.sum(jnp.square(jnp.abs(x)), over, keepdims=keepdim)).astype(x.dtype)
    over = over[0] if over is not None and len(over) == 1 else over
    return jnp.linalg.norm(x, ord, over, keepdims=keepdim).astype(x.dtype)


@op(ref="numpy.linalg.vector_norm", cases=("T(2, 3)", "T(2, 3), axis=1", "T(2, 3), axis=(0, 1), keepdims=True"))
def vector_norm(x: Array, ord: Static = 2, axis: Axis = None, keepdims: bool = False, *, dtype: Static = None) -> Array:
    """Return the norm of order ord of the vectors along axes (None: of all elements)."""
    x = inexact(x, "x") if dtype is None else known(x).astype(to_numpy(dtype))
    return jnp.linalg.vector_norm(x, ord=ord, axis=dims(axis, x.ndim), keepdims=keepdims)


@op(
    ref=_REF + "matrix_norm",
    cases=("T(2, 3)", "T(2, 3), 'nuc'", "T(2, 3, 4), 1, (0, 2), True", "T(2, 3), 2"),
    errors=(("T(3)", "axis"),),
)
def matrix_norm(
    A: Array, ord: Static = "fro", axis: Axis = (-2, -1), keepdims: bool = False, *, dtype: Static = None
) -> Array:
    """Return the norm of order ord of the matrices over two axes."""
    x = inexact(A, "A") if dtype is None else known(A).astype(to_numpy(dtype))
    return jnp.linalg.norm(x, ord, axes.several(axis, x.ndim), keepdims=keepdims)


@op(
    ref=_REF + "lp_norm",
    cases=("T(2, 3), 1", "T(2, 3), (0, 1), 3, True"),
    errors=_AXIS,
    primitive="LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12)",
)
def lp_norm(input: Array, axis: Axis, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> Array:
    """Return (Σ |x|^p)^(1/p) over axes (for p = 0 the number of elements other than 0), not below epsilon."""
    x = inexact(input)
    over = dims(axis, x.ndim)
    if p == 0:
        return jnp.sum(x != 0, over, keepdims=keep_dims).astype(x.dtype)
    total = jnp.sum(jnp.abs(x) ** p, over, keepdims=keep_dims)
    return jnp.maximum(total, jnp.asarray(epsilon, x.dtype)) ** (1.0 / p)


@op(ref=_REF + "dist", cases=("T(2, 3), T(2, 3)", "T(3), T(3), 1", "T(3), T(3), 3"), errors=(("T(2), T(3)", "ops."),))
def dist(input: Array, other: Array, p: float = 2) -> Array:
    """Return the p-norm of all elements of input - other together."""
    difference = jnp.subtract(*floats(input, other)).reshape(-1)
    return jnp.linalg.norm(difference, p)


@op(
    ref=_REF + "renorm",
    cases=("T(2, 3), 1, 0, 1.0", "T(2, 3, 4), 2, 1, 0.5"),
    errors=(("T(2, 3), 2, 5, 1.0", "axis must be in"),),
    method="renorm",
    primitive="Renorm(p, dim, maxnorm)",
)
def renorm(input: Array, p: float, axis: int, maxnorm: float) -> Array:
    """Return input with every slice along an axis scaled down to a p-norm of at most maxnorm."""
    x = inexact(input)
    over = tuple(a for a in range(x.ndim) if a != axes.one(axis, x.ndim))
    size = jnp.sum(jnp.abs(x) ** p, over, keepdims=True) ** (1.0 / p)
    return x * jnp.where(size > maxnorm, maxnorm / (size + 1e-7), jnp.ones((), size.dtype)).astype(x.dtype)


@op(
    ref=_REF + "logsumexp",
    cases=("T(2, 3), 1", "T(2, 3), (0, 1), True", "T(2, 3) * 100, ()"),
    errors=(*_AXIS, ("I(3), 0", "float")),
    method="logsumexp",
)
def logsumexp(input: Array, dim: Axis, keepdim: bool = False) -> Array:
    """Return log Σ e^x over axes (() means all), without overflow."""
    x = inexact(input)
    return special.logsumexp(x, dims(dim, x.ndim), keepdims=keepdim)


@op(ref=_REF + "square_sum_all", cases=("T(2, 3), T(2, 3)",), primitive="SquareSumAll()")
def square_sum_all(x1: Array, x2: Array) -> tuple[Array, Array]:
    """Return the sums of squares of two Tensors."""
    x1, x2 = unify(x1, x2)
    return jnp.sum(jnp.square(x1)), jnp.sum(jnp.square(x2))
