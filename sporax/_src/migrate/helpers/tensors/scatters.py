"""Writing at indices: torch's reductions and copies that MindSpore lacks."""

from sporax import mint, ops


def _scatter(x, dim, index, src, reduce):
    """Return a Tensor with its elements at an index increased, or multiplied, by values."""
    return _scatter_reduce(x, dim, index, src, {"add": "sum", "multiply": "prod"}[reduce])


def _scatter_reduce(x, dim, index, src, reduce, include_self=True):
    """Return a Tensor with each element reduced with all values whose index is that element's."""
    if not hasattr(src, "shape"):
        src = mint.full_like(index, src, dtype=x.dtype)
    src = mint.broadcast_to(src, index.shape) if src.ndim == 0 else src[tuple(slice(0, n) for n in index.shape)]
    src = src.to(x.dtype)
    count = mint.scatter_add(mint.zeros_like(x), dim, index, mint.ones_like(src))
    start = {"sum": 0, "mean": 0, "prod": 1}.get(reduce)
    if reduce in ("amax", "amin"):
        end = mint.amin(src) if reduce == "amax" else mint.amax(src)
        start = end.to(x.dtype)
    before = x if include_self else mint.where(count > 0, mint.zeros_like(x) + start, x)
    if reduce in ("sum", "mean"):
        total = mint.scatter_add(before, dim, index, src)
        if reduce == "sum":
            return total
        count = mint.clamp(count + (1 if include_self else 0), 1)
        return total / count if x.is_floating_point() else mint.div(total, count, rounding_mode="floor")
    at = [mint.arange(n).reshape([-1 if i == d else 1 for i in range(x.ndim)]) for d, n in enumerate(index.shape)]
    at = [mint.broadcast_to(a, index.shape) for a in at]
    at[dim] = index
    indices = mint.stack([a.reshape(-1) for a in at], -1)
    write = {"prod": ops.tensor_scatter_mul, "amax": ops.tensor_scatter_max, "amin": ops.tensor_scatter_min}[reduce]
    return write(before, indices, src.reshape(-1))


def _index_copy(x, dim, index, source):
    """Return a Tensor with the slices at an index taken from another."""
    return _index_reduce(x, dim, index, source, "copy")


def _index_reduce(x, dim, index, source, reduce, include_self=True):
    """Return a Tensor with each slice reduced with all slices whose index is that slice's."""
    shape = [1] * x.ndim
    shape[dim] = -1
    index = mint.broadcast_to(mint.reshape(index, shape), source.shape)
    if reduce == "copy":
        return mint.scatter(x, dim, index, source)
    return _scatter_reduce(x, dim, index, source, reduce, include_self)
