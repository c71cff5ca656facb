"""Reductions of `numpy` that pass over NaN."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Axis, Static
from sporax._src.core.dtype import to_float
from sporax._src.ops import axes
from sporax._src.ops.numpy_base import np_dtype, row
from sporax._src.ops.numpy_reduction import cumsum, sum


@row()
def nancumsum(a: Array, axis: Static = None, dtype: Static = None) -> Array:
    """Return the sums up to each element along an axis, with NaN as 0.

    Args:
        a: An array-like.
        axis: The axis; None flattens.
        dtype: The dtype of the result; that of `a`, and int32 for smaller integers, if None.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.nancumsum([1.0, np.nan, 3.0]).asnumpy()
        array([1., 1., 4.], dtype=float32)
    """
    return cumsum.raw(_without_nan(a), axis, dtype)


def _without_nan(a: Array) -> Array:
    return jnp.where(jnp.isnan(a), jnp.zeros((), a.dtype), a) if a.dtype.kind in "fc" else a


@row()
def nansum(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False) -> Array:
    """Return the sum over axes, with NaN as 0.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        dtype: The dtype of the result; that of `a` if None.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.nansum([1.0, np.nan, 3.0]))
        4.0
    """
    return sum.raw(_without_nan(a), axis, np_dtype(dtype, np.int32 if a.dtype == bool else a.dtype), keepdims)


def _nan_reduced(name: str, text: str, found: float) -> None:
    fn = getattr(jnp, name)

    def reduced(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False) -> Array:
        return fn(a, axes.several(axis, a.ndim), keepdims=keepdims).astype(np_dtype(dtype, a.dtype))

    reduced.__doc__ = _NAN_REDUCED.format(name=name, text=text, found=found)
    row(name)(reduced)


_NAN_REDUCED = """{text}

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        dtype: The dtype of the result; that of `a` if None.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.{name}([3.0, float("nan"), 7.0]))
        {found}
    """
_nan_reduced("nanmax", "Return the largest element over axes that is not NaN.", 7.0)
_nan_reduced("nanmin", "Return the smallest element over axes that is not NaN.", 3.0)


@row()
def nanmean(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False) -> Array:
    """Return the mean over axes of the elements that are not NaN.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        dtype: The dtype of the result; float32 (of float64: itself) if None.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.nanmean([1.0, np.nan, 3.0]))
        2.0
    """
    kept = np.float64 if a.dtype == np.float64 else np.float32
    return jnp.nanmean(to_float(a), axes.several(axis, a.ndim), keepdims=keepdims).astype(np_dtype(dtype, kept))


@row()
def nanstd(a: Array, axis: Axis = None, dtype: Static = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the standard deviation over axes of the elements that are not NaN.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        dtype: The dtype of the result; float32 if None.
        ddof: What is subtracted from the number of elements.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.nanstd([1.0, np.nan, 3.0]))
        1.0
    """
    out = jnp.nanstd(to_float(a), axes.several(axis, a.ndim), ddof=ddof, keepdims=keepdims)
    return out.astype(np_dtype(dtype, np.float32))


@row()
def nanvar(a: Array, axis: Axis = None, dtype: Static = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the variance over axes of the elements that are not NaN.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        dtype: The dtype of the result; float32 if None.
        ddof: What is subtracted from the number of elements.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.nanvar([1.0, np.nan, 5.0]))
        4.0
    """
    out = jnp.nanvar(to_float(a), axes.several(axis, a.ndim), ddof=ddof, keepdims=keepdims)
    return out.astype(np_dtype(dtype, np.float32))
