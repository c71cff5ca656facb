"""Reading and writing at indices, and changes of shape that take several calls."""

import numpy as np

import sporax as mindspore
from sporax import mint


def _broadcast_tensors(*tensors):
    """Return Tensors broadcast to one shape."""
    shape = np.broadcast_shapes(*[t.shape for t in tensors])
    return tuple(mint.broadcast_to(t, shape) for t in tensors)


def _each_tensor(function, tensors):
    """Return a function's results for Tensors that are given one by one or as one sequence."""
    if len(tensors) == 1:
        return function(tensors[0]) if isinstance(tensors[0], mindspore.Tensor) else _each_tensor(function, tensors[0])
    return tuple(function(t) for t in tensors)


def _expand(x, size):
    """Return a Tensor expanded to a size; -1 keeps the size of a dimension."""
    before = (1,) * (len(size) - x.ndim) + tuple(x.shape)
    return mint.broadcast_to(x, tuple(b if n == -1 else n for n, b in zip(size, before, strict=True)))


def _strided_indices(size, stride, offset):
    """Return the positions in memory of the elements of a strided view."""
    index = mint.full(tuple(size), offset or 0, dtype=mindspore.int64)
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        index = index + mint.reshape(mint.arange(length) * step, (-1, *(1,) * (len(size) - 1 - axis)))
    return index


def _as_strided_scatter(x, src, size, stride, storage_offset=None):
    """Return a Tensor with the elements of a strided view replaced."""
    index = mint.flatten(_strided_indices(size, stride, storage_offset))
    return mint.reshape(mint.scatter(mint.flatten(x), 0, index, mint.flatten(src)), x.shape)


def _repeated_indices(repeats):
    """Return each index as often as the Tensor counts."""
    return mint.repeat_interleave(mint.arange(repeats.shape[0]), repeats)


def _unravel_index(indices, shape):
    """Return the coordinates of flat indices."""
    coordinates = []
    for size in reversed((shape,) if isinstance(shape, int) else tuple(shape)):
        coordinates.append(indices % size)
        indices = mint.div(indices, size, rounding_mode="floor")
    return tuple(reversed(coordinates))


def _put(x, index, source, accumulate=False):
    """Return a Tensor with values written to, or added to, elements of its flattened form."""
    flat, index = mint.flatten(x), mint.flatten(index) % x.numel()
    source = mint.flatten(source)
    new = mint.scatter_add(flat, 0, index, source) if accumulate else mint.scatter(flat, 0, index, source)
    return mint.reshape(new, x.shape)


def _sliced(x, dim=0, start=None, end=None, step=1):
    """Return the slice start:end:step of a dimension."""
    return x[(slice(None),) * (dim % x.ndim) + (slice(start, end, step),)]


def _nonzero_static(x, size, fill_value=-1):
    """Return the indices of a fixed number of elements that are not zero; the rest is filled up."""
    indices = mint.nonzero(x)[:size]
    rest = mint.full((size - indices.shape[0], x.ndim), fill_value, dtype=indices.dtype)
    return mint.cat((indices, rest))


def _segment_reduce(x, reduce, lengths=None, offsets=None, axis=0, initial=None):
    """Return the reductions of the segments of a Tensor along an axis."""
    sizes = mint.diff(offsets).tolist() if lengths is None else lengths.tolist()
    empty = {"sum": 0.0, "mean": float("nan"), "prod": 1.0, "max": -float("inf"), "min": float("inf")}[reduce]
    reductions = []
    for piece in mint.split(x, sizes, axis):
        if not piece.shape[axis]:
            shape = piece.shape[:axis] + piece.shape[axis + 1 :]
            reductions.append(mint.full(shape, empty if initial is None else initial, dtype=x.dtype))
            continue
        if reduce in ("max", "min"):
            value = (mint.amax if reduce == "max" else mint.amin)(piece, axis)
            bound = mint.maximum if reduce == "max" else mint.minimum
            reductions.append(value if initial is None else bound(value, mint.full_like(value, initial)))
        elif reduce == "prod":
            reductions.append(mint.prod(piece, axis) * (1 if initial is None else initial))
        else:
            total = mint.sum(piece, axis) + (0 if initial is None else initial)
            reductions.append(total / piece.shape[axis] if reduce == "mean" else total)
    return mint.stack(reductions, axis)
