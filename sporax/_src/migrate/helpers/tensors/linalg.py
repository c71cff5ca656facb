"""Products, decompositions and solutions that take several calls."""

import math

import numpy as np

import sporax as mindspore
from sporax import mint, ops
from sporax.scipy import linalg as mslinalg


def _vdot(x, y):
    """Return the product of two vectors, the first conjugated."""
    return mint.sum((ops.conj(x) if ops.is_complex(x) else x) * y)


def _chain_matmul(*matrices):
    """Return the product of several matrices."""
    product = matrices[0]
    for matrix in matrices[1:]:
        product = mint.matmul(product, matrix)
    return product


def _qr(x, some=True):
    """Return an orthogonal and a triangular factor."""
    return mint.linalg.qr(x, "reduced" if some else "complete")


def _linalg_svd(x, full_matrices=True):
    """Return the left singular vectors, the singular values and the right singular vectors, transposed."""
    s, u, v = ops.svd(x, full_matrices)
    v = mint.transpose(v, -2, -1)
    return u, s, ops.conj(v) if ops.is_complex(v) else v


def _eigh(x, UPLO="L"):
    """Return the eigenvalues and eigenvectors of symmetric or Hermitian matrices given by one of their triangles."""
    size = x.shape[-1]
    pairs = [mslinalg.eigh(matrix, lower=UPLO.upper() == "L") for matrix in mint.reshape(x, (-1, size, size))]
    values = mint.reshape(mint.stack([values for values, _ in pairs]), x.shape[:-1])
    return values, mint.reshape(mint.stack([vectors for _, vectors in pairs]), x.shape)


def _with_info(function, *args, **kwargs):
    """Return a function's result, and the status 0 (success) for each matrix."""
    result = function(*args, **kwargs)
    return result, mint.zeros(args[0].shape[:-2], dtype=mindspore.int32)


def _lu_factor(x, info=False):
    """Return the packed LU decomposition and its pivots, which count from 1."""
    rows, columns = x.shape[-2:]
    size = max(rows, columns)
    square = mint.nn.functional.pad(x, (0, size - columns, 0, size - rows)) if rows != columns else x
    factors = [mslinalg.lu_factor(matrix) for matrix in mint.reshape(square, (-1, size, size))]
    packed = mint.reshape(mint.stack([packed for packed, _ in factors]), square.shape)[..., :rows, :columns]
    pivots = mint.reshape(mint.stack([pivots for _, pivots in factors]), square.shape[:-1])
    pivots = pivots[..., : min(rows, columns)].to(mindspore.int32) + 1
    return (packed, pivots, mint.zeros(x.shape[:-2], dtype=mindspore.int32)) if info else (packed, pivots)


def _lu_unpack(packed, pivots, unpack_data=True, unpack_pivots=True):
    """Return the permutation and the two triangles of a packed decomposition; a part that is not asked for is empty."""
    p, lower, upper = ops.lu_unpack(packed, pivots)
    empty = mint.zeros((0,), dtype=packed.dtype)
    return (p if unpack_pivots else empty, *((lower, upper) if unpack_data else (empty, empty)))


def _lu(x):
    """Return the permutation, the lower and the upper triangle whose product is the matrix."""
    return _lu_unpack(*_lu_factor(x))


def _solve(a, b, left=True):
    """Return the solution x of a x = b, or of x a = b."""
    if not left:
        return mint.transpose(_solve(mint.transpose(a, -2, -1), mint.transpose(b, -2, -1)), -2, -1)
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]):
        return mint.squeeze(_solve(a, mint.unsqueeze(b, -1)), -1)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (mint.broadcast_to(m, (*batch, *m.shape[-2:])) for m in (a, b))
    return ops.matrix_solve(a, b)


def _solve_triangular(a, b, upper, left=True, unitriangular=False):
    """Return the solution x of a x = b, or of x a = b, for a triangular matrix."""
    if left:
        return mint.triangular_solve(b, a, upper, False, unitriangular)[0]
    turned = mint.transpose(b, -2, -1)
    return mint.transpose(mint.triangular_solve(turned, a, upper, True, unitriangular)[0], -2, -1)


def _lstsq(a, b):
    """Return the solution of least squares, its residuals, the rank and the singular values, which are left empty."""
    vector = b.ndim == 1
    right = mint.unsqueeze(b, -1) if vector else b
    solution = mint.matmul(ops.pinv(a), right)
    rows, columns = a.shape[-2:]
    empty = mint.zeros((0,), dtype=a.dtype)
    residuals = mint.sum(mint.square(mint.matmul(a, solution) - right), -2) if rows > columns else empty
    return (mint.squeeze(solution, -1) if vector else solution), residuals, _matrix_rank(a), empty


def _cond(x, p=None):
    """Return the condition number of a matrix."""
    if p is None or p in (2, -2):
        s = ops.svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return mint.linalg.matrix_norm(x, p) * mint.linalg.matrix_norm(mint.linalg.inv(x), p)


def _tolerance(x, s, atol=None, rtol=None):
    """Return the bound below which singular values count as zero."""
    if rtol is None:
        eps = {"Float64": 2.0**-52, "Complex128": 2.0**-52}.get(str(x.dtype), 2.0**-23)
        rtol = 0.0 if atol is not None else max(x.shape[-2:]) * eps
    greatest = mint.amax(s, -1, True)
    return mint.maximum(greatest * rtol, mint.full_like(greatest, 0.0 if atol is None else atol))


def _matrix_rank(x, tol=None, hermitian=False, atol=None, rtol=None):
    """Return the number of singular values above the tolerance."""
    s = mint.abs(_eigh(x)[0]) if hermitian else ops.svd(x, compute_uv=False)
    return mint.sum(s > _tolerance(x, s, atol if tol is None else tol, rtol), -1)


def _pinv(x, rcond=None, hermitian=False, atol=None, rtol=None):
    """Return the pseudo-inverse of a matrix."""
    if hermitian:
        s, v = _eigh(x)
        u = v
    else:
        s, u, v = ops.svd(x, False)
    is_large = mint.abs(s) > _tolerance(x, mint.abs(s), atol, rtol if rcond is None else rcond)
    inverse = mint.where(is_large, 1 / mint.where(is_large, s, mint.ones_like(s)), mint.zeros_like(s))
    turned = mint.transpose(ops.conj(u) if ops.is_complex(u) else u, -2, -1)
    return mint.matmul(v * mint.unsqueeze(inverse, -2).to(v.dtype), turned)


def _lu_solve(packed, pivots, b, left=True, adjoint=False):
    """Return the solution x of a x = b, or of x a = b, by the LU decomposition of a; `adjoint` replaces a by its adjoint."""
    if left and not adjoint:
        return ops.lu_solve(b, packed, pivots)
    p, lower, upper = ops.lu_unpack(packed, pivots)
    a = mint.matmul(mint.matmul(p, lower), upper)
    if adjoint:
        a = mint.transpose(ops.conj(a) if ops.is_complex(a) else a, -2, -1)
    return _solve(a, b, left)


def _tensorinv(x, ind=2):
    """Return the inverse of a Tensor with respect to `tensordot`."""
    size = math.prod(x.shape[ind:])
    inverse = mint.linalg.inv(mint.reshape(x, (-1, size)))
    return mint.reshape(inverse, (*x.shape[ind:], *x.shape[:ind]))


def _tensorsolve(a, b, dims=None):
    """Return the x with tensordot(a, x, x.ndim) = b."""
    if dims is not None:
        a = ops.movedim(a, tuple(dims), tuple(range(a.ndim - len(dims), a.ndim)))
    shape = a.shape[b.ndim :]
    solution = _solve(mint.reshape(a, (-1, math.prod(shape))), mint.flatten(b))
    return mint.reshape(solution, shape)
