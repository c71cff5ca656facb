"""Running sums, products and extremes along an axis."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Static, TensorArray
from sporax._src.core.dtype import to_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.checks import inexact, known
from sporax._src.ops.methods import method
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal, op

_CASES = ("T(2, 3), 1", "T(4), 0", "T(2, 3), -2", "T(0, 3), 0")
_AXIS = (("T(2, 3), 5", "axis must be in [-2, 2), got 5"),)
_REF = "sporax._src.testing.math_references."


def _run(fn: Static, x: Array, axis: int, exclusive: bool, reverse: bool, first: float) -> Array:
    axis = axes.one(axis, x.ndim)
    out = fn(x, axis, reverse)
    if not exclusive:
        return out
    count = x.shape[axis]
    edge = [(0, 0, 0)] * x.ndim
    edge[axis] = (-1, 1, 0) if reverse else (1, -1, 0)
    return lax.pad(out, jnp.asarray(first, x.dtype), edge) if count else out


@op(ref="numpy.cumsum", cases=(*_CASES, "C(3), 0"), errors=(*_AXIS, ("B(3), 0", "Bool")))
def cumsum(x: TensorArray, axis: int, dtype: Static = None) -> Array:
    """Return the running sum along an axis, in the dtype of x or in `dtype`.

    Args:
        x: A Tensor of numbers.
        axis: The axis.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If `x` is no Tensor.
        TypeError: If `x` holds booleans.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.cumsum(Tensor([1.0, 2.0, 3.0]), 0).asnumpy()
        array([1., 3., 6.], dtype=float32)
    """
    x = known(x) if dtype is None else x.astype(to_numpy(dtype))
    if x.dtype == bool:
        raise TypeError("x must be a Tensor of numbers, got Bool; convert it with .int().")
    return _run(lax.cumsum, x, axis, False, False, 0)


@primitive("CumSum(exclusive=False, reverse=False)")
@internal("CumSum")
def _cumsum(input: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Return the running sum along an axis, without the element itself if exclusive, from the end if reverse."""
    return _run(lax.cumsum, input, axis, exclusive, reverse, 0)


@method("cumsum")
def _cumsum_method(self: Tensor, axis: int | None = None, dtype: Static = None, *, dim: int | None = None) -> Tensor:
    """Sum along an axis (None: of the flattened Tensor); small integers and booleans add up as int32.

    Args:
        axis: The axis; None: flatten first.
        dtype: The dtype to convert to first.
        dim: Another name of `axis`.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).cumsum(0).asnumpy()
        array([[1, 2],
               [4, 6]])
    """
    if dtype is None and self._data.dtype in (np.bool_, np.int8, np.int16, np.uint8):
        dtype = np.int32
    axis = dim if axis is None else axis
    return cumsum(self.reshape((-1,)), 0, dtype) if axis is None else cumsum(self, axis, dtype)


@op(
    ref="numpy.cumprod",
    cases=("P(2, 3), 1", "P(4), 0", "T(0, 3), 0"),
    errors=(("T(2, 3), 5", "must be in [-2, 2), got 5"),),
    method="cumprod",
)
def cumprod(input: Array, dim: int, dtype: Static = None) -> Array:
    """Return the running product along an axis, in the dtype of input or in `dtype`.

    Args:
        input: A Tensor of numbers.
        dim: The axis.
        dtype: The dtype to convert to first.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.cumprod(Tensor([1.0, 2.0, 3.0]), 0).asnumpy()
        array([1., 2., 6.], dtype=float32)
    """
    return _run(lax.cumprod, known(input) if dtype is None else input.astype(to_numpy(dtype)), dim, False, False, 1)


@primitive("CumProd(exclusive=False, reverse=False)")
@internal("CumProd")
def _cumprod(x: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Return the running product along an axis, without the element itself if exclusive, from the end if reverse."""
    return _run(lax.cumprod, x, axis, exclusive, reverse, 1)


@op(ref=_REF + "logcumsumexp", cases=_CASES[:3], errors=(*_AXIS, ("I(3), 0", "float")), method="logcumsumexp")
def logcumsumexp(input: Array, axis: int) -> Array:
    """Return the logarithm of the running sum of exponentials along an axis.

    Args:
        input: A Tensor of floats.
        axis: The axis.

    Raises:
        TypeError: If `input` holds integers or booleans.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.logcumsumexp(Tensor([1.0, 1.0]), 0).asnumpy().round(3)
        array([1.   , 1.693], dtype=float32)
    """
    return _run(lax.cumlogsumexp, inexact(input), axis, False, False, 0)


@primitive("CumulativeLogsumexp(exclusive=False, reverse=False)")
@internal("CumulativeLogsumexp")
def _logcumsumexp(x: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Return the logarithm of the running sum of exponentials along an axis."""
    return _run(lax.cumlogsumexp, x, axis, exclusive, reverse, np.finfo(x.dtype).min)


def _extreme(x: Array, axis: int, fn: Static, dtype: Static) -> tuple[Array, Array]:
    """Return the running extreme and the index it comes from: the latest of equal elements, the first NaN for ever."""
    axis = axes.one(axis, x.ndim)
    shape = [1] * x.ndim
    shape[axis] = -1
    place = jnp.arange(x.shape[axis], dtype=dtype).reshape(shape)
    lost = x != x
    first_lost = lost & (lax.cumsum(lost.astype(np.int32), axis) == 1)
    new = (x == fn(x, axis)) | first_lost
    index = lax.cummax(jnp.where(new, place, jnp.zeros((), dtype)), axis)
    return jnp.take_along_axis(x, index.astype(np.int64), axis), index


@op(
    ref=_REF + "cummax",
    cases=("T(2, 3), 1", "D([1, 3, 3, 2], np.int32), 0", "I(4), -1"),
    errors=_AXIS,
    method="cummax",
    primitive="Cummax(axis)",
)
def cummax(input: Array, axis: int) -> tuple[Array, Array]:
    """Return the running maximum along an axis and the indices (int64) it comes from.

    Args:
        input: A Tensor of numbers.
        axis: The axis.

    Returns:
        Two Tensors of the shape of input; of equal elements the last counts.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> values, places = ops.cummax(Tensor([1, 3, 2]), 0)
        >>> values.asnumpy(), places.asnumpy()
        (array([1, 3, 3]), array([0, 1, 1]))
    """
    return _extreme(input, axis, lax.cummax, np.int64)


@op(
    ref=_REF + "cummin",
    cases=("T(2, 3), 1", "D([3, 1, 1, 2], np.int32), 0", "I(4), -1"),
    errors=_AXIS,
    method="cummin",
    primitive="Cummin(axis)",
)
def cummin(input: Array, axis: int) -> tuple[Array, Array]:
    """Return the running minimum along an axis and the indices (int32) it comes from.

    Args:
        input: A Tensor of numbers.
        axis: The axis.

    Returns:
        Two Tensors of the shape of input; of equal elements the last counts.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> values, places = ops.cummin(Tensor([3, 1, 2]), 0)
        >>> values.asnumpy(), places.asnumpy()
        (array([3, 1, 1]), array([0, 1, 1], dtype=int32))
    """
    return _extreme(input, axis, lax.cummin, np.int32)
