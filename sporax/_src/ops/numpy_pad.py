"""Padding and flat indices of `numpy`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.ops.numpy_base import NUMPY, asarray, public
from sporax._src.ops.table import internal

_MODES = {
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "edge": (),
    "wrap": (),
    "empty": (),
}


@internal("numpy.pad")
def _pad(arr: Array, width: Static, mode: Static, options: Static) -> Array:
    if not callable(mode):
        return jnp.pad(arr, width, mode, **dict(options)).astype(arr.dtype)

    def per_vector(vector: Array, *rest: Any) -> Array:
        padded: Any = mode(wrap(vector), *rest)
        return padded._data

    return jnp.pad(arr, width, per_vector, **dict(options))


@public()
def pad(
    arr: Any,
    pad_width: Any,
    mode: str | Callable[..., Any] = "constant",
    stat_length: Any = None,
    constant_values: Any = 0,
    end_values: Any = 0,
    reflect_type: str = "even",
    **kwargs: Any,
) -> Tensor:
    """Return the Tensor with new elements before and after those of each axis.

    Args:
        arr: The Tensor.
        pad_width: How many: (before, after) for each axis, one pair for all, or one number.
        mode: `"constant"`, `"edge"`, `"linear_ramp"`, `"maximum"`, `"mean"`, `"minimum"`, `"reflect"`, `"symmetric"`,
            `"wrap"`, `"empty"` (zeros), or a function `(vector, pad_width, axis, kwargs) -> vector`.
        stat_length: How many elements at each edge `"maximum"`, `"mean"` and `"minimum"` look at.
        constant_values, end_values: The values of `"constant"`, and of the far ends of `"linear_ramp"`.
        reflect_type: `"even"` or `"odd"`, for `"reflect"` and `"symmetric"`.
        kwargs: Options for a function.

    Raises:
        ValueError: If `mode` is unknown.

    Examples:
        >>> ms.numpy.pad([1, 2], 1).asnumpy()
        array([0, 1, 2, 0], dtype=int32)
    """
    arr = asarray(arr)
    if not arr.ndim:
        return arr
    given = {"stat_length": stat_length, "constant_values": constant_values, "end_values": end_values}
    given["reflect_type"] = reflect_type
    if callable(mode):
        return _pad(arr, pad_width, mode, tuple(kwargs.items()))
    if mode not in _MODES:
        raise ValueError(f"numpy.pad: mode must be one of {', '.join(_MODES)} or a function, got {mode!r}.")
    options = tuple((name, given[name]) for name in _MODES[mode] if given[name] is not None)
    return _pad(arr, pad_width, mode, options)


@internal("numpy.unravel_index")
def _unravel_index(indices: Array, shape: Shape, order: str) -> tuple[Array, ...]:
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}.")
    total = int(np.prod(shape))
    flat = jnp.clip(indices, -total, total - 1) % total
    sizes = shape if order == "C" else shape[::-1]
    found = jnp.unravel_index(flat, sizes)
    return tuple(v.astype(indices.dtype) for v in (found if order == "C" else found[::-1]))


@public()
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    """Return the index along each axis of flat indices into `shape`; indices out of range are limited to it.

    Args:
        indices: Flat indices; negative ones count from the end.
        shape: The sizes of the axes.
        order: `"C"` (the last axis varies fastest) or `"F"` (the first does).

    Raises:
        ValueError: If `order` is unknown.

    Examples:
        >>> [v.tolist() for v in ms.numpy.unravel_index([1, 5], (2, 3))]
        [[0, 1], [1, 2]]
    """
    return _unravel_index(asarray(indices), (shape,) if isinstance(shape, int) else shape, order)


@internal("numpy.ravel_multi_index")
def _ravel_multi_index(index: Array, dims: Shape, mode: str, order: str) -> Array:
    if mode not in ("clip", "wrap"):
        raise ValueError(f"mode must be 'clip' or 'wrap', got {mode!r}.")
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}.")
    if index.shape[0] != len(dims):
        raise ValueError(f"multi_index must have {len(dims)} entries, got {index.shape[0]}.")
    sizes = dims if order == "C" else dims[::-1]
    strides = np.concatenate([np.cumprod(np.asarray(sizes[:0:-1], np.int64))[::-1], np.ones(1, np.int64)])
    strides = strides if order == "C" else strides[::-1]
    shaped = (-1,) + (1,) * (index.ndim - 1)
    limits = jnp.asarray(np.asarray(dims).reshape(shaped), index.dtype)
    zero = jnp.zeros((), index.dtype)
    inside = jnp.clip(index, zero, limits - 1) if mode == "clip" else index % limits
    return jnp.sum(inside * jnp.asarray(strides.reshape(shaped), index.dtype), 0, dtype=np.int64).astype(np.int32)


@public()
def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "clip", order: str = "C") -> Tensor:
    """Return the flat indices of indices along each axis.

    Args:
        multi_index: For each axis its indices.
        dims: The sizes of the axes.
        mode: What becomes of indices out of range: `"clip"` limits them, `"wrap"` counts round.
        order: `"C"` (the last axis varies fastest) or `"F"` (the first does).

    Raises:
        TypeError: If `multi_index` holds no integers.
        ValueError: If `mode` or `order` is unknown, or an axis has no indices.

    Examples:
        >>> ms.numpy.ravel_multi_index(([0, 1], [1, 2]), (2, 3)).asnumpy()
        array([1, 5], dtype=int32)
    """
    index = NUMPY["stack"](multi_index) if isinstance(multi_index, (tuple, list)) else asarray(multi_index)
    if index._data.dtype.kind not in "iu":
        raise TypeError(f"numpy.ravel_multi_index: multi_index must hold integers, got {index.dtype}.")
    return _ravel_multi_index(index, (dims,) if isinstance(dims, int) else dims, mode, order)
