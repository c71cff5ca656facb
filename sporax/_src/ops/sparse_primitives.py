"""Primitives that take a sparse matrix as indices, values and shape; segments and ranges of uneven length."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import is_tracer
from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops.checks import floating
from sporax._src.ops.sparse import pick
from sporax._src.ops.table import composite, freeze, internal, op

_REF = "sporax._src.testing.sparse_references."
_PLACES = "D([[0, 1], [1, 0], [1, 2]], np.int32)"
_PLACES64 = "D([[0, 1], [1, 0], [1, 2]], np.int64)"


def _check_places(indices: Array, values: Array, shape: tuple[int, ...]) -> None:
    if indices.dtype not in (np.int32, np.int64):
        raise TypeError(f"indices must have dtype int32 or int64, got {mstype.from_numpy(indices.dtype)}.")
    want = [values.shape[0] if values.ndim == 1 else "N", len(shape)]
    if values.ndim != 1 or list(indices.shape) != want:
        raise ValueError(
            f"indices must have shape {want} and values [N] for the sparse shape {shape}, "
            f"got {list(indices.shape)} and {list(values.shape)}."
        )


def _check_meet(values: Array, name: str, dense: Array) -> None:
    if values.dtype != dense.dtype:
        have, want = mstype.from_numpy(dense.dtype), mstype.from_numpy(values.dtype)
        raise TypeError(f"{name} must have the dtype of values, {want}, got {have}.")


@op(
    ref=_REF + "tensor_dense_matmul",
    cases=(
        f"{_PLACES}, T(3), (2, 4), T(4, 2)",
        f"{_PLACES}, T(3), (2, 4), T(2, 4), True",
        f"{_PLACES}, T(3), (2, 4), T(2, 4), False, True",
        f"{_PLACES}, C(3), (2, 4), C(3, 2), True, True",
    ),
    errors=(
        (f"{_PLACES}, T(3), (2, 4, 1), T(4, 2)", "sparse_shape must have 2 sizes, got (2, 4, 1)"),
        (f"{_PLACES}, T(3), (2, 4), T(3, 2)", "dense must have 4 rows, got shape [3, 2]"),
        (f"{_PLACES}, T(3), (2, 4), D([[1]], np.float64)", "dense must have the dtype of values, Float32, got Float64"),
        (f"{_PLACES}, T(2), (2, 4), T(4, 2)", "indices must have shape [2, 2]"),
        ("T(3, 2), T(3), (2, 4), T(4, 2)", "indices must have dtype int32 or int64, got Float32"),
        (f"{_PLACES}, T(3), (2, 4), T(4, 2), 1", "adjoint_st must be a bool, got 1"),
    ),
    primitive="SparseTensorDenseMatmul(adjoint_st=False, adjoint_dt=False)",
    name="_sparse_tensor_dense_matmul",
)
def sparse_tensor_dense_matmul(
    indices: Array,
    values: Array,
    sparse_shape: tuple[int, ...],
    dense: Array,
    adjoint_st: bool = False,
    adjoint_dt: bool = False,
) -> Array:
    """Return the product of a sparse matrix and a dense one; places outside of the sparse shape count as 0.

    Args:
        indices: Row and column of each value, of shape (N, 2).
        values: The values, of shape (N,).
        sparse_shape: The shape of the sparse matrix.
        dense: The dense matrix, of the dtype of `values`.
        adjoint_st: Whether to transpose the sparse matrix first.
        adjoint_dt: Whether to transpose and conjugate the dense matrix first.

    Raises:
        TypeError: If a dtype is none of these.
        ValueError: If the shapes do not fit.

    Examples:
        >>> places, values = Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0])
        >>> ops.SparseTensorDenseMatmul()(places, values, (2, 2), Tensor([[1.0], [10.0]])).asnumpy()
        array([[20.],
               [ 3.]], dtype=float32)
    """
    for name, flag in (("adjoint_st", adjoint_st), ("adjoint_dt", adjoint_dt)):
        if not isinstance(flag, bool):
            raise TypeError(f"{name} must be a bool, got {describe(flag)}.")
    if len(sparse_shape) != 2:
        raise ValueError(f"sparse_shape must have 2 sizes, got {sparse_shape}.")
    _check_places(indices, values, sparse_shape)
    _check_meet(values, "dense", dense)
    rows, columns = indices[:, 0], indices[:, 1]
    height, width = sparse_shape
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    values = jnp.where(inside, values, 0)
    if adjoint_st:
        rows, columns, height, width = columns, rows, width, height
    if adjoint_dt:
        dense = jnp.conj(dense).swapaxes(0, 1)
    if dense.ndim != 2 or dense.shape[0] != width:
        raise ValueError(f"dense must have {width} rows, got shape {list(dense.shape)}.")
    return jnp.zeros((height, dense.shape[1]), values.dtype).at[rows].add(values[:, None] * dense[columns], mode="drop")


@op(
    ref=_REF + "to_dense_matrix",
    cases=(f"{_PLACES}, T(3), (2, 4)", "D([[0], [2]], np.int64), T(2), (4,)"),
    errors=(
        (f"{_PLACES}, T(3), (2, 4, 5)", "indices must have shape [3, 3]"),
        ("D([0, 2], np.int64), T(2), (4,)", "indices must have shape [2, 1]"),
    ),
    primitive="SparseToDense()",
    name="_sparse_to_dense",
)
def sparse_to_dense(indices: Array, values: Array, dense_shape: tuple[int, ...]) -> Array:
    """Return zeros of a shape with the values set at their places; places outside of it are left out.

    Args:
        indices: The place of each value along each axis, of shape (N, axes).
        values: The values, of shape (N,).
        dense_shape: The shape of the result.

    Raises:
        TypeError: If `indices` are no int32 or int64.
        ValueError: If the shapes do not fit.

    Examples:
        >>> ops.SparseToDense()(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2)).asnumpy()
        array([[0., 2.],
               [3., 0.]], dtype=float32)
    """
    _check_places(indices, values, dense_shape)
    return jnp.zeros(dense_shape, values.dtype).at[tuple(indices.T)].set(values, mode="drop")


@internal("SparseTensorDenseAdd")
def _dense_add(indices: Array, values: Array, dense: Array) -> Array:
    _check_places(indices, values, dense.shape)
    _check_meet(values, "x2", dense)
    return dense.at[tuple(indices.T)].add(values, mode="drop")


@composite(
    ref=_REF + "tensor_dense_add",
    cases=(f"{_PLACES}, T(3), (2, 4), T(2, 4)",),
    errors=(
        (f"{_PLACES}, T(3), (2, 4), T(4, 2)", "x2 must have shape (2, 4), got [4, 2]"),
        (f"{_PLACES}, T(3), (1, 1), D([[1]], np.float64)", "x2 must have the dtype of values, Float32, got Float64"),
    ),
    primitive="SparseTensorDenseAdd()",
    name="_sparse_tensor_dense_add",
)
def sparse_tensor_dense_add(x1_indices: Tensor, x1_values: Tensor, x1_shape: Any, x2: Tensor) -> Tensor:
    """Return the sum of a sparse Tensor and a dense one.

    Args:
        x1_indices: The place of each value along each axis, of shape (N, axes).
        x1_values: The values, of shape (N,).
        x1_shape: The shape of the sparse Tensor; a Tensor that a graph computes is taken for that of x2.
        x2: The dense Tensor, of the same shape and dtype.

    Raises:
        TypeError: If a dtype is none of these.
        ValueError: If the shapes do not fit.

    Examples:
        >>> places, values = Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0])
        >>> ops.SparseTensorDenseAdd()(places, values, (2, 2), ops.ones((2, 2))).asnumpy()
        array([[1., 3.],
               [4., 1.]], dtype=float32)
    """
    if not (isinstance(x1_shape, Tensor) and is_tracer(x1_shape._data)) and x2.shape != freeze(x1_shape):
        raise ValueError(f"ops.SparseTensorDenseAdd: x2 must have shape {freeze(x1_shape)}, got {list(x2.shape)}.")
    return _dense_add(x1_indices, x1_values, x2)


@composite(
    ref=_REF + "slices",
    cases=(
        f"{_PLACES64}, T(3), D([2, 4], np.int64), D([0, 1], np.int64), D([2, 2], np.int64)",
        f"{_PLACES64}, T(3), (2, 4), (1, 0), (5, 9)",
        f"{_PLACES64}, T(3), (2, 4), (1, 3), (1, 1)",
    ),
    errors=(
        (f"{_PLACES64}, T(3), (2, 4), (0, 1, 1), (2, 2)", "shape, start and size must have one length, got 2, 3 and 2"),
        (f"{_PLACES64}, T(3), (2, 4), (-1, 1), (2, 2)", "start must not be negative, got (-1, 1)"),
        (f"{_PLACES64}, T(3), (2, 4), (0, 1), (2, -2)", "size must not be negative, got (2, -2)"),
    ),
    primitive="SparseSlice()",
    jit=False,
    name="_sparse_slice",
)
def sparse_slice(indices: Tensor, values: Tensor, shape: Any, start: Any, size: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return what a sparse Tensor holds from `start` on, `size` elements along each axis.

    Args:
        indices: The place of each value along each axis, of shape (N, axes).
        values: The values, of shape (N,).
        shape, start, size: Integers, one for each axis. A slice ends where the Tensor ends.

    Returns:
        Indices, values and shape of the slice.

    Raises:
        ValueError: If the lengths differ, or `start` or `size` is negative.

    Examples:
        >>> places, values = Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0])
        >>> [t.asnumpy().tolist() for t in ops.SparseSlice()(places, values, (2, 2), (1, 0), (1, 2))]
        [[[0, 0]], [3.0], [1, 2]]
    """
    dims, begin, extent = (freeze(v) for v in (shape, start, size))
    if not len(dims) == len(begin) == len(extent):
        lengths = f"{len(dims)}, {len(begin)} and {len(extent)}"
        raise ValueError(f"ops.SparseSlice: shape, start and size must have one length, got {lengths}.")
    for name, given in (("start", begin), ("size", extent)):
        if min(given, default=0) < 0:
            raise ValueError(f"ops.SparseSlice: {name} must not be negative, got {given}.")
    ends = np.minimum(np.add(begin, extent), dims)
    places = indices.asnumpy()
    (kept,) = np.nonzero(((places >= begin) & (places < ends)).all(1))
    moved = (places[kept] - np.asarray(begin)).astype(places.dtype)
    return Tensor(moved), pick(values, Tensor(kept)), Tensor(np.maximum(ends - begin, 0).astype(np.int64))


@internal("sparse_segment_mean")
def _segment_mean(x: Array, indices: Array, segment_ids: Array, count: int) -> Array:
    x = floating(x, "x")
    sums = jax.ops.segment_sum(x[indices], segment_ids, count, indices_are_sorted=True)
    held = jax.ops.segment_sum(jnp.ones_like(segment_ids, x.dtype), segment_ids, count, indices_are_sorted=True)
    return sums / jnp.maximum(held, 1).reshape((-1,) + (1,) * (x.ndim - 1))


@composite(
    ref=_REF + "segment_mean",
    cases=(
        "T(4, 2), D([0, 1, 3], np.int32), D([0, 0, 2], np.int32)",
        "T(4), D([3, 3], np.int64), D([1, 1], np.int64)",
        "T(2, 3), D([], np.int32), D([], np.int32)",
    ),
    errors=(
        (
            "T(4, 2), D([0, 1], np.int32), D([1, 0], np.int32)",
            "segment_ids must be in ascending order and not negative",
        ),
        ("T(4, 2), D([0, 9], np.int32), D([0, 1], np.int32)", "indices must be in [0, 4), got 9"),
        (
            "T(4, 2), D([0, 1], np.int32), D([0], np.int32)",
            "indices and segment_ids must have one length, got [2] and [1]",
        ),
        ("T(4, 2), T(2), D([0, 1], np.int32)", "indices must have dtype int32 or int64, got Float32"),
        ("I(4, 2), D([0], np.int32), D([0], np.int32)", "x must have a float dtype"),
        ("D(1.0), D([0], np.int32), D([0], np.int32)", "x must have at least 1 axis"),
    ),
    jit=False,
)
def sparse_segment_mean(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
    """Return, for each segment, the mean of some rows of x; a segment without rows is 0.

    out[i] = mean of x[indices[j]] over the j with segment_ids[j] = i

    Args:
        x: A Tensor of floats with at least one axis.
        indices: Rows of x, of shape (N,) and dtype int32 or int64.
        segment_ids: The segment of each of them, in ascending order.

    Raises:
        TypeError: If a dtype is none of these.
        ValueError: If the lengths differ, segments are not in order, or there is no such row.

    Examples:
        >>> x = Tensor([[0.0, 1.0], [2.0, 3.0]])
        >>> ops.sparse_segment_mean(x, Tensor([0, 1]), Tensor([1, 1])).asnumpy()
        array([[0., 0.],
               [1., 2.]], dtype=float32)
    """
    where = "ops.sparse_segment_mean"
    if not x.ndim:
        raise ValueError(f"{where}: x must have at least 1 axis, got shape [].")
    for name, given in (("indices", indices), ("segment_ids", segment_ids)):
        if given.dtype not in (mstype.int32, mstype.int64):
            raise TypeError(f"{where}: {name} must have dtype int32 or int64, got {given.dtype}.")
    if indices.ndim != 1 or indices.shape != segment_ids.shape:
        shapes = f"{list(indices.shape)} and {list(segment_ids.shape)}"
        raise ValueError(f"{where}: indices and segment_ids must have one length, got {shapes}.")
    rows, segments = indices.asnumpy(), segment_ids.asnumpy()
    if (np.diff(segments, prepend=0) < 0).any():
        raise ValueError(f"{where}: segment_ids must be in ascending order and not negative, got {segments.tolist()}.")
    outside = rows[(rows < 0) | (rows >= x.shape[0])]
    if outside.size:
        raise ValueError(f"{where}: indices must be in [0, {x.shape[0]}), got {outside[0]}.")
    return _segment_mean(x, indices, segment_ids, int(segments[-1]) + 1 if segments.size else 0)


@composite(
    ref=_REF + "ragged_range",
    cases=(
        "D([2, 5, 8], np.int32), D([3, 5, 12], np.int32), D([1, 1, 1], np.int32), ms.int64",
        "D([2, 5, 8]), D([3.5, 5, 12]), D([0.5, 1, 3]), ms.int32",
        "D([3, 5], np.int64), D([0, 9], np.int64), D([-1, -1], np.int64), ms.int32",
        "D(1, np.int64), D(4, np.int64), D(1, np.int64), ms.int32",
    ),
    errors=(
        ("I(2), I(2), D([1, 0], np.int32), ms.int32", "deltas must not be 0, got [1, 0]"),
        (
            "I(2), I(1), I(1), ms.int32",
            "starts, limits and deltas must have one shape of at most 1 axis, got [2], [1] and [1]",
        ),
        ("I(1), T(1), I(1), ms.int32", "starts, limits and deltas must have one dtype, got Int32, Float32 and Int32"),
        ("I(1), I(1), P(1) > 0, ms.int32", "one dtype, got Int32, Int32 and Bool"),
        ("I(1), I(1), I(1), ms.float32", "Tsplits must be int32 or int64, got Float32"),
    ),
    primitive="RaggedRange(Tsplits)",
    grad=0,
    jit=False,
    name="_ragged_range",
)
def ragged_range(starts: Tensor, limits: Tensor, deltas: Tensor, Tsplits: Any) -> tuple[Tensor, Tensor]:
    """Return ranges of uneven length, one after the other, and where each begins.

    Args:
        starts, limits, deltas: First value, end (not included) and step of each range; of one shape, () or (N,).
        Tsplits: The dtype of the places where ranges begin: int32 or int64.

    Returns:
        Where each range begins and the last ends, of shape (N + 1,), and all values.

    Raises:
        TypeError: If the dtypes differ, or `Tsplits` is another one.
        ValueError: If the shapes differ, or a step is 0.

    Examples:
        >>> splits, values = ops.RaggedRange(ms.int32)(Tensor([0, 5]), Tensor([3, 7]), Tensor([1, 1]))
        >>> splits.asnumpy().tolist(), values.asnumpy().tolist()
        ([0, 3, 5], [0, 1, 2, 5, 6])
    """
    where, given = "ops.RaggedRange", (starts, limits, deltas)
    if Tsplits not in (mstype.int32, mstype.int64):
        raise TypeError(f"{where}: Tsplits must be int32 or int64, got {Tsplits}.")
    if len({t.dtype for t in given}) > 1:
        dtypes = "{}, {} and {}".format(*(t.dtype for t in given))
        raise TypeError(f"{where}: starts, limits and deltas must have one dtype, got {dtypes}.")
    if len({t.shape for t in given}) > 1 or starts.ndim > 1:
        shapes = "{}, {} and {}".format(*(list(t.shape) for t in given))
        raise ValueError(f"{where}: starts, limits and deltas must have one shape of at most 1 axis, got {shapes}.")
    first, end, step = (t.asnumpy().reshape(-1) for t in given)
    if not step.all():
        raise ValueError(f"{where}: deltas must not be 0, got {step.tolist()}.")
    counts = np.maximum(np.ceil((end - first) / step), 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(counts)])
    steps = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    values = np.repeat(first, counts) + steps * np.repeat(step, counts)
    return Tensor(splits.astype(mstype.to_numpy(Tsplits))), Tensor(values.astype(first.dtype))
