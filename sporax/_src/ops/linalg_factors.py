"""Factorisations of matrices: Cholesky, singular values, QR, eigenvalues."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_float
from sporax._src.core.tensor import Tensor
from sporax._src.ops.linalg import _BAD, _TOL, REF, _conjugate, _matrices, _square
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, internal, op


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
    q, r = jnp.linalg.qr(_matrices(input), mode=mode)
    return q, r


@primitive("Qr(full_matrices=False)")
def _qr(x: Tensor, full_matrices: bool = False) -> tuple[Tensor, Tensor]:
    """Return (q, r) with x = q·r."""
    return qr(x, "complete" if full_matrices else "reduced")


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


@primitive("Eig(compute_v=False)")
def _eig(x: Tensor, compute_v: bool = False) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues of square matrices and eigenvectors, a zero unless `compute_v`."""
    return eig(x) if compute_v else (eigvals(x), Tensor(np.zeros((), np.complex64)))


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
    packed, tau = jnp.linalg.qr(_matrices(input), mode="raw")
    return jnp.swapaxes(packed, -1, -2), tau


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
