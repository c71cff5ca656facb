"""Products of `numpy`: of matrices and vectors, norms, covariances, differences, convolutions and polynomials."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.api.numpy.asarray import asarray, np_dtype, public, row
from sporax._src.base.typing import Array, OptArray, Shape, Static
from sporax._src.core.conversion import converted
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import internal
from sporax._src.ops.math.norms import smooth_norm

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
        """Return the cost of multiplying chain[i : j + 1] and where to split it."""
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
        TypeError: If `n` is not an int.
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
    return converted(jnp.cov(m, y, rowvar, bias, ddof, counts, weights), np_dtype(dtype, m.dtype))


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
    return converted(jnp.corrcoef(x, y, rowvar), np_dtype(dtype, x.dtype))


# --- differences, slopes and integrals ----------------------------------------------------------------------------------


@row()
def diff(a: Array, n: int = 1, axis: int = -1, prepend: OptArray = None, append: OptArray = None) -> Array:
    """Return the n-th differences of neighbours along an axis, with values put before and after first.

    Args:
        a: An array-like with at least 1 axis.
        n: How often differences are taken.
        axis: The axis, counted from the end where it is negative.
        prepend, append: Values put before and after along the axis.

    Raises:
        ValueError: If there is no axis, or it is out of range.

    Examples:
        >>> ms.numpy.diff([1, 3, 6]).asnumpy()
        array([2, 3], dtype=int32)
    """
    if a.ndim == 0:
        raise ValueError("a must have at least 1 axis, got 0.")
    axes.one(axis, a.ndim)
    prepend, append = (None if v is None else v.astype(a.dtype) for v in (prepend, append))
    return jnp.diff(a, n, axis, prepend, append)


@row()
def ediff1d(ary: Array, to_end: OptArray = None, to_begin: OptArray = None) -> Array:
    """Return the differences of neighbours of the flattened Tensor, between `to_begin` and `to_end`.

    Args:
        ary: An array-like.
        to_end, to_begin: Values behind and before the differences.

    Examples:
        >>> ms.numpy.ediff1d([1, 3, 6], to_end=9).asnumpy()
        array([2, 3, 9], dtype=int32)
    """
    ends = [None if v is None else jnp.ravel(v).astype(ary.dtype) for v in (to_begin, to_end)]
    middle = jnp.diff(jnp.ravel(ary))
    return jnp.concatenate([v for v in (ends[0], middle, ends[1]) if v is not None])


@row()
def trapz(y: Array, x: OptArray = None, dx: Static = 1.0, axis: int = -1) -> Array:
    """Return the integral along an axis by the trapezoidal rule, over the points x or with distance dx.

    Args:
        y: An array-like; integers become float32.
        x: The points, a vector or of the shape of y.
        dx: Their distance, where `x` is None.
        axis: The axis, counted from the end where it is negative.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> float(ms.numpy.trapz([1.0, 2.0, 3.0]))
        4.0
    """
    y = to_float(y)
    axes.one(axis, y.ndim)
    return jnp.trapezoid(y, None if x is None else x.astype(y.dtype), dx, axis)


@internal("numpy.gradient")
def _gradient(f: Array, spacing: Static, axis: Shape) -> tuple[Array, ...]:
    f = to_float(f)
    for a in axis:
        if f.shape[a] < 2:
            raise ValueError(f"f must have at least 2 elements along axis {a}, got {f.shape[a]}.")
    return tuple(jnp.asarray(jnp.gradient(f, h, axis=a)) for h, a in zip(spacing, axis, strict=True))


@public()
def gradient(f: Any, *varargs: object, axis: int | tuple[int, ...] | None = None, edge_order: int = 1) -> Any:
    """Return the slopes along axes by central differences, and one-sided ones at the ends.

    Args:
        f: The values.
        varargs: The distance of neighbours: none (1), one for all axes, or one for each.
        axis: The axes; all if None.
        edge_order: 1, the only order of differences at the ends.

    Returns:
        A Tensor for one axis, else a list of them.

    Raises:
        TypeError: If the number of distances does not fit.
        ValueError: If an axis is out of range or has fewer than 2 elements.
        NotImplementedError: If `edge_order` is not 1.

    Examples:
        >>> ms.numpy.gradient([1.0, 2.0, 4.0]).asnumpy()
        array([1. , 1.5, 2. ], dtype=float32)
    """
    f = asarray(f)
    if edge_order != 1:
        raise NotImplementedError(f"numpy.gradient: edge_order must be 1, got {edge_order}.")
    dims = axes.several(axis, f.ndim)
    spacing = [v.item() if isinstance(v, Tensor) else v for v in varargs] or [1]
    if len(spacing) not in (1, len(dims)):
        raise TypeError(f"numpy.gradient: expected 0, 1 or {len(dims)} distances, got {len(spacing)}.")
    out = _gradient(f, spacing * len(dims) if len(spacing) == 1 else spacing, dims)
    return out[0] if len(dims) == 1 else list(out)


@row()
def unwrap(p: Array, discont: float = 3.141592653589793, axis: int = -1) -> Array:
    """Return phases with multiples of 2π added so that neighbours differ by less than π.

    Args:
        p: An array-like of phases in radians.
        discont: The largest difference that stays; values below π count as π.
        axis: The axis, counted from the end where it is negative.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.unwrap([0.0, 2 * np.pi + 0.5]).asnumpy().round(3)
        array([0. , 0.5], dtype=float32)
    """
    p = to_float(p)
    axes.one(axis, p.ndim)
    return jnp.unwrap(p, discont, axis)


# --- convolution ----------------------------------------------------------------------------------------------------


def _slide(fn: Callable[..., Array], a: Array, v: Array, mode: str) -> Array:
    if not a.size or not v.size:
        raise ValueError("a and v must not be empty.")
    a, v = unify(jnp.atleast_1d(a), jnp.atleast_1d(v))
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(f"a and v must have 1 axis, got {a.ndim} and {v.ndim}.")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be 'full', 'same' or 'valid', got {mode!r}.")
    return fn(a, v, mode).astype(a.dtype)


@row()
def convolve(a: Array, v: Array, mode: str = "full") -> Array:
    """Return the convolution of two vectors: Σₖ a[k] · v[n - k].

    Args:
        a, v: The vectors.
        mode: `"full"` (all overlaps), `"same"` (the longer length) or `"valid"` (full overlaps only).

    Raises:
        ValueError: If a vector is empty or none, or `mode` is unknown.

    Examples:
        >>> ms.numpy.convolve([1, 2], [1, 1]).asnumpy()
        array([1, 3, 2], dtype=int32)
    """
    return _slide(jnp.convolve, a, v, mode)


@row()
def correlate(a: Array, v: Array, mode: str = "valid") -> Array:
    """Return the correlation of two vectors: Σₖ a[n + k] · v[k]; modes as in `convolve`.

    Args:
        a, v: The vectors; integers become float32.
        mode: "full" (all overlaps), "same" (the longer length) or "valid" (full overlaps only).

    Raises:
        ValueError: If a vector is empty or none, or `mode` is unknown.

    Examples:
        >>> ms.numpy.correlate([1, 2, 3], [1, 1]).asnumpy()
        array([3., 5.], dtype=float32)
    """
    return _slide(jnp.correlate, to_float(a), to_float(v), mode)


# --- polynomials: coefficients from the highest power down ----------------------------------------------------------


def _poly(p: Array) -> Array:
    p = jnp.atleast_1d(p)
    if p.ndim != 1:
        raise ValueError(f"coefficients must have 1 axis, got {p.ndim}.")
    return p


@row()
def polyadd(a1: Array, a2: Array) -> Array:
    """Return the coefficients of the sum of two polynomials.

    Args:
        a1, a2: Vectors of coefficients, highest power first.

    Raises:
        ValueError: If one has more than 1 axis.

    Examples:
        >>> ms.numpy.polyadd([1, 2], [3, 4, 5]).asnumpy()
        array([3, 5, 7], dtype=int32)
    """
    return jnp.polyadd(*unify(_poly(a1), _poly(a2)))


@row()
def polysub(a1: Array, a2: Array) -> Array:
    """Return the coefficients of the difference of two polynomials.

    Args:
        a1, a2: Vectors of coefficients, highest power first.

    Raises:
        ValueError: If one has more than 1 axis.

    Examples:
        >>> ms.numpy.polysub([3, 4, 5], [1, 2]).asnumpy()
        array([3, 3, 3], dtype=int32)
    """
    a1, a2 = unify(_poly(a1), _poly(a2))
    return jnp.polyadd(a1, -a2)


@row()
def polymul(a1: Array, a2: Array) -> Array:
    """Return the coefficients of the product of two polynomials.

    Args:
        a1, a2: Vectors of coefficients, highest power first.

    Raises:
        ValueError: If one has more than 1 axis.

    Examples:
        >>> ms.numpy.polymul([1, 1], [1, 2]).asnumpy()
        array([1, 3, 2], dtype=int32)
    """
    a1, a2 = unify(_poly(a1), _poly(a2))
    return jnp.convolve(a1, a2).astype(a1.dtype)


@row()
def polyval(p: Array, x: Array) -> Array:
    """Return the value of a polynomial at each x, as float.

    Args:
        p: A vector of coefficients, highest power first.
        x: An array-like.

    Raises:
        ValueError: If `p` has more than 1 axis.

    Examples:
        >>> ms.numpy.polyval([1, 2, 3], [0, 2]).asnumpy()
        array([ 3., 11.], dtype=float32)
    """
    p, x = unify(to_float(_poly(p)), to_float(x))
    return jnp.polyval(p, x)


@row()
def polyder(p: Array, m: Static = 1) -> Array:
    """Return the coefficients of the m-th derivative of a polynomial.

    Args:
        p: A vector of coefficients, highest power first.
        m: How often to differentiate.

    Raises:
        ValueError: If `m` is negative, or `p` has more than 1 axis.

    Examples:
        >>> ms.numpy.polyder([1, 2, 3]).asnumpy()
        array([2, 2], dtype=int32)
    """
    if m < 0:
        raise ValueError(f"m must not be negative, got {m}.")
    p = _poly(p)
    for _ in range(min(m, p.size)):
        p = p[:-1] * jnp.arange(p.size - 1, 0, -1, dtype=p.dtype)
    return p


@row()
def polyint(p: Array, m: Static = 1, k: OptArray = None) -> Array:
    """Return the coefficients of the m-th antiderivative of a polynomial, as float.

    Args:
        p: A vector of coefficients, highest power first.
        m: How often to integrate.
        k: The constants of integration, first one first; zeros if None.

    Raises:
        ValueError: If `m` is negative, or `p` has more than 1 axis.

    Examples:
        >>> ms.numpy.polyint([2.0, 2.0]).asnumpy()
        array([1., 2., 0.], dtype=float32)
    """
    if m < 0:
        raise ValueError(f"m must not be negative, got {m}.")
    p = _poly(p)
    if m == 0:
        return p
    p = to_float(p)
    constants = jnp.zeros(m, p.dtype) if k is None else jnp.broadcast_to(jnp.atleast_1d(k).astype(p.dtype), (m,))
    for i in range(m):
        p = jnp.concatenate([p / jnp.arange(p.size, 0, -1, dtype=p.dtype), constants[i : i + 1]])
    return p
