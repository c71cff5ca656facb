"""Operators that put values at indices or under masks of a Tensor and return the result (Parameters: see `assign`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.gathering import integers
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal, op

REF = "sporax._src.testing.index_references."
_ND = (
    "T(4, 3), D([[0], [2]], np.int32), T(2, 3)",
    "T(4, 3), D([[0, 1], [3, -1]], np.int64), T(2)",
    "T(4), D([[1], [1]], np.int32), D([2.0, 2.0])",
)
_BAD_ND = (("T(3), T(2, 1), T(2)", "integer"), ("T(3), I(2, 2), T(2)", "last axis"))


# --- at index vectors -----------------------------------------------------------------------------------------------


def _at(x: Array, indices: Array) -> Any:
    indices = integers(indices)
    if indices.ndim < 1 or indices.shape[-1] > x.ndim:
        raise ValueError(f"indices must hold at most {x.ndim} integers along the last axis, got {indices.shape}.")
    return x.at[tuple(jnp.moveaxis(indices, -1, 0))]


def _like(updates: Array, x: Array) -> Array:
    return jnp.asarray(updates).astype(x.dtype)


@op(ref=REF + "tensor_scatter_update", cases=_ND, errors=_BAD_ND, primitive="TensorScatterUpdate()")
def tensor_scatter_update(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x with `updates` put at the index vectors along the last axis of `indices`."""
    return _at(input_x, indices).set(_like(updates, input_x))


@op(ref=REF + "tensor_scatter_add", cases=_ND, errors=_BAD_ND, primitive="TensorScatterAdd()")
def tensor_scatter_add(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x with `updates` added at the index vectors along the last axis of `indices`."""
    return _at(input_x, indices).add(_like(updates, input_x))


@op(ref=REF + "tensor_scatter_sub", cases=_ND, errors=_BAD_ND, primitive="TensorScatterSub()")
def tensor_scatter_sub(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x with `updates` subtracted at the index vectors along the last axis of `indices`."""
    return _at(input_x, indices).subtract(_like(updates, input_x))


@op(ref=REF + "tensor_scatter_mul", cases=_ND, errors=_BAD_ND, grad=0, primitive="TensorScatterMul()")
def tensor_scatter_mul(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x multiplied by `updates` at the index vectors along the last axis of `indices`."""
    return _at(input_x, indices).multiply(_like(updates, input_x))


@op(ref=REF + "tensor_scatter_div", cases=_ND, errors=_BAD_ND, grad=0, primitive="TensorScatterDiv()")
def tensor_scatter_div(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x divided by `updates` at the index vectors along the last axis of `indices`."""
    return _at(input_x, indices).divide(_like(updates, input_x))


@op(ref=REF + "tensor_scatter_max", cases=_ND, errors=_BAD_ND, grad=0, primitive="TensorScatterMax()")
def tensor_scatter_max(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x raised to `updates` at least at the index vectors along the last axis of `indices`."""
    return _at(input_x, indices).max(_like(updates, input_x))


@op(ref=REF + "tensor_scatter_min", cases=_ND, errors=_BAD_ND, grad=0, primitive="TensorScatterMin()")
def tensor_scatter_min(input_x: Array, indices: Array, updates: Array) -> Array:
    """Return input_x lowered to `updates` at most at the index vectors along the last axis of `indices`."""
    return _at(input_x, indices).min(_like(updates, input_x))


@op(
    ref=REF + "scatter_nd",
    cases=("D([[0], [0]], np.int32), T(2), (3,)", "D([[0, 1]], np.int64), T(1, 2), (2, 2, 2)"),
    errors=(("T(2, 1), T(2), (3,)", "integer"),),
    method=(),
    primitive="ScatterNd()",
)
def scatter_nd(indices: Array, updates: Array, shape: Shape) -> Array:
    """Return a Tensor of zeros with `updates` added at the index vectors along the last axis of `indices`."""
    return _at(jnp.zeros(axes.fixed_sizes(shape), updates.dtype), indices).add(updates)


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
    """
    if reduction not in ("none", "add"):
        raise ValueError(f"reduction must be 'none' or 'add', got {reduction!r}.")
    place = _grid(input_x, axis, indices)
    return (place.set if reduction == "none" else place.add)(_cut(updates, indices, input_x))


@op(
    ref=REF + "scatter",
    cases=("T(2, 3), 1, D([[0], [1]], np.int64), T(2, 1)", "T(3), 0, D([0, 2], np.int32), T(3)"),
    errors=(("T(3), 0, I(3), T(2)", "src"),),
)
def scatter(input: Array, axis: int, index: Array, src: Array) -> Array:
    """Return the input with `out[index[i, j], j] = src[i, j]` (for axis=0, two axes)."""
    return _grid(input, axis, index).set(_cut(src, index, input))


@internal("Tensor.scatter_add")
def scatter_add_along(input: Array, dim: Static, index: Array, src: Array) -> Array:
    """Return the input with `src[i, j]` added to `out[index[i, j], j]` (for dim=0, two axes)."""
    return _grid(input, dim, index).add(_cut(src, index, input))


@op(
    ref=REF + "index_add",
    cases=("T(3, 2), 0, D([0, 0], np.int32), T(2, 2)", "T(2, 3), 1, D([2], np.int64), T(2, 1), alpha=2.0"),
    name="index_add_ext",
    method=(),
)
def index_add_ext(input: Array, dim: int, index: Array, source: Array, *, alpha: Array = 1) -> Array:
    """Return the input with `alpha` times the slices of `source` along `dim` added at `index`."""
    place = (slice(None),) * axes.one(dim, input.ndim, "dim") + (integers(index, "index"),)
    return input.at[place].add(jnp.asarray(alpha).astype(input.dtype) * source.astype(input.dtype))


@op(
    ref=REF + "index_fill",
    cases=("T(3, 2), 0, D([0, 2], np.int32), 9.0", "T(2, 3), 1, D([2], np.int64), 1.0"),
    errors=(("T(3), 0, T(2), 1.0", "integer"),),
    method="index_fill",
    primitive="IndexFill()",
)
def index_fill(x: Array, axis: int, index: Array, value: Array) -> Array:
    """Return x with the slices along `axis` at `index` filled with one value."""
    place = (slice(None),) * axes.one(axis, x.ndim) + (integers(index, "index"),)
    return x.at[place].set(jnp.asarray(value).astype(x.dtype))


@op(
    ref=REF + "select_scatter",
    cases=("T(2, 3), T(3), 0, 1", "T(2, 3), T(2), 1, -1"),
    errors=(("T(2), T(), 0, 5", "[-2, 2)"),),
    method="select_scatter",
)
def select_scatter(input: Array, src: Array, axis: int, index: int) -> Array:
    """Return the input with `src` in place of the slice number `index` along `axis`."""
    axis = axes.one(axis, input.ndim)
    place = (slice(None),) * axis + (axes.one(index, input.shape[axis], "index"),)
    return input.at[place].set(src.astype(input.dtype))


@op(
    ref=REF + "slice_scatter",
    cases=("T(4, 2), T(2, 2), 0, 1, 3", "T(4), T(2), 0, None, None, 2"),
    method="slice_scatter",
)
def slice_scatter(
    input: Array, src: Array, axis: int = 0, start: Static = None, end: Static = None, step: int = 1
) -> Array:
    """Return the input with `src` in place of `input[start:end:step]` along `axis`."""
    place = (slice(None),) * axes.one(axis, input.ndim) + (slice(start, end, step),)
    return input.at[place].set(src.astype(input.dtype))


def _rows(name: str) -> Callable[..., Array]:
    def fn(x: Array, v: Array, indices: Static) -> Array:
        place = x.at[np.asarray(axes.sizes(indices, "indices"))]
        return getattr(place, name)(v.astype(x.dtype))

    return fn


@op(ref=REF + "inplace_update", cases=("T(3, 2), T(2, 2), (0, 2)", "T(3, 2), T(1, 2), 1"), method=())
def inplace_update(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with its rows `indices` replaced by those of v."""
    return _rows("set")(x, v, indices)


@op(ref=REF + "inplace_add", cases=("T(3, 2), T(2, 2), (0, 2)",), method=())
def inplace_add(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with the rows of v added to its rows `indices`."""
    return _rows("add")(x, v, indices)


@op(ref=REF + "inplace_sub", cases=("T(3, 2), T(2, 2), (0, 2)",), method=())
def inplace_sub(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with the rows of v subtracted from its rows `indices`."""
    return _rows("subtract")(x, v, indices)


@primitive("InplaceUpdate(indices)")
def _inplace_update(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return x with its rows `indices` replaced by those of v."""
    return inplace_update(x, v, indices)


@primitive("InplaceUpdateV2()")
def _inplace_update_v2(x: Tensor, indices: Any, v: Tensor) -> Tensor:
    """Return x with its rows `indices` replaced by those of v."""
    return inplace_update(x, v, indices)


@primitive("InplaceAdd(indices)")
def _inplace_add(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return x with the rows of v added to its rows `indices`."""
    return inplace_add(x, v, indices)


@primitive("InplaceSub(indices)")
def _inplace_sub(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return x with the rows of v subtracted from its rows `indices`."""
    return inplace_sub(x, v, indices)


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
    """Return the input with `value` where the mask is True; shapes broadcast, the input's dtype stays."""
    return jnp.where(_mask(mask), jnp.asarray(value).astype(input_x.dtype), input_x)


@op(
    ref=REF + "masked_scatter",
    cases=("T(2, 3), D([[1, 0, 1], [0, 1, 1]], bool), T(6)", "T(3), D([1, 0, 1], bool), T(4)"),
    errors=(("T(3), T(3), T(3)", "bool"),),
    method="masked_scatter",
    primitive="MaskedScatter()",
)
def masked_scatter(input: Array, mask: Array, source: Array) -> Array:
    """Return the input with the elements of `source`, in order, where the mask is True."""
    full = jnp.broadcast_to(_mask(mask), input.shape)
    order = jnp.cumsum(full.ravel(), dtype=np.int32).reshape(input.shape) - 1
    return jnp.where(full, jnp.take(source.astype(input.dtype).ravel(), jnp.maximum(order, 0), mode="clip"), input)


# --- by segment -----------------------------------------------------------------------------------------------------

_SEGMENTS = (
    "T(4), D([0, 0, 2, 1], np.int32), 3",
    "T(3, 2), D([1, 1, 0], np.int64), 2",
    "T(2, 2), D([[0, 1], [1, 5]], np.int32), 3",
)


def _segments(x: Array, ids: Array, count: Any, empty: Any) -> Any:
    ids = integers(ids, "segment_ids")
    if ids.shape != x.shape[: ids.ndim]:
        raise ValueError(f"segment_ids must have the leading axes of the input {x.shape}, got {ids.shape}.")
    ids = jnp.where(ids < 0, count, ids)
    return jnp.full((count, *x.shape[ids.ndim :]), empty, x.dtype).at[ids]


def _limits(dtype: Any) -> Any:
    return jnp.iinfo(dtype) if dtype.kind in "iu" else jnp.finfo(dtype)


@op(
    ref=REF + "unsorted_segment_sum",
    cases=_SEGMENTS,
    errors=(("T(3), T(3), 2", "integer"), ("T(3), I(2), 2", "leading axes")),
    method="unsorted_segment_sum",
    primitive="UnsortedSegmentSum()",
)
def unsorted_segment_sum(input_x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Return for each of `num_segments` segments the sum of the slices whose id it is; negative ids count nowhere."""
    return _segments(input_x, segment_ids, num_segments, 0).add(input_x)


@op(
    ref=REF + "unsorted_segment_max",
    cases=_SEGMENTS,
    grad=0,
    method="unsorted_segment_max",
    primitive="UnsortedSegmentMax()",
)
def unsorted_segment_max(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Return for each segment the largest of its slices; the least number of the dtype where there is none."""
    return _segments(x, segment_ids, num_segments, _limits(x.dtype).min).max(x)


@op(
    ref=REF + "unsorted_segment_min",
    cases=_SEGMENTS,
    grad=0,
    method="unsorted_segment_min",
    primitive="UnsortedSegmentMin()",
)
def unsorted_segment_min(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Return for each segment the smallest of its slices; the largest number of the dtype where there is none."""
    return _segments(x, segment_ids, num_segments, _limits(x.dtype).max).min(x)


@op(
    ref=REF + "unsorted_segment_prod",
    cases=_SEGMENTS,
    grad=0,
    method="unsorted_segment_prod",
    primitive="UnsortedSegmentProd()",
)
def unsorted_segment_prod(x: Array, segment_ids: Array, num_segments: int) -> Array:
    """Return for each segment the product of its slices; 1 where there is none."""
    return _segments(x, segment_ids, num_segments, 1).multiply(x)


@internal("segment")
def _sorted_segment(x: Array, ids: Array, count: Static, how: Static) -> Array:
    if how in ("max", "min"):
        found = _segments(x, ids, count, _limits(x.dtype).min if how == "max" else _limits(x.dtype).max)
        out = found.max(x) if how == "max" else found.min(x)
        some = _segments(jnp.ones_like(x), ids, count, 0).add(jnp.ones_like(x)) > 0
        return jnp.where(some, out, jnp.zeros((), x.dtype))
    if how == "prod":
        return _segments(x, ids, count, 1).multiply(x)
    total = _segments(x, ids, count, 0).add(x)
    if how == "sum":
        return total
    size = jnp.zeros(count, x.dtype).at[ids].add(1).reshape(-1, *[1] * (x.ndim - 1))
    return total / jnp.maximum(size, 1)


def _segment(x: Tensor, ids: Tensor, how: str) -> Tensor:
    """Return the reduction of x over the slices of each segment; ids are sorted and start at 0."""
    return _sorted_segment(x, ids, int(ids.asnumpy()[-1]) + 1 if ids.size else 0, how)


for _how in ("sum", "mean", "max", "min", "prod"):
    primitive(f"Segment{_how.capitalize()}()")(functools.partial(_segment, how=_how))
