"""Shapes and parts of Tensors as torch has them."""

import functools
import math

import numpy as np

import sporax as mindspore
from sporax import mint, ops


def _unflatten(x, dim, sizes):
    """Return a Tensor with one axis split into several."""
    dim %= x.ndim
    sizes = [sizes] if isinstance(sizes, int) else list(sizes)
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[dim] // -math.prod(sizes)
    return mint.reshape(x, (*x.shape[:dim], *sizes, *x.shape[dim + 1 :]))


def _cat(tensors, dim=0):
    """Join Tensors along an axis in their common dtype; an empty vector only takes part in the choice of the dtype."""
    joined = [x for x in tensors if x.shape != (0,)] or tensors
    if len({x.dtype for x in tensors}) == 1:
        return mint.cat(joined, dim)
    common = functools.reduce(lambda a, b: a + b, [mint.zeros((), dtype=x.dtype) for x in tensors])
    return mint.cat([x.to(common.dtype) for x in joined], dim)


def _unfold(x, dimension, size, step):
    """Return the windows along an axis, each along a new last axis."""
    dim = dimension % x.ndim
    starts = mint.arange(0, x.shape[dim] - size + 1, step)
    index = mint.unsqueeze(starts, 1) + mint.arange(size)
    windows = mint.index_select(x, dim, mint.flatten(index))
    windows = mint.reshape(windows, (*x.shape[:dim], starts.shape[0], size, *x.shape[dim + 1 :]))
    return ops.movedim(windows, dim + 1, -1)


def _narrow(x, dim, start, length):
    """Return a part of a Tensor along an axis; a negative start counts from the end."""
    start = int(start)
    return mint.narrow(x, dim, start + x.shape[dim] if start < 0 else start, length)


def _as_strided(x, size, stride, storage_offset=0):
    """Return the elements at some strides, counted in the order of the Tensor's elements."""
    index = mint.zeros((), dtype=mindspore.int64) + storage_offset
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        index = index + mint.reshape(mint.arange(length) * step, (length, *[1] * (len(size) - axis - 1)))
    return mint.reshape(mint.index_select(mint.flatten(x), 0, mint.flatten(index)), tuple(size))


def _view_as_dtype(x, dtype):
    """Return the bytes of a Tensor read as another dtype."""
    values = np.ascontiguousarray(x.asnumpy()).view(mindspore.dtype_to_nptype(dtype))
    return mindspore.tensor(values, dtype=dtype)


def _take_along_dim(x, indices, dim=None):
    """Return the elements at indices along an axis, broadcast along the others."""
    if dim is None:
        return mint.gather(mint.flatten(x), 0, mint.flatten(indices))
    dim %= x.ndim
    shapes = zip(x.shape, indices.shape, strict=True)
    shape = [max(pair) for pair in shapes]
    x = mint.broadcast_to(x, (*shape[:dim], x.shape[dim], *shape[dim + 1 :]))
    indices = mint.broadcast_to(indices, (*shape[:dim], indices.shape[dim], *shape[dim + 1 :]))
    return mint.gather(x, dim, indices)
