"""Functions of `numpy` that make matrices, triangles and diagonals."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes, creation_matrices
from sporax._src.ops.numpy_base import asarray, np_dtype, public, row
from sporax._src.ops.numpy_creation import arange


@row()
def eye(N: Static, M: Static = None, k: int = 0, dtype: Static = mstype.float32) -> Array:
    """Return the (N, M) matrix with ones on its diagonal number `k`.

    Args:
        N: The number of rows.
        M: The number of columns; N if None.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        dtype: The dtype; float32 by default.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ms.numpy.eye(2).asnumpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    rows, columns = axes.fixed_sizes((N, N if M is None else M), "N and M")
    return jnp.eye(rows, columns, k, np_dtype(dtype, np.float32))


@public()
def identity(n: int, dtype: Any = mstype.float32) -> Tensor:
    """Return the (n, n) identity matrix.

    Args:
        n: The size.
        dtype: The dtype; float32 by default.

    Raises:
        ValueError: If the size is negative.

    Examples:
        >>> ms.numpy.identity(2).asnumpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    return eye(n, dtype=dtype)


@row()
def tri(N: int, M: Static = None, k: int = 0, dtype: Static = mstype.float32) -> Array:
    """Return the (N, M) matrix with ones at and below its diagonal number `k`.

    Args:
        N: The number of rows.
        M: The number of columns; N if None.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        dtype: The dtype; float32 by default.

    Examples:
        >>> ms.numpy.tri(2, 3).asnumpy()
        array([[1., 0., 0.],
               [1., 1., 0.]], dtype=float32)
    """
    return jnp.tri(N, M, k, np_dtype(dtype, np.float32))


@row()
def tril(m: Array, k: int = 0) -> Array:
    """Return the matrices with zeros above their diagonal number `k`.

    Args:
        m: An array-like with at least 2 axes.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Examples:
        >>> ms.numpy.tril([[1, 2], [3, 4]]).asnumpy()
        array([[1, 0],
               [3, 4]], dtype=int32)
    """
    return creation_matrices.tril.raw(m, k)


@row()
def triu(m: Array, k: int = 0) -> Array:
    """Return the matrices with zeros below their diagonal number `k`.

    Args:
        m: An array-like with at least 2 axes.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Examples:
        >>> ms.numpy.triu([[1, 2], [3, 4]]).asnumpy()
        array([[1, 2],
               [0, 4]], dtype=int32)
    """
    return creation_matrices.triu.raw(m, k)


def _indices(found: tuple[np.ndarray, ...]) -> tuple[Tensor, ...]:
    return tuple(Tensor(v.astype(np.int32)) for v in found)


@public()
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, ...]:
    """Return the row and the column indices of the lower triangle of an (n, m) matrix.

    Args:
        n: The number of rows.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        m: The number of columns; n if None.

    Returns:
        Two int32 vectors.

    Examples:
        >>> [v.tolist() for v in ms.numpy.tril_indices(2)]
        [[0, 1, 1], [0, 0, 1]]
    """
    return _indices(np.tril_indices(n, k, m))


@public()
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, ...]:
    """Return the row and the column indices of the upper triangle of an (n, m) matrix.

    Args:
        n: The number of rows.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        m: The number of columns; n if None.

    Returns:
        Two int32 vectors.

    Examples:
        >>> [v.tolist() for v in ms.numpy.triu_indices(2)]
        [[0, 0, 1], [0, 1, 1]]
    """
    return _indices(np.triu_indices(n, k, m))


def _size_of(arr: Any, name: str) -> tuple[int, int]:
    found = asarray(arr).shape
    if len(found) != 2:
        raise ValueError(f"numpy.{name}: arr must be a matrix, got {len(found)} axes.")
    return found  # type: ignore[return-value]


@public()
def tril_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices of the lower triangle of the matrix `arr`.

    Args:
        arr: A matrix.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Returns:
        Two int32 vectors.

    Raises:
        ValueError: If `arr` is no matrix.

    Examples:
        >>> [v.tolist() for v in ms.numpy.tril_indices_from([[1, 2], [3, 4]])]
        [[0, 1, 1], [0, 0, 1]]
    """
    n, m = _size_of(arr, "tril_indices_from")
    return tril_indices(n, k, m)


@public()
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices of the upper triangle of the matrix `arr`.

    Args:
        arr: A matrix.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Returns:
        Two int32 vectors.

    Raises:
        ValueError: If `arr` is no matrix.

    Examples:
        >>> [v.tolist() for v in ms.numpy.triu_indices_from([[1, 2], [3, 4]])]
        [[0, 0, 1], [0, 1, 1]]
    """
    n, m = _size_of(arr, "triu_indices_from")
    return triu_indices(n, k, m)


@public()
def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Return the indices of the main diagonal of an array of `ndim` axes of size `n`.

    Args:
        n: The size of each axis.
        ndim: The number of axes.

    Returns:
        `ndim` int32 vectors of n elements.

    Raises:
        TypeError: If an argument is no int.

    Examples:
        >>> [v.tolist() for v in ms.numpy.diag_indices(2)]
        [[0, 1], [0, 1]]
    """
    if not isinstance(n, int) or not isinstance(ndim, int):
        raise TypeError(f"numpy.diag_indices: n and ndim must be ints, got {n!r} and {ndim!r}.")
    return (arange(n),) * ndim


@row()
def diag(v: Array, k: int = 0) -> Array:
    """Return the matrix with the vector `v` on diagonal number `k`, or that diagonal of the matrix `v`.

    Args:
        v: A vector or matrix.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Raises:
        ValueError: If `v` is neither.

    Examples:
        >>> ms.numpy.diag([1, 2]).asnumpy()
        array([[1, 0],
               [0, 2]], dtype=int32)
    """
    if v.ndim not in (1, 2):
        raise ValueError(f"v must have 1 or 2 axes, got {v.ndim}.")
    return jnp.diag(v, k)


@row()
def diagflat(v: Array, k: int = 0) -> Array:
    """Return the matrix with the flattened `v` on diagonal number `k`.

    Args:
        v: An array-like.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Examples:
        >>> ms.numpy.diagflat([[1, 2]]).asnumpy()
        array([[1, 0],
               [0, 2]], dtype=int32)
    """
    return jnp.diagflat(v, k)


@row()
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the diagonals of the planes that two axes span; their elements lie along the last axis.

    Args:
        a: An array-like with at least 2 axes.
        offset: The diagonal: 0 is the main one, positive ones lie above it.
        axis1, axis2: The axes of rows and columns.

    Raises:
        ValueError: If there are fewer axes, or one is out of range.

    Examples:
        >>> ms.numpy.diagonal([[1, 2], [3, 4]]).asnumpy()
        array([1, 4], dtype=int32)
    """
    _two_axes(a, axis1, axis2)
    return jnp.diagonal(a, offset, axis1, axis2)


def _two_axes(a: Array, axis1: int, axis2: int) -> None:
    if a.ndim < 2:
        raise ValueError(f"a must have at least 2 axes, got {a.ndim}.")
    axes.several((axis1, axis2), a.ndim)


@row()
def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Static = None) -> Array:
    """Return the sums of the diagonals of the planes that two axes span.

    Args:
        a: An array-like with at least 2 axes.
        offset: The diagonal: 0 is the main one, positive ones lie above it.
        axis1, axis2: The axes of rows and columns.
        dtype: The dtype of the sums; int64 for integers, else that of `a`, if None.

    Raises:
        ValueError: If there are fewer axes, or one is out of range.

    Examples:
        >>> int(ms.numpy.trace([[1, 2], [3, 4]]))
        5
    """
    _two_axes(a, axis1, axis2)
    kind = np_dtype(dtype, np.int64 if a.dtype.kind in "biu" else a.dtype)
    return jnp.sum(jnp.diagonal(a, offset, axis1, axis2), -1, dtype=kind)


@row()
def vander(x: Array, N: Static = None, increasing: bool = False) -> Array:
    """Return the matrix whose columns are powers of the vector `x`, descending unless `increasing`.

    Args:
        x: A vector.
        N: The number of columns; as many as elements if None.
        increasing: Whether the first column holds power 0.

    Raises:
        ValueError: If `x` is no vector, or `N` is not positive.

    Examples:
        >>> ms.numpy.vander([2, 3], 3).asnumpy()
        array([[4, 2, 1],
               [9, 3, 1]], dtype=int32)
    """
    if x.ndim != 1:
        raise ValueError(f"x must have 1 axis, got {x.ndim}.")
    if N is not None and N <= 0:
        raise ValueError(f"N must be positive, got {N}.")
    return jnp.vander(x, N, increasing)
