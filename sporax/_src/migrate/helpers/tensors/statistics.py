"""Reductions, quantiles and counts that take several calls."""

import numpy as np

import sporax as mindspore
from sporax import mint, ops


def _quantile(x, q, dim=None, keepdim=False, interpolation="linear"):
    """Return quantiles along a dimension, or of all elements; a slice with a NaN gives NaN."""
    missing = mint.any(mint.isnan(x)) if dim is None else mint.any(mint.isnan(x), dim, keepdim)
    values = _nanquantile(x, q, dim, keepdim, interpolation)
    if dim is None and keepdim:
        missing = mint.reshape(missing, (1,) * x.ndim)
    return mint.where(missing, mint.full_like(values, float("nan")), values)


def _nanquantile(x, q, dim=None, keepdim=False, interpolation="linear"):
    """Return quantiles of the elements that are not NaN."""
    q = mindspore.tensor(q, dtype=x.dtype)
    flat = mint.flatten(x) if dim is None else ops.movedim(x, dim, -1)
    ordered = mint.sort(flat)[0]
    count = mint.sum((~mint.isnan(flat)).to(x.dtype), -1, True)
    shape = (*q.shape, *flat.shape[:-1], 1)
    rank = mint.reshape(q, (*q.shape, *(1,) * flat.ndim)) * mint.clamp(count - 1, min=0)
    below, above = mint.floor(rank), mint.ceil(rank)
    if interpolation == "lower":
        above = below
    elif interpolation == "higher":
        below = above
    elif interpolation == "nearest":
        below = above = mint.round(rank)
    weight = mint.full_like(rank, 0.5) if interpolation == "midpoint" else rank - below
    ordered = mint.broadcast_to(ordered, (*q.shape, *flat.shape))
    low = mint.gather(ordered, -1, mint.broadcast_to(below, shape).long())
    high = mint.gather(ordered, -1, mint.broadcast_to(above, shape).long())
    result = mint.squeeze(mint.lerp(low, high, mint.broadcast_to(weight, shape)), -1)
    if not keepdim:
        return result
    return mint.reshape(result, (*q.shape, *(1,) * x.ndim)) if dim is None else mint.unsqueeze(result, _axis(dim, x, q))


def _axis(dim, x, q):
    """Return where a reduced dimension is put back, after the dimensions of the quantiles."""
    return q.ndim + (dim + x.ndim if dim < 0 else dim)


def _cumulative_trapezoid(y, x=None, dx=1, dim=-1):
    """Return the cumulative integrals of `y` by the trapezoidal rule."""
    length = y.shape[dim]
    middle = mint.narrow(y, dim, 1, length - 1) + mint.narrow(y, dim, 0, length - 1)
    if x is not None and x.ndim == 1:
        x = mint.reshape(x, (-1, *(1,) * (y.ndim - 1 - dim % y.ndim)))
        dx = mint.diff(x, dim=0)
    elif x is not None:
        dx = mint.diff(x, dim=dim)
    return mint.cumsum(middle * dx / 2, dim)


def _gradient(x, spacing=1, dim=None, edge_order=1):
    """Return the central differences along dimensions, of the given order at the edges."""
    dims = range(x.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    spacings = [spacing] * len(dims) if isinstance(spacing, (int, float)) else list(spacing)
    gradients = []
    for d, step in zip(dims, spacings, strict=True):
        y, length = ops.movedim(x, d, -1), x.shape[d]
        at = mint.arange(length).to(y.dtype) * step if isinstance(step, (int, float)) else step.to(y.dtype)
        h = at[1:] - at[:-1]
        slope = (y[..., 1:] - y[..., :-1]) / h
        inner = (slope[..., 1:] * h[:-1] + slope[..., :-1] * h[1:]) / (h[1:] + h[:-1])
        first, last = slope[..., :1], slope[..., -1:]
        if edge_order == 2:
            bend = (slope[..., 1:] - slope[..., :-1]) / (h[1:] + h[:-1])
            first, last = first - bend[..., :1] * h[0], last + bend[..., -1:] * h[-1]
        gradients.append(ops.movedim(mint.cat((first, inner, last), -1), -1, d))
    return gradients


def _histogram(x, bins, range=None, weight=None, density=False):
    """Return the number or weight of the elements in each bin, and the edges of the bins."""
    x = mint.flatten(x)
    if isinstance(bins, int):
        low, high = (x.min().item(), x.max().item()) if range is None else range
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = mint.linspace(low, high, bins + 1, dtype=x.dtype)
    else:
        edges = bins
    size = edges.shape[0] - 1
    bin = mint.searchsorted(edges, x, right=True) - 1
    bin = mint.where(x == edges[-1], size - 1, bin)
    inside = mint.logical_and(x >= edges[0], x <= edges[-1])
    each = mint.ones_like(x) if weight is None else mint.flatten(weight)
    count = mint.scatter_add(mint.zeros((size,), dtype=x.dtype), 0, mint.clamp(bin, 0, size - 1), each * inside)
    return (count / (mint.sum(count) * mint.diff(edges)) if density else count), edges


def _isin(elements, test_elements, invert=False):
    """Return for each element whether it is one of the others."""
    elements, others = mindspore.tensor(elements), mindspore.tensor(test_elements)
    is_member = mint.any(mint.unsqueeze(elements, -1) == mint.flatten(others), -1)
    return mint.logical_not(is_member) if invert else is_member


def _histogramdd(x, bins, range=None, weight=None, density=False):
    """Return the counts of points in a grid of bins, and the edges along each dimension."""
    points = x.asnumpy().reshape(-1, x.shape[-1])
    if not isinstance(bins, int):
        bins = [b if isinstance(b, int) else b.asnumpy() for b in bins]
    if range is not None:
        range = list(zip(range[::2], range[1::2], strict=True))
    weight = None if weight is None else weight.asnumpy().reshape(-1)
    counts, edges = np.histogramdd(points, bins, range, density=density, weights=weight)
    return mindspore.tensor(counts, dtype=x.dtype), tuple(mindspore.tensor(e, dtype=x.dtype) for e in edges)


def _fake_quantize(x, scale, zero_point, quant_min, quant_max, axis=None):
    """Return numbers after quantization and dequantization."""
    if axis is not None:
        shape = [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]
        scale, zero_point = mint.reshape(scale, shape), mint.reshape(zero_point, shape)
    whole = mint.clamp(mint.round(x / scale) + zero_point, quant_min, quant_max)
    return ((whole - zero_point) * scale).to(x.dtype)
