"""Reading and writing at indices, and shapes that are no single call."""

import mindspore
import numpy as np
from mindspore import mint


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


def _as_strided_scatter(x, src, size, stride, storage_offset=None):
    """Return a Tensor with new elements where a strided view of it has its own."""
    index = mint.flatten(_strided_indices(size, stride, storage_offset))
    return mint.reshape(mint.scatter(mint.flatten(x), 0, index, mint.flatten(src)), x.shape)


def _repeated_indices(repeats):
    """Return each position as often as the Tensor says."""
    return mint.repeat_interleave(mint.arange(repeats.shape[0]), repeats)


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
