"""Operators that put values at indices of a Tensor and return the result (Parameters: see `assign`)."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.ops import axes
from sporax._src.ops.checks import shaped
from sporax._src.ops.gathering import integers
from sporax._src.ops.pullback import instead
from sporax._src.ops.table import internal, op

REF = "sporax._src.testing.index_references."
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
    return shaped(updates, (*indices.shape[:-1], *x.shape[indices.shape[-1] :]), "updates").astype(x.dtype)


def _has_gradient(x: Array) -> bool:
    return jnp.issubdtype(x.dtype, np.inexact)


def _factors(x: Array, indices: Array, updates: Array) -> Array:
    """Return for each element of x the product of its updates."""
    depth, rest = indices.shape[-1], x.shape[indices.shape[-1] :]
    ids = jnp.zeros(indices.shape[:-1], indices.dtype)
    for place, size in zip(jnp.moveaxis(indices, -1, 0), x.shape, strict=False):
        ids = ids * size + place % size
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
        indices: An integer Tensor of shape (*, K): each row names a place along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`). Where a place is named twice, one of them wins.

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
        indices: An integer Tensor of shape (*, K): each row names a place along the first K axes.
        updates: A Tensor of shape (*, rest of the shape of `input_x`). What goes to one place adds up.

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
        indices: An integer Tensor of shape (*, K): each row names a place along the first K axes.
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
        indices: An integer Tensor of shape (*, K): each row names a place along the first K axes.
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
        indices: An integer Tensor of shape (*, K): each row names a place along the first K axes.
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
        indices: An integer Tensor of shape (*, K): each row names a place along the first K axes.
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
        indices: An integer Tensor of shape (*, K): each row names a place along the first K axes.
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
        indices: An integer Tensor of shape (*, K): each row names a place along the first K axes.
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
    place = _at(jnp.zeros(axes.fixed_sizes(shape), updates.dtype), indices, 16)
    return place.max(updates) if updates.dtype == bool else place.add(updates)


# --- along one axis -------------------------------------------------------------------------------------------------


def _grid(x: Array, axis: int, index: Array) -> Any:
    index = integers(index, "index")
    if index.ndim != x.ndim:
        raise ValueError(f"index must have as many axes as the input, {x.ndim}, got {index.ndim}.")
    axis = axes.one(axis, x.ndim)
    places = [jax.lax.broadcasted_iota(index.dtype, index.shape, d) for d in range(x.ndim)]
    places[axis] = index
    return x.at[tuple(places)]


def _cut(src: Array, index: Array, x: Array) -> Array:
    """Return the part of `src` that the index covers."""
    src = jnp.asarray(src).astype(x.dtype)
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
    primitive="TensorScatterElements(axis=0, reduction='none')",
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
    place = _grid(input_x, axis, indices)
    adding = place.max if input_x.dtype == bool else place.add
    return (place.set if reduction == "none" else adding)(_cut(updates, indices, input_x))


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
