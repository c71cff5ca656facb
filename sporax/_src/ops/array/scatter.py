"""Operators that put values at indices, slices or segments of a Tensor and return the result (Parameters: see `assign`)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Shape, Static, TensorArray, number
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.conversion import converted
from sporax._src.core.derivative import instead
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import shaped
from sporax._src.engine.table import freeze, internal, op
from sporax._src.ops.array.gather import integers

REF = "references.indices."
_ND = (
    "T(4, 3), D([[0], [2]], np.int32), T(2, 3)",
    "T(4, 3), D([[0, 1], [3, -1]], np.int64), T(2)",
    "T(4), D([[1], [1]], np.int32), D([2.0, 2.0])",
)
_BAD_ND = (
    ("T(3), T(2, 1), T(2)", "integer"), ("T(3), I(2, 2), T(2)", "last axis"),
    ("T(3), D([[0], [2]], np.int8), T(2)", "indices must have integers of at least 32 bits, got Int8"),
    ("T(4, 3), D([[0], [2]], np.int32), T(2, 1)", "updates must have shape [2, 3], got [2, 1]"),
)  # fmt: skip


def _bounds(input_x: Array, indices: Array, updates: Array) -> list[tuple[str, Array, tuple[int, ...]]]:
    return [("indices", indices, input_x.shape[: indices.shape[-1]])]


# --- at index vectors -----------------------------------------------------------------------------------------------


def _at(x: Array, indices: Array, least_bits: int = 32) -> Any:
    indices = integers(indices, least_bits=least_bits)
    if indices.ndim < 1 or indices.shape[-1] > x.ndim:
        raise ValueError(f"indices must hold at most {x.ndim} integers along the last axis, got {indices.shape}.")
    return x.at[tuple(jnp.moveaxis(indices, -1, 0))]


def _like(updates: Array, x: Array, indices: Array) -> Array:
    return converted(shaped(updates, (*indices.shape[:-1], *x.shape[indices.shape[-1] :]), "updates"), x.dtype)


def _has_gradient(x: Array) -> bool:
    return jnp.issubdtype(x.dtype, np.inexact)


def _factors(x: Array, indices: Array, updates: Array) -> Array:
    """Return for each element of x the product of its updates."""
    depth, rest = indices.shape[-1], x.shape[indices.shape[-1] :]
    ids = jnp.zeros(indices.shape[:-1], indices.dtype)
    for index, size in zip(jnp.moveaxis(indices, -1, 0), x.shape, strict=False):
        ids = ids * size + index % size
    slices = _like(updates, x, indices).reshape(-1, *rest)
    return segment_products(slices, ids.reshape(-1), math.prod(x.shape[:depth])).reshape(x.shape)


def segment_products(x: Array, ids: Array, count: Any) -> Array:
    """Return the products of the slices of x with one id, by a scan: unlike a scatter, it has a gradient, exact also at 0."""
    shape, ids = x.shape[ids.ndim :], ids.reshape(-1)
    if not ids.size:
        return jnp.ones((count, *shape), x.dtype)
    order = jnp.argsort(ids)
    ids, x = ids[order], x.reshape(ids.size, *shape)[order]
    new, ends = ids[1:] != ids[:-1], jnp.ones(1, bool)
    starts = jnp.concatenate([ends, new]).reshape(-1, *[1] * len(shape))

    def join(left: Any, right: Any) -> Any:
        return left[0] | right[0], jnp.where(right[0], right[1], left[1] * right[1])

    _, products = lax.associative_scan(join, (starts, x))
    last = jnp.where(jnp.concatenate([new, ends]) & (ids >= 0), ids, count)
    return jnp.ones((count, *shape), x.dtype).at[last].set(products, mode="drop")


@op(ref=REF + "tensor_scatter_update", cases=_ND, errors=_BAD_ND, bounds=_bounds, primitive="TensorScatterUpdate()")
def tensor_scatter_update(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x with `updates` put at the index vectors along the last axis of `indices`.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor of shape (*, K): each row names a position along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`). Where a position is named twice, one of them wins.

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If K is more than the axes of `input_x`, or the shapes do not fit.

    Examples:
        >>> ops.tensor_scatter_update(Tensor([1, 2, 3]), Tensor([[0], [2]]), Tensor([7, 9])).asnumpy()
        array([7, 2, 9])
    """
    return _at(input_x, indices).set(_like(updates, input_x, indices))


@op(ref=REF + "tensor_scatter_add", cases=_ND, errors=_BAD_ND, bounds=_bounds, primitive="TensorScatterAdd()")
def tensor_scatter_add(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x with `updates` added at the index vectors along the last axis of `indices`.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor of shape (*, K): each row names a position along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`). What goes to one position adds up.

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If K is more than the axes of `input_x`, or the shapes do not fit.

    Examples:
        >>> ops.tensor_scatter_add(Tensor([1, 2, 3]), Tensor([[0], [0]]), Tensor([10, 20])).asnumpy()
        array([31,  2,  3])
    """
    return _at(input_x, indices).add(_like(updates, input_x, indices))


@op(ref=REF + "tensor_scatter_sub", cases=_ND, errors=_BAD_ND, bounds=_bounds, primitive="TensorScatterSub()")
def tensor_scatter_sub(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x with `updates` subtracted at the index vectors along the last axis of `indices`.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor of shape (*, K): each row names a position along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`).

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If K is more than the axes of `input_x`, or the shapes do not fit.

    Examples:
        >>> ops.tensor_scatter_sub(Tensor([5, 6, 7]), Tensor([[0], [2]]), Tensor([1, 2])).asnumpy()
        array([4, 6, 5])
    """
    return _at(input_x, indices).subtract(_like(updates, input_x, indices))


@op(ref=REF + "tensor_scatter_mul", cases=_ND, errors=_BAD_ND, bounds=_bounds, primitive="TensorScatterMul()")
def tensor_scatter_mul(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x multiplied by `updates` at the index vectors along the last axis of `indices`.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor of shape (*, K): each row names a position along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`).

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If K is more than the axes of `input_x`, or the shapes do not fit.

    Examples:
        >>> ops.tensor_scatter_mul(Tensor([1, 2, 3]), Tensor([[0], [2]]), Tensor([10, 20])).asnumpy()
        array([10,  2, 60])
    """
    out = _at(lax.stop_gradient(input_x), indices).multiply(lax.stop_gradient(_like(updates, input_x, indices)))
    return instead(out, input_x * _factors(input_x, indices, updates)) if _has_gradient(input_x) else out


@op(ref=REF + "tensor_scatter_div", cases=_ND, errors=_BAD_ND, bounds=_bounds, primitive="TensorScatterDiv()")
def tensor_scatter_div(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x divided by `updates` at the index vectors along the last axis of `indices`.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor of shape (*, K): each row names a position along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`).

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If K is more than the axes of `input_x`, or the shapes do not fit.

    Examples:
        >>> ops.tensor_scatter_div(Tensor([4.0, 6.0]), Tensor([[1]]), Tensor([2.0])).asnumpy()
        array([4., 3.], dtype=float32)
    """
    still = _at(lax.stop_gradient(input_x), indices)
    out = still.divide(lax.stop_gradient(_like(updates, input_x, indices))).astype(input_x.dtype)
    return instead(out, input_x / _factors(input_x, indices, updates)) if _has_gradient(input_x) else out


@op(ref=REF + "tensor_scatter_max", cases=_ND, errors=_BAD_ND, bounds=_bounds, grad=0, primitive="TensorScatterMax()")
def tensor_scatter_max(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x with the larger of its element and that of `updates` at the index vectors along the last axis of
    `indices`.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor of shape (*, K): each row names a position along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`).

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If K is more than the axes of `input_x`, or the shapes do not fit.

    Examples:
        >>> ops.tensor_scatter_max(Tensor([1, 5, 3]), Tensor([[0], [1]]), Tensor([4, 4])).asnumpy()
        array([4, 5, 3])
    """
    return _at(input_x, indices).max(_like(updates, input_x, indices))


@op(ref=REF + "tensor_scatter_min", cases=_ND, errors=_BAD_ND, bounds=_bounds, grad=0, primitive="TensorScatterMin()")
def tensor_scatter_min(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x with the smaller of its element and that of `updates` at the index vectors along the last axis of
    `indices`.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor of shape (*, K): each row names a position along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`).

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If K is more than the axes of `input_x`, or the shapes do not fit.

    Examples:
        >>> ops.tensor_scatter_min(Tensor([1, 5, 3]), Tensor([[0], [1]]), Tensor([4, 4])).asnumpy()
        array([1, 4, 3])
    """
    return _at(input_x, indices).min(_like(updates, input_x, indices))


@op(
    ref=REF + "scatter_nd",
    cases=("D([[0], [0]], np.int32), T(2), (3,)", "D([[0, 1]], np.int64), T(1, 2), (2, 2, 2)"),
    errors=(("T(2, 1), T(2), (3,)", "integer"), ("D(3), T(2), (-2, 3)", "indices must not be a scalar")),
    primitive="ScatterNd()",
    bounds=lambda indices, updates, shape: [("indices", indices, shape[: indices.shape[-1]])],
)
def scatter_nd(indices: Array, updates: Array, shape: Shape) -> Array:
    """Return a Tensor of zeros with `updates` added at the index vectors along the last axis of `indices`.

    Args:
        indices: An integer Tensor of shape (*, K): each row names a position along the first K axes.
        updates: A Tensor of shape (*, shape[K:]); its dtype is that of the result.
        shape: The shape of the result.

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If a size is negative, or K is more than the axes of the result.
        RuntimeError: If `indices` is a scalar.

    Examples:
        >>> ops.scatter_nd(Tensor([[0], [2], [0]]), Tensor([1, 2, 3]), (4,)).asnumpy()
        array([4, 0, 2, 0])
    """
    if not jnp.ndim(indices):
        raise RuntimeError("ops.scatter_nd: indices must not be a scalar.")
    selected = _at(jnp.zeros(axes.fixed_sizes(shape), updates.dtype), indices, 16)
    return selected.max(updates) if updates.dtype == bool else selected.add(updates)


# --- along one axis -------------------------------------------------------------------------------------------------


def _grid(x: Array, axis: int, index: Array) -> Any:
    index = integers(index, "index")
    if index.ndim != x.ndim:
        raise ValueError(f"index must have as many axes as the input, {x.ndim}, got {index.ndim}.")
    axis = axes.one(axis, x.ndim)
    coordinates = [jax.lax.broadcasted_iota(index.dtype, index.shape, d) for d in range(x.ndim)]
    coordinates[axis] = index
    return x.at[tuple(coordinates)]


def _cut(src: Array, index: Array, x: Array) -> Array:
    """Return the part of `src` that the index covers."""
    src = converted(src, x.dtype)
    if src.ndim == 0:
        return src
    if src.ndim != index.ndim or any(i > n for i, n in zip(index.shape, src.shape, strict=True)):
        raise ValueError(f"src must be at least as large as the index {index.shape}, got {src.shape}.")
    return src[tuple([slice(n) for n in index.shape])]


@op(
    ref=REF + "tensor_scatter_elements",
    cases=(
        "T(3), D([0, 2], np.int64), T(2)",
        "T(3, 2), D([[0, 2]], np.int32), T(1, 2), 0, 'add'",
        "T(2, 3), D([[0, 1], [1, 2]], np.int32), T(2, 2), 1",
    ),
    errors=(
        ("T(3), T(2), T(2)", "integer"),
        ("T(3), I(2), T(2), 0, 'mul'", "reduction"),
        ("T(3), I(2, 2), T(2)", "as many axes"),
    ),
    primitive="TensorScatterElements(axis=0, reduction='none')(data, indices, updates)",
)
def tensor_scatter_elements(
    input_x: Array, indices: Array, updates: Array, axis: int = 0, reduction: str = "none"
) -> Array:
    """Return input_x with `out[indices[i, j], j] = updates[i, j]` (for axis=0, two axes), or with them added.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor with as many axes.
        updates: A Tensor at least as large as `indices`.
        axis: The axis that the indices count along.
        reduction: `"none"` puts the updates, `"add"` adds them.

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If `reduction` is unknown or the shapes do not fit.

    Examples:
        >>> ops.tensor_scatter_elements(Tensor([[1, 2], [3, 4]]), Tensor([[1, 0]]), Tensor([[8, 9]])).asnumpy()
        array([[1, 9],
               [8, 4]])
    """
    if reduction not in ("none", "add"):
        raise ValueError(f"reduction must be 'none' or 'add', got {reduction!r}.")
    selected = _grid(input_x, axis, indices)
    adding = selected.max if input_x.dtype == bool else selected.add
    return (selected.set if reduction == "none" else adding)(_cut(updates, indices, input_x))


@op(
    ref=REF + "scatter",
    cases=("T(2, 3), 1, D([[0], [1]], np.int64), T(2, 1)", "T(3), 0, D([0, 2], np.int32), T(3)"),
    errors=(("T(3), 0, I(3), T(2)", "src"),),
)
def scatter(input: Array, axis: int, index: Array, src: Array) -> Array:
    """Return the input with `out[index[i, j], j] = src[i, j]` (for axis=0, two axes).

    Args:
        input: A Tensor.
        axis: The axis that the indices count along.
        index: An integer Tensor with as many axes as `input`.
        src: A Tensor at least as large as `index`, or a number.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> ops.scatter(Tensor([[1, 2], [3, 4]]), 0, Tensor([[1, 0]]), Tensor([[8, 9]])).asnumpy()
        array([[1, 9],
               [8, 4]])
    """
    return _grid(input, axis, index).set(_cut(src, index, input))


@internal("Tensor.scatter_add")
def scatter_add_along(input: Array, dim: Static, index: Array, src: Array) -> Array:
    """Return the input with `src[i, j]` added to `out[index[i, j], j]` (for dim=0, two axes)."""
    return _grid(input, dim, index).add(_cut(src, index, input))


# --- segments that ids name ---------------------------------------------------------------------------------------------

_SEGMENTS = (
    "T(4), D([0, 0, 2, 1], np.int32), 3",
    "T(3, 2), D([1, 1, 0], np.int64), 2",
    "T(2, 2), D([[0, 1], [1, -5]], np.int32), 3",
)


def _segment_bounds(x: Array, segment_ids: Array, num_segments: object) -> list[tuple[str, Any, Any]]:
    """Return the bounds of the ids: they are below the number of segments, and negative ids are ignored."""
    return [("segment_ids", jnp.maximum(segment_ids, 0), num_segments)]


def _count(num_segments: object) -> Any:
    """Return the number of segments, an int or a Tensor of one element."""
    return num_segments[0] if isinstance(num_segments, tuple) and len(num_segments) == 1 else num_segments


def _segments(x: Array, ids: Array, count: object, empty: Any) -> Any:
    if not isinstance(count, int):
        raise TypeError(f"num_segments must be an int, got {count}.")
    ids = integers(ids, "segment_ids")
    if ids.shape != x.shape[: ids.ndim]:
        raise ValueError(f"segment_ids must have the leading axes of the input {x.shape}, got {ids.shape}.")
    ids = jnp.where(ids < 0, count, ids)
    return jnp.full((count, *x.shape[ids.ndim :]), empty, x.dtype).at[ids]


def _products(x: Array, ids: Array, count: object) -> Array:
    """Return the product of the slices of each segment."""
    out = _segments(x, ids, count, 1).multiply(jax.lax.stop_gradient(x))
    return instead(out, segment_products(x, ids, count)) if jnp.issubdtype(x.dtype, np.inexact) else out


def _limits(dtype: np.dtype) -> Any:
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
    bounds=lambda input_x, segment_ids, num_segments: _segment_bounds(input_x, segment_ids, _count(num_segments)),
    primitive="UnsortedSegmentSum()",
)
def unsorted_segment_sum(input_x: Array, segment_ids: Array, num_segments: Static) -> Array:
    """Return for each of `num_segments` segments the sum of the slices whose id it is; negative ids are ignored.

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
    return _segments(input_x, segment_ids, _count(num_segments), 0).add(input_x)


@op(
    ref=REF + "unsorted_segment_max",
    cases=_SEGMENTS,
    errors=(("T(4), T(7, 11), 3", "segment_ids must be an integer Tensor"),),
    grad=0,
    method="unsorted_segment_max",
    bounds=_segment_bounds,
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
    bounds=_segment_bounds,
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
    bounds=_segment_bounds,
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
        target = _segments(x, ids, count, _limits(x.dtype).min if how == "max" else _limits(x.dtype).max)
        out = target.max(x) if how == "max" else target.min(x)
        some = _segments(jnp.ones_like(x), ids, count, 0).add(jnp.ones_like(x)) > 0
        return jnp.where(some, out, jnp.zeros((), x.dtype))
    if how == "prod":
        return _products(x, ids, count)
    total = _segments(x, ids, count, 0).add(x)
    if how == "sum":
        return total
    size = jnp.zeros(count, x.dtype).at[ids].add(1).reshape(-1, *[1] * (x.ndim - 1))
    return jax.lax.div(total, jnp.broadcast_to(jnp.maximum(size, 1), total.shape))  # integers remain integers


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


# --- slices, rows and masked elements -----------------------------------------------------------------------------------


@op(
    ref=REF + "index_add",
    cases=("T(3, 2), 0, D([0, 0], np.int32), T(2, 2)", "T(2, 3), 1, D([2], np.int64), T(2, 1), alpha=2.0"),
    errors=(("T(3, 2), 0, T(7, 11), T(2, 2)", "index must be an integer Tensor"),),
    name="index_add_ext",
    bounds=lambda input, dim, index, **_: [("index", index, input.shape[dim])],
)
def index_add_ext(input: Array, dim: int, index: Array, source: Array, *, alpha: Array = number(1)) -> Array:
    """Return the input with `alpha` times the slices of `source` along `dim` added at `index`.

    Args:
        input: A Tensor.
        dim: The axis of the slices.
        index: A 1-D integer Tensor: where each slice of `source` goes.
        source: A Tensor of the shape of `input` but for len(index) along `dim`.
        alpha: A factor of the slices.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> ops.index_add_ext(Tensor([1, 2, 3]), 0, Tensor([0, 2]), Tensor([10, 20]), alpha=2).asnumpy()
        array([21,  2, 43])
    """
    dim, index = axes.one(dim, input.ndim, "dim"), integers(index, "index")
    source = shaped(source, (*input.shape[:dim], *index.shape, *input.shape[dim + 1 :]), "source")
    slices = (slice(None),) * dim + (index,)
    return input.at[slices].add(jnp.asarray(alpha).astype(input.dtype) * source.astype(input.dtype))


@op(
    ref=REF + "index_fill",
    cases=("T(3, 2), 0, D([0, 2], np.int32), 9.0", "T(2, 3), 1, D([2], np.int64), 1.0"),
    errors=(("T(3), 0, T(2), 1.0", "integer"),),
    method="index_fill",
    primitive="IndexFill()",
    bounds=lambda x, axis, index, value: [("index", index, x.shape[axis])],
)
def index_fill(x: Array, axis: int, index: Array, value: Array) -> Array:
    """Return x with the slices along `axis` at `index` filled with one value.

    Args:
        x: A Tensor.
        axis: The axis of the slices.
        index: An integer Tensor: the numbers of the slices.
        value: A number, or a Tensor of one element.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.index_fill(Tensor([[1, 2], [3, 4]]), 1, Tensor([0]), 9).asnumpy()
        array([[9, 2],
               [9, 4]])
    """
    slices = (slice(None),) * axes.one(axis, x.ndim) + (integers(index, "index"),)
    return x.at[slices].set(converted(value, x.dtype))


@op(
    ref=REF + "select_scatter",
    cases=("T(2, 3), T(3), 0, 1", "T(2, 3), T(2), 1, -1"),
    errors=(
        ("T(2), T(), 0, 5", "[-2, 2)"),
        ("T(2, 3), T(1), 0, 1", "src must have shape [3], got [1]"),
        ("T(2, 3), 5.0, 0, 1", "src must be a Tensor, got 5.0"),
    ),
    method="select_scatter",
)
def select_scatter(input: TensorArray, src: TensorArray, axis: int, index: int) -> Array:
    """Return the input with `src` in place of the slice number `index` along `axis`.

    Args:
        input: A Tensor.
        src: A Tensor of the shape of `input` without `axis`.
        axis: The axis, counted from the end where it is negative.
        index: The number of the slice.

    Raises:
        TypeError: If `input` or `src` is not a Tensor.
        ValueError: If the axis or the number is out of range, or `src` has another shape.

    Examples:
        >>> ops.select_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), 0, 1).asnumpy()
        array([[1, 2],
               [8, 9]])
    """
    axis = axes.one(axis, input.ndim)
    position = (slice(None),) * axis + (axes.one(index, input.shape[axis], "index"),)
    return _replaced(input, position, src)


def _replaced(x: Array, position: object, src: Array) -> Array:
    """Return x with `src`, which must have the shape of what it replaces, at a position."""
    want = jax.eval_shape(lambda x: x[position], x).shape
    return x.at[position].set(converted(shaped(src, want, "src"), x.dtype))


@op(
    ref=REF + "slice_scatter",
    cases=("T(4, 2), T(2, 2), 0, 1, 3", "T(4), T(2), 0, None, None, 2"),
    errors=(
        ("T(4, 2), T(2, 2), 99, 1, 3", "axis must be in [-2, 2)"),
        ("T(4, 2), T(2), 0, 1, 3", "src must have shape [2, 2], got [2]"),
    ),
    method="slice_scatter",
)
def slice_scatter(
    input: TensorArray, src: TensorArray, axis: int = 0, start: Static = None, end: Static = None, step: int = 1
) -> Array:
    """Return the input with `src` in place of `input[start:end:step]` along `axis`.

    Args:
        input: A Tensor.
        src: A Tensor of the shape of the slice.
        axis: The axis, counted from the end where it is negative.
        start: Where the slice begins; None: at the start.
        end: Where it ends; None: at the end.
        step: Every how many elements.

    Raises:
        TypeError: If `input` or `src` is not a Tensor.
        ValueError: If the axis is out of range, or `src` has another shape.

    Examples:
        >>> ops.slice_scatter(Tensor([1, 2, 3, 4]), Tensor([8, 9]), 0, 1, 3).asnumpy()
        array([1, 8, 9, 4])
    """
    return _replaced(input, (slice(None),) * axes.one(axis, input.ndim) + (slice(start, end, step),), src)


@primitive("TensorCopySlices()")
def _copy_slices(x: Tensor, value: Tensor, begin: object, end: object, strides: object) -> Tensor:
    """Return x with `value`, broadcast, in place of the elements from `begin` to `end` along its first axes.

    Args:
        x: A Tensor.
        value: A Tensor that broadcasts to what it replaces.
        begin, end, strides: An int for each of these axes; strides of 1.

    Raises:
        RuntimeError: If a stride is not 1.
        ValueError: If `value` does not broadcast.

    Examples:
        >>> ops.TensorCopySlices()(Tensor([1, 2, 3]), Tensor([8]), (1,), (2,), (1,)).asnumpy()
        array([1, 8, 3])
    """
    if any(step != 1 for step in freeze(strides)):
        raise RuntimeError(f"ops.TensorCopySlices: strides must be 1, got {freeze(strides)}.")
    return _copied(x, value, freeze(begin), freeze(end))


@internal("TensorCopySlices")
def _copied(x: Array, value: Array, begin: Static, end: Static) -> Array:
    return x.at[tuple(map(slice, begin, end))].set(converted(value, x.dtype))


def _rows(name: str) -> Callable[..., Array]:
    def fn(x: Array, v: Array, indices: Static) -> Array:
        selected = x.at[np.asarray(axes.sizes(indices, "indices"))]
        return getattr(selected, name)(converted(v, x.dtype))

    return fn


@op(
    ref=REF + "inplace_update",
    cases=("T(3, 2), T(2, 2), (0, 2)", "T(3, 2), T(1, 2), 1"),
    errors=(("T(3, 2), T(7, 11), (0, 2)", "Incompatible types for broadcasting"),),
    method=(),
)
def inplace_update(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with its rows `indices` replaced by those of v.

    Args:
        x: A Tensor; it stays as it is, for all the name.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Raises:
        TypeError: If an index is not an int.

    Examples:
        >>> ops.inplace_update(Tensor([[1, 2], [3, 4]]), Tensor([[8, 9]]), 1).asnumpy()
        array([[1, 2],
               [8, 9]])
    """
    return _rows("set")(x, v, indices)


@op(
    ref=REF + "inplace_add",
    cases=("T(3, 2), T(2, 2), (0, 2)",),
    errors=(("T(3, 2), T(7, 11), (0, 2)", "Incompatible types for broadcasting"),),
    method=(),
)
def inplace_add(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with the rows of v added to its rows `indices`.

    Args:
        x: A Tensor; it stays as it is, for all the name.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Raises:
        TypeError: If an index is not an int.

    Examples:
        >>> ops.inplace_add(Tensor([[1, 2], [3, 4]]), Tensor([[10, 10]]), 1).asnumpy()
        array([[ 1,  2],
               [13, 14]])
    """
    return _rows("add")(x, v, indices)


@op(
    ref=REF + "inplace_sub",
    cases=("T(3, 2), T(2, 2), (0, 2)",),
    errors=(("T(3, 2), T(7, 11), (0, 2)", "Incompatible types for broadcasting"),),
    method=(),
)
def inplace_sub(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with the rows of v subtracted from its rows `indices`.

    Args:
        x: A Tensor; it stays as it is, for all the name.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Raises:
        TypeError: If an index is not an int.

    Examples:
        >>> ops.inplace_sub(Tensor([[1, 2], [3, 4]]), Tensor([[1, 1]]), 0).asnumpy()
        array([[0, 1],
               [3, 4]])
    """
    return _rows("subtract")(x, v, indices)


# --- under masks ----------------------------------------------------------------------------------------------------


def _mask(mask: Array) -> Array:
    if mask.dtype != np.bool_:
        raise TypeError(f"mask must be a bool Tensor, got {mstype.from_numpy(mask.dtype)}.")
    return mask


@op(
    ref=REF + "masked_fill",
    cases=("T(2, 3), B(2, 3), 9.0", "T(2, 3), B(3), 1", "I(3), B(2, 3), 7"),
    errors=(("T(3), T(3), 1.0", "bool"),),
    method="masked_fill",
    primitive="MaskedFill()",
)
def masked_fill(input_x: Array, mask: Array, value: Array) -> Array:
    """Return the input with `value` where the mask is True; shapes broadcast, the input's dtype stays.

    Args:
        input_x: A Tensor.
        mask: A Tensor of booleans that broadcasts with `input_x`.
        value: A number or Tensor.

    Raises:
        TypeError: If `mask` does not hold booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.masked_fill(Tensor([1, 2, 3]), Tensor([True, False, True]), 0).asnumpy()
        array([0, 2, 0])
    """
    return jnp.where(_mask(mask), converted(value, input_x.dtype), input_x)


@op(
    ref=REF + "masked_scatter",
    cases=("T(2, 3), D([[1, 0, 1], [0, 1, 1]], bool), T(6)", "T(3), D([1, 0, 1], bool), T(4)"),
    errors=(("T(3), T(3), T(3)", "bool"),),
    method="masked_scatter",
    primitive="MaskedScatter()",
)
def masked_scatter(input: Array, mask: Array, source: Array) -> Array:
    """Return the input with the elements of `source`, in order, where the mask is True.

    Args:
        input: A Tensor.
        mask: A Tensor of booleans that broadcasts to the shape of `input`.
        source: A Tensor with at least as many elements as the mask has True ones.

    Raises:
        TypeError: If `mask` does not hold booleans.
        ValueError: If the mask does not broadcast.

    Examples:
        >>> ops.masked_scatter(Tensor([1, 2, 3]), Tensor([True, False, True]), Tensor([8, 9])).asnumpy()
        array([8, 2, 9])
    """
    full = jnp.broadcast_to(_mask(mask), input.shape)
    order = jnp.cumsum(full.ravel(), dtype=np.int32).reshape(input.shape) - 1
    return jnp.where(full, jnp.take(converted(source, input.dtype).ravel(), jnp.maximum(order, 0), mode="clip"), input)


primitives(
    """\
InplaceUpdate(indices)(x, v) -> inplace_update(x, v, indices)
    >>> ops.InplaceUpdate(1)(Tensor([[1, 2], [3, 4]]), Tensor([[8, 9]])).asnumpy()
    array([[1, 2],
           [8, 9]])
InplaceUpdateV2()(x, indices, v) -> inplace_update(x, v, indices)
    >>> ops.InplaceUpdateV2()(Tensor([[1, 2], [3, 4]]), 1, Tensor([[8, 9]])).asnumpy()
    array([[1, 2],
           [8, 9]])
InplaceAdd(indices)(x, v) -> inplace_add(x, v, indices)
    >>> ops.InplaceAdd(1)(Tensor([[1, 2], [3, 4]]), Tensor([[10, 10]])).asnumpy()
    array([[ 1,  2],
           [13, 14]])
InplaceSub(indices)(x, v) -> inplace_sub(x, v, indices)
    >>> ops.InplaceSub(0)(Tensor([[1, 2], [3, 4]]), Tensor([[1, 1]])).asnumpy()
    array([[0, 1],
           [3, 4]])
""",
    globals(),
)
