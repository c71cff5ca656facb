"""Products of matrices and vectors of `numpy`, norms and covariances."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops.numpy_base import asarray, np_dtype, public, row
from sporax._src.ops.statistics_norms import smooth_norm

# --- products -------------------------------------------------------------------------------------------------------


@row()
def dot(a: Array, b: Array) -> Array:
    """Return the sum of products over the last axis of a and the second last of b (the only one of a vector).

    Args:
        a: An array-like (..., K).
        b: An array-like (..., K, N) or (K,).

    Raises:
        TypeError: If the sizes K differ.

    Examples:
        >>> ms.numpy.dot([[1, 2]], [3, 4]).asnumpy()
        array([11], dtype=int32)
    """
    return jnp.dot(*unify(a, b))


@row()
def inner(a: Array, b: Array) -> Array:
    """Return the sum of products over the last axes.

    Args:
        a: An array-like (..., K), or a number.
        b: An array-like (..., K), or a number.

    Raises:
        ValueError: If the sizes K differ.

    Examples:
        >>> int(ms.numpy.inner([1, 2], [3, 4]))
        11
    """
    if a.ndim and b.ndim and a.shape[-1] != b.shape[-1]:
        raise ValueError(f"the last axes of a and b must have equal sizes, got {a.shape[-1]} and {b.shape[-1]}.")
    return jnp.inner(*unify(a, b))


@row()
def outer(a: Array, b: Array) -> Array:
    """Return the products of each element of the flattened a with each of the flattened b.

    Args:
        a: An array-like.
        b: An array-like.

    Returns:
        A Tensor of shape (elements of a, elements of b).

    Examples:
        >>> ms.numpy.outer([1, 2], [3, 4]).asnumpy()
        array([[3, 4],
               [6, 8]], dtype=int32)
    """
    return jnp.outer(*unify(a, b))


@row()
def kron(a: Array, b: Array) -> Array:
    """Return the Kronecker product: b scaled by each element of a, as blocks.

    Args:
        a: An array-like.
        b: An array-like.

    Examples:
        >>> ms.numpy.kron([1, 2], [1, 10]).asnumpy()
        array([ 1, 10,  2, 20], dtype=int32)
    """
    a, b = unify(a, b)
    if a.dtype == bool:
        return jnp.kron(a.astype(np.int8), b.astype(np.int8)).astype(bool)
    return jnp.kron(a, b)


@row()
def tensordot(a: Array, b: Array, axes: Static = 2) -> Array:
    """Return the sum of products over the last `axes` axes of a and the first of b, or over the pairs of axes given.

    Args:
        a: An array-like.
        b: An array-like.
        axes: An int, or a pair: the axes of a and those of b.

    Raises:
        TypeError: If the sizes of the axes do not agree.

    Examples:
        >>> ms.numpy.tensordot(ops.ones((2, 3)), ops.ones((3, 4)), 1).shape
        (2, 4)
    """
    return jnp.tensordot(*unify(a, b), axes)


@row()
def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Static = None) -> Array:
    """Return the cross product of vectors of 2 or 3 elements along the given axes.

    Args:
        a: An array-like of vectors.
        b: An array-like of vectors; the other axes broadcast.
        axisa, axisb, axisc: The axis of the vectors in a, in b and in the result.
        axis: The axis of the vectors in all three.

    Examples:
        >>> ms.numpy.cross([1, 0, 0], [0, 1, 0]).asnumpy()
        array([0, 0, 1], dtype=int32)
    """
    return jnp.cross(*unify(a, b), axisa, axisb, axisc, axis)


@public()
def multi_dot(arrays: Sequence[Any]) -> Tensor:
    """Return the product of a chain of matrices, in the order that takes the fewest multiplications.

    Args:
        arrays: Matrices; the first and the last may be vectors.

    Raises:
        ValueError: If there are fewer than two.

    Examples:
        >>> ms.numpy.multi_dot([ops.ones((2, 3)), ops.ones((3, 4)), ops.ones((4, 5))]).shape
        (2, 5)
    """
    if len(arrays) < 2:
        raise ValueError(f"numpy.multi_dot: expected at least 2 matrices, got {len(arrays)}.")
    chain = [asarray(a) for a in arrays]
    sizes = [1 if chain[0].ndim == 1 else chain[0].shape[0], *[a.shape[0] for a in chain[1:]]]
    sizes.append(1 if chain[-1].ndim == 1 else chain[-1].shape[1])

    @functools.cache
    def best(i: int, j: int) -> tuple[int, int]:
        """Return the cost of multiplying chain[i : j + 1] and where to part it."""
        if i == j:
            return 0, i
        return min((best(i, k)[0] + best(k + 1, j)[0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))

    def product(i: int, j: int) -> Tensor:
        return chain[i] if i == j else dot(product(i, best(i, j)[1]), product(best(i, j)[1] + 1, j))

    return product(0, len(chain) - 1)


@row()
def matrix_power(a: Array, n: Static) -> Array:
    """Return the square matrices multiplied n times by themselves; n = 0 gives the identity.

    Args:
        a: An array-like (..., N, N).
        n: The exponent, an int that is not negative.

    Raises:
        TypeError: If `n` is no int.
        ValueError: If `n` is negative or the matrices are not square.

    Examples:
        >>> ms.numpy.matrix_power([[1.0, 1.0], [0.0, 1.0]], 3).asnumpy()
        array([[1., 3.],
               [0., 1.]], dtype=float32)
    """
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"n must be an int, got {type(n).__name__}.")
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}.")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"a must hold square matrices, got shape {list(a.shape)}.")
    return jnp.linalg.matrix_power(a, n)


_ORDERS = (None, "fro", "nuc")


@row()
def norm(x: Array, ord: Static = None, axis: Static = None, keepdims: bool = False) -> Array:
    """Return the norm of vectors (one axis) or matrices (two axes); of all elements without `ord` and `axis`.

    Args:
        x: The values; integers become float32.
        ord: The order: a number, `"fro"` or `"nuc"`; 2 for vectors and `"fro"` for matrices if None.
        axis: The axis of the vectors, or the two of the matrices.
        keepdims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If `ord` is unknown.

    Examples:
        >>> float(ms.numpy.norm([3.0, 4.0]))
        5.0
    """
    if not isinstance(ord, (int, float)) and ord not in _ORDERS:
        raise ValueError(f"ord must be a number, 'fro' or 'nuc', got {ord!r}.")
    x = to_float(x)
    return smooth_norm(x.astype(np.float32) if x.dtype == np.float16 else x, ord, axis, keepdims)


# --- covariance -----------------------------------------------------------------------------------------------------


def _variables(m: Array, y: OptArray, rowvar: bool) -> tuple[Array, OptArray]:
    if m.ndim > 2:
        raise ValueError(f"m must have at most 2 axes, got {m.ndim}.")
    return m.astype(np.float32), None if y is None else y.astype(np.float32)


@row()
def cov(
    m: Array,
    y: OptArray = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Static = None,
    fweights: OptArray = None,
    aweights: OptArray = None,
    dtype: Static = None,
) -> Array:
    """Return the covariances, in float32, of variables, each a row of m (a column unless `rowvar`) or of y.

    Args:
        m, y: The observations.
        rowvar: Whether rows are variables.
        bias: Whether to divide by N and not by N - 1, unless `ddof` says by what.
        ddof: The denominator is N - ddof.
        fweights, aweights: How often each observation counts, and its relative weight.
        dtype: The dtype of the result.

    Raises:
        ValueError: If `m` has more than 2 axes.

    Examples:
        >>> ms.numpy.cov([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).asnumpy()
        array([[ 1., -1.],
               [-1.,  1.]], dtype=float32)
    """
    m, y = _variables(m, y, rowvar)
    counts = None if fweights is None else fweights.astype(np.int64)
    weights = None if aweights is None else aweights.astype(m.dtype)
    return jnp.cov(m, y, rowvar, bias, ddof, counts, weights).astype(np_dtype(dtype, m.dtype))


@row()
def corrcoef(x: Array, y: OptArray = None, rowvar: bool = True, dtype: Static = None) -> Array:
    """Return the correlation coefficients of variables, each a row of x (a column unless `rowvar`) or of y.

    Args:
        x, y: The observations.
        rowvar: Whether rows are variables.
        dtype: The dtype of the result; float32 if None.

    Raises:
        ValueError: If `x` has more than 2 axes.

    Examples:
        >>> ms.numpy.corrcoef([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).asnumpy().round(3)
        array([[ 1., -1.],
               [-1.,  1.]], dtype=float32)
    """
    x, y = _variables(x, y, rowvar)
    return jnp.corrcoef(x, y, rowvar).astype(np_dtype(dtype, x.dtype))
