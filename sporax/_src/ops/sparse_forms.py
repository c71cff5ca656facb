"""Primitives that bring the places and values of sparse Tensors into another form, or gather, count and normalise them.

Their results' shapes follow from values, or they check values, so that a graph falls back to PyNative mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops.checks import floating
from sporax._src.ops.primitive import primitive, view
from sporax._src.ops.sparse import rows_of
from sporax._src.ops.table import internal


@primitive("SparseReshape()")
def _sparse_reshape(indices: Tensor, shape: Tensor, new_shape: Tensor) -> tuple[Tensor, Tensor]:
    """Return the places of a sparse Tensor's values in another shape, and that shape.

    Args:
        indices: The places, int64 of shape (N, axes).
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
    """Return a reduction of so many segments as an operand says, and one of as many as the ids name."""

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

    given = """x: A Tensor of floats; for sums also of integers.
        indices: Which slices along the first axis to take, an int Tensor (N,).
        segment_ids: The segment of each, sorted, an int Tensor (N,)"""
    counted.__doc__ = f"""Return the {said} of the slices of x that belong to each segment; 0 for one without any.

    Args:
        {given}.
        num_segments: How many segments there are, a Tensor of one integer.

    Raises:
        ValueError: If the ids are not sorted or not below num_segments, or an index is out of range.
    """
    named.__doc__ = f"""Return the {said} of the slices of x that belong to each segment.

    Args:
        {given}: each of 0, 1, 2 ... up to the last.

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
        x_indices: The places, sorted, of shape (N, 2), or (N, 3) with the batch first.
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
        indices: The places of the numbers, (N, axes): all axes but the first are passed over.
        values: The numbers (N,), not negative.
        dense_shape: The dense shape.
        weights: What each occurrence adds (N,).
        binary_output: Whether to put 1 in place of each sum.
        minlength, maxlength: The least number of columns of the result, and the bound of numbers that count; -1 for none.

    Returns:
        Places (M, 2), sorted; sums (M,); the dense shape (2,).

    Raises:
        TypeError: If an option has another type.
        RuntimeError: If the lengths differ, a place is out of the shape, or a number is negative.

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
    kept = numbers < columns
    pairs = np.stack([at[kept, 0], numbers[kept]], 1).astype(np.int64)
    places, group = np.unique(pairs, axis=0, return_inverse=True)
    sums = np.zeros(len(places), added.dtype)
    np.add.at(sums, group.reshape(-1), added[kept])
    sums = np.ones_like(sums) if binary_output else sums
    return Tensor(places), Tensor(sums), Tensor(np.array([shape[0], columns], np.int64))


def _check_options(binary_output: Any, **lengths: Any) -> None:
    if not isinstance(binary_output, bool):
        raise TypeError(f"ops.SparseCountSparseOutput: binary_output must be a bool, got {binary_output!r}.")
    for name, value in lengths.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"ops.SparseCountSparseOutput: {name} must be an int, got {value!r}.")
