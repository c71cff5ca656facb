"""Functions of `numpy` about sets, equality, searching and histograms."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from sporax._src.api.numpy.asarray import NUMPY, asarray, public, row
from sporax._src.api.numpy.creation import linspace
from sporax._src.base.typing import Array, Arrays, OptArray
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal

# --- equality -------------------------------------------------------------------------------------------------------


@internal("numpy.array_equal")
def _array_equal(a1: Array, a2: Array, equal_nan: bool) -> Array:
    a1, a2 = unify(a1, a2)
    same = a1 == a2
    return jnp.all(same | ((a1 != a1) & (a2 != a2)) if equal_nan else same)


@public()
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Tensor:
    """Return whether two Tensors have the same shape and elements; NaN equals NaN if `equal_nan`.

    Args:
        a1, a2: Array-likes.
        equal_nan: Whether NaN equals NaN.

    Returns:
        A Tensor of one boolean.

    Raises:
        TypeError: If `equal_nan` is not a bool.

    Examples:
        >>> bool(ms.numpy.array_equal([1, 2], [1, 2]))
        True
    """
    a1, a2 = asarray(a1), asarray(a2)
    if not isinstance(equal_nan, bool):
        raise TypeError(f"numpy.array_equal: equal_nan must be a bool, got {equal_nan!r}.")
    return _array_equal(a1, a2, equal_nan) if a1.shape == a2.shape else Tensor(False)


@public()
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """Return whether two Tensors broadcast to the same shape and have the same elements there.

    Args:
        a1, a2: Array-likes.

    Returns:
        A Tensor of one boolean.

    Examples:
        >>> bool(ms.numpy.array_equiv([1, 1], 1))
        True
    """
    a1, a2 = asarray(a1), asarray(a2)
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return Tensor(False)
    return _array_equal(a1, a2, False)


@public()
def isscalar(element: object) -> bool:
    """Return whether the argument is a Python number or text.

    Args:
        element: Anything.

    Examples:
        >>> ms.numpy.isscalar(1.5), ms.numpy.isscalar([1.5])
        (True, False)
    """
    return isinstance(element, (bool, int, float, complex, str)) or np.isscalar(element)


@row()
def in1d(ar1: Array, ar2: Array, invert: bool = False) -> Array:
    """Return for each element of the flattened ar1 whether ar2 has it (or has it not, if `invert`).

    Args:
        ar1: An array-like.
        ar2: An array-like.
        invert: Whether to return the opposite.

    Examples:
        >>> ms.numpy.in1d([1, 2, 3], [1, 3]).asnumpy()
        array([ True, False,  True])
    """
    ar1, ar2 = unify(ar1, ar2)
    contained = jnp.isin(jnp.ravel(ar1), jnp.ravel(ar2))
    return ~contained if invert else contained


@row()
def isin(element: Array, test_elements: Array, invert: bool = False) -> Array:
    """Return for each element whether `test_elements` has it (or has it not, if `invert`).

    Args:
        element: An array-like.
        test_elements: An array-like.
        invert: Whether to return the opposite.

    Examples:
        >>> ms.numpy.isin([[1, 2]], [1, 3]).asnumpy()
        array([[ True, False]])
    """
    return in1d.raw(element, test_elements, invert).reshape(element.shape)


# --- sets, whose sizes depend on the values -------------------------------------------------------------------------


def _gathered(x: Tensor, indices: np.ndarray) -> Tensor:
    return NUMPY["take"](x, Tensor(indices.astype(np.int64)), 0)


@public()
def unique(x: ArrayLike, return_inverse: bool = False) -> Any:
    """Return the different elements of the flattened Tensor, in ascending order.

    Args:
        x: The values.
        return_inverse: Whether to return, too, for each element its index among the distinct ones.

    Examples:
        >>> ms.numpy.unique([3, 1, 3]).asnumpy()
        array([1, 3], dtype=int32)
    """
    flat = NUMPY["ravel"](x)
    _, first, inverse = np.unique(flat.asnumpy(), return_index=True, return_inverse=True)
    out = _gathered(flat, first)
    return (
        (out, Tensor(inverse.reshape(-1).astype(flat._data.dtype if flat._data.dtype == np.int64 else np.int32)))
        if return_inverse
        else out
    )


@public()
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Return the different elements that two Tensors share, in ascending order.

    Args:
        ar1, ar2: The values; flattened.
        assume_unique: Whether each has its elements once only.
        return_indices: Whether to return, too, their first indices in ar1 and in ar2.

    Raises:
        TypeError: If a flag is not a bool.

    Examples:
        >>> ms.numpy.intersect1d([1, 2, 3], [3, 1]).asnumpy()
        array([1, 3], dtype=int32)
    """
    if not isinstance(assume_unique, bool) or not isinstance(return_indices, bool):
        raise TypeError("numpy.intersect1d: assume_unique and return_indices must be bools.")
    x, y = NUMPY["ravel"](ar1), NUMPY["ravel"](ar2)
    _, i, j = np.intersect1d(x.asnumpy(), y.asnumpy(), assume_unique, return_indices=True)
    out = _gathered(x, i)
    return (out, Tensor(i.astype(np.int32)), Tensor(j.astype(np.int32))) if return_indices else out


@public()
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Tensor:
    """Return the distinct elements of ar1 that are not in ar2: ascending, or in their order if `assume_unique`.

    Args:
        ar1, ar2: The values; flattened.
        assume_unique: Whether each has its elements once only.

    Raises:
        TypeError: If `assume_unique` is not a bool.

    Examples:
        >>> ms.numpy.setdiff1d([3, 2, 1], [2]).asnumpy()
        array([1, 3], dtype=int32)
    """
    if not isinstance(assume_unique, bool):
        raise TypeError(f"numpy.setdiff1d: assume_unique must be a bool, got {assume_unique!r}.")
    x = NUMPY["ravel"](ar1) if assume_unique else unique(ar1)
    return _gathered(x, np.flatnonzero(~np.isin(x.asnumpy(), asarray(ar2).asnumpy())))


@public()
def argwhere(a: ArrayLike) -> Tensor:
    """Return the indices of the elements that are not 0, one row each.

    Args:
        a: An array-like.

    Returns:
        An int64 Tensor of shape (number of elements found, number of axes).

    Examples:
        >>> ms.numpy.argwhere([[0, 1], [2, 0]]).asnumpy()
        array([[0, 1],
               [1, 0]])
    """
    return Tensor(np.argwhere(asarray(a).asnumpy()).astype(np.int64))


# --- searching ------------------------------------------------------------------------------------------------------


@row()
def searchsorted(a: Array, v: Array, side: str = "left", sorter: OptArray = None) -> Array:
    """Return where to insert each v into the ascending vector a to keep the order.

    Args:
        a: The vector, ascending as it is or in the order `sorter`.
        v: The values.
        side: Of equal elements, before the first (`"left"`) or behind the last (`"right"`).
        sorter: Indices that sort a.

    Raises:
        ValueError: If `side` is unknown, or a shape does not fit.

    Examples:
        >>> ms.numpy.searchsorted([1, 3, 5], [0, 3, 6]).asnumpy()
        array([0, 1, 3], dtype=int32)
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', got {side!r}.")
    if a.ndim != 1:
        raise ValueError(f"a must have 1 axis, got {a.ndim}.")
    if sorter is not None:
        if sorter.shape != a.shape:
            raise ValueError(f"sorter must have the shape of a, {list(a.shape)}, got {list(sorter.shape)}.")
        a = a[sorter]
    a, v = unify(to_float(a), to_float(v))
    return jnp.searchsorted(a, v, side).astype(np.int32)


@row()
def digitize(x: Array, bins: Array, right: bool = False) -> Array:
    """Return for each x the number of its bin among the ascending or descending edges `bins`.

    Args:
        x: The values.
        bins: The edges.
        right: Whether a bin includes its right edge and not its left one.

    Raises:
        ValueError: If `bins` is not a vector.

    Examples:
        >>> ms.numpy.digitize([0.5, 2.0], [1.0, 2.0]).asnumpy()
        array([0, 2], dtype=int32)
    """
    if bins.ndim != 1:
        raise ValueError(f"bins must have 1 axis, got {bins.ndim}.")
    if not bins.size:
        return jnp.zeros(x.shape, np.int32)
    x, bins = unify(to_float(x), to_float(bins))
    return jnp.digitize(x, bins, right).astype(np.int32)


@row()
def interp(x: Array, xp: Array, fp: Array, left: OptArray = None, right: OptArray = None) -> Array:
    """Return at each x the value of the line through the points (xp, fp); `left` and `right` are the values outside of them.

    Args:
        x: An array-like.
        xp: The x coordinates of the points, an ascending vector.
        fp: Their values, a vector of its length.
        left: The value below the first point; that of the first point if None.
        right: The value above the last point; that of the last point if None.

    Raises:
        ValueError: If `xp` and `fp` are not vectors of one length.

    Examples:
        >>> ms.numpy.interp([0.5, 9.0], [0.0, 1.0], [10.0, 20.0]).asnumpy()
        array([15., 20.], dtype=float32)
    """
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError(f"xp and fp must have 1 axis, got {xp.ndim} and {fp.ndim}.")
    if xp.shape != fp.shape:
        raise ValueError(f"xp and fp must have the same length, got {xp.size} and {fp.size}.")
    x, xp, fp = unify(to_float(x), to_float(xp), to_float(fp))
    return jnp.interp(x, xp, fp, *[None if v is None else v.astype(fp.dtype) for v in (left, right)])


# --- values counted in bins ---------------------------------------------------------------------------------------------


@internal("numpy.bincount")
def _bincount(x: Array, weights: OptArray, length: int) -> Array:
    if weights is not None and weights.shape != x.shape:
        raise ValueError(f"weights must have the shape of x, {list(x.shape)}, got {list(weights.shape)}.")
    index = jnp.maximum(x, jnp.zeros((), x.dtype))
    amount = jnp.ones(x.shape, np.float32) if weights is None else weights.astype(np.float32)
    return jnp.zeros(length, np.float32).at[index].add(amount, mode="drop")


@public()
def bincount(x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0, length: int | None = None) -> Tensor:
    """Return, as float32, how often each of 0, 1, 2, ... occurs in a vector.

    Args:
        x: Integers; negative ones count as 0.
        weights: What each element counts; 1 if None.
        minlength: The least length of the result.
        length: The length of the result, which a graph needs; the largest element plus 1 if None.

    Raises:
        TypeError: If `x` holds no integers.
        ValueError: If it is not a vector, or the shape of the weights does not fit.

    Examples:
        >>> ms.numpy.bincount([0, 2, 2]).asnumpy()
        array([1., 0., 2.], dtype=float32)
    """
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError(f"numpy.bincount: x must have 1 axis, got {x.ndim}.")
    if x._data.dtype.kind not in "iu":
        raise TypeError(f"numpy.bincount: x must hold integers, got {x.dtype}.")
    if length is None:
        length = max(int(x.asnumpy().max(initial=-1)) + 1, minlength)
    return _bincount(x, None if weights is None else asarray(weights), length)


@internal("numpy.histogram_bin_edges")
def _range_of(a: Array) -> tuple[Array, Array]:
    flat = jnp.ravel(a).astype(np.float32)
    low, high = (jnp.min(flat), jnp.max(flat)) if flat.size else (jnp.float32(0), jnp.float32(1))
    half = jnp.where(low == high, jnp.float32(0.5), jnp.float32(0))
    return low - half, high + half


@public()
def histogram_bin_edges(
    a: ArrayLike, bins: ArrayLike = 10, range: Sequence[float] | None = None, weights: ArrayLike | None = None
) -> Tensor:
    """Return the edges of bins over the values.

    Args:
        a: The values.
        bins: The number of equal bins, or their edges.
        range: The (lowest, highest) edge; those of the values if None.
        weights: Of the shape of a; they do not move the edges.

    Raises:
        ValueError: If `bins`, `range` or `weights` have the wrong form.
        NotImplementedError: If `bins` names a method.

    Examples:
        >>> ms.numpy.histogram_bin_edges([0.0, 4.0], 2).asnumpy()
        array([0., 2., 4.], dtype=float32)
    """
    a = asarray(a)
    if weights is not None and asarray(weights).shape != a.shape:
        raise ValueError("numpy.histogram_bin_edges: weights must have the shape of a.")
    if isinstance(bins, str):
        raise NotImplementedError(f"numpy.histogram_bin_edges: bins must be a number or edges, got {bins!r}.")
    if not isinstance(bins, int):
        edges = asarray(bins)
        if edges.ndim != 1:
            raise ValueError(f"numpy.histogram_bin_edges: edges must have 1 axis, got {edges.ndim}.")
        return edges
    if range is not None and (not isinstance(range, (list, tuple)) or len(range) != 2 or range[0] > range[1]):
        raise ValueError(f"numpy.histogram_bin_edges: range must be (low, high), got {range!r}.")
    low, high = _range_of(a if range is None else asarray(list(range)))
    return linspace(low, high, bins + 1)


@internal("numpy.histogramdd")
def _count(sample: Array, weights: OptArray, edges: Arrays, density: bool) -> Array:
    sizes = [e.size - 1 for e in edges]
    indices, inside = [], jnp.ones(sample.shape[0], bool)
    for d, e in enumerate(edges):
        x = sample[:, d].astype(np.float32)
        e = e.astype(np.float32)
        index = jnp.searchsorted(e, x, "right") - 1
        index = jnp.where(x == e[-1], e.size - 2, index)
        inside = inside & (index >= 0) & (index < e.size - 1)
        indices.append(index)
    amount = jnp.ones(sample.shape[0], np.float32) if weights is None else jnp.ravel(weights).astype(np.float32)
    amount = jnp.where(inside, amount, jnp.float32(0))
    count = jnp.zeros(sizes, np.float32).at[tuple(indices)].add(amount, mode="drop")
    if density:
        for d, e in enumerate(edges):
            count = count / jnp.diff(e.astype(np.float32)).reshape([-1 if i == d else 1 for i in range(len(edges))])
        count = count / jnp.sum(amount)
    return count


@public()
def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
    density: bool = False,
) -> Any:
    """Return how many points lie in each cell of a grid, and the list of the grid's edges.

    Args:
        sample: The points: a Tensor (N, D), or a sequence of D vectors.
        bins: The number of bins along each axis, one for all, or edges for each.
        range: The (lowest, highest) edge along each axis; those of the points if None.
        weights: What each point counts; 1 if None.
        density: Whether to return a probability density.

    Returns:
        The counts, float32 with one axis for each of the grid, and the list of the edges.

    Raises:
        ValueError: If the shapes or numbers of entries do not fit.

    Examples:
        >>> count, edges = ms.numpy.histogramdd(([0.0, 1.0], [0.0, 1.0]), 2)
        >>> count.asnumpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    points = NUMPY["stack"](sample, -1) if isinstance(sample, (tuple, list)) else asarray(sample)
    if points.ndim != 2:
        raise ValueError(f"numpy.histogramdd: sample must have 2 axes, got {points.ndim}.")
    n = points.shape[1]
    each = [bins] * n if isinstance(bins, int) else list(bins)
    ranges = [None] * n if range is None else list(range)
    if len(each) != n or len(ranges) != n:
        raise ValueError(f"numpy.histogramdd: bins and range must have an entry for each of {n} axes.")
    edges = [histogram_bin_edges(points[:, d], each[d], ranges[d]) for d in builtins.range(n)]
    return _count(points, None if weights is None else asarray(weights), edges, density), edges


@public()
def histogram(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: Sequence[float] | None = None,
    weights: ArrayLike | None = None,
    density: bool = False,
) -> Any:
    """Return how many values lie in each bin, as float32, and the edges of the bins; see `histogram_bin_edges`.

    Args:
        a: The values; flattened.
        bins: The number of equal bins, or their edges.
        range: The (lowest, highest) edge; those of the values if None.
        weights: What each value counts; 1 if None.
        density: Whether to return a probability density.

    Raises:
        ValueError: If `bins`, `range` or `weights` have the wrong form.

    Examples:
        >>> ms.numpy.histogram([0.0, 1.0, 4.0], 2)[0].asnumpy()
        array([2., 1.], dtype=float32)
    """
    edges = histogram_bin_edges(a, bins, range, weights)
    points = NUMPY["reshape"](a, (-1, 1))
    return _count(points, None if weights is None else asarray(weights), [edges], density), edges


@public()
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: object = 10,
    range: object = None,
    weights: ArrayLike | None = None,
    density: bool = False,
) -> Any:
    """Return how many points (x, y) lie in each cell of a grid, and its edges along x and y; see `histogramdd`.

    Args:
        x, y: The coordinates of the points, two vectors.
        bins: The number of bins along both axes, or an entry (number or edges) for each.
        range: The (lowest, highest) edge along each axis; those of the points if None.
        weights: What each point counts; 1 if None.
        density: Whether to return a probability density.

    Raises:
        ValueError: If the shapes or numbers of entries do not fit.

    Examples:
        >>> ms.numpy.histogram2d([0.0, 1.0], [0.0, 1.0], 2)[0].asnumpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    count, (xs, ys) = histogramdd((x, y), bins, range, weights, density)
    return count, xs, ys
