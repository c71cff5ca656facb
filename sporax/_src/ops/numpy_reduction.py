"""Functions of `numpy` that reduce or accumulate along axes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Axis, OptArray, Static
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.numpy_base import NUMPY, asarray, np_dtype, public, row
from sporax._src.ops.table import internal


@row()
def sum(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False, initial: OptArray = None) -> Array:
    """Return the sum over axes, plus `initial`; of integers and booleans as int64."""
    kind = np_dtype(dtype, np.int64 if a.dtype.kind in "biu" else a.dtype)
    out = jnp.sum(a.astype(kind), axes.several(axis, a.ndim), keepdims=keepdims, dtype=kind)
    return out if initial is None else out + initial.astype(out.dtype)


@row()
def mean(a: Array, axis: Axis = None, keepdims: bool = False, dtype: Static = None) -> Array:
    """Return the mean over axes; of integers its whole part, as MindSpore has it."""
    kept = np.float32 if a.dtype == bool else a.dtype
    a = to_float(a)
    return jnp.mean(a, axes.several(axis, a.ndim), keepdims=keepdims, dtype=a.dtype).astype(np_dtype(dtype, kept))


@row()
def std(x: Array, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the standard deviation over axes, with N - ddof in the denominator."""
    x = to_float(x)
    return jnp.std(x, axes.several(axis, x.ndim), ddof=ddof, keepdims=keepdims)


@row()
def var(x: Array, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the variance over axes, with N - ddof in the denominator."""
    x = to_float(x)
    return jnp.var(x, axes.several(axis, x.ndim), ddof=ddof, keepdims=keepdims)


def _extreme(name: str, aliases: tuple[str, ...], text: str) -> None:
    fn, lowest = getattr(jnp, name), name == "max"

    @internal(f"numpy.{aliases[0]}")
    def kernel(a: Array, initial: OptArray, where: OptArray, axis: Axis, keepdims: bool) -> Array:
        options: dict[str, Any] = {}
        if initial is not None:
            options["initial"] = initial.astype(a.dtype)
        if where is not None:
            options["where"] = where.astype(bool)
            options.setdefault("initial", _bound(a.dtype, lowest))
        return fn(a, axes.several(axis, a.ndim), keepdims=keepdims, **options)

    def reduced(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Tensor:
        if initial is not None and not isinstance(initial, (int, float, Tensor)):
            raise TypeError(f"numpy.{aliases[0]}: initial must be a number, got {type(initial).__name__}.")
        initial = None if initial is None else asarray(initial)
        if where is not True and initial is None:
            raise ValueError(f"numpy.{aliases[0]}: where needs initial, the value of places without elements.")
        return kernel(asarray(a), initial, None if where is True else asarray(where), axis, keepdims)

    reduced.__name__, reduced.__doc__ = aliases[0], text
    for alias in aliases:
        NUMPY[alias] = reduced


def _bound(dtype: np.dtype, lowest: bool) -> Any:
    info = jnp.iinfo(dtype) if dtype.kind in "iu" else jnp.finfo(dtype)
    return info.min if lowest else info.max


_extreme("max", ("amax", "max"), "Return the largest element over axes, of those that `where` selects and `initial`.")
_extreme("min", ("amin", "min"), "Return the smallest element over axes, of those that `where` selects and `initial`.")


@row()
def ptp(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the largest minus the smallest element over axes."""
    places = axes.several(axis, x.ndim)
    return jnp.max(x, places, keepdims=keepdims) - jnp.min(x, places, keepdims=keepdims)


@row()
def argmax(a: Array, axis: Static = None) -> Array:
    """Return the index of the first largest element along an axis; in the flattened Tensor if it is None."""
    return jnp.argmax(a, axis if axis is None else axes.one(axis, a.ndim)).astype(np.int64)


@row()
def argmin(a: Array, axis: Static = None) -> Array:
    """Return the index of the first smallest element along an axis; in the flattened Tensor if it is None."""
    return jnp.argmin(a, axis if axis is None else axes.one(axis, a.ndim)).astype(np.int32)


@row()
def count_nonzero(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the number of elements that are not 0 over axes."""
    return jnp.sum(x != 0, axes.several(axis, x.ndim), keepdims=keepdims, dtype=np.int32)


@row()
def sometrue(a: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return whether any element over axes is true."""
    return jnp.any(a.astype(bool), axes.several(axis, a.ndim), keepdims=keepdims)


@row()
def cumsum(a: Array, axis: Static = None, dtype: Static = None) -> Array:
    """Return the sums up to each element along an axis; of the flattened Tensor if it is None."""
    kept = np.int32 if a.dtype.kind in "biu" and a.dtype.itemsize <= 2 else a.dtype
    return _accumulate(jnp.cumsum, a, axis, np_dtype(dtype, kept))


@row()
def cumprod(a: Array, axis: Static = None, dtype: Static = None) -> Array:
    """Return the products up to each element along an axis; of the flattened Tensor if it is None."""
    return _accumulate(jnp.cumprod, a, axis, np_dtype(dtype, _accumulator(a.dtype)))


def _accumulator(dtype: np.dtype) -> np.dtype:
    if dtype in (np.int8, np.int16, np.bool_):
        return np.dtype(np.int32)
    return np.dtype(np.uint32) if dtype in (np.uint8, np.uint16) else dtype


def _accumulate(fn: Any, a: Array, axis: int | None, dtype: np.dtype) -> Array:
    if axis is None:
        a, axis = jnp.ravel(a), 0
    inner = a if a.dtype != bool and a.dtype.itemsize > 2 else a.astype(_accumulator(a.dtype))
    return fn(inner, axes.one(axis, a.ndim)).astype(dtype)


# --- that pass over NaN ---------------------------------------------------------------------------------------------


@row()
def nancumsum(a: Array, axis: Static = None, dtype: Static = None) -> Array:
    """Return the sums up to each element along an axis, with NaN as 0."""
    return cumsum.raw(_without_nan(a), axis, dtype)


def _without_nan(a: Array) -> Array:
    return jnp.where(jnp.isnan(a), jnp.zeros((), a.dtype), a) if a.dtype.kind in "fc" else a


@row()
def nansum(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False) -> Array:
    """Return the sum over axes, with NaN as 0."""
    return sum.raw(_without_nan(a), axis, np_dtype(dtype, np.int32 if a.dtype == bool else a.dtype), keepdims)


def _nan_reduced(name: str, text: str) -> None:
    fn = getattr(jnp, name)

    def reduced(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False) -> Array:
        return fn(a, axes.several(axis, a.ndim), keepdims=keepdims).astype(np_dtype(dtype, a.dtype))

    reduced.__doc__ = text
    row(name)(reduced)


_nan_reduced("nanmax", "Return the largest element over axes that is not NaN.")
_nan_reduced("nanmin", "Return the smallest element over axes that is not NaN.")


@row()
def nanmean(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False) -> Array:
    """Return the mean over axes of the elements that are not NaN."""
    kept = np.float64 if a.dtype == np.float64 else np.float32
    return jnp.nanmean(to_float(a), axes.several(axis, a.ndim), keepdims=keepdims).astype(np_dtype(dtype, kept))


@row()
def nanstd(a: Array, axis: Axis = None, dtype: Static = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the standard deviation over axes of the elements that are not NaN."""
    out = jnp.nanstd(to_float(a), axes.several(axis, a.ndim), ddof=ddof, keepdims=keepdims)
    return out.astype(np_dtype(dtype, np.float32))


@row()
def nanvar(a: Array, axis: Axis = None, dtype: Static = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the variance over axes of the elements that are not NaN."""
    out = jnp.nanvar(to_float(a), axes.several(axis, a.ndim), ddof=ddof, keepdims=keepdims)
    return out.astype(np_dtype(dtype, np.float32))


# --- weighted -------------------------------------------------------------------------------------------------------


@internal("numpy.average")
def _average(x: Array, weights: OptArray, axis: Axis) -> tuple[Array, Array]:
    places = axes.several(axis, x.ndim)
    if weights is None:
        count = int(np.prod([x.shape[p] for p in places]))
        out = mean.raw(x, axis)
        return out, jnp.full_like(out, count)
    x, weights = unify(to_float(x), to_float(weights))
    if x.shape != weights.shape:
        if weights.ndim != 1 or not isinstance(axis, int) or weights.shape[0] != x.shape[places[0]]:
            raise TypeError(f"weights must have the shape of x or be a vector along axis, got {list(weights.shape)}.")
        weights = jnp.broadcast_to(weights.reshape([-1 if i == places[0] else 1 for i in range(x.ndim)]), x.shape)
    total = jnp.sum(weights, places)
    return jnp.sum(x * weights, places) / total, total


@public()
def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Return the weighted mean over axes, with the sum of the weights if `returned`.

    Args:
        x: The values.
        axis: An axis, several, or None for all.
        weights: One for each element, or for each place along the axis; equal ones if None.
        returned: Whether to return the sums of the weights too.
    """
    out = _average(asarray(x), None if weights is None else asarray(weights), axis)
    return out if returned else out[0]
