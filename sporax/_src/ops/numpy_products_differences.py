"""Differences, slopes and integrals of `numpy`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray, Shape, Static
from sporax._src.core.dtype import to_float
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.numpy_base import asarray, public, row
from sporax._src.ops.table import internal


@row()
def diff(a: Array, n: int = 1, axis: int = -1, prepend: OptArray = None, append: OptArray = None) -> Array:
    """Return the n-th differences of neighbours along an axis, with values put before and after first.

    Args:
        a: An array-like with at least 1 axis.
        n: How often differences are taken.
        axis: The axis, counted from the end where it is negative.
        prepend, append: Values put before and after along the axis.

    Raises:
        ValueError: If there is no axis, or it is out of range.

    Examples:
        >>> ms.numpy.diff([1, 3, 6]).asnumpy()
        array([2, 3], dtype=int32)
    """
    if a.ndim == 0:
        raise ValueError("a must have at least 1 axis, got 0.")
    axes.one(axis, a.ndim)
    prepend, append = (None if v is None else v.astype(a.dtype) for v in (prepend, append))
    return jnp.diff(a, n, axis, prepend, append)


@row()
def ediff1d(ary: Array, to_end: OptArray = None, to_begin: OptArray = None) -> Array:
    """Return the differences of neighbours of the flattened Tensor, between `to_begin` and `to_end`.

    Args:
        ary: An array-like.
        to_end, to_begin: Values behind and before the differences.

    Examples:
        >>> ms.numpy.ediff1d([1, 3, 6], to_end=9).asnumpy()
        array([2, 3, 9], dtype=int32)
    """
    ends = [None if v is None else jnp.ravel(v).astype(ary.dtype) for v in (to_begin, to_end)]
    middle = jnp.diff(jnp.ravel(ary))
    return jnp.concatenate([v for v in (ends[0], middle, ends[1]) if v is not None])


@row()
def trapz(y: Array, x: OptArray = None, dx: Static = 1.0, axis: int = -1) -> Array:
    """Return the integral along an axis by the trapezoidal rule, over the places x or with distance dx.

    Args:
        y: An array-like; integers become float32.
        x: The places, a vector or of the shape of y.
        dx: Their distance, where `x` is None.
        axis: The axis, counted from the end where it is negative.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> float(ms.numpy.trapz([1.0, 2.0, 3.0]))
        4.0
    """
    y = to_float(y)
    axes.one(axis, y.ndim)
    return jnp.trapezoid(y, None if x is None else x.astype(y.dtype), dx, axis)


@internal("numpy.gradient")
def _gradient(f: Array, spacing: Static, axis: Shape) -> tuple[Array, ...]:
    f = to_float(f)
    for a in axis:
        if f.shape[a] < 2:
            raise ValueError(f"f must have at least 2 elements along axis {a}, got {f.shape[a]}.")
    return tuple(jnp.asarray(jnp.gradient(f, h, axis=a)) for h, a in zip(spacing, axis, strict=True))


@public()
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the slopes along axes by central differences, and one-sided ones at the ends.

    Args:
        f: The values.
        varargs: The distance of neighbours: none (1), one for all axes, or one for each.
        axis: The axes; all if None.
        edge_order: 1, the only order of differences at the ends.

    Returns:
        A Tensor for one axis, else a list of them.

    Raises:
        TypeError: If the number of distances does not fit.
        ValueError: If an axis is out of range or has fewer than 2 elements.
        NotImplementedError: If `edge_order` is not 1.

    Examples:
        >>> ms.numpy.gradient([1.0, 2.0, 4.0]).asnumpy()
        array([1. , 1.5, 2. ], dtype=float32)
    """
    f = asarray(f)
    if edge_order != 1:
        raise NotImplementedError(f"numpy.gradient: edge_order must be 1, got {edge_order}.")
    places = axes.several(axis, f.ndim)
    spacing = [v.item() if isinstance(v, Tensor) else v for v in varargs] or [1]
    if len(spacing) not in (1, len(places)):
        raise TypeError(f"numpy.gradient: expected 0, 1 or {len(places)} distances, got {len(spacing)}.")
    out = _gradient(f, spacing * len(places) if len(spacing) == 1 else spacing, places)
    return out[0] if len(places) == 1 else list(out)


@row()
def unwrap(p: Array, discont: float = 3.141592653589793, axis: int = -1) -> Array:
    """Return phases with multiples of 2π added so that neighbours differ by less than π.

    Args:
        p: An array-like of phases in radians.
        discont: The largest difference that stays; values below π count as π.
        axis: The axis, counted from the end where it is negative.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.unwrap([0.0, 2 * np.pi + 0.5]).asnumpy().round(3)
        array([0. , 0.5], dtype=float32)
    """
    p = to_float(p)
    axes.one(axis, p.ndim)
    return jnp.unwrap(p, discont, axis)
