"""Reference functions in NumPy and SciPy for linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

Nd = np.ndarray


def vecdot(x: Nd, y: Nd, *, axis: int = -1) -> Nd:
    return (x * y).sum(axis)


def cross(x: Nd, y: Nd, dim: int | None = None) -> Nd:
    return np.cross(x, y, axis=x.shape.index(3) if dim is None else dim)


def batch_dot(x: Nd, y: Nd, axes: Any = None) -> Nd:
    a, b = axes or (-1, max(y.ndim - 2, 1))
    rows = [np.tensordot(u, v, (a - 1 if a > 0 else a, b - 1)) for u, v in zip(x, y, strict=True)]
    out = np.stack(rows)
    return out[:, None] if out.ndim == 1 else out


def matrix_power(x: Nd, n: int) -> Nd:
    return np.linalg.matrix_power(x, n)


def addmm(x: Nd, a: Nd, b: Nd, *, beta: float = 1, alpha: float = 1) -> Nd:
    return beta * x + alpha * (a @ b)


def addbmm(x: Nd, a: Nd, b: Nd) -> Nd:
    return x + (a @ b).sum(0)


def addr(x: Nd, a: Nd, b: Nd) -> Nd:
    return x + np.outer(a, b)


def slogdet(x: Nd) -> tuple[Nd, Nd]:
    return tuple(np.linalg.slogdet(x))


def logdet(x: Nd) -> Nd:
    return np.log(np.linalg.det(x))


def cholesky(x: Nd, upper: bool = False) -> Nd:
    lower = np.linalg.cholesky(x)
    return lower.T if upper else lower


def cholesky_inverse(x: Nd, upper: bool = False) -> Nd:
    return np.linalg.inv(x.T @ x if upper else x @ x.T)


def cholesky_solve(b: Nd, x: Nd, upper: bool = False) -> Nd:
    return cholesky_inverse(x, upper) @ b


def singular_values(x: Nd, full: bool = False, compute_uv: bool = True) -> Nd:
    return np.linalg.svd(x, compute_uv=False)


def qr(x: Nd, mode: Any = "reduced") -> tuple[Nd, Nd]:
    q, r = np.linalg.qr(x, mode)
    return q, r


def eigenvalues(x: Nd) -> Nd:
    return np.linalg.eigvals(x).astype(np.complex64)


def geqrf(x: Nd) -> tuple[Nd, Nd]:
    packed, tau = scipy.linalg.qr(x, mode="raw")[0]
    return packed, tau


def orgqr(x: Nd, tau: Nd) -> Nd:
    (orgqr,) = scipy.linalg.lapack.get_lapack_funcs(("orgqr",), (x,))
    return orgqr(x, tau)[0]


def ormqr(x: Nd, tau: Nd, other: Nd) -> Nd:
    q = np.eye(x.shape[0], dtype=x.dtype)
    for i, t in enumerate(tau):
        v = np.concatenate([np.zeros(i), [1], x[i + 1 :, i]])
        q = q @ (np.eye(x.shape[0]) - t * np.outer(v, v))
    return q @ other


def solve(a: Nd, b: Nd, adjoint: bool = False) -> Nd:
    return np.linalg.solve(a.T if adjoint else a, b)


def lstsq(a: Nd, b: Nd) -> Nd:
    return np.linalg.lstsq(a, b.reshape(b.shape[0], -1), rcond=None)[0]


def lu_solve(b: Nd, lu: Nd, pivots: Nd) -> Nd:
    return scipy.linalg.lu_solve((lu, pivots - 1), b)


def lu_unpack(lu: Nd, pivots: Nd) -> tuple[Nd, Nd, Nd]:
    p = np.eye(len(lu))
    for i, j in enumerate(pivots - 1):
        p[:, [i, j]] = p[:, [j, i]]
    return p, np.tril(lu, -1) + np.eye(len(lu)), np.triu(lu)


# --- logarithms and least squares ---------------------------------------------------------------------------------------


def logm(x):
    """By eigenvectors, which suffices for matrices that have enough of them."""
    values, vectors = np.linalg.eig(x.astype(np.complex128))
    return (vectors * np.log(values)[..., None, :] @ np.linalg.inv(vectors)).astype(x.dtype)


def solve_ls(a, b, penalty, fast=True):
    """Least squares of the matrix stacked on the square root of the penalty."""
    out = np.zeros((*a.shape[:-2], a.shape[-1], b.shape[-1]), a.dtype)
    for at in np.ndindex(a.shape[:-2]):
        rows, right = a[at], b[at]
        if fast:
            rows = np.concatenate([rows, np.sqrt(penalty) * np.eye(a.shape[-1])])
            right = np.concatenate([right, np.zeros((a.shape[-1], b.shape[-1]))])
        out[at] = np.linalg.lstsq(rows, right, rcond=None)[0]
    return out
