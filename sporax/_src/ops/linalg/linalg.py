"""Linear algebra: inverses, determinants, solvers, factorisations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

from sporax._src.base.typing import Array, OptArray, Static, number
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_float
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_rank, integral, wide
from sporax._src.engine.table import composite, internal, op

REF = "references.linalg."
# A matrix far from singular, and a batch of two: float32 factorisations lose digits with the condition number.
_SQUARE = ("D([[2.0, 1.0], [1.0, 3.0]])", "D([[[2.0, 1.0], [0.5, 3.0]], [[1.0, 0.0], [2.0, 4.0]]])")
_BAD = (("T(2, 3)", "square"),)
_TOL = 1e-5


def _square(x: Array, name: str = "input") -> Array:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name} must hold square matrices along its last two axes, got shape {x.shape}.")
    return to_float(x)


def _matrices(x: Array) -> Array:
    if x.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got {x.ndim}.")
    return to_float(x)


def _conjugate(x: Array) -> Array:
    return jnp.conj(jnp.swapaxes(x, -1, -2))


# --- inverse and determinant ----------------------------------------------------------------------------------------


@op(ref="numpy.linalg.inv", cases=_SQUARE, errors=_BAD, tol=_TOL, method="inverse")
def inverse(input: Array) -> Array:
    """Return the inverses of square matrices.

    Args:
        input: A Tensor (*, n, n); integers become float32.

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> ops.inverse(Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy()
        array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float32)
    """
    return jnp.linalg.inv(_square(input))


@internal("MatrixInverse")
def _inverse(x: Array, adjoint: Static) -> Array:
    return jnp.linalg.inv(_conjugate(_square(x)) if adjoint else _square(x))


@op(ref="numpy.linalg.det", cases=_SQUARE, errors=_BAD, tol=_TOL, method="det")
def det(input: Array) -> Array:
    """Return the determinants of square matrices.

    Args:
        input: A Tensor (*, n, n); integers become float32.

    Returns:
        A Tensor (*,).

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> ops.det(Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy()
        array(8., dtype=float32)
    """
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
    """Return the determinants of square matrices.

    Args:
        input: A Tensor (*, n, n); integers become float32.

    Returns:
        A Tensor (*,).

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> ops.matrix_determinant(Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy()
        array(8., dtype=float32)
    """
    return jnp.linalg.det(_square(input))


@op(ref=REF + "slogdet", cases=_SQUARE, errors=_BAD, tol=_TOL, method="slogdet")
def slogdet(input: Array) -> tuple[Array, Array]:
    """Return the signs of the determinants of square matrices, and the logarithms of their absolute values.

    Args:
        input: A Tensor (*, n, n); integers become float32.

    Returns:
        Two Tensors (*,).

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> sign, value = ops.slogdet(Tensor([[-1.0, 0.0], [0.0, 1.0]]))
        >>> sign.asnumpy(), value.asnumpy()
        (array(-1., dtype=float32), array(0., dtype=float32))
    """
    sign, value = jnp.linalg.slogdet(_square(input))
    return sign, value


@op(
    ref=REF + "slogdet", cases=_SQUARE, errors=_BAD, tol=_TOL, method="log_matrix_determinant",
    primitive="LogMatrixDeterminant()",
)  # fmt: skip
def log_matrix_determinant(input: Array) -> tuple[Array, Array]:
    """Return the signs of the determinants of square matrices, and the logarithms of their absolute values.

    Args:
        input: A Tensor (*, n, n); integers become float32.

    Returns:
        Two Tensors (*,).

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> sign, value = ops.log_matrix_determinant(Tensor([[-1.0, 0.0], [0.0, 1.0]]))
        >>> sign.asnumpy(), value.asnumpy()
        (array(-1., dtype=float32), array(0., dtype=float32))
    """
    return slogdet.raw(input)


@op(ref=REF + "logdet", cases=_SQUARE, errors=_BAD, tol=_TOL, method="logdet")
def logdet(input: Array) -> Array:
    """Return the logarithms of the determinants of square matrices (nan for negative ones).

    Args:
        input: A Tensor (*, n, n); integers become float32.

    Returns:
        A Tensor (*,).

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> ops.logdet(Tensor([[1.0, 0.0], [0.0, 1.0]])).asnumpy()
        array(0., dtype=float32)
    """
    sign, value = jnp.linalg.slogdet(_square(input))
    return jnp.where(sign > 0, value, jnp.where(sign == 0, -jnp.inf, jnp.nan).astype(value.dtype))


@op(ref="scipy.linalg.expm", cases=_SQUARE, errors=_BAD, tol=1e-4, primitive="MatrixExp()")  # tol: squaring in float32
def matrix_exp(input: Array) -> Array:
    """Return the exponentials Σ Aⁿ/n! of square matrices.

    Args:
        input: A Tensor (*, n, n); integers become float32.

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> ops.matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])).asnumpy()
        array([[1., 1.],
               [0., 1.]], dtype=float32)
    """
    x = _square(input)
    return jsl.expm(wide(x)).astype(x.dtype)


# --- solving --------------------------------------------------------------------------------------------------------


@op(
    ref=REF + "solve",
    cases=("D([[2.0, 1.0], [1.0, 3.0]]), T(2, 3)", "D([[2.0, 1.0], [0.5, 3.0]]), T(2, 1), True"),
    errors=(("T(2, 3), T(2, 1)", "square"),),
    tol=_TOL,
    primitive="MatrixSolve(adjoint=False)",
)
def matrix_solve(matrix: Array, rhs: Array, adjoint: bool = False) -> Array:
    """Return X with matrix·X = rhs (or matrixᴴ·X = rhs).

    Args:
        matrix: A Tensor (*, n, n).
        rhs: A Tensor (*, n, k).
        adjoint: Whether matrixᴴ takes the place of matrix.

    Raises:
        ValueError: If `matrix` is not square.

    Examples:
        >>> ops.matrix_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [2.0]])).asnumpy()
        array([[1. ],
               [0.5]], dtype=float32)
    """
    matrix, rhs = _square(matrix, "matrix"), to_float(rhs)
    solution = jnp.linalg.solve(wide(_conjugate(matrix) if adjoint else matrix), wide(rhs))
    return solution.astype(jnp.result_type(matrix, rhs))


@internal("triangular_solve")
def solve_triangular(matrix: Array, rhs: Array, upper: Static, trans: Static, unit: Static = False) -> Array:
    """Return X with matrix·X = rhs for triangular matrices (transposed, or `"C"`: adjoint, if `trans`)."""
    how = trans if isinstance(trans, str) else "T" if trans else "N"
    return jsl.solve_triangular(
        _square(matrix, "matrix"), to_float(rhs), trans=how, lower=not upper, unit_diagonal=unit
    )


def _columns(A: Array, rows: int) -> Array:
    check_rank(A, (1, 2), "A")
    if A.shape[0] != rows:
        raise ValueError(f"A must have as many rows as input, {rows}, got {A.shape[0]}.")
    return A[:, None] if A.ndim == 1 else A


@op(
    ref=REF + "lstsq",
    cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]]), T(3, 2)", "D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]]), T(3)"),
    errors=(
        ("T(2, 3, 2), T(3)", "input must have 2 axes, got shape [2, 3, 2]"),
        ("T(3, 2), T()", "A must have 1 or 2 axes, got shape []"),
        ("T(3, 2), T(4, 2)", "A must have as many rows as input, 3, got 4"),
    ),
    method="lstsq",
    primitive="Lstsq(fast=True, l2_regularizer=0.0)",
    tol=1e-4,
    grad=0,
)  # tol: pseudo-inverse in float32
def lstsq(input: Array, A: Array) -> Array:
    """Return the X of least ‖input·X - A‖ (of least norm where several do).

    Args:
        input: A Tensor (m, n).
        A: A Tensor (m, k) or (m,).

    Returns:
        A Tensor (n, k), or (n, 1) for a vector.

    Raises:
        ValueError: If the shapes do not fit.

    Examples:
        >>> ops.lstsq(Tensor([[1.0, 0.0], [0.0, 2.0]]), Tensor([2.0, 4.0])).asnumpy().round(3)
        array([[2.],
               [2.]], dtype=float32)
    """
    check_rank(input, (2,))
    input, A = to_float(input), to_float(_columns(A, input.shape[0]))
    return (jnp.linalg.pinv(wide(input)) @ wide(A)).astype(jnp.result_type(input, A))


@composite(
    ref="numpy.linalg.pinv",
    cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])", "D([[2.0, 1.0], [1.0, 3.0]])"),
    errors=(("T()", "input must have at least 2 axes"),),
    tol=_TOL,
)
def pinv(x: Tensor, *, atol: object = None, rtol: object = None, hermitian: bool = False) -> Tensor:
    """Return the pseudo-inverses of matrices.

    Args:
        x: Matrices along the last two axes.
        atol, rtol: Singular values below max(atol, rtol·σ₁) count as zero.
        hermitian: The matrices are symmetric (Hermitian): accepted, the result is the same.

    Raises:
        ValueError: If `x` has fewer than 2 axes.

    Examples:
        >>> ops.pinv(Tensor([[2.0, 0.0], [0.0, 0.0]])).asnumpy()
        array([[0.5, 0. ],
               [0. , 0. ]], dtype=float32)
    """
    return _pinv(x, 0.0 if atol is None else atol, rtol, atol is not None)


@internal("pinv")
def _pinv(x: Array, atol: Array, rtol: OptArray, absolute: Static) -> Array:
    x = _matrices(x)
    u, s, vh = jnp.linalg.svd(x, full_matrices=False)
    if rtol is None:
        rtol = jnp.asarray(0.0 if absolute else max(x.shape[-2:]) * jnp.finfo(x.dtype).eps)
    least = jnp.maximum(jnp.asarray(atol).astype(s.dtype), jnp.asarray(rtol).astype(s.dtype) * s[..., :1])
    scale = jnp.where(s > least, 1 / jnp.where(s > least, s, 1), 0).astype(x.dtype)
    return _conjugate(vh) @ (scale[..., None] * _conjugate(u))


@op(
    ref=REF + "lu_solve",
    cases=("T(2, 1), D([[2.0, 1.0], [0.5, 3.0]]), D([1, 2], np.int32)",),
    errors=(
        ("T(2, 1), T(2, 3), I(2)", "LU_data must hold square matrices along its last two axes"),
        ("T(3, 1), T(2, 2), I(2)", "b must have 2 rows along axis -2, got shape [3, 1]"),
        ("T(2), T(2, 2), I(2)", "b must have 2 rows along axis -2, got shape [2]"),
        ("T(2, 1), T(2, 2), I(3)", "LU_pivots must have 2 elements along its last axis, got shape [3]"),
        ("T(2, 1), T(2, 2), T(2)", "LU_pivots must have an integer dtype, got Float32"),
    ),
    tol=_TOL, grad=0, method="lu_solve", primitive="LuSolve()",
)  # fmt: skip
def lu_solve(b: Array, LU_data: Array, LU_pivots: Array) -> Array:
    """Return X with A·X = b, where A has the packed factors `LU_data` and the pivots `LU_pivots` (from 1).

    Args:
        b: A Tensor (*, n, k).
        LU_data: A Tensor (*, n, n): L below the diagonal, U above.
        LU_pivots: An integer Tensor (*, n): which row each row was exchanged with.

    Raises:
        TypeError: If `LU_pivots` holds no integers.
        ValueError: If the shapes do not fit.

    Examples:
        >>> ops.lu_solve(Tensor([[2.0], [8.0]]), Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([1, 2])).asnumpy()
        array([[1.],
               [2.]], dtype=float32)
    """
    n = _square(LU_data, "LU_data").shape[-1]
    if b.ndim < 2 or b.shape[-2] != n:
        raise ValueError(f"b must have {n} rows along axis -2, got shape {list(b.shape)}.")
    if integral(LU_pivots, "LU_pivots", boolean=False).shape[-1:] != (n,):
        raise ValueError(f"LU_pivots must have {n} elements along its last axis, got shape {list(LU_pivots.shape)}.")
    return jsl.lu_solve((LU_data, LU_pivots.astype(np.int32) - 1), b)


@op(
    ref=REF + "lu_unpack",
    cases=("D([[2.0, 1.0], [0.5, 3.0]]), D([2, 2], np.int32)",),
    errors=(("None, D([2, 2], np.int32)", "operands must be Tensors or numbers"),),
    tol=_TOL,
    grad=0,
    primitive="LuUnpack(unpack_data=True, unpack_pivots=True)",
)
def lu_unpack(
    LU_data: Array, LU_pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True
) -> Array | tuple[Array, ...]:
    """Return (P, L, U) of packed factors and pivots (from 1); what is not asked for is left out.

    Args:
        LU_data: A Tensor (*, m, n): L below the diagonal, U above.
        LU_pivots: An integer Tensor (*, min(m, n)): which row each row was exchanged with.
        unpack_data: Whether to return L and U.
        unpack_pivots: Whether to return P.

    Examples:
        >>> p, l, u = ops.lu_unpack(Tensor([[2.0, 1.0], [0.5, 3.0]]), Tensor([2, 2]))
        >>> p.asnumpy(), l.asnumpy(), u.asnumpy()
        (array([[0., 1.],
               [1., 0.]], dtype=float32), array([[1. , 0. ],
               [0.5, 1. ]], dtype=float32), array([[2., 1.],
               [0., 3.]], dtype=float32))
    """
    rows, columns = LU_data.shape[-2:]
    n = min(rows, columns)
    out = []
    if unpack_pivots:
        order = jax.lax.linalg.lu_pivots_to_permutation(LU_pivots.astype(np.int32) - 1, rows)
        out.append(jnp.swapaxes(jax.nn.one_hot(order, rows, dtype=LU_data.dtype), -1, -2))
    if unpack_data:
        out += [jnp.tril(LU_data[..., :n], -1) + jnp.eye(rows, n, dtype=LU_data.dtype), jnp.triu(LU_data[..., :n, :])]
    return tuple(out)


# --- factorisations -----------------------------------------------------------------------------------------------------


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
    """Return the triangular L with L·Lᴴ = input_x (or, if `upper`, U with Uᴴ·U) of positive definite matrices.

    Matrices that are not positive definite give NaN, where MindSpore raises an error.

    Args:
        input_x: A Tensor (*, n, n), symmetric (Hermitian); integers become float32.
        upper: Whether to return the upper triangular factor.

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> ops.cholesky(Tensor([[4.0, 0.0], [0.0, 9.0]])).asnumpy()
        array([[2., 0.],
               [0., 3.]], dtype=float32)
    """
    input_x = _square(input_x, "input_x")
    lower = jnp.linalg.cholesky(wide(input_x)).astype(input_x.dtype)
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
    """Return the inverse of the matrix whose Cholesky factor is `input_x`.

    Args:
        input_x: A Tensor (*, n, n), a triangular factor.
        upper: Whether it is the upper triangular one.

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> ops.cholesky_inverse(Tensor([[2.0, 0.0], [0.0, 1.0]])).asnumpy()
        array([[0.25, 0.  ],
               [0.  , 1.  ]], dtype=float32)
    """
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
    """Return X with A·X = input, where `input2` is the Cholesky factor of A.

    Args:
        input: A Tensor (n, k), or (*, n, k).
        input2: A Tensor (n, n), or (*, n, n), a triangular factor.
        upper: Whether it is the upper triangular one.

    Raises:
        ValueError: If the factor is not square.

    Examples:
        >>> ops.cholesky_solve(Tensor([[4.0], [2.0]]), Tensor([[2.0, 0.0], [0.0, 1.0]])).asnumpy()
        array([[1.],
               [2.]], dtype=float32)
    """
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

    NumPy returns (u, s, vᴴ), MindSpore and this function (s, u, v).

    Args:
        input: Matrices along the last two axes.
        full_matrices: Return square u and v.
        compute_uv: Return (s, u, v); otherwise s alone.

    Raises:
        ValueError: If `input` has fewer than 2 axes.

    Examples:
        >>> s, u, v = ops.svd(Tensor([[3.0, 0.0], [0.0, 4.0]]))
        >>> s.asnumpy()
        array([4., 3.], dtype=float32)
    """
    return _svd(input, full_matrices) if compute_uv else _singular_values(input)


@internal("svd")
def _svd(input: Array, full_matrices: Static) -> tuple[Array, Array, Array]:
    u, s, vh = jnp.linalg.svd(_matrices(input), full_matrices=full_matrices)
    return s, u, _conjugate(vh)


@internal("svd")
def _singular_values(input: Array) -> Array:
    return jnp.linalg.svd(_matrices(input), compute_uv=False)


@primitive("Svd(full_matrices=False, compute_uv=True)")
def _svd_primitive(input: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Return (s, u, v) with input = u·diag(s)·vᴴ; u and v are of one zero unless `compute_uv`."""
    none = Tensor(np.zeros((1,), np.float32))
    return svd(input, full_matrices) if compute_uv else (_singular_values(input), none, none)


@op(
    ref=REF + "qr",
    cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])", "D([[2.0, 1.0], [1.0, 3.0]]), 'complete'"),
    errors=(("T(2, 2), 'x'", "mode"),),
    tol=_TOL,
)
def qr(input: Array, mode: str = "reduced") -> tuple[Array, Array]:
    """Return (q, r) with input = q·r, q orthonormal and r upper triangular; `mode` `"reduced"` or `"complete"`.

    Args:
        input: A Tensor (*, m, n); integers become float32.
        mode: Whether q has min(m, n) columns, `"reduced"`, or m.

    Raises:
        ValueError: If `mode` is another, or `input` has fewer than 2 axes.

    Examples:
        >>> q, r = ops.qr(ops.ones((3, 2)))
        >>> q.shape, r.shape
        ((3, 2), (2, 2))
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode must be 'reduced' or 'complete', got {mode!r}.")
    input = _matrices(input)
    q, r = jnp.linalg.qr(wide(input), mode=mode)
    return q.astype(input.dtype), r.astype(input.dtype)


@composite(
    ref=REF + "eigenvalues",
    cases=("D([[2.0, 1.0], [0.0, 3.0]])",),
    errors=(("T()", "A must hold square matrices along its last two"),),
    grad=0,
    tol=_TOL,
    jit=False,
    method="eigvals",
)
def eigvals(A: Tensor) -> Tensor:
    """Return the (complex) eigenvalues of square matrices; computed on the host.

    Args:
        A: A Tensor (*, n, n).

    Returns:
        A Tensor (*, n), complex64, or complex128 for operands of 64 bits.

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> ops.eigvals(Tensor([[2.0, 0.0], [0.0, 3.0]])).asnumpy()
        array([2.+0.j, 3.+0.j], dtype=complex64)
    """
    return Tensor(_complex(np.linalg.eigvals(_host_square(A)), A))


@composite(
    cases=("D([[2.0, 1.0], [0.0, 3.0]])",),
    errors=(("T()", "A must hold square matrices along its last two"),),
    grad=0,
    jit=False,
)
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the (complex) eigenvalues of square matrices and, as columns, eigenvectors; computed on the host.

    Args:
        A: A Tensor (*, n, n).

    Returns:
        Tensors (*, n) and (*, n, n), complex64, or complex128 for operands of 64 bits.

    Raises:
        ValueError: If the last two axes differ in size.

    Examples:
        >>> values, vectors = ops.eig(Tensor([[2.0, 0.0], [0.0, 3.0]]))
        >>> values.asnumpy(), vectors.shape
        (array([2.+0.j, 3.+0.j], dtype=complex64), (2, 2))
    """
    values, vectors = np.linalg.eig(_host_square(A))
    return Tensor(_complex(values, A)), Tensor(_complex(vectors, A))


def _host_square(x: Tensor) -> np.ndarray:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"ops.eig: A must hold square matrices along its last two axes, got shape {list(x.shape)}.")
    return x.asnumpy().astype(np.float32) if x.dtype in (mstype.float16, mstype.bfloat16) else x.asnumpy()


def _complex(values: np.ndarray, like: Tensor) -> np.ndarray:
    return values.astype(np.complex128 if like.dtype.name in ("Float64", "Complex128") else np.complex64)


@op(
    cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])",),
    errors=(("T()", "input must have at least 2 axes"),),
    ref=REF + "geqrf",
    tol=_TOL,
    grad=0,
    method="geqrf",
    primitive="Geqrf()",
)
def geqrf(input: Array) -> tuple[Array, Array]:
    """Return the QR decomposition as Householder vectors below R, and their scales tau.

    Args:
        input: A Tensor (*, m, n); integers become float32.

    Returns:
        Tensors (*, m, n) and (*, min(m, n)), as LAPACK packs them.

    Raises:
        ValueError: If `input` has fewer than 2 axes.

    Examples:
        >>> packed, tau = ops.geqrf(ops.ones((3, 2)))
        >>> packed.shape, tau.shape
        ((3, 2), (2,))
    """
    input = _matrices(input)
    packed, tau = jnp.linalg.qr(wide(input), mode="raw")
    return jnp.swapaxes(packed, -1, -2).astype(input.dtype), tau.astype(input.dtype)


@op(
    ref=REF + "orgqr",
    cases=("D([[2.0, 1.0], [0.5, 3.0], [0.2, 0.1]]), D([1.2, 1.5])",),
    errors=(
        ("T(3), T(2)", "input must have at least 2 axes, got 1"),
        ("T(2, 3), T(2)", "input must have at least as many rows as columns, got shape [2, 3]"),
        ("T(3, 2), T(3)", "input2 must have shape [k], k at most 2, got [3]"),
        ("T(4, 3, 2), T(2)", "input2 must have shape [4, k], k at most 2, got [2]"),
    ),
    tol=_TOL,
    grad=0,
    method="orgqr",
    primitive="Orgqr()",
)
def orgqr(input: Array, input2: Array) -> Array:
    """Return the first columns of the orthogonal matrix that Householder vectors and their scales tau describe.

    Args:
        input: A Tensor (*, m, n) of Householder vectors below the diagonal, as `geqrf` returns them.
        input2: A Tensor (*, k) of their scales.

    Returns:
        A Tensor (*, m, n) of orthonormal columns.

    Raises:
        ValueError: If `input` has fewer than 2 axes, or fewer rows than columns, or the shapes do not fit.

    Examples:
        >>> packed, tau = ops.geqrf(Tensor([[3.0], [4.0]]))
        >>> ops.orgqr(packed, tau).asnumpy().round(3)
        array([[-0.6],
               [-0.8]], dtype=float32)
    """
    input = _matrices(input)
    *batch, rows, columns = input.shape
    if rows < columns:
        raise ValueError(f"input must have at least as many rows as columns, got shape {list(input.shape)}.")
    if not input2.ndim or input2.shape[:-1] != tuple(batch) or input2.shape[-1] > columns:
        shape = f"[{', '.join(map(str, [*batch, 'k']))}]"
        raise ValueError(f"input2 must have shape {shape}, k at most {columns}, got {list(input2.shape)}.")
    return jax.lax.linalg.householder_product(input, input2)


@op(
    ref=REF + "ormqr",
    cases=("D([[2.0, 1.0], [0.5, 3.0], [0.2, 0.1]]), D([1.2, 1.5]), T(3, 2)",),
    errors=(("D([[2.0, 1.0], [0.5, 3.0], [0.2, 0.1]]), T(7, 11), T(3, 2)", "Incompatible types for broadcasting"),),
    tol=_TOL,
    grad=0,
    primitive="Ormqr(left=True, transpose=False)",
)
def ormqr(input: Array, tau: Array, other: Array, left: bool = True, transpose: bool = False) -> Array:
    """Return Q·other (or other·Q), where Q is the full orthogonal matrix of Householder vectors; Qᴴ if `transpose`.

    Args:
        input: A Tensor (*, m, k) of Householder vectors below the diagonal, as `geqrf` returns them.
        tau: A Tensor (*, k) of their scales.
        other: A Tensor (*, m, n), or (*, n, m) if Q is on the right.
        left: Whether Q is on the left.
        transpose: Whether Qᴴ takes the place of Q.

    Examples:
        >>> packed, tau = ops.geqrf(Tensor([[3.0], [4.0]]))
        >>> np.abs(ops.ormqr(packed, tau, Tensor([[3.0], [4.0]]), transpose=True).asnumpy()).round(3)
        array([[5.],
               [0.]], dtype=float32)
    """
    rows, columns = input.shape[-2:]
    wide = jnp.zeros((*input.shape[:-1], rows), input.dtype).at[..., :columns].set(input)
    scales = jnp.zeros((*tau.shape[:-1], rows), tau.dtype).at[..., : tau.shape[-1]].set(tau)
    q = jax.lax.linalg.householder_product(wide, scales)
    q = _conjugate(q) if transpose else q
    return q @ other if left else other @ q


# --- logarithms of matrices, least squares with a penalty ---------------------------------------------------------------

_REF = "references.linalg."


def _logm(x: np.ndarray) -> np.ndarray:
    import scipy.linalg

    flat = np.asarray(x, np.complex128).reshape(-1, *x.shape[-2:])
    return np.stack([scipy.linalg.logm(m) for m in flat]).reshape(x.shape).astype(x.dtype)


@op(
    ref=_REF + "logm",
    cases=("C(2, 3, 3) + 4 * np.eye(3, dtype=np.complex64)",),
    errors=(("T(3, 3)", "complex"), ("C(3, 2)", "square")),
    grad=0,
    tol=1e-4,
    name="_matrix_logarithm",
    primitive="MatrixLogarithm()",
)
def matrix_logarithm(x: Array) -> Array:
    """Return the logarithm of square matrices (..., M, M) of complex numbers: the matrix whose exponential is x.

    Args:
        x: A complex Tensor of shape (..., M, M).

    Raises:
        TypeError: If `x` is not complex.
        ValueError: If it holds no square matrices.

    Examples:
        >>> identity = Tensor([[1 + 0j, 0], [0, 1]], ms.complex64)
        >>> bool((abs(ops.MatrixLogarithm()(identity)) < 1e-6).all())
        True
    """
    if x.dtype.kind != "c":
        raise TypeError(f"x must be complex, got {x.dtype}.")
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"x must hold square matrices, got shape {list(x.shape)}.")
    return jax.pure_callback(_logm, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="sequential")


@op(
    ref=_REF + "solve_ls",
    cases=(
        "T(2, 3, 3), T(2, 3, 4), 0.5",
        "T(5, 3), T(5, 2), 0.2",
        "T(3, 5), T(3, 2), 0.3",
        "T(5, 3), T(5, 2), 0.7, False",
        "T(3, 5), T(3, 2), 0.7, False",
        "C(3, 3), C(3, 2), 0.3",
    ),
    errors=(("T(3, 2), T(4, 2), 0.5", "rhs"), ("T(3), T(4, 2), 0.5", "axes")),
    tol=1e-3,
    grad=0,
    name="_matrix_solve_ls",
    primitive="MatrixSolveLs(fast=True)",
)
def matrix_solve_ls(matrix: Array, rhs: Array, l2_regularizer: Array = number(0.0), fast: bool = True) -> Array:
    """Return the X that minimises ‖matrix · X - rhs‖² + l2_regularizer · ‖X‖².

    Args:
        matrix, rhs: Tensors (..., M, N) and (..., M, K).
        l2_regularizer: The penalty; without `fast` it is not used, and X is the shortest of the least squares.
        fast: Whether to solve the normal equations.

    Returns:
        A Tensor of shape (..., N, K).

    Raises:
        ValueError: If the shapes do not fit.

    Examples:
        >>> ops.MatrixSolveLs()(Tensor([[1.0, 0.0], [0.0, 2.0]]), Tensor([[3.0], [4.0]]), 0.0).asnumpy()
        array([[3.],
               [2.]], dtype=float32)
    """
    if matrix.ndim < 2 or rhs.ndim != matrix.ndim:
        raise ValueError(f"matrix and rhs must have as many axes, at least 2, got {matrix.ndim} and {rhs.ndim}.")
    if matrix.shape[:-1] != rhs.shape[:-1]:
        raise ValueError(f"rhs must have shape {[*matrix.shape[:-1], 'K']}, got {list(rhs.shape)}.")
    if not fast:
        return jnp.matmul(jnp.linalg.pinv(matrix), rhs)
    m, n = matrix.shape[-2:]
    adjoint = jnp.conj(jnp.swapaxes(matrix, -1, -2))
    penalty = jnp.asarray(l2_regularizer).astype(matrix.dtype) * jnp.eye(min(m, n), dtype=matrix.dtype)
    if m >= n:
        return jnp.linalg.solve(jnp.matmul(adjoint, matrix) + penalty, jnp.matmul(adjoint, rhs))
    return jnp.matmul(adjoint, jnp.linalg.solve(jnp.matmul(matrix, adjoint) + penalty, rhs))


primitives(
    """\
MatrixInverse(adjoint: bool = False)(x) -> _inverse(x, adjoint)
    Return the inverses of square matrices, or of their conjugate transposes.
MatrixTriangularSolve(lower=True, adjoint=False)(matrix, rhs) -> \
solve_triangular(matrix, rhs, not lower, "C" if adjoint else "N")
    Return X with matrix·X = rhs for triangular matrices.
Qr(full_matrices=False)(x) -> qr(x, "complete" if full_matrices else "reduced")
    Return (q, r) with x = q·r, q orthonormal and r upper triangular.
    full_matrices: Whether q has m columns, rather than min(m, n).
    ValueError: If `x` has fewer than 2 axes.
    >>> q, r = ops.Qr(full_matrices=True)(ops.ones((3, 2)))
    >>> q.shape, r.shape
    ((3, 3), (3, 2))
Eig(compute_v=False)(x) -> eig(x) if compute_v else (eigvals(x), Tensor(np.zeros((), np.complex64)))
    Return the (complex) eigenvalues of square matrices and, as columns, eigenvectors; computed on the host.
    compute_v: Whether to compute eigenvectors; otherwise a zero stands for them.
    Returns: Tensors (*, n) and (*, n, n), complex64, or complex128 for operands of 64 bits.
    >>> values, vectors = ops.Eig(True)(Tensor([[2.0, 0.0], [0.0, 3.0]]))
    >>> values.asnumpy(), vectors.shape
    (array([2.+0.j, 3.+0.j], dtype=complex64), (2, 2))
""",
    globals(),
)
