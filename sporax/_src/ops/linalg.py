"""Linear algebra: inverses, determinants, factorisations, solvers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.core.dtype import to_float
from sporax._src.core.tensor import Tensor
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, internal, op

REF = "sporax._src.testing.linalg_references."
# A matrix far from singular, and a batch of two: float32 factorisations lose digits with the condition number.
_SQUARE = ("D([[2.0, 1.0], [1.0, 3.0]])", "D([[[2.0, 1.0], [0.5, 3.0]], [[1.0, 0.0], [2.0, 4.0]]])")
_BAD = (("T(2, 3)", "square"),)
_TOL = 1e-5


def _square(x: Array, name: str = "input") -> Array:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name} must hold square matrices along its last two axes, got shape {x.shape}.")
    return to_float(x)


def _conjugate(x: Array) -> Array:
    return jnp.conj(jnp.swapaxes(x, -1, -2))


# --- inverse and determinant ----------------------------------------------------------------------------------------


@op(ref="numpy.linalg.inv", cases=_SQUARE, errors=_BAD, tol=_TOL, method="inverse")
def inverse(input: Array) -> Array:
    """Return the inverses of square matrices."""
    return jnp.linalg.inv(_square(input))


@primitive("MatrixInverse(adjoint=False)")
def _matrix_inverse(x: Tensor, adjoint: bool = False) -> Tensor:
    """Return the inverses of square matrices, or of their conjugate transposes."""
    return _inverse(x, adjoint)


@internal("MatrixInverse")
def _inverse(x: Array, adjoint: Static) -> Array:
    return jnp.linalg.inv(_conjugate(_square(x)) if adjoint else _square(x))


@op(ref="numpy.linalg.det", cases=_SQUARE, errors=_BAD, tol=_TOL, method="det")
def det(input: Array) -> Array:
    """Return the determinants of square matrices."""
    return jnp.linalg.det(_square(input))


@op(
    ref="numpy.linalg.det",
    cases=_SQUARE,
    errors=_BAD,
    tol=_TOL,
    method="matrix_determinant",
    primitive="MatrixDeterminant()",
)
def matrix_determinant(input: Array) -> Array:
    """Return the determinants of square matrices."""
    return jnp.linalg.det(_square(input))


@op(ref=REF + "slogdet", cases=_SQUARE, errors=_BAD, tol=_TOL, method="slogdet")
def slogdet(input: Array) -> tuple[Array, Array]:
    """Return the signs of the determinants of square matrices, and the logarithms of their absolute values."""
    sign, value = jnp.linalg.slogdet(_square(input))
    return sign, value


@op(
    ref=REF + "slogdet",
    cases=_SQUARE,
    errors=_BAD,
    tol=_TOL,
    method="log_matrix_determinant",
    primitive="LogMatrixDeterminant()",
)
def log_matrix_determinant(input: Array) -> tuple[Array, Array]:
    """Return the signs of the determinants of square matrices, and the logarithms of their absolute values."""
    return slogdet.raw(input)


@op(ref=REF + "logdet", cases=_SQUARE, errors=_BAD, tol=_TOL, method="logdet")
def logdet(input: Array) -> Array:
    """Return the logarithms of the determinants of square matrices (nan for negative ones)."""
    sign, value = jnp.linalg.slogdet(_square(input))
    return jnp.where(sign > 0, value, jnp.where(sign == 0, -jnp.inf, jnp.nan).astype(value.dtype))


@op(
    ref="scipy.linalg.expm", cases=_SQUARE, errors=_BAD, tol=1e-4, primitive="MatrixExp()"
)  # tol: scaling and squaring in float32
def matrix_exp(input: Array) -> Array:
    """Return the exponentials Σ Aⁿ/n! of square matrices."""
    return jsl.expm(_square(input))


# --- factorisations -------------------------------------------------------------------------------------------------


@op(
    ref=REF + "cholesky",
    cases=("D([[2.0, 1.0], [1.0, 3.0]])", "D([[4.0, 1.0], [1.0, 3.0]]), True"),
    errors=_BAD,
    tol=_TOL,
    grad=0,
    method="cholesky",
    primitive="Cholesky(upper=False)",
)
def cholesky(input_x: Array, upper: bool = False) -> Array:
    """Return the triangular L with L·Lᴴ = input_x (or, if `upper`, U with Uᴴ·U) of positive definite matrices."""
    lower = jnp.linalg.cholesky(_square(input_x, "input_x"))
    return _conjugate(lower) if upper else lower


@op(
    ref=REF + "cholesky_inverse",
    cases=("D([[2.0, 0.0], [1.0, 3.0]])", "D([[2.0, 1.0], [0.0, 3.0]]), True"),
    errors=_BAD,
    tol=_TOL,
    method="cholesky_inverse",
    primitive="CholeskyInverse(upper=False)",
)
def cholesky_inverse(input_x: Array, upper: bool = False) -> Array:
    """Return the inverse of the matrix whose Cholesky factor is `input_x`."""
    x = _square(input_x, "input_x")
    return jsl.cho_solve((x, not upper), jnp.broadcast_to(jnp.eye(x.shape[-1], dtype=x.dtype), x.shape))


@op(
    ref=REF + "cholesky_solve",
    cases=("T(2, 3), D([[2.0, 0.0], [1.0, 3.0]])", "T(2, 1), D([[2.0, 1.0], [0.0, 3.0]]), True"),
    errors=(("T(2, 3), T(2, 3)", "square"),),
    tol=_TOL,
    method="cholesky_solve",
    primitive="CholeskySolve(upper=False)",
)
def cholesky_solve(input: Array, input2: Array, upper: bool = False) -> Array:
    """Return X with A·X = input, where `input2` is the Cholesky factor of A."""
    return jsl.cho_solve((_square(input2, "input2"), not upper), to_float(input))


@composite(
    ref=REF + "singular_values",
    cases=("D([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0]]), compute_uv=False", "D([[2.0, 1.0], [1.0, 3.0]]), False, False"),
    errors=(("T(3), compute_uv=False", "at least 2"),),
    tol=_TOL,
    method="svd",
)
def svd(input: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Return the singular value decomposition input = u·diag(s)·vᴴ as (s, u, v), s in descending order.

    Args:
        input: Matrices along the last two axes.
        full_matrices: Return square u and v.
        compute_uv: Return (s, u, v); otherwise s alone.
    """
    return _svd(input, full_matrices) if compute_uv else _singular_values(input)


@internal("svd")
def _svd(input: Array, full_matrices: Static) -> tuple[Array, Array, Array]:
    u, s, vh = jnp.linalg.svd(_matrices(input), full_matrices=full_matrices)
    return s, u, _conjugate(vh)


@internal("svd")
def _singular_values(input: Array) -> Array:
    return jnp.linalg.svd(_matrices(input), compute_uv=False)


def _matrices(x: Array) -> Array:
    if x.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got {x.ndim}.")
    return to_float(x)


@primitive("Svd(full_matrices=False, compute_uv=True)")
def _svd_primitive(input: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Return (s, u, v) with input = u·diag(s)·vᴴ; u and v are empty unless `compute_uv`."""
    empty = Tensor(np.zeros((0,), np.float32))
    return svd(input, full_matrices) if compute_uv else (_singular_values(input), empty, empty)


@op(
    ref=REF + "qr",
    cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])", "D([[2.0, 1.0], [1.0, 3.0]]), 'complete'"),
    errors=(("T(2, 2), 'x'", "mode"),),
    tol=_TOL,
)
def qr(input: Array, mode: str = "reduced") -> tuple[Array, Array]:
    """Return (q, r) with input = q·r, q orthonormal and r upper triangular; `mode` `"reduced"` or `"complete"`."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode must be 'reduced' or 'complete', got {mode!r}.")
    q, r = jnp.linalg.qr(_matrices(input), mode=mode)
    return q, r


@primitive("Qr(full_matrices=False)")
def _qr(x: Tensor, full_matrices: bool = False) -> tuple[Tensor, Tensor]:
    """Return (q, r) with x = q·r."""
    return qr(x, "complete" if full_matrices else "reduced")


@composite(
    ref=REF + "eigenvalues", cases=("D([[2.0, 1.0], [0.0, 3.0]])",), grad=0, tol=_TOL, jit=False, method="eigvals"
)
def eigvals(A: Tensor) -> Tensor:
    """Return the (complex) eigenvalues of square matrices; computed on the host."""
    return Tensor(_complex(np.linalg.eigvals(_host_square(A)), A))


@composite(cases=("D([[2.0, 1.0], [0.0, 3.0]])",), grad=0, jit=False)
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the (complex) eigenvalues of square matrices and, as columns, eigenvectors; computed on the host."""
    values, vectors = np.linalg.eig(_host_square(A))
    return Tensor(_complex(values, A)), Tensor(_complex(vectors, A))


@primitive("Eig(compute_v=False)")
def _eig(x: Tensor, compute_v: bool = False) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues of square matrices and eigenvectors, empty unless `compute_v`."""
    return eig(x) if compute_v else (eigvals(x), Tensor(np.zeros((0,), np.complex64)))


def _host_square(x: Tensor) -> np.ndarray:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"ops.eig: A must hold square matrices along its last two axes, got shape {list(x.shape)}.")
    return x.asnumpy()


def _complex(values: np.ndarray, like: Tensor) -> np.ndarray:
    return values.astype(np.complex128 if like.dtype.name in ("Float64", "Complex128") else np.complex64)


@op(
    cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])",),
    ref=REF + "geqrf",
    tol=_TOL,
    grad=0,
    method="geqrf",
    primitive="Geqrf()",
)
def geqrf(input: Array) -> tuple[Array, Array]:
    """Return the QR decomposition as Householder vectors below R, and their scales tau."""
    packed, tau = jnp.linalg.qr(_matrices(input), mode="raw")
    return jnp.swapaxes(packed, -1, -2), tau


@op(
    ref=REF + "orgqr",
    cases=("D([[2.0, 1.0], [0.5, 3.0], [0.2, 0.1]]), D([1.2, 1.5])",),
    tol=_TOL,
    grad=0,
    method="orgqr",
    primitive="Orgqr()",
)
def orgqr(input: Array, input2: Array) -> Array:
    """Return the first columns of the orthogonal matrix that Householder vectors and their scales tau describe."""
    return jax.lax.linalg.householder_product(to_float(input), input2)


@op(
    ref=REF + "ormqr",
    cases=("D([[2.0, 1.0], [0.5, 3.0], [0.2, 0.1]]), D([1.2, 1.5]), T(3, 2)",),
    tol=_TOL,
    grad=0,
    primitive="Ormqr(left=True, transpose=False)",
)
def ormqr(input: Array, tau: Array, other: Array, left: bool = True, transpose: bool = False) -> Array:
    """Return Q·other (or other·Q), where Q is the full orthogonal matrix of Householder vectors; Qᴴ if `transpose`."""
    rows, columns = input.shape[-2:]
    wide = jnp.zeros((*input.shape[:-1], rows), input.dtype).at[..., :columns].set(input)
    scales = jnp.zeros((*tau.shape[:-1], rows), tau.dtype).at[..., : tau.shape[-1]].set(tau)
    q = jax.lax.linalg.householder_product(wide, scales)
    q = _conjugate(q) if transpose else q
    return q @ other if left else other @ q


# --- solving --------------------------------------------------------------------------------------------------------


@op(
    ref=REF + "solve",
    cases=("D([[2.0, 1.0], [1.0, 3.0]]), T(2, 3)", "D([[2.0, 1.0], [0.5, 3.0]]), T(2, 1), True"),
    errors=(("T(2, 3), T(2, 1)", "square"),),
    tol=_TOL,
    primitive="MatrixSolve(adjoint=False)",
)
def matrix_solve(matrix: Array, rhs: Array, adjoint: bool = False) -> Array:
    """Return X with matrix·X = rhs (or matrixᴴ·X = rhs)."""
    matrix = _square(matrix, "matrix")
    return jnp.linalg.solve(_conjugate(matrix) if adjoint else matrix, to_float(rhs))


@internal("triangular_solve")
def solve_triangular(matrix: Array, rhs: Array, upper: Static, trans: Static, unit: Static = False) -> Array:
    """Return X with matrix·X = rhs for triangular matrices (transposed, or `"C"`: adjoint, if `trans`)."""
    how = trans if isinstance(trans, str) else "T" if trans else "N"
    return jsl.solve_triangular(
        _square(matrix, "matrix"), to_float(rhs), trans=how, lower=not upper, unit_diagonal=unit
    )


@primitive("MatrixTriangularSolve(lower=True, adjoint=False)")
def _triangular(matrix: Tensor, rhs: Tensor, lower: bool = True, adjoint: bool = False) -> Tensor:
    """Return X with matrix·X = rhs for triangular matrices."""
    return solve_triangular(matrix, rhs, not lower, "C" if adjoint else "N")


@op(
    ref=REF + "lstsq",
    cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]]), T(3, 2)", "D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]]), T(3)"),
    tol=1e-4,
    grad=0,
)  # tol: pseudo-inverse in float32
def lstsq(input: Array, A: Array) -> Array:
    """Return the X of least ‖input·X - A‖ (of least norm where several do)."""
    rhs = A[:, None] if A.ndim == 1 else A
    return jnp.linalg.pinv(to_float(input)) @ to_float(rhs)


@primitive("Lstsq(fast=True, l2_regularizer=0.0)")
def _lstsq(x: Tensor, a: Tensor, fast: bool = True, l2_regularizer: float = 0.0) -> Tensor:
    """Return the solution of least squares; the options choose an algorithm and do not matter here."""
    return lstsq(x, a)


@composite(
    ref="numpy.linalg.pinv", cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])", "D([[2.0, 1.0], [1.0, 3.0]])"), tol=_TOL
)
def pinv(x: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Return the pseudo-inverses of matrices.

    Args:
        x: Matrices along the last two axes.
        atol, rtol: Singular values below max(atol, rtol·σ₁) count as zero.
        hermitian: The matrices are symmetric (Hermitian): accepted, the result is the same.
    """
    return _pinv(x, 0.0 if atol is None else atol, rtol, atol is not None)


@internal("pinv")
def _pinv(x: Array, atol: Array, rtol: OptArray, absolute: Static) -> Array:
    x = _matrices(x)
    u, s, vh = jnp.linalg.svd(x, full_matrices=False)
    if rtol is None:
        rtol = 0.0 if absolute else max(x.shape[-2:]) * jnp.finfo(x.dtype).eps
    least = jnp.maximum(jnp.asarray(atol).astype(s.dtype), jnp.asarray(rtol).astype(s.dtype) * s[..., :1])
    scale = jnp.where(s > least, 1 / jnp.where(s > least, s, 1), 0).astype(x.dtype)
    return _conjugate(vh) @ (scale[..., None] * _conjugate(u))


@op(
    ref=REF + "lu_solve",
    cases=("T(2, 1), D([[2.0, 1.0], [0.5, 3.0]]), D([1, 2], np.int32)",),
    tol=_TOL,
    grad=0,
    method="lu_solve",
    primitive="LuSolve()",
)
def lu_solve(b: Array, LU_data: Array, LU_pivots: Array) -> Array:
    """Return X with A·X = b, where A has the packed factors `LU_data` and the pivots `LU_pivots` (from 1)."""
    return jsl.lu_solve((LU_data, LU_pivots.astype(np.int32) - 1), b)


@op(
    ref=REF + "lu_unpack",
    cases=("D([[2.0, 1.0], [0.5, 3.0]]), D([2, 2], np.int32)",),
    tol=_TOL,
    grad=0,
    primitive="LuUnpack(unpack_data=True, unpack_pivots=True)",
)
def lu_unpack(LU_data: Array, LU_pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return (P, L, U) of packed factors and pivots (from 1); what is not asked for is left out."""
    rows, columns = LU_data.shape[-2:]
    n = min(rows, columns)
    out = []
    if unpack_pivots:
        order = jax.lax.linalg.lu_pivots_to_permutation(LU_pivots.astype(np.int32) - 1, rows)
        out.append(jnp.swapaxes(jax.nn.one_hot(order, rows, dtype=LU_data.dtype), -1, -2))
    if unpack_data:
        out += [jnp.tril(LU_data[..., :n], -1) + jnp.eye(rows, n, dtype=LU_data.dtype), jnp.triu(LU_data[..., :n, :])]
    return tuple(out)
