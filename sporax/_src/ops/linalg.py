"""Linear algebra: inverses, determinants, solvers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.core.dtype import to_float
from sporax._src.core.tensor import Tensor
from sporax._src.ops.checks import integral, wide
from sporax._src.ops.nn_checks import check_rank
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


@primitive("MatrixInverse(adjoint=False)")
def _matrix_inverse(x: Tensor, adjoint: bool = False) -> Tensor:
    """Return the inverses of square matrices, or of their conjugate transposes."""
    return _inverse(x, adjoint)


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
    return jnp.linalg.pinv(to_float(input)) @ to_float(_columns(A, input.shape[0]))


@composite(
    ref="numpy.linalg.pinv",
    cases=("D([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])", "D([[2.0, 1.0], [1.0, 3.0]])"),
    errors=(("T()", "input must have at least 2 axes"),),
    tol=_TOL,
)
def pinv(x: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
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
def lu_unpack(LU_data: Array, LU_pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
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
