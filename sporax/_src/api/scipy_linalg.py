"""The namespace `scipy.linalg`: factorisations and solvers with SciPy's signatures."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, Arrays, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal
from sporax._src.ops.array.cast import cast
from sporax._src.ops.linalg.linalg import cholesky as _lower_or_upper
from sporax._src.ops.linalg.linalg import inverse

_REAL = (mstype.int32, mstype.int64, mstype.float32, mstype.float64)
_TRANSPOSED = {"N": 0, "T": 1, "C": 2, 0: 0, 1: 1, 2: 2}


def _flags(name: str, **flags: object) -> None:
    for key, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"For '{name}', the type of '{key}' should be bool, but got {describe(value)}.")


def _matrix(
    name: str, a: object, kinds: tuple[mstype.Type, ...] = _REAL, square: bool = True, label: str = "a"
) -> Tensor:
    """Return a matrix, integers as float64."""
    if not isinstance(a, Tensor):
        raise TypeError(f"For '{name}', the type of '{label}' should be Tensor, but got {describe(a)}.")
    if a.dtype not in kinds:
        raise TypeError(f"For '{name}', the data type of '{label}' should be one of {list(kinds)}, but got {a.dtype}.")
    if a.ndim != 2:
        raise ValueError(f"For '{name}', the dimension of '{label}' should be 2, but got {a.ndim}.")
    if square and a.shape[0] != a.shape[1]:
        raise ValueError(
            f"For '{name}', the matrix '{label}' should be a square matrix like (N, N), but got {a.shape}."
        )
    return cast(a, mstype.float64) if a.dtype in (mstype.int32, mstype.int64) else a


@internal("scipy.linalg.block_diag")
def _block_diag(arrs: Arrays) -> Array:
    return jsl.block_diag(*arrs)


def block_diag(*arrs: Tensor) -> Tensor:
    """Return the matrix that has the given ones along its diagonal, and zeros elsewhere.

    Args:
        *arrs: Tensors of at most two axes; one of a single axis is a row.

    Raises:
        ValueError: If one has more than two axes.

    Examples:
        >>> import sporax as ms
        >>> ms.scipy.linalg.block_diag(ms.Tensor([[1.0]]), ms.Tensor([2.0, 3.0])).asnumpy()
        array([[1., 0., 0.],
               [0., 2., 3.]], dtype=float32)
    """
    if any(a.ndim > 2 for a in arrs):
        raise ValueError("Arguments to scipy.linalg.block_diag must have at most 2 dimensions.")
    return _block_diag(arrs) if arrs else Tensor(np.zeros((1, 0), np.float32))


def inv(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Return the inverse of a square matrix.

    Args:
        a: Shape (n, n); integers are computed in float64.
        overwrite_a, check_finite: Accepted for programs written for SciPy.

    Raises:
        TypeError: If an argument has another type than said above.
        ValueError: If `a` is not square.

    Examples:
        >>> import sporax as ms
        >>> ms.scipy.linalg.inv(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy()
        array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float32)
    """
    _flags("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    return inverse(_matrix("inv", a))


def cholesky(a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Return U with Uᵀ·U = a (with `lower` L with L·Lᵀ = a); nan if `a` is not positive definite.

    Args:
        a: A symmetric matrix of shape (n, n).
        lower: Whether to return the lower factor.
        overwrite_a, check_finite: Accepted for programs written for SciPy.

    Raises:
        TypeError: If an argument has another type than said above.
        ValueError: If `a` is not square.

    Examples:
        >>> import sporax as ms
        >>> ms.scipy.linalg.cholesky(ms.Tensor([[4.0, 2.0], [2.0, 2.0]])).asnumpy()
        array([[2., 1.],
               [0., 1.]], dtype=float32)
    """
    _flags("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return _lower_or_upper(_matrix("cholesky", a), not lower)


def cho_factor(
    a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Tensor, bool]:
    """Return the factor that `cholesky` gives, and `lower`, for `cho_solve`.

    Examples:
        >>> import sporax as ms
        >>> factor, lower = ms.scipy.linalg.cho_factor(ms.Tensor([[4.0]]))
        >>> factor.item(), lower
        (2.0, False)
    """
    _flags("cho_factor", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return _lower_or_upper(_matrix("cho_factor", a), not lower), lower


@internal("scipy.linalg.cho_solve")
def _cho_solve(c: Array, b: Array, lower: Static) -> Array:
    return jsl.cho_solve((c, lower), b)


def cho_solve(
    c_and_lower: tuple[Tensor, bool], b: Tensor, overwrite_b: bool = False, check_finite: bool = True
) -> Tensor:
    """Return x with a·x = b for the matrix of which `cho_factor` returned `c_and_lower`.

    Args:
        c_and_lower: The factor and whether it is the lower one.
        b: Shape (n,) or (n, m).
        overwrite_b, check_finite: Accepted for programs written for SciPy.

    Raises:
        TypeError: If an argument has another type than said above.
        ValueError: If the shapes do not fit.

    Examples:
        >>> import sporax as ms
        >>> factor = ms.scipy.linalg.cho_factor(ms.Tensor([[4.0]]))
        >>> ms.scipy.linalg.cho_solve(factor, ms.Tensor([2.0])).asnumpy()
        array([0.5], dtype=float32)
    """
    c, lower = c_and_lower
    _flags("cho_solve", lower=lower, overwrite_b=overwrite_b, check_finite=check_finite)
    c = _matrix("cho_solve", c, label="c")
    _same_rows("cho_solve", c, b)
    return _cho_solve(c, cast(b, c.dtype), lower)


def _same_rows(name: str, a: Tensor, b: object) -> None:
    if not isinstance(b, Tensor):
        raise TypeError(f"For '{name}', the type of 'b' should be Tensor, but got {describe(b)}.")
    axis = -1 if b.ndim == a.ndim - 1 else -2
    if b.ndim == 0 or a.shape[-2] != b.shape[axis]:
        raise ValueError(
            f"For '{name}', the rows of the matrix and 'b' should be as many, got {a.shape} and {b.shape}."
        )


@internal("scipy.linalg.eigh")
def _eigh(a: Array, lower: Static) -> tuple[Array, Array]:
    half = jnp.tril(a) if lower else jnp.triu(a)
    other = jnp.conj(jnp.swapaxes(jnp.tril(a, -1) if lower else jnp.triu(a, 1), -1, -2))
    values, vectors = jnp.linalg.eigh(half + other, symmetrize_input=False)
    return values.astype(a.dtype), vectors


def eigh(
    a: Tensor,
    b: None = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: None = None,
    type: int = 1,
    check_finite: bool = True,
) -> Any:
    """Return the eigenvalues of a symmetric or Hermitian matrix, ascending, and its eigenvectors as columns.

    Args:
        a: Shape (n, n).
        b, eigvals: None; generalised problems and subsets are not there.
        lower: Whether to read the lower half of `a`, otherwise the upper.
        eigvals_only: Whether to return the eigenvalues alone.
        overwrite_a, overwrite_b, turbo, type, check_finite: Accepted for programs written for SciPy.

    Raises:
        TypeError: If an argument has another type than said above.
        ValueError: If `a` is not square, or `b` or `eigvals` is given.

    Examples:
        >>> import sporax as ms
        >>> ms.scipy.linalg.eigh(ms.Tensor([[2.0, 0.0], [0.0, 1.0]]), eigvals_only=True).asnumpy()
        array([1., 2.], dtype=float32)
    """
    _flags(
        "eigh", lower=lower, eigvals_only=eigvals_only, overwrite_a=overwrite_a, overwrite_b=overwrite_b, turbo=turbo
    )
    _flags("eigh", check_finite=check_finite)
    if isinstance(type, bool) or not isinstance(type, int):
        raise TypeError(f"For 'eigh', the type of 'type' should be int, but got {describe(type)}.")
    a = _matrix("eigh", a, (*_REAL, mstype.complex64, mstype.complex128))
    for key, value in (("b", b), ("eigvals", eigvals)):
        if value is not None:
            raise ValueError(f"For 'eigh', currently only case {key}=None of 'eigh' is implemented.")
    values, vectors = _eigh(a, lower)
    return values if eigvals_only else (values, vectors)


@internal("scipy.linalg.lu")
def _lu(a: Array) -> tuple[Array, Array, Array]:
    factors, pivots, order = jax.lax.linalg.lu(a)
    return factors, pivots, order


def lu_factor(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Tensor, Tensor]:
    """Return L and U of a square matrix in one matrix, and with which row each row was exchanged.

    Args:
        a: Shape (n, n).
        overwrite_a, check_finite: Accepted for programs written for SciPy.

    Raises:
        TypeError: If an argument has another type than said above.
        ValueError: If `a` is not square.

    Examples:
        >>> import sporax as ms
        >>> factors, pivots = ms.scipy.linalg.lu_factor(ms.Tensor([[0.0, 1.0], [2.0, 0.0]]))
        >>> pivots.asnumpy()
        array([1, 1], dtype=int32)
    """
    _flags("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    return _lu(_matrix("lu_factor", a))[:2]


@internal("scipy.linalg.lu_parts")
def _lu_parts(factors: Array, order: Array) -> tuple[Array, Array, Array]:
    rows = factors.shape[0]
    lower = jnp.tril(factors, -1)[:, :rows] + jnp.eye(rows, dtype=factors.dtype)
    return jnp.eye(rows, dtype=np.int32)[order].T, lower, jnp.triu(factors)


@internal("scipy.linalg.permuted")
def _permuted(p: Array, lower: Array) -> Array:
    return p.astype(lower.dtype) @ lower


def lu(a: Tensor, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Tensor, ...]:
    """Return P, L, U with P·L·U = a; with `permute_l` P·L and U.

    Args:
        a: Shape (m, n) with m <= n.
        permute_l: Whether to multiply P and L.
        overwrite_a, check_finite: Accepted for programs written for SciPy.

    Raises:
        TypeError: If an argument has another type than said above.
        ValueError: If `a` is not a matrix, or has more rows than columns.

    Examples:
        >>> import sporax as ms
        >>> p, l, u = ms.scipy.linalg.lu(ms.Tensor([[0.0, 1.0], [2.0, 0.0]]))
        >>> u.asnumpy()
        array([[2., 0.],
               [0., 1.]], dtype=float32)
    """
    _flags("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    a = _matrix("lu", a, square=False)
    if a.shape[0] > a.shape[1]:
        raise ValueError("last two dimensions of LU decomposition must be row less or equal to col.")
    factors, _, order = _lu(a)
    p, lower, upper = _lu_parts(factors, order)
    return (_permuted(p, lower), upper) if permute_l else (p, lower, upper)


@internal("scipy.linalg.solve_triangular")
def _solve_triangular(a: Array, b: Array, trans: Static, lower: Static, unit_diagonal: Static) -> Array:
    if a.dtype.kind in "iu":
        a, b = a.astype(np.float32), b.astype(np.float32)
    rows = b[..., None] if b.ndim == a.ndim - 1 else b
    out = jsl.solve_triangular(a, rows, trans=trans, lower=lower, unit_diagonal=unit_diagonal)
    return out[..., 0] if b.ndim == a.ndim - 1 else out


def solve_triangular(
    a: Tensor,
    b: Tensor,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: object = None,
    check_finite: bool = True,
) -> Tensor:
    """Return x with a·x = b for a triangular matrix.

    Args:
        a: Shape (..., n, n), of which one half is read.
        b: Shape (..., n) or (..., n, m), of the dtype of `a`.
        trans: 0 or "N": solve with a; 1 or "T": with aᵀ; 2 or "C": with its conjugate.
        lower: Whether the lower half is read.
        unit_diagonal: Whether the diagonal counts as 1.
        overwrite_b, debug, check_finite: Accepted for programs written for SciPy.

    Raises:
        TypeError: If `a` and `b` are no Tensors of one dtype.
        ValueError: If `trans` is none of those, or the shapes do not fit.

    Examples:
        >>> import sporax as ms
        >>> ms.scipy.linalg.solve_triangular(ms.Tensor([[2.0]]), ms.Tensor([4.0])).asnumpy()
        array([2.], dtype=float32)
    """
    if trans not in _TRANSPOSED:
        raise ValueError(f"For 'solve_triangular', trans must be one of 0, 1, 2, 'N', 'T', 'C', got {describe(trans)}.")
    _pair("solve_triangular", a, b)
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"For 'solve_triangular', the last two dimensions of 'a' should be the same, got {a.shape}.")
    return _solve_triangular(a, b, _TRANSPOSED[trans], lower, unit_diagonal)


def _pair(name: str, a: Any, b: Any) -> None:
    if not isinstance(a, Tensor) or a.ndim < 2:
        raise TypeError(f"For '{name}', the matrix should be a Tensor of two axes or more, but got {describe(a)}.")
    _same_rows(name, a, b)
    if a.dtype != b.dtype:
        raise TypeError(f"For '{name}', the dtypes of the operands must be the same, got {a.dtype} and {b.dtype}.")


@internal("scipy.linalg.lstsq")
def _lstsq(a: Array, b: Array) -> tuple[Array, Array, Array, Array]:
    columns = b[..., None] if b.ndim == a.ndim - 1 else b
    u, s, vt = jnp.linalg.svd(a, full_matrices=False)
    eps = float(jnp.finfo(a.dtype).eps) * max(a.shape[-2:])
    significant = s > eps * s[..., :1]
    inverse_s = jnp.where(significant, 1.0 / jnp.where(significant, s, 1.0), 0.0)
    x = jnp.swapaxes(vt, -1, -2) @ (inverse_s[..., None] * (jnp.swapaxes(u, -1, -2) @ columns))
    residuals = jnp.square(a @ x - columns).sum(-2)
    return x[..., 0] if b.ndim == a.ndim - 1 else x, residuals, significant.sum(-1), s


def lstsq(
    A: Tensor, B: Tensor, rcond: object = None, driver: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the solution X of smallest norm of min ‖A·X - B‖, the residuals, the rank of A and its singular values.

    Args:
        A: Shape (..., m, n).
        B: Shape (..., m) or (..., m, k).
        rcond: Accepted for programs written for SciPy.
        driver: "gels", "gelsy" (None), "gelsd" or "gelss". As LAPACK's drivers do, "gelsy" leaves the residuals and
            singular values empty, and "gels" the rank and the singular values.

    Raises:
        TypeError: If `A` and `B` are no Tensors of one dtype.
        ValueError: If `driver` is none of those, or the shapes do not fit.

    Examples:
        >>> import sporax as ms
        >>> x, _, rank, _ = ms.scipy.linalg.lstsq(ms.Tensor([[1.0], [1.0]]), ms.Tensor([1.0, 3.0]))
        >>> x.asnumpy().round(4), rank.item()
        (array([2.], dtype=float32), 1)
    """
    driver = driver or "gelsy"
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise ValueError(f"For 'lstsq', driver must be 'gels', 'gelsy', 'gelsd' or 'gelss', got {describe(driver)}.")
    _pair("lstsq", A, B)
    x, residuals, rank, s = _lstsq(A, B)
    empty = Tensor(np.zeros(0), A.dtype)
    tall = A.shape[-2] > A.shape[-1]
    residuals = residuals if driver != "gelsy" and tall else empty
    rank = Tensor(np.zeros(0, np.int64)) if driver == "gels" else cast(rank, mstype.int64)
    return x, residuals, rank, s if driver in ("gelsd", "gelss") else empty
