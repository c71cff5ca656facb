"""Spread and order statistics: variance, median, quantiles."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from sporax._src.base.typing import Array, Axis, OptArray, Static, TensorArray
from sporax._src.bindings.primitive import primitive
from sporax._src.bindings.tensor_methods import method
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import from_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import floats, inexact, wide
from sporax._src.engine.table import composite, internal, op
from sporax._src.ops.math.reduction import amax, amin, dims, mean

_REF = "references.math."
AXIS_ERRORS = (("T(2, 3), 5", "axis must be in [-2, 2), got 5"),)
_SPREAD = ("T(2, 3)", "T(2, 3), 1", "T(2, 3, 4), (0, -1), 1", "T(2, 3), 1, 1, True", "I(2, 3), 1")


@op(ref=_REF + "var", cases=_SPREAD, errors=AXIS_ERRORS)
def var(input: TensorArray, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the variance Σ(x - mean)² / (n - ddof) over axes.

    Args:
        input: A Tensor; integers become float32.
        axis: An axis, several, or None for all.
        ddof: The number subtracted from the number n of elements.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `input` is not a Tensor.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ops.var(Tensor([1.0, 3.0])))
        1.0
    """
    (x,) = floats(input)
    return jnp.var(x, dims(axis, x.ndim), ddof=int(ddof), keepdims=keepdims).astype(x.dtype)


@op(ref=_REF + "std", cases=_SPREAD, errors=AXIS_ERRORS)
def std(input: TensorArray, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the standard deviation √(Σ(x - mean)² / (n - ddof)) over axes.

    Args:
        input: A Tensor; integers become float32.
        axis: An axis, several, or None for all.
        ddof: The number subtracted from the number n of elements.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `input` is not a Tensor.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ops.std(Tensor([1.0, 3.0])))
        1.0
    """
    return jnp.sqrt(var.raw(input, axis, ddof, keepdims))


@composite(ref=_REF + "std_mean", cases=("T(2, 3)", "T(2, 3), 1, 1, True"), errors=AXIS_ERRORS)
def std_mean(input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return standard deviation (as `std`) and mean over axes.

    Args:
        input: A Tensor of floats.
        axis: An axis, several, or None for all.
        ddof: The number subtracted from the number of elements, for the deviation.
        keepdims: Whether reduced axes stay with size 1.

    Returns:
        Two Tensors of the reduced shape.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> deviation, mean = ops.std_mean(Tensor([1.0, 3.0]))
        >>> float(deviation), float(mean)
        (1.0, 2.0)
    """
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


@composite(ref=_REF + "var_mean", cases=("T(2, 3)", "T(2, 3), 1, 1, True"), errors=AXIS_ERRORS)
def var_mean(input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return variance (as `var`) and mean over axes.

    Args:
        input: A Tensor of floats.
        axis: An axis, several, or None for all.
        ddof: The number subtracted from the number of elements, for the variance.
        keepdims: Whether reduced axes stay with size 1.

    Returns:
        Two Tensors of the reduced shape.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> variance, mean = ops.var_mean(Tensor([1.0, 5.0]))
        >>> float(variance), float(mean)
        (4.0, 3.0)
    """
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


@method("ptp")
def _ptp(self: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the largest minus the smallest element over axes.

    Args:
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(Tensor([3.0, 1.0, 7.0]).ptp())
        6.0
    """
    return amax(self, axis, keepdims) - amin(self, axis, keepdims)


# --- order statistics -----------------------------------------------------------------------------------------------


def _at(x: Array, index: Array, axis: int, keepdims: bool) -> tuple[Array, Array]:
    values = jnp.take_along_axis(x, index, axis)
    return (values, index) if keepdims else (jnp.squeeze(values, axis), jnp.squeeze(index, axis))


def _nothing(x: Array, axis: int, keepdims: bool) -> tuple[Array, Array]:
    """Return the median along an axis without elements: NaN, of integers 0; and the index 0."""
    shape = tuple(1 if i == axis else n for i, n in enumerate(x.shape) if keepdims or i != axis)
    return jnp.full(shape, np.nan if x.dtype.kind == "f" else 0, x.dtype), jnp.zeros(shape, np.int64)


_MEDIAN = ("T(2, 3)", "T(2, 4), 0", "T(2, 3), 1, True", "I(2, 4)")


@op(ref=_REF + "median", cases=_MEDIAN, errors=AXIS_ERRORS)
def median(input: TensorArray, axis: int = -1, keepdims: bool = False) -> tuple[Array, Array]:
    """Return the median along an axis (the lower of two middle elements; NaN wins) and its index as int64.

    NumPy's median is the mean of the two middle elements.

    Args:
        input: A Tensor of real numbers.
        axis: The axis, counted from the end where it is negative.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `input` is not a Tensor.
        ValueError: If the axis is out of range.

    Examples:
        >>> value, index = ops.median(Tensor([4.0, 1.0, 3.0, 2.0]))
        >>> float(value), int(index)
        (2.0, 3)
    """
    axis = axes.one(axis, input.ndim)
    if not input.shape[axis]:
        return _nothing(input, axis, keepdims)
    lost = input != input
    middle = jnp.take(jnp.argsort(input, axis), jnp.array([(input.shape[axis] - 1) // 2]), axis)
    index = jnp.where(jnp.any(lost, axis, keepdims=True), jnp.argmax(lost, axis, keepdims=True), middle)
    return _at(input, index.astype(np.int64), axis, keepdims)


@op(ref=_REF + "nanmedian", cases=_MEDIAN[:3], errors=AXIS_ERRORS, method="nanmedian")
def nanmedian(input: Array, axis: int = -1, keepdims: bool = False) -> tuple[Array, Array]:
    """Return the median along an axis of the elements that are not NaN, and its index as int64.

    Args:
        input: A Tensor of real numbers.
        axis: The axis, counted from the end where it is negative.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> value, index = ops.nanmedian(Tensor([4.0, np.nan, 3.0]))
        >>> float(value), int(index)
        (3.0, 2)
    """
    axis = axes.one(axis, input.ndim)
    if not input.shape[axis]:
        return _nothing(input, axis, keepdims)
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

    Raises:
        TypeError: If `input` is not of a float dtype.
        ValueError: If the axis is out of range.

    Examples:
        >>> float(ops.quantile(Tensor([1.0, 2.0, 4.0]), 0.75))
        3.0
    """
    x = inexact(input)
    axis = None if axis is None else axes.one(axis, x.ndim)
    return jnp.quantile(x, jnp.asarray(q).astype(x.dtype), axis, keepdims=keepdims)


@op(ref="numpy.nanquantile", cases=_QUANTILE, errors=(("T(2, 3), 0.5, 5", "axis must be in"),), method="nanquantile")
def nanquantile(input: Array, q: Array, axis: Static = None, keepdims: bool = False) -> Array:
    """Return the q-th quantiles along an axis of the elements that are not NaN, interpolated linearly.

    Args:
        input: A Tensor of floats.
        q: A number in [0, 1], or a 1-D Tensor of them, which becomes the first axis of the result.
        axis: The axis; None means all elements.
        keepdims: Whether the axis stays with size 1.

    Raises:
        TypeError: If `input` is not of a float dtype.
        ValueError: If the axis is out of range.

    Examples:
        >>> float(ops.nanquantile(Tensor([1.0, np.nan, 3.0]), 0.5))
        2.0
    """
    x = inexact(input)
    axis = None if axis is None else axes.one(axis, x.ndim)
    return jnp.nanquantile(x, jnp.asarray(q).astype(x.dtype), axis, keepdims=keepdims)


@op(
    ref=_REF + "logsumexp",
    cases=("T(2, 3), 1", "T(2, 3), (0, 1), True", "T(2, 3) * 100, ()"),
    errors=(*AXIS_ERRORS, ("I(3), 0", "float")),
    method="logsumexp",
)
def logsumexp(input: Array, dim: Axis, keepdim: bool = False) -> Array:
    """Return log Σ e^x over axes (() means all), without overflow.

    Args:
        input: A Tensor of floats.
        dim: An axis, several, or () for all.
        keepdim: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.logsumexp(Tensor([[0.0, 0.0]]), 1).asnumpy().round(3)
        array([0.693], dtype=float32)
    """
    x = inexact(input)
    return special.logsumexp(x, dims(dim, x.ndim), keepdims=keepdim)


@op(
    ref=_REF + "square_sum_all",
    cases=("T(2, 3), T(2, 3)",),
    errors=(
        ("T(2), D([1.0, 2.0], np.float16)", "one float dtype"),
        ("I(2), I(2)", "one float dtype"),
        ("T(2), T(3)", "one shape"),
    ),
)
def square_sum_all(x1: Array, x2: Array) -> tuple[Array, Array]:
    """Return the sums of squares of two Tensors.

    Args:
        x1: A Tensor.
        x2: A Tensor of the same shape and dtype.

    Returns:
        Two Tensors without axes.

    Raises:
        TypeError: If the dtypes differ or are no floats.
        ValueError: If the shapes differ.

    Examples:
        >>> a, b = ops.square_sum_all(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
        >>> float(a), float(b)
        (5.0, 25.0)
    """
    if x1.dtype != x2.dtype or not jnp.issubdtype(x1.dtype, np.floating):
        dtypes = " and ".join(str(from_numpy(x.dtype)) for x in (x1, x2))
        raise TypeError(f"both Tensors must have one float dtype, got {dtypes}.")
    if x1.shape != x2.shape:
        raise ValueError(f"both Tensors must have one shape, got {x1.shape} and {x2.shape}.")
    return jnp.sum(jnp.square(x1)), jnp.sum(jnp.square(x2))


@primitive("SquareSumAll()")
def _square_sum_all(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sums of squares of two Tensors.

    Args:
        x1: A Tensor of float16 or float32.
        x2: A Tensor of the same shape and dtype.

    Raises:
        TypeError: If the dtypes differ, or are not float16 or float32.
        ValueError: If the shapes differ.

    Examples:
        >>> a, b = ops.SquareSumAll()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
        >>> float(a), float(b)
        (5.0, 25.0)
    """
    if x1.dtype == mstype.float64:
        raise TypeError("ops.SquareSumAll: the Tensors must have dtype float16 or float32, got Float64.")
    return square_sum_all(x1, x2)


@op(
    ref="references.math.cov",
    cases=(
        "T(2, 3)",
        "T(2, 3), correction=0",
        "T(4)",
        "T(2, 3), fweights=D([1, 2, 3], np.int32)",
        "T(2, 3), aweights=P(3)",
    ),
    errors=(("T(2, 2, 2)", "2 axes"),),
    method="cov",
    grad=0,
)
def cov(input: Array, *, correction: int = 1, fweights: OptArray = None, aweights: OptArray = None) -> Array:
    """Return the covariance matrix of variables (rows) over observations (columns).

    Args:
        input: A Tensor of shape (variables, observations) or (observations,); integers and half precision become
            float32.
        correction: The number subtracted from the number of observations.
        fweights, aweights: How often each observation occurs, and its relative importance.

    Raises:
        ValueError: If `input` has more than 2 axes.

    Examples:
        >>> ops.cov(Tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).asnumpy()
        array([[ 1., -1.],
               [-1.,  1.]], dtype=float32)
    """
    if input.ndim > 2:
        raise ValueError(f"input must have at most 2 axes, got {input.ndim}.")
    x = wide(*floats(input))
    weights = [None if w is None else w.astype(kind) for w, kind in ((fweights, np.int32), (aweights, x.dtype))]
    count = np.ones((), x.dtype) if weights[0] is None else weights[0].astype(x.dtype)
    weight = count if weights[1] is None else count * weights[1]
    weight = jnp.broadcast_to(jnp.asarray(weight, x.dtype), x.shape[-1:])
    total = jnp.sum(weight)
    centred = x - jnp.sum(x * weight, -1, keepdims=True) / total
    lost = correction if weights[1] is None else correction * jnp.sum(weight * weights[1]) / total
    rows = jnp.atleast_2d(centred)
    return jnp.squeeze((rows * weight) @ jnp.conj(rows).T / (total - lost))


def reduced_axes(axis: int | tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """Return the axes to reduce over as a tuple: all of them for None and for an empty tuple."""
    if axis is None or axis == ():
        return tuple(range(rank))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for a in axes:
        if not -rank <= a < rank:
            raise ValueError(f"axis must be in [{-rank}, {rank}), got {a}.")
    return axes


def in_float32(x: Array) -> Array:
    """Return x, with half precision as float32."""
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


@internal("moments")
def moments(x: Array, axis: Static = (), keep_dims: bool = False) -> tuple[Array, Array]:
    """Return the mean and the (biased) variance over `axis` (`()`: all axes)."""
    wide, axes = in_float32(x), reduced_axes(axis, x.ndim)
    mean = jnp.mean(wide, axes, keepdims=True)
    variance = jnp.mean(jnp.square(wide - mean), axes, keepdims=True)
    if not keep_dims:
        mean, variance = jnp.squeeze(mean, axes), jnp.squeeze(variance, axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)
