"""Primitives that take a sparse matrix as indices, values and shape.

Shapes of results often follow from values: then a graph falls back to PyNative mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import is_tracer
from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import primitive, view
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import floating
from sporax._src.engine.table import composite, freeze, internal, op
from sporax._src.ops.sparse.sparse import pick, rows_of

_REF = "references.sparse."
_INDICES = "D([[0, 1], [1, 0], [1, 2]], np.int32)"
_INDICES64 = "D([[0, 1], [1, 0], [1, 2]], np.int64)"


def _check_indices(indices: Array, values: Array, shape: tuple[int, ...]) -> None:
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
        f"{_INDICES}, T(3), (2, 4), T(4, 2)",
        f"{_INDICES}, T(3), (2, 4), T(2, 4), True",
        f"{_INDICES}, T(3), (2, 4), T(2, 4), False, True",
        f"{_INDICES}, C(3), (2, 4), C(3, 2), True, True",
    ),
    errors=(
        (f"{_INDICES}, T(3), (2, 4, 1), T(4, 2)", "sparse_shape must have 2 sizes, got (2, 4, 1)"),
        (f"{_INDICES}, T(3), (2, 4), T(3, 2)", "dense must have 4 rows, got shape [3, 2]"),
        (
            f"{_INDICES}, T(3), (2, 4), D([[1]], np.float64)",
            "dense must have the dtype of values, Float32, got Float64",
        ),
        (f"{_INDICES}, T(2), (2, 4), T(4, 2)", "indices must have shape [2, 2]"),
        ("T(3, 2), T(3), (2, 4), T(4, 2)", "indices must have dtype int32 or int64, got Float32"),
        (f"{_INDICES}, T(3), (2, 4), T(4, 2), 1", "adjoint_st must be a bool, got 1"),
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
    """Return the product of a sparse matrix and a dense one; positions outside of the sparse shape count as 0.

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
        >>> indices, values = Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0])
        >>> ops.SparseTensorDenseMatmul()(indices, values, (2, 2), Tensor([[1.0], [10.0]])).asnumpy()
        array([[20.],
               [ 3.]], dtype=float32)
    """
    for name, flag in (("adjoint_st", adjoint_st), ("adjoint_dt", adjoint_dt)):
        if not isinstance(flag, bool):
            raise TypeError(f"{name} must be a bool, got {describe(flag)}.")
    if len(sparse_shape) != 2:
        raise ValueError(f"sparse_shape must have 2 sizes, got {sparse_shape}.")
    _check_indices(indices, values, sparse_shape)
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
    cases=(f"{_INDICES}, T(3), (2, 4)", "D([[0], [2]], np.int64), T(2), (4,)"),
    errors=(
        (f"{_INDICES}, T(3), (2, 4, 5)", "indices must have shape [3, 3]"),
        ("D([0, 2], np.int64), T(2), (4,)", "indices must have shape [2, 1]"),
    ),
    primitive="SparseToDense()",
    name="_sparse_to_dense",
)
def sparse_to_dense(indices: Array, values: Array, dense_shape: tuple[int, ...]) -> Array:
    """Return zeros of a shape with the values set at their indices; indices outside of it are left out.

    Args:
        indices: The index of each value along each axis, of shape (N, axes).
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
    _check_indices(indices, values, dense_shape)
    return jnp.zeros(dense_shape, values.dtype).at[tuple(indices.T)].set(values, mode="drop")


@internal("SparseTensorDenseAdd")
def _dense_add(indices: Array, values: Array, dense: Array) -> Array:
    _check_indices(indices, values, dense.shape)
    _check_meet(values, "x2", dense)
    return dense.at[tuple(indices.T)].add(values, mode="drop")


@composite(
    ref=_REF + "tensor_dense_add",
    cases=(f"{_INDICES}, T(3), (2, 4), T(2, 4)",),
    errors=(
        (f"{_INDICES}, T(3), (2, 4), T(4, 2)", "x2 must have shape (2, 4), got [4, 2]"),
        (f"{_INDICES}, T(3), (1, 1), D([[1]], np.float64)", "x2 must have the dtype of values, Float32, got Float64"),
    ),
    primitive="SparseTensorDenseAdd()",
    name="_sparse_tensor_dense_add",
)
def sparse_tensor_dense_add(x1_indices: Tensor, x1_values: Tensor, x1_shape: object, x2: Tensor) -> Tensor:
    """Return the sum of a sparse Tensor and a dense one.

    Args:
        x1_indices: The index of each value along each axis, of shape (N, axes).
        x1_values: The values, of shape (N,).
        x1_shape: The shape of the sparse Tensor; a Tensor that a graph computes is taken for that of x2.
        x2: The dense Tensor, of the same shape and dtype.

    Raises:
        TypeError: If a dtype is none of these.
        ValueError: If the shapes do not fit.

    Examples:
        >>> indices, values = Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0])
        >>> ops.SparseTensorDenseAdd()(indices, values, (2, 2), ops.ones((2, 2))).asnumpy()
        array([[1., 3.],
               [4., 1.]], dtype=float32)
    """
    if not (isinstance(x1_shape, Tensor) and is_tracer(x1_shape._data)) and x2.shape != freeze(x1_shape):
        raise ValueError(f"ops.SparseTensorDenseAdd: x2 must have shape {freeze(x1_shape)}, got {list(x2.shape)}.")
    return _dense_add(x1_indices, x1_values, x2)


@composite(
    ref=_REF + "slices",
    cases=(
        f"{_INDICES64}, T(3), D([2, 4], np.int64), D([0, 1], np.int64), D([2, 2], np.int64)",
        f"{_INDICES64}, T(3), (2, 4), (1, 0), (5, 9)",
        f"{_INDICES64}, T(3), (2, 4), (1, 3), (1, 1)",
    ),
    errors=(
        (
            f"{_INDICES64}, T(3), (2, 4), (0, 1, 1), (2, 2)",
            "shape, start and size must have one length, got 2, 3 and 2",
        ),
        (f"{_INDICES64}, T(3), (2, 4), (-1, 1), (2, 2)", "start must not be negative, got (-1, 1)"),
        (f"{_INDICES64}, T(3), (2, 4), (0, 1), (2, -2)", "size must not be negative, got (2, -2)"),
    ),
    primitive="SparseSlice()",
    jit=False,
    name="_sparse_slice",
)
def sparse_slice(
    indices: Tensor, values: Tensor, shape: object, start: object, size: object
) -> tuple[Tensor, Tensor, Tensor]:
    """Return what a sparse Tensor holds from `start` on, `size` elements along each axis.

    Args:
        indices: The index of each value along each axis, of shape (N, axes).
        values: The values, of shape (N,).
        shape, start, size: Integers, one for each axis. A slice ends where the Tensor ends.

    Returns:
        Indices, values and shape of the slice.

    Raises:
        ValueError: If the lengths differ, or `start` or `size` is negative.

    Examples:
        >>> indices, values = Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0])
        >>> [t.asnumpy().tolist() for t in ops.SparseSlice()(indices, values, (2, 2), (1, 0), (1, 2))]
        [[[0, 0]], [3.0], [1, 2]]
    """
    dims, begin, extent = (freeze(v) for v in (shape, start, size))
    if not len(dims) == len(begin) == len(extent):
        lengths = f"{len(dims)}, {len(begin)} and {len(extent)}"
        raise ValueError(f"ops.SparseSlice: shape, start and size must have one length, got {lengths}.")
    for name, value in (("start", begin), ("size", extent)):
        if min(value, default=0) < 0:
            raise ValueError(f"ops.SparseSlice: {name} must not be negative, got {value}.")
    ends = np.minimum(np.add(begin, extent), dims)
    positions = indices.asnumpy()
    (rows,) = np.nonzero(((positions >= begin) & (positions < ends)).all(1))
    moved = (positions[rows] - np.asarray(begin)).astype(positions.dtype)
    return Tensor(moved), pick(values, Tensor(rows)), Tensor(np.maximum(ends - begin, 0).astype(np.int64))


@internal("sparse_segment_mean")
def _segment_mean(x: Array, indices: Array, segment_ids: Array, count: int) -> Array:
    x = floating(x, "x")
    sums = jax.ops.segment_sum(x[indices], segment_ids, count, indices_are_sorted=True)
    sizes = jax.ops.segment_sum(jnp.ones_like(segment_ids, x.dtype), segment_ids, count, indices_are_sorted=True)
    return sums / jnp.maximum(sizes, 1).reshape((-1,) + (1,) * (x.ndim - 1))


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
    for name, operand in (("indices", indices), ("segment_ids", segment_ids)):
        if operand.dtype not in (mstype.int32, mstype.int64):
            raise TypeError(f"{where}: {name} must have dtype int32 or int64, got {operand.dtype}.")
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
        Tsplits: The dtype of the positions where ranges begin: int32 or int64.

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
    where, operands = "ops.RaggedRange", (starts, limits, deltas)
    if Tsplits not in (mstype.int32, mstype.int64):
        raise TypeError(f"{where}: Tsplits must be int32 or int64, got {Tsplits}.")
    if len({t.dtype for t in operands}) > 1:
        dtypes = "{}, {} and {}".format(*(t.dtype for t in operands))
        raise TypeError(f"{where}: starts, limits and deltas must have one dtype, got {dtypes}.")
    if len({t.shape for t in operands}) > 1 or starts.ndim > 1:
        shapes = "{}, {} and {}".format(*(list(t.shape) for t in operands))
        raise ValueError(f"{where}: starts, limits and deltas must have one shape of at most 1 axis, got {shapes}.")
    first, end, step = (t.asnumpy().reshape(-1) for t in operands)
    if not step.all():
        raise ValueError(f"{where}: deltas must not be 0, got {step.tolist()}.")
    counts = np.maximum(np.ceil((end - first) / step), 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(counts)])
    steps = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    values = np.repeat(first, counts) + steps * np.repeat(step, counts)
    return Tensor(splits.astype(mstype.to_numpy(Tsplits))), Tensor(values.astype(first.dtype))


# --- other forms of indices and values ----------------------------------------------------------------------------------

# Their results' shapes follow from values, or they check values, so that a graph falls back to PyNative mode.


@primitive("SparseReshape()")
def _sparse_reshape(indices: Tensor, shape: Tensor, new_shape: Tensor) -> tuple[Tensor, Tensor]:
    """Return the indices of a sparse Tensor's values in another shape, and that shape.

    Args:
        indices: The indices, int64 of shape (N, axes).
        shape: The dense shape.
        new_shape: The new dense shape; one size may be -1, which is what the others leave.

    Raises:
        TypeError: If `indices` is not int64.
        ValueError: If `indices` has not a column for each axis.
        RuntimeError: If `new_shape` has more than one -1, or the sizes do not agree.

    Examples:
        >>> indices, shape = ops.SparseReshape()(Tensor([[1, 2]]), Tensor([2, 3]), Tensor([-1, 2]))
        >>> indices.asnumpy(), shape.asnumpy()
        (array([[2, 1]]), array([3, 2]))
    """
    if indices.dtype != mstype.int64:
        raise TypeError(f"ops.SparseReshape: indices must have dtype int64, got {indices.dtype}.")
    old, new = shape.asnumpy(), new_shape.asnumpy().copy()
    if indices.ndim != 2 or indices.shape[1] != old.size:
        raise ValueError(f"ops.SparseReshape: indices must have shape [N, {old.size}], got {list(indices.shape)}.")
    open_, count = np.flatnonzero(new == -1), int(np.prod(old))
    if open_.size > 1:
        raise RuntimeError(f"ops.SparseReshape: new_shape may have one -1, got {new.tolist()}.")
    new[open_] = count // max(int(np.prod(new[new != -1])), 1)
    if int(np.prod(new)) != count:
        wanted = new_shape.asnumpy().tolist()
        raise RuntimeError(f"ops.SparseReshape: a Tensor of {count} elements cannot have the shape {wanted}.")
    return _placed(indices, tuple(old.tolist()), tuple(new.tolist())), Tensor(new)


@internal("SparseReshape")
def _placed(indices: Array, old: Static, new: Static) -> Array:
    flat = jnp.ravel_multi_index(tuple(indices.T), old, mode="clip")
    return jnp.stack(jnp.unravel_index(flat, new), -1).astype(np.int64)


@internal("SparseSegment")
def _reduced(x: Array, indices: Array, ids: Array, count: int, power: float) -> Array:
    total = jax.ops.segment_sum(x[indices], ids, count)
    if not power:
        return total
    x = floating(x, "x")
    members = jnp.maximum(jax.ops.segment_sum(jnp.ones(ids.shape, x.dtype), ids, count), 1)
    return total / (members**power).reshape(-1, *[1] * (x.ndim - 1)).astype(x.dtype)


def _segments(name: str, power: float, said: str) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    """Return a reduction whose number of segments is an operand, and one whose ids determine the number."""

    def counted(x: Tensor, indices: Tensor, segment_ids: Tensor, num_segments: Tensor) -> Tensor:
        return reduced(f"ops.{name}WithNumSegments", x, indices, segment_ids, int(num_segments.reshape(())))

    def named(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
        ids = segment_ids.asnumpy()
        if np.any(np.diff(ids, prepend=-1) > 1):
            raise ValueError(f"ops.{name}: segment_ids must start at 0 and leave none out, got {ids.tolist()}.")
        return reduced(f"ops.{name}", x, indices, segment_ids, int(ids.max(initial=-1)) + 1)

    def reduced(where: str, x: Tensor, indices: Tensor, segment_ids: Tensor, count: int) -> Tensor:
        ids, rows = segment_ids.asnumpy(), indices.asnumpy()
        if ids.shape != rows.shape or ids.ndim != 1:
            raise ValueError(f"{where}: indices and segment_ids must be rows of one length.")
        if np.any(np.diff(ids) < 0):
            raise ValueError(f"{where}: segment_ids must be sorted, got {ids.tolist()}.")
        if ids.size and not 0 <= ids[0] <= ids[-1] < count:
            raise ValueError(f"{where}: segment_ids must be in [0, {count}), got {ids.tolist()}.")
        if np.any((rows < 0) | (rows >= x.shape[0])):
            raise ValueError(f"{where}: indices must be in [0, {x.shape[0]}), got {rows.tolist()}.")
        return _reduced(x, indices, segment_ids, count, power)

    arguments = """x: A Tensor of floats; for sums also of integers.
        indices: Which slices along the first axis to take, an int Tensor (N,).
        segment_ids: The segment of each, sorted, an int Tensor (N,)"""
    counted.__doc__ = f"""Return the {said} of the slices of x that belong to each segment; 0 for one without any.

    Args:
        {arguments}.
        num_segments: How many segments there are, a Tensor of one integer.

    Raises:
        ValueError: If the ids are not sorted or not below num_segments, or an index is out of range.
    """
    named.__doc__ = f"""Return the {said} of the slices of x that belong to each segment.

    Args:
        {arguments}: each of 0, 1, 2 ... up to the last.

    Raises:
        ValueError: If the ids are not sorted or leave a segment out, or an index is out of range.
    """
    return counted, named


for _kind, _power, _said in (
    ("Sum", 0.0, "sums"), ("Mean", 1.0, "means"), ("SqrtN", 0.5, "sums, divided by the root of their number,")
):  # fmt: skip
    _counted, _named = _segments(f"SparseSegment{_kind}", _power, _said)
    view(f"SparseSegment{_kind}WithNumSegments()", _counted)
    if _kind != "Mean":  # the row `sparse_segment_mean` is less strict
        view(f"SparseSegment{_kind}()", _named)


@primitive("SparseTensorToCSRSparseMatrix()")
def _to_csr(x_indices: Tensor, x_values: Tensor, x_dense_shape: Tensor) -> tuple[Tensor, ...]:
    """Return a sparse matrix, or a batch of them, in compressed rows: shape, batch pointers, row pointers, columns, values.

    Args:
        x_indices: The indices, sorted, of shape (N, 2), or (N, 3) with the batch first.
        x_values: The values (N,).
        x_dense_shape: The dense shape, 2 or 3 sizes.

    Raises:
        ValueError: If there are neither 2 nor 3 sizes, or `x_indices` has not a column for each.

    Examples:
        >>> out = ops.SparseTensorToCSRSparseMatrix()(Tensor([[0, 1], [1, 0]]), Tensor([1.0, 4.0]), Tensor([2, 2]))
        >>> out[2].asnumpy(), out[3].asnumpy()
        (array([0, 1, 2]), array([1, 0]))
    """
    shape, indices = x_dense_shape.asnumpy().tolist(), x_indices.asnumpy()
    if len(shape) not in (2, 3) or indices.shape != (x_values.shape[0], len(shape)):
        raise ValueError(
            "ops.SparseTensorToCSRSparseMatrix: x_dense_shape must hold 2 or 3 sizes and x_indices a column for each, got "
            f"{shape} and shape {list(indices.shape)}."
        )
    batches, rows = (shape[0], shape[1]) if len(shape) == 3 else (1, shape[0])
    batch = indices[:, 0] if len(shape) == 3 else np.zeros(len(indices), indices.dtype)
    within = np.zeros((batches, rows + 1), indices.dtype)
    np.add.at(within, (batch, indices[:, -2] + 1), 1)
    ends = np.concatenate([[0], np.cumsum(within.sum(1))]).astype(indices.dtype)
    pointers = np.cumsum(within, 1).astype(indices.dtype).reshape(-1)
    return x_dense_shape, Tensor(ends), Tensor(pointers), x_indices[:, -1], x_values


@primitive("SparseMatrixSoftmax(dtype)")
def _sparse_softmax(
    x_dense_shape: Tensor, x_batch_pointers: Tensor, x_row_pointers: Tensor, x_col_indices: Tensor, x_values: Tensor
) -> tuple[Tensor, ...]:
    """Return a sparse matrix in compressed rows with the softmax of the values of each row; the other parts stay.

    Args:
        x_dense_shape: The dense shape, (rows, columns) or (batch, rows, columns).
        x_batch_pointers: Where the values of each matrix begin, and their number; read only of a batch.
        x_row_pointers: Where the values of each row begin, and their number; in each matrix of a batch from 0.
        x_col_indices: The column of each value.
        x_values: The values.

    Examples:
        >>> ends, two = Tensor([0, 2]), Tensor([1.0, 1.0])
        >>> ops.SparseMatrixSoftmax(ms.float32)(Tensor([1, 3]), Tensor([0, 2]), ends, Tensor([0, 2]), two)[4].asnumpy()
        array([0.5, 0.5], dtype=float32)

        A batch of two matrices of one row:

        >>> batch = Tensor([2, 1, 3]), Tensor([0, 2, 3]), Tensor([0, 2, 0, 1]), Tensor([0, 2, 1])
        >>> ops.SparseMatrixSoftmax(ms.float32)(*batch, Tensor([1.0, 1.0, 7.0]))[4].asnumpy()
        array([0.5, 0.5, 1. ], dtype=float32)
    """
    ends = _joined(x_batch_pointers, x_row_pointers) if x_dense_shape.size == 3 else x_row_pointers
    return x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, _softmax_of_rows(ends, x_values)


@internal("SparseMatrixSoftmax")
def _joined(batches: Array, rows: Array) -> Array:
    """Return the pointers of the rows of all matrices of a batch as if they were one matrix."""
    ends = rows.reshape(batches.shape[0] - 1, -1)[:, 1:] + batches[:-1, None]
    return jnp.concatenate([rows[:1], ends.ravel()])


@internal("SparseMatrixSoftmax")
def _softmax_of_rows(pointers: Array, values: Array) -> Array:
    rows, count = rows_of(pointers, values.shape[0]), pointers.shape[0] - 1
    raised = jnp.exp(values - jax.ops.segment_max(values, rows, count)[rows])
    return raised / jax.ops.segment_sum(raised, rows, count)[rows]


@primitive("SparseCountSparseOutput(binary_output=False, minlength=-1, maxlength=-1)")
def _count_sparse(
    indices: Tensor,
    values: Tensor,
    dense_shape: Tensor,
    weights: Tensor,
    binary_output: bool,
    minlength: int,
    maxlength: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return how often each number occurs in each row of a sparse matrix of integers, as a sparse matrix.

    Args:
        indices: The indices of the numbers, (N, axes): all axes but the first are ignored.
        values: The numbers (N,), not negative.
        dense_shape: The dense shape.
        weights: What each occurrence adds (N,).
        binary_output: Whether to put 1 in place of each sum.
        minlength, maxlength: The least number of columns of the result, and the bound of numbers that count; -1 for none.

    Returns:
        Places (M, 2), sorted; sums (M,); the dense shape (2,).

    Raises:
        TypeError: If an option has another type.
        RuntimeError: If the lengths differ, an index is out of the shape, or a number is negative.

    Examples:
        >>> count = ops.SparseCountSparseOutput()
        >>> out = count(Tensor([[0, 0], [0, 1]]), Tensor([2, 2]), Tensor([1, 2]), Tensor([1, 5]))
        >>> [part.tolist() for part in out]
        [[[0, 2]], [6], [1, 3]]
    """
    _check_options(binary_output, minlength=minlength, maxlength=maxlength)
    at, numbers, shape, added = (t.asnumpy() for t in (indices, values, dense_shape, weights))
    if not len(at) == len(numbers) == len(added):
        raise RuntimeError(
            "ops.SparseCountSparseOutput: indices, values and weights must have one length, got "
            f"{len(at)}, {len(numbers)} and {len(added)}."
        )
    if np.any((at < 0) | (at >= shape)):
        raise RuntimeError(f"ops.SparseCountSparseOutput: indices must be within the shape {shape.tolist()}.")
    if np.any(numbers < 0):
        raise RuntimeError(f"ops.SparseCountSparseOutput: values must not be negative, got {numbers.tolist()}.")
    columns = maxlength if maxlength >= 0 else max(int(numbers.max(initial=-1)) + 1, minlength)
    counted = numbers < columns
    pairs = np.stack([at[counted, 0], numbers[counted]], 1).astype(np.int64)
    positions, group = np.unique(pairs, axis=0, return_inverse=True)
    sums = np.zeros(len(positions), added.dtype)
    np.add.at(sums, group.reshape(-1), added[counted])
    sums = np.ones_like(sums) if binary_output else sums
    return Tensor(positions), Tensor(sums), Tensor(np.array([shape[0], columns], np.int64))


def _check_options(binary_output: object, **lengths: object) -> None:
    if not isinstance(binary_output, bool):
        raise TypeError(f"ops.SparseCountSparseOutput: binary_output must be a bool, got {binary_output!r}.")
    for name, value in lengths.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"ops.SparseCountSparseOutput: {name} must be an int, got {value!r}.")


# --- a sparse matrix and another operand --------------------------------------------------------------------------------

_FLAGS = "transpose_x1 transpose_x2 adjoint_x1 adjoint_x2 transpose_output conjugate_output".split()


@primitive(f"SparseMatrixMatMul({', '.join(f'{flag}=False' for flag in _FLAGS)})")
def _sparse_matrix_matmul(
    x1_dense_shape: Tensor,
    x1_batch_pointers: Tensor,
    x1_row_pointers: Tensor,
    x1_col_indices: Tensor,
    x1_values: Tensor,
    x2_dense: Tensor,
    **flags: bool,
) -> Tensor:
    """Return the product of sparse matrices, in rows, and dense ones.

    Args:
        x1_dense_shape: The shape of x1, (rows, columns) or (batch, rows, columns).
        x1_batch_pointers: Where the values of each matrix begin, and their number (batch + 1,).
        x1_row_pointers: Where the values of each row begin, in each matrix from 0, (batch · (rows + 1),).
        x1_col_indices, x1_values: The column of each value, and the values: float32, float64 or complex.
        x2_dense: The dense matrices, of the same dtype.
        transpose_x1, transpose_x2, adjoint_x1, adjoint_x2: Whether to transpose an operand; also to conjugate it.
        transpose_output, conjugate_output: Whether to transpose or conjugate the product.

    Raises:
        TypeError: If the dtypes differ or are others.
        ValueError: If the shapes do not fit, or an operand is to be both transposed and its adjoint.

    Examples:
        >>> indices = Tensor([2, 2]), Tensor([0, 2]), Tensor([0, 1, 2]), Tensor([1, 0])
        >>> ops.SparseMatrixMatMul()(*indices, Tensor([2.0, 3.0]), Tensor([[1.0], [10.0]])).asnumpy()
        array([[20.],
               [ 3.]], dtype=float32)
    """
    where, shape = "ops.SparseMatrixMatMul", freeze(x1_dense_shape)
    for name in ("x1", "x2"):
        if flags[f"adjoint_{name}"] and flags[f"transpose_{name}"]:
            raise ValueError(f"{where}: only one of adjoint_{name} and transpose_{name} may be True.")
    if x1_values.dtype != x2_dense.dtype:
        raise TypeError(f"{where}: x2_dense must have dtype {x1_values.dtype}, got {x2_dense.dtype}.")
    if x1_values.dtype not in (mstype.float32, mstype.float64, mstype.complex64, mstype.complex128):
        raise TypeError(f"{where}: x1_values must have dtype float32, float64 or a complex one, got {x1_values.dtype}.")
    if len(shape) not in (2, 3) or x2_dense.ndim != len(shape) or x2_dense.shape[:-2] != shape[:-2]:
        raise ValueError(f"{where}: x1 and x2 must be matrices, got shapes {list(shape)} and {list(x2_dense.shape)}.")
    inner = shape[-2 if flags["adjoint_x1"] or flags["transpose_x1"] else -1]
    have = x2_dense.shape[-1 if flags["adjoint_x2"] or flags["transpose_x2"] else -2]
    if inner != have:
        raise ValueError(f"{where}: x2 must have {inner} rows, got {have}.")
    chosen = tuple(name for name in _FLAGS if flags[name])
    return _product(x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values, x2_dense, shape, chosen)


@internal("SparseMatrixMatMul")
def _product(
    batches: Array, rows: Array, columns: Array, values: Array, dense: Array, shape: Static, flags: Static
) -> Array:
    """Add each value times its row of the dense matrix to its row of the product."""
    batch, (height, width) = int(np.prod(shape[:-2])), shape[-2:]
    rows, batches, columns = (v.astype(np.int64) for v in (rows, batches, columns))
    starts = (rows.reshape(batch, height + 1)[:, :-1] + batches[:-1, None]).ravel()
    row = jnp.searchsorted(starts, jnp.arange(len(values), dtype=starts.dtype), side="right").astype(np.int64) - 1
    to, source = row, row // height * width + columns
    if "transpose_x1" in flags or "adjoint_x1" in flags:
        to, source, height = source, to, width
    values = jnp.conj(values) if "adjoint_x1" in flags else values
    dense = jnp.conj(dense) if "adjoint_x2" in flags else dense
    dense = jnp.swapaxes(dense, -1, -2) if "transpose_x2" in flags or "adjoint_x2" in flags else dense
    met = dense.reshape(-1, dense.shape[-1])[source]
    out = jnp.zeros((batch * height, met.shape[1]), met.dtype).at[to].add(values[:, None] * met)
    out = out.reshape(*shape[:-2], height, -1)
    out = jnp.swapaxes(out, -1, -2) if "transpose_output" in flags else out
    return jnp.conj(out) if "conjugate_output" in flags else out


@primitive("SparseSparseMinimum()")
def _sparse_sparse_minimum(
    x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2_indices: Tensor, x2_values: Tensor, x2_shape: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the sorted positions at which one of two sparse Tensors stores a value, and the lesser value at each.

    A missing value counts as 0.

    Args:
        x1_indices, x2_indices: The index of each value along each axis, int64 of shape (N, axes).
        x1_values, x2_values: The values (N,), of one dtype.
        x1_shape, x2_shape: The dense shape, the same for both.

    Raises:
        TypeError: If the indices are not int64, or the dtypes of the values differ.
        ValueError: If the shapes differ or do not fit.

    Examples:
        >>> shape = Tensor([2])
        >>> operands = Tensor([[0], [1]]), Tensor([1.0, 2.0]), shape, Tensor([[0]]), Tensor([-3.0]), shape
        >>> [t.asnumpy().tolist() for t in ops.SparseSparseMinimum()(*operands)]
        [[[0], [1]], [-3.0, 0.0]]
    """
    where, shape = "ops.SparseSparseMinimum", freeze(x1_shape)
    if shape != freeze(x2_shape):
        raise ValueError(f"{where}: x1_shape and x2_shape must be equal, got {shape} and {freeze(x2_shape)}.")
    if x1_values.dtype != x2_values.dtype:
        raise TypeError(f"{where}: x2_values must have dtype {x1_values.dtype}, got {x2_values.dtype}.")
    for name, at, values in (("x1", x1_indices, x1_values), ("x2", x2_indices, x2_values)):
        if at.dtype != mstype.int64:
            raise TypeError(f"{where}: {name}_indices must have dtype int64, got {at.dtype}.")
        if values.ndim != 1 or at.shape != (*values.shape, len(shape)):
            want = [*values.shape, len(shape)]
            raise ValueError(f"{where}: {name}_indices must have shape {want}, got {list(at.shape)}.")
    first, second = x1_values.asnumpy(), x2_values.asnumpy()
    both = np.concatenate([x1_indices.asnumpy(), x2_indices.asnumpy()])
    positions, group = np.unique(both, axis=0, return_inverse=True)
    stored = np.zeros((2, len(positions)), first.dtype)
    stored[0, group.ravel()[: len(first)]] = first
    stored[1, group.ravel()[len(first) :]] = second
    return Tensor(positions), Tensor(np.minimum(*stored))
