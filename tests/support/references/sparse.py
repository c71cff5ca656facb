"""What SciPy and NumPy make of sparse matrices, as the references of operators on sparse Tensors.

A CSRTensor of a case is a `scipy.sparse.csr_array` here, a COOTensor a `coo_array`; results are tuples of their parts.
The reference of `csr_<name>` and `coo_<name>` is that of the dense operator, applied to the values held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from laws.operators import oracle
from scipy import sparse

from sporax._src.engine.table import TABLE


def parts(matrix: Any) -> tuple[np.ndarray, ...]:
    """Return places and values of a matrix, as CSRTensor or COOTensor hold them."""
    if matrix.format == "csr":
        return matrix.indptr, matrix.indices, matrix.data
    return np.stack(matrix.coords, 1), matrix.data


def __getattr__(label: str) -> Callable[[Any], tuple[np.ndarray, ...]]:
    name = label.partition("_")[2]
    if name not in TABLE:
        raise AttributeError(label)
    dense = TABLE[name].ref
    assert dense is not None
    return lambda matrix: (*parts(matrix)[:-1], oracle(dense)(matrix.data))


def csr2coo(indptr: np.ndarray, nnz: int) -> np.ndarray:
    """Return the row of each value."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def coo2csr(row_indices: np.ndarray, height: int) -> np.ndarray:
    """Return where each row begins."""
    return np.cumsum(np.concatenate([[0], np.bincount(row_indices, minlength=height)]))


def csr_to_coo(matrix: Any) -> tuple[np.ndarray, ...]:
    """Return row, column and value of each element."""
    return parts(matrix.tocoo())


def to_dense(matrix: Any) -> np.ndarray:
    """Return the dense matrix."""
    return matrix.toarray()


def dense_to_coo(tensor: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return what is not 0."""
    return parts(sparse.csr_array(tensor).tocoo())


def dense_to_csr(tensor: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return what is not 0."""
    return parts(sparse.csr_array(tensor))


def csr_gather(indptr: np.ndarray, indices: np.ndarray, dense: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return elements of a dense matrix."""
    return np.broadcast_to(dense, shape)[csr2coo(indptr, len(indices)), indices]


def _scaled(matrix: Any, fn: Callable[[Any, Any], Any], y: Any) -> Any:
    if np.size(y) == 1:
        return fn(matrix.data, y)
    return (*parts(matrix)[:-1], fn(matrix.data, csr_gather(matrix.indptr, matrix.indices, y, matrix.shape)))


def csr_mul(matrix: Any, y: Any) -> Any:
    """Return products at the places held."""
    return _scaled(matrix, np.multiply, y)


def csr_div(matrix: Any, y: Any) -> Any:
    """Return quotients at the places held."""
    return _scaled(matrix, np.divide, y)


def product(matrix: Any, dense: np.ndarray) -> np.ndarray:
    """Return the product with a dense matrix."""
    return matrix @ dense


def csr_reduce_sum(matrix: Any, axis: int) -> np.ndarray:
    """Return the sums of rows."""
    return matrix.sum(axis).reshape(-1, 1)


def csr_softmax(matrix: Any, dtype: Any) -> tuple[np.ndarray, ...]:
    """Return the softmax of each row."""
    rows = [np.exp(d) / np.exp(d).sum() for d in np.split(matrix.data, matrix.indptr[1:-1])]
    return (*parts(matrix)[:-1], np.concatenate(rows))


def csr_add(a: Any, b: Any, alpha: np.ndarray, beta: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the sum of two matrices."""
    return parts(a * alpha + b * beta)


def coo_add(a: Any, b: Any, thresh: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the sum of two matrices without the small among sums of two values."""
    total = (a.tocsr() + b.tocsr()).tocoo()
    both = (a.toarray() != 0) & (b.toarray() != 0)
    kept = (np.abs(total.data) >= thresh) | ~both[total.coords]
    return np.stack(total.coords, 1)[kept], total.data[kept]


def coalesce(indices: np.ndarray, values: np.ndarray, shape: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the sums of the values that share a place."""
    total = sparse.coo_array((values, tuple(indices)), tuple(shape)).tocsr().tocoo()
    return np.stack(total.coords), total.data, shape


def coo_concat(matrices: Sequence[Any], concat_dim: int = 0) -> tuple[np.ndarray, ...]:
    """Return matrices joined."""
    join = sparse.hstack if concat_dim % 2 else sparse.vstack
    return parts(join(matrices).tocsr().tocoo())


def csr_mm(
    a: Any, b: Any, trans_a: bool = False, trans_b: bool = False, adjoint_a: bool = False, adjoint_b: bool = False
) -> tuple[np.ndarray, ...]:
    """Return the product of two matrices."""
    a = a.T.conj() if adjoint_a else a.T if trans_a else a
    b = b.T.conj() if adjoint_b else b.T if trans_b else b
    total = (a @ b).tocsr()
    total.sort_indices()
    return parts(total)


# --- matrices as indices, values and shape --------------------------------------------------------------------------


def to_dense_matrix(indices: np.ndarray, values: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Return the dense Tensor."""
    dense = np.zeros(tuple(shape), values.dtype)
    np.add.at(dense, tuple(indices.T), values)
    return dense


def tensor_dense_matmul(
    indices: np.ndarray,
    values: np.ndarray,
    shape: Any,
    dense: np.ndarray,
    adjoint_st: bool = False,
    adjoint_dt: bool = False,
) -> np.ndarray:
    """Return the product with a dense matrix."""
    matrix = to_dense_matrix(indices, values, shape)
    return (matrix.T if adjoint_st else matrix) @ (dense.T.conj() if adjoint_dt else dense)


def tensor_dense_add(indices: np.ndarray, values: np.ndarray, shape: Any, x2: np.ndarray) -> np.ndarray:
    """Return the sum with a dense matrix."""
    return to_dense_matrix(indices, values, shape) + x2


def slices(indices: np.ndarray, values: np.ndarray, shape: Any, start: Any, size: Any) -> tuple[np.ndarray, ...]:
    """Return what is held in a slice."""
    cut = to_dense_matrix(indices, values, shape)[tuple(slice(b, b + n) for b, n in zip(start, size, strict=True))]
    return np.argwhere(cut), cut[cut != 0], np.asarray(cut.shape)


def segment_mean(x: np.ndarray, indices: np.ndarray, segment_ids: np.ndarray) -> np.ndarray:
    """Return means of rows, segment by segment."""
    rows = x[indices.astype(np.int64)]
    count = int(segment_ids.max(initial=-1)) + 1
    empty = np.zeros((1, *x.shape[1:]), x.dtype)
    means = [rows[segment_ids == i] if (segment_ids == i).any() else empty for i in range(count)]
    return np.stack([m.mean(0) for m in means]) if means else np.zeros((0, *x.shape[1:]), x.dtype)


def ragged_range(starts: np.ndarray, limits: np.ndarray, deltas: np.ndarray, splits: Any) -> tuple[np.ndarray, ...]:
    """Return ranges one after the other."""
    ranges = [np.arange(*bounds) for bounds in zip(*np.atleast_1d(starts, limits, deltas), strict=True)]
    return np.cumsum([0, *map(len, ranges)]), np.concatenate(ranges)
