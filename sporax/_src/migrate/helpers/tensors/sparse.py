"""Sparse Tensors of torch as dense Tensors."""

import sporax as mindspore
from sporax import mint


def _coo_tensor(indices, values, size=None, dtype=None):
    """Return the dense Tensor with values at indices; values at the same index are added."""
    indices = indices if isinstance(indices, mindspore.Tensor) else mindspore.tensor(indices, dtype=mindspore.int64)
    values = values if isinstance(values, mindspore.Tensor) else mindspore.tensor(values)
    values = values if dtype is None else values.to(dtype)
    if size is None:
        size = (*[n + 1 for n in mint.amax(indices, 1).tolist()], *values.shape[1:])
    zeros = mint.zeros(tuple(size), dtype=values.dtype)
    return zeros.index_put(tuple(mint.unbind(indices.long())), values, accumulate=True)


def _rows_of(starts):
    """Return the row of each element of a compressed matrix, from the starts of its rows."""
    starts = starts if isinstance(starts, mindspore.Tensor) else mindspore.tensor(starts, dtype=mindspore.int64)
    return mint.repeat_interleave(mint.arange(starts.shape[0] - 1), mint.diff(starts))


def _csr_tensor(crow_indices, col_indices, values, size=None, dtype=None):
    """Return the dense matrix of a matrix in compressed rows (CSR)."""
    columns = mindspore.tensor(col_indices, dtype=mindspore.int64)
    return _coo_tensor(mint.stack((_rows_of(crow_indices), columns)), values, size, dtype)


def _csc_tensor(ccol_indices, row_indices, values, size=None, dtype=None):
    """Return the dense matrix of a matrix in compressed columns (CSC)."""
    rows = mindspore.tensor(row_indices, dtype=mindspore.int64)
    return _coo_tensor(mint.stack((rows, _rows_of(ccol_indices))), values, size, dtype)


def _sparse_softmax(x, dim, dtype=None):
    """Return the softmax of the elements that are not 0."""
    x = x if dtype is None else x.to(dtype)
    shown = x != 0
    weights = mint.exp(x - mint.amax(mint.where(shown, x, -float("inf")), dim, True)) * shown
    return mint.where(shown, weights / mint.sum(weights, dim, True), mint.zeros_like(x))


def _sparse_log_softmax(x, dim, dtype=None):
    """Return the logarithm of the softmax of the elements that are not 0."""
    share = _sparse_softmax(x, dim, dtype)
    return mint.where(share != 0, mint.log(mint.where(share != 0, share, mint.ones_like(share))), share)


def _sampled_addmm(x, mat1, mat2, beta=1.0, alpha=1.0):
    """Return the sum of a matrix and a product, at the elements of the matrix that are not 0."""
    return (x * beta + mint.matmul(mat1, mat2) * alpha) * (x != 0)


def _spdiags(diagonals, offsets, shape):
    """Return the matrix with these diagonals; element i of a diagonal is in column i."""
    rows, columns = shape
    across = diagonals if diagonals.ndim == 2 else mint.unsqueeze(diagonals, 0)
    result = mint.zeros((rows, columns), dtype=diagonals.dtype)
    difference = mint.arange(columns) - mint.unsqueeze(mint.arange(rows), 1)
    across = mint.nn.functional.pad(across, (0, max(columns - across.shape[1], 0)))[:, :columns]
    for line, offset in zip(across, offsets.reshape(-1).tolist(), strict=True):
        result = mint.where(difference == offset, line, result)
    return result
