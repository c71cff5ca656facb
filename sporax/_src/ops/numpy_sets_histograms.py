"""Functions of `numpy` that count values in bins."""

from __future__ import annotations

import builtins
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, OptArray
from sporax._src.core.tensor import Tensor
from sporax._src.ops.numpy_base import NUMPY, asarray, public
from sporax._src.ops.numpy_creation import linspace
from sporax._src.ops.table import internal


@internal("numpy.bincount")
def _bincount(x: Array, weights: OptArray, length: int) -> Array:
    if weights is not None and weights.shape != x.shape:
        raise ValueError(f"weights must have the shape of x, {list(x.shape)}, got {list(weights.shape)}.")
    place = jnp.maximum(x, jnp.zeros((), x.dtype))
    amount = jnp.ones(x.shape, np.float32) if weights is None else weights.astype(np.float32)
    return jnp.zeros(length, np.float32).at[place].add(amount, mode="drop")


@public()
def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Tensor:
    """Return, as float32, how often each of 0, 1, 2, ... occurs in a vector.

    Args:
        x: Integers; negative ones count as 0.
        weights: What each element counts; 1 if None.
        minlength: The least length of the result.
        length: The length of the result, which a graph needs; the largest element plus 1 if None.

    Raises:
        TypeError: If `x` holds no integers.
        ValueError: If it is no vector, or the shape of the weights does not fit.

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
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Tensor:
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
    places, inside = [], jnp.ones(sample.shape[0], bool)
    for d, e in enumerate(edges):
        x = sample[:, d].astype(np.float32)
        e = e.astype(np.float32)
        place = jnp.searchsorted(e, x, "right") - 1
        place = jnp.where(x == e[-1], e.size - 2, place)
        inside = inside & (place >= 0) & (place < e.size - 1)
        places.append(place)
    amount = jnp.ones(sample.shape[0], np.float32) if weights is None else jnp.ravel(weights).astype(np.float32)
    amount = jnp.where(inside, amount, jnp.float32(0))
    count = jnp.zeros(sizes, np.float32).at[tuple(places)].add(amount, mode="drop")
    if density:
        for d, e in enumerate(edges):
            count = count / jnp.diff(e.astype(np.float32)).reshape([-1 if i == d else 1 for i in range(len(edges))])
        count = count / jnp.sum(amount)
    return count


@public()
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
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
def histogram(a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
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
def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
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
