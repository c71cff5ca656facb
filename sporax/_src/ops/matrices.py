"""The logarithm of matrices, and linear least squares with a penalty."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, number
from sporax._src.ops.table import op

_REF = "sporax._src.testing.matrix_references."


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
