"""Reading and writing at indices, and shapes that are no single call."""

import math

import mindspore
import numpy as np
from mindspore import mint, ops


def _unflatten(x, dim, sizes):
    """Return a Tensor one of whose dimensions is split into several."""
    dim = dim % x.ndim
    return mint.reshape(x, (*x.shape[:dim], *sizes, *x.shape[dim + 1 :])) if -1 not in sizes else _inferred(x, dim, sizes)


def _inferred(x, dim, sizes):
    """Split a dimension into sizes of which one, -1, follows from the others."""
    rest = x.shape[dim] // math.prod(size for size in sizes if size != -1)
    return _unflatten(x, dim, [rest if size == -1 else size for size in sizes])


def _broadcast_tensors(*tensors):
    """Return Tensors in the shape that they have together."""
    shape = np.broadcast_shapes(*[t.shape for t in tensors])
    return tuple(mint.broadcast_to(t, shape) for t in tensors)


def _each_tensor(function, tensors):
    """Return a function's results for Tensors that are given singly or as one sequence."""
    if len(tensors) == 1:
        return function(tensors[0]) if isinstance(tensors[0], mindspore.Tensor) else _each_tensor(function, tensors[0])
    return tuple(function(t) for t in tensors)


def _expand(x, size):
    """Return a Tensor repeated to a size, in which -1 leaves a dimension as it is."""
    before = (1,) * (len(size) - x.ndim) + tuple(x.shape)
    return mint.broadcast_to(x, tuple(b if n == -1 else n for n, b in zip(size, before, strict=True)))


def _strided_indices(size, stride, offset):
    """Return where the elements of a strided view stand in memory."""
    index = mint.full(tuple(size), offset or 0, dtype=mindspore.int64)
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        index = index + mint.reshape(mint.arange(length) * step, (-1, *(1,) * (len(size) - 1 - axis)))
    return index


def _as_strided(x, size, stride, storage_offset=None):
    """Return the elements of a contiguous Tensor that a strided view of it has."""
    return mint.flatten(x)[_strided_indices(size, stride, storage_offset)]


def _as_strided_scatter(x, src, size, stride, storage_offset=None):
    """Return a Tensor with new elements where a strided view of it has its own."""
    index = mint.flatten(_strided_indices(size, stride, storage_offset))
    return mint.reshape(mint.scatter(mint.flatten(x), 0, index, mint.flatten(src)), x.shape)


def _repeated_indices(repeats):
    """Return each position as often as the Tensor says."""
    return mint.repeat_interleave(mint.arange(repeats.shape[0]), repeats)


def _take_along_dim(x, indices, dim=None):
    """Return the elements at indices along a dimension, or of the flattened Tensor."""
    if dim is None:
        return mint.take(x, indices)
    dim = dim % x.ndim
    rest = np.broadcast_shapes(*[(*t.shape[:dim], 1, *t.shape[dim + 1 :]) for t in (x, indices)])
    x = mint.broadcast_to(x, (*rest[:dim], x.shape[dim], *rest[dim + 1 :]))
    return mint.gather(x, dim, mint.broadcast_to(indices, (*rest[:dim], indices.shape[dim], *rest[dim + 1 :])))


def _unravel_index(indices, shape):
    """Return the coordinates of flat indices."""
    found = []
    for size in reversed((shape,) if isinstance(shape, int) else tuple(shape)):
        found.append(indices % size)
        indices = mint.div(indices, size, rounding_mode="floor")
    return tuple(reversed(found))


def _put(x, index, source, accumulate=False):
    """Return a Tensor with elements of its flattened form replaced, or added to."""
    flat, index = mint.flatten(x), mint.flatten(index) % x.numel()
    source = mint.flatten(source)
    new = mint.scatter_add(flat, 0, index, source) if accumulate else mint.scatter(flat, 0, index, source)
    return mint.reshape(new, x.shape)


def _along(x, dim, index):
    """Return an index of rows along a dimension as one of elements."""
    dim = dim % x.ndim
    index = mint.reshape(index, (-1, *(1,) * (x.ndim - 1 - dim)))
    return mint.broadcast_to(index, (*x.shape[:dim], index.shape[0], *x.shape[dim + 1 :]))


def _index_copy(x, dim, index, source):
    """Return a Tensor with rows along a dimension replaced."""
    return mint.scatter(x, dim, _along(x, dim, index), source)


def _index_reduce(x, dim, index, source, reduce, include_self=True):
    """Return a Tensor whose rows along a dimension are reduced with those of another."""
    return _scatter_reduce(x, dim, _along(x, dim, index), source, reduce, include_self)


def _scatter_reduce(x, dim, index, src, reduce, include_self=True):
    """Return a Tensor whose elements are reduced with those that another sends to them."""
    dim = dim % x.ndim
    if not isinstance(src, mindspore.Tensor):
        src = mint.full(index.shape, src, dtype=x.dtype)
    part = tuple(slice(None) if axis == dim else slice(0, n) for axis, n in enumerate(index.shape))
    old = mint.unsqueeze(ops.movedim(x[part], dim, -1), -1)
    new = mint.unsqueeze(ops.movedim(src[tuple(slice(0, n) for n in index.shape)], dim, -1), -2)
    sent = mint.unsqueeze(ops.movedim(index, dim, -1), -2) == mint.reshape(mint.arange(x.shape[dim]), (-1, 1))
    untouched = mint.logical_not(mint.any(sent, -1, True))
    own = mint.logical_or(untouched, mint.full_like(untouched, include_self))
    used = mint.cat((own, sent), -1)
    values = mint.cat((old, mint.broadcast_to(new, sent.shape)), -1)
    if reduce in ("prod", "multiply"):
        result = mint.prod(mint.where(used, values, mint.ones_like(values)), -1)
    elif reduce in ("amax", "amin"):
        worst = mint.amin(values) if reduce == "amax" else mint.amax(values)
        result = (mint.amax if reduce == "amax" else mint.amin)(mint.where(used, values, worst), -1)
    else:
        result = mint.sum(mint.where(used, values, mint.zeros_like(values)), -1)
        if reduce == "mean":
            count = mint.sum(used, -1)
            result = result / count if x.is_floating_point() else mint.div(result, count, rounding_mode="floor")
    written = x.copy()
    written[part] = ops.movedim(result.to(x.dtype), -1, dim)
    return written
