"""Primitives of a sparse matrix and another operand, both given by places and values; shapes follow from values."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import freeze, internal

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
        >>> places = Tensor([2, 2]), Tensor([0, 2]), Tensor([0, 1, 2]), Tensor([1, 0])
        >>> ops.SparseMatrixMatMul()(*places, Tensor([2.0, 3.0]), Tensor([[1.0], [10.0]])).asnumpy()
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
    """Add each value, times the row of the dense matrix it meets, to the row of the product it belongs to."""
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
    """Return the places at which one of two sparse Tensors holds a value, sorted, and the lesser value at each.

    Where one of them holds none, it counts as 0.

    Args:
        x1_indices, x2_indices: The place of each value along each axis, int64 of shape (N, axes).
        x1_values, x2_values: The values (N,), of one dtype.
        x1_shape, x2_shape: The dense shape, the same for both.

    Raises:
        TypeError: If the places are not int64, or the dtypes of the values differ.
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
    places, group = np.unique(both, axis=0, return_inverse=True)
    held = np.zeros((2, len(places)), first.dtype)
    held[0, group.ravel()[: len(first)]] = first
    held[1, group.ravel()[len(first) :]] = second
    return Tensor(places), Tensor(np.minimum(*held))
