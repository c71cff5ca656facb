"""Reductions over the segments that ids name."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core.tensor import Tensor
from sporax._src.ops.gathering import integers
from sporax._src.ops.primitive import primitive
from sporax._src.ops.pullback import instead
from sporax._src.ops.scattering import REF, segment_products
from sporax._src.ops.table import internal, op

_SEGMENTS = (
    "T(4), D([0, 0, 2, 1], np.int32), 3",
    "T(3, 2), D([1, 1, 0], np.int64), 2",
    "T(2, 2), D([[0, 1], [1, 5]], np.int32), 3",
)


def _segments(x: Array, ids: Array, count: Any, empty: Any) -> Any:
    if not isinstance(count, int):
        raise TypeError(f"num_segments must be an int, got {count}.")
    ids = integers(ids, "segment_ids")
    if ids.shape != x.shape[: ids.ndim]:
        raise ValueError(f"segment_ids must have the leading axes of the input {x.shape}, got {ids.shape}.")
    ids = jnp.where(ids < 0, count, ids)
    return jnp.full((count, *x.shape[ids.ndim :]), empty, x.dtype).at[ids]


def _products(x: Array, ids: Array, count: Any) -> Array:
    """Return the product of the slices of each segment."""
    out = _segments(x, ids, count, 1).multiply(jax.lax.stop_gradient(x))
    return instead(out, segment_products(x, ids, count)) if jnp.issubdtype(x.dtype, np.inexact) else out


def _limits(dtype: Any) -> Any:
    return jnp.iinfo(dtype) if dtype.kind in "iu" else jnp.finfo(dtype)


@op(
    ref=REF + "unsorted_segment_sum",
    cases=_SEGMENTS,
    errors=(
        ("T(3), T(3), 2", "integer"),
        ("T(3), I(2), 2", "leading axes"),
        ("T(3), I(3), 2.5", "num_segments must be an int, got 2.5"),
    ),
    method="unsorted_segment_sum",
    primitive="UnsortedSegmentSum()",
)
def unsorted_segment_sum(input_x: Array, segment_ids: Array, num_segments: Static) -> Array:
    """Return for each of `num_segments` segments the sum of the slices whose id it is; negative ids count nowhere.

    Args:
        input_x: A Tensor.
        segment_ids: An integer Tensor whose shape is that of the leading axes of `input_x`.
        num_segments: The number of segments: an int, or a Tensor of one.

    Returns:
        A Tensor of shape (num_segments, rest of the shape of `input_x`).

    Raises:
        TypeError: If `segment_ids` holds no integers, or `num_segments` is none.
        ValueError: If its shape does not fit.

    Examples:
        >>> ops.unsorted_segment_sum(Tensor([1, 2, 3]), Tensor([0, 1, 0]), 2).asnumpy()
        array([4, 2])
    """
    count = num_segments[0] if isinstance(num_segments, tuple) and len(num_segments) == 1 else num_segments
    return _segments(input_x, segment_ids, count, 0).add(input_x)


@op(
    ref=REF + "unsorted_segment_max",
    cases=_SEGMENTS,
    errors=(("T(4), T(7, 11), 3", "segment_ids must be an integer Tensor"),),
    grad=0,
    method="unsorted_segment_max",
    primitive="UnsortedSegmentMax()",
)
def unsorted_segment_max(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Return for each segment the largest of its slices; the least number of the dtype where there is none.

    Args:
        x: A Tensor of real numbers.
        segment_ids: An integer Tensor whose shape is that of the leading axes of `x`.
        num_segments: The number of segments.

    Returns:
        A Tensor of shape (num_segments, rest of the shape of `x`).

    Raises:
        TypeError: If `segment_ids` holds no integers.
        ValueError: If its shape does not fit.

    Examples:
        >>> ops.unsorted_segment_max(Tensor([1, 2, 3]), Tensor([0, 1, 0]), 2).asnumpy()
        array([3, 2])
    """
    return _segments(x, segment_ids, num_segments, _limits(x.dtype).min).max(x)


@op(
    ref=REF + "unsorted_segment_min",
    cases=_SEGMENTS,
    errors=(("T(4), T(7, 11), 3", "segment_ids must be an integer Tensor"),),
    grad=0,
    method="unsorted_segment_min",
    primitive="UnsortedSegmentMin()",
)
def unsorted_segment_min(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Return for each segment the smallest of its slices; the largest number of the dtype where there is none.

    Args:
        x: A Tensor of real numbers.
        segment_ids: An integer Tensor whose shape is that of the leading axes of `x`.
        num_segments: The number of segments.

    Returns:
        A Tensor of shape (num_segments, rest of the shape of `x`).

    Raises:
        TypeError: If `segment_ids` holds no integers.
        ValueError: If its shape does not fit.

    Examples:
        >>> ops.unsorted_segment_min(Tensor([1, 2, 3]), Tensor([0, 1, 0]), 2).asnumpy()
        array([1, 2])
    """
    return _segments(x, segment_ids, num_segments, _limits(x.dtype).max).min(x)


@op(
    ref=REF + "unsorted_segment_prod",
    cases=_SEGMENTS,
    errors=(("T(4), T(7, 11), 3", "segment_ids must be an integer Tensor"),),
    method="unsorted_segment_prod",
    primitive="UnsortedSegmentProd()",
)
def unsorted_segment_prod(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Return for each segment the product of its slices; 1 where there is none.

    Args:
        x: A Tensor.
        segment_ids: An integer Tensor whose shape is that of the leading axes of `x`.
        num_segments: The number of segments.

    Returns:
        A Tensor of shape (num_segments, rest of the shape of `x`).

    Raises:
        TypeError: If `segment_ids` holds no integers.
        ValueError: If its shape does not fit.

    Examples:
        >>> ops.unsorted_segment_prod(Tensor([1, 2, 3]), Tensor([0, 1, 0]), 2).asnumpy()
        array([3, 2])
    """
    return _products(x, segment_ids, num_segments)


@internal("segment")
def _sorted_segment(x: Array, ids: Array, count: Static, how: Static) -> Array:
    if how in ("max", "min"):
        found = _segments(x, ids, count, _limits(x.dtype).min if how == "max" else _limits(x.dtype).max)
        out = found.max(x) if how == "max" else found.min(x)
        some = _segments(jnp.ones_like(x), ids, count, 0).add(jnp.ones_like(x)) > 0
        return jnp.where(some, out, jnp.zeros((), x.dtype))
    if how == "prod":
        return _products(x, ids, count)
    total = _segments(x, ids, count, 0).add(x)
    if how == "sum":
        return total
    size = jnp.zeros(count, x.dtype).at[ids].add(1).reshape(-1, *[1] * (x.ndim - 1))
    return jax.lax.div(total, jnp.broadcast_to(jnp.maximum(size, 1), total.shape))  # integers stay such


def _segment(x: Tensor, ids: Tensor, how: str) -> Tensor:
    """Return the reduction of x over the slices of each segment; ids are sorted and start at 0.

    Args:
        x: A Tensor.
        ids: A 1-D integer Tensor, one for each slice along axis 0, ascending.
        how: Which reduction; the class says it.

    Returns:
        A Tensor with a slice for each segment; zeros for those without a slice, ones for the product.

    Examples:
        >>> ops.SegmentSum()(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1])).asnumpy()
        array([3., 3.], dtype=float32)
    """
    return _sorted_segment(x, ids, int(ids.asnumpy()[-1]) + 1 if ids.size else 0, how)


for _how in ("sum", "mean", "max", "min", "prod"):
    _reduced = functools.partial(_segment, how=_how)
    _reduced.__doc__ = _segment.__doc__
    primitive(f"Segment{_how.capitalize()}()")(_reduced)
