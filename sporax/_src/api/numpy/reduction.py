"""Functions of `numpy` that reduce or accumulate along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from sporax._src.api.numpy.asarray import NUMPY, asarray, np_dtype, public, row
from sporax._src.base.typing import Array, Axis, OptArray, Static
from sporax._src.core.conversion import converted
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import internal


@row()
def sum(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False, initial: OptArray = None) -> Array:
    """Return the sum over axes, plus `initial`; of integers and booleans as int64.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        dtype: The dtype to add in and of the result.
        keepdims: Whether reduced axes stay with size 1.
        initial: A number that is added.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.sum([[1, 2], [3, 4]], 1).asnumpy()
        array([3, 7])
    """
    kind = np_dtype(dtype, np.int64 if a.dtype.kind in "biu" else a.dtype)
    out = jnp.sum(a.astype(kind), axes.several(axis, a.ndim), keepdims=keepdims, dtype=kind)
    return out if initial is None else out + initial.astype(out.dtype)


@row()
def mean(a: Array, axis: Axis = None, keepdims: bool = False, dtype: Static = None) -> Array:
    """Return the mean over axes; of integers its whole part, as MindSpore has it.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        dtype: The dtype of the result; that of `a` (float32 for booleans) if None.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.mean([[1.0, 2.0], [3.0, 4.0]], 1).asnumpy()
        array([1.5, 3.5], dtype=float32)
    """
    default = np.float32 if a.dtype == bool else a.dtype
    a = to_float(a)
    return converted(
        jnp.mean(a, axes.several(axis, a.ndim), keepdims=keepdims, dtype=a.dtype), np_dtype(dtype, default)
    )


@row()
def std(x: Array, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the standard deviation over axes, with N - ddof in the denominator.

    Args:
        x: An array-like; integers become float32.
        axis: An axis, several, or None for all.
        ddof: The number subtracted from the number N of elements.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.std([1.0, 3.0]))
        1.0
    """
    x = to_float(x)
    return jnp.std(x, axes.several(axis, x.ndim), ddof=ddof, keepdims=keepdims)


@row()
def var(x: Array, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the variance over axes, with N - ddof in the denominator.

    Args:
        x: An array-like; integers become float32.
        axis: An axis, several, or None for all.
        ddof: The number subtracted from the number N of elements.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.var([1.0, 5.0]))
        4.0
    """
    x = to_float(x)
    return jnp.var(x, axes.several(axis, x.ndim), ddof=ddof, keepdims=keepdims)


def _extreme(name: str, aliases: tuple[str, ...], text: str, result: int) -> None:
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

    def reduced(
        a: Any,
        axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False,
        initial: object = None,
        where: Any = True,
    ) -> Tensor:
        if initial is not None and not isinstance(initial, (int, float, Tensor)):
            raise TypeError(f"numpy.{aliases[0]}: initial must be a number, got {type(initial).__name__}.")
        initial = None if initial is None else asarray(initial)
        if where is not True and initial is None:
            raise ValueError(f"numpy.{aliases[0]}: where needs initial, the result for positions without elements.")
        return kernel(asarray(a), initial, None if where is True else asarray(where), axis, keepdims)

    reduced.__name__, reduced.__doc__ = aliases[0], _EXTREME.format(name=aliases[0], text=text, result=result)
    for alias in aliases:
        NUMPY[alias] = reduced


def _bound(dtype: np.dtype, lowest: bool) -> Any:
    info = jnp.iinfo(dtype) if dtype.kind in "iu" else jnp.finfo(dtype)
    return info.min if lowest else info.max


_EXTREME = """{text}

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        initial: A number that counts as an element.
        where: A mask of the elements that count; needs `initial`.

    Raises:
        TypeError: If `initial` is not a number.
        ValueError: If `where` is given without `initial`, or an axis is out of range.

    Examples:
        >>> int(ms.numpy.{name}([3, 1, 7]))
        {result}
    """
_extreme(
    "max", ("amax", "max"), "Return the largest element over axes, of those that `where` selects and `initial`.", 7
)
_extreme(
    "min", ("amin", "min"), "Return the smallest element over axes, of those that `where` selects and `initial`.", 1
)


@row()
def ptp(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the largest minus the smallest element over axes.

    Args:
        x: An array-like.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> int(ms.numpy.ptp([3, 1, 7]))
        6
    """
    dims = axes.several(axis, x.ndim)
    return jnp.max(x, dims, keepdims=keepdims) - jnp.min(x, dims, keepdims=keepdims)


@row()
def argmax(a: Array, axis: Static = None) -> Array:
    """Return the int64 index of the first largest element along an axis; in the flattened Tensor if it is None.

    Args:
        a: An array-like.
        axis: The axis.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> int(ms.numpy.argmax([3, 7, 1]))
        1
    """
    return jnp.argmax(a, axis if axis is None else axes.one(axis, a.ndim)).astype(np.int64)


@row()
def argmin(a: Array, axis: Static = None) -> Array:
    """Return the int32 index of the first smallest element along an axis; in the flattened Tensor if it is None.

    Args:
        a: An array-like.
        axis: The axis.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> int(ms.numpy.argmin([3, 7, 1]))
        2
    """
    return jnp.argmin(a, axis if axis is None else axes.one(axis, a.ndim)).astype(np.int32)


@row()
def count_nonzero(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the number of elements that are not 0 over axes.

    Args:
        x: An array-like.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> int(ms.numpy.count_nonzero([0, 2, 3]))
        2
    """
    return jnp.sum(x != 0, axes.several(axis, x.ndim), keepdims=keepdims, dtype=np.int32)


@row()
def sometrue(a: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return whether any element over axes is true.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> bool(ms.numpy.sometrue([0, 2]))
        True
    """
    return jnp.any(a.astype(bool), axes.several(axis, a.ndim), keepdims=keepdims)


@row()
def cumsum(a: Array, axis: Static = None, dtype: Static = None) -> Array:
    """Return the sums up to each element along an axis; of the flattened Tensor if it is None.

    Args:
        a: An array-like.
        axis: The axis.
        dtype: The dtype of the result; that of `a`, and int32 for smaller integers, if None.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.cumsum([1, 2, 3]).asnumpy()
        array([1, 3, 6], dtype=int32)
    """
    default = np.int32 if a.dtype.kind in "biu" and a.dtype.itemsize <= 2 else a.dtype
    return _accumulate(jnp.cumsum, a, axis, np_dtype(dtype, default))


@row()
def cumprod(a: Array, axis: Static = None, dtype: Static = None) -> Array:
    """Return the products up to each element along an axis; of the flattened Tensor if it is None.

    Args:
        a: An array-like.
        axis: The axis.
        dtype: The dtype of the result; that of `a`, and a 32-bit one for smaller integers, if None.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.cumprod([1, 2, 3]).asnumpy()
        array([1, 2, 6], dtype=int32)
    """
    return _accumulate(jnp.cumprod, a, axis, np_dtype(dtype, _accumulator(a.dtype)))


def _accumulator(dtype: np.dtype) -> np.dtype:
    if dtype in (np.int8, np.int16, np.bool_):
        return np.dtype(np.int32)
    return np.dtype(np.uint32) if dtype in (np.uint8, np.uint16) else dtype


def _accumulate(fn: Callable[..., Array], a: Array, axis: int | None, dtype: np.dtype) -> Array:
    if axis is None:
        a, axis = jnp.ravel(a), 0
    inner = a if a.dtype != bool and a.dtype.itemsize > 2 else a.astype(_accumulator(a.dtype))
    return fn(inner, axes.one(axis, a.ndim)).astype(dtype)


# --- weighted -------------------------------------------------------------------------------------------------------


@internal("numpy.average")
def _average(x: Array, weights: OptArray, axis: Axis) -> tuple[Array, Array]:
    dims = axes.several(axis, x.ndim)
    if weights is None:
        count = int(np.prod([x.shape[p] for p in dims]))
        out = mean.raw(x, axis)
        return out, jnp.full_like(out, count)
    x, weights = unify(to_float(x), to_float(weights))
    if x.shape != weights.shape:
        if weights.ndim != 1 or not isinstance(axis, int) or weights.shape[0] != x.shape[dims[0]]:
            raise TypeError(f"weights must have the shape of x or be a vector along axis, got {list(weights.shape)}.")
        weights = jnp.broadcast_to(weights.reshape([-1 if i == dims[0] else 1 for i in range(x.ndim)]), x.shape)
    total = jnp.sum(weights, dims)
    return jnp.sum(x * weights, dims) / total, total


@public()
def average(
    x: ArrayLike, axis: int | tuple[int, ...] | None = None, weights: ArrayLike | None = None, returned: bool = False
) -> Any:
    """Return the weighted mean over axes, with the sum of the weights if `returned`.

    Args:
        x: The values.
        axis: An axis, several, or None for all.
        weights: One for each element, or for each position along the axis; equal ones if None.
        returned: Whether to return the sums of the weights too.

    Raises:
        TypeError: If the shape of the weights does not fit.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.average([1.0, 4.0], weights=[2.0, 1.0]))
        2.0
    """
    out = _average(asarray(x), None if weights is None else asarray(weights), axis)
    return out if returned else out[0]


# --- reductions that pass over NaN --------------------------------------------------------------------------------------


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


def _nan_reduced(name: str, text: str, result: float) -> None:
    fn = getattr(jnp, name)

    def reduced(a: Array, axis: Axis = None, dtype: Static = None, keepdims: bool = False) -> Array:
        return converted(fn(a, axes.several(axis, a.ndim), keepdims=keepdims), np_dtype(dtype, a.dtype))

    reduced.__doc__ = _NAN_REDUCED.format(name=name, text=text, result=result)
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
        {result}
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
    default = np.float64 if a.dtype == np.float64 else np.float32
    return converted(jnp.nanmean(to_float(a), axes.several(axis, a.ndim), keepdims=keepdims), np_dtype(dtype, default))


@row()
def nanstd(a: Array, axis: Axis = None, dtype: Static = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the standard deviation over axes of the elements that are not NaN.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        dtype: The dtype of the result; float32 if None.
        ddof: The number subtracted from the number of elements.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.nanstd([1.0, np.nan, 3.0]))
        1.0
    """
    out = jnp.nanstd(to_float(a), axes.several(axis, a.ndim), ddof=ddof, keepdims=keepdims)
    return converted(out, np_dtype(dtype, np.float32))


@row()
def nanvar(a: Array, axis: Axis = None, dtype: Static = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the variance over axes of the elements that are not NaN.

    Args:
        a: An array-like.
        axis: An axis, several, or None for all.
        dtype: The dtype of the result; float32 if None.
        ddof: The number subtracted from the number of elements.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ms.numpy.nanvar([1.0, np.nan, 5.0]))
        4.0
    """
    out = jnp.nanvar(to_float(a), axes.several(axis, a.ndim), ddof=ddof, keepdims=keepdims)
    return converted(out, np_dtype(dtype, np.float32))
