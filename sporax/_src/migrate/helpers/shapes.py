"""Shapes and parts of Tensors as torch has them."""

import mindspore
import numpy as np
from mindspore import mint, ops


def _unfold(x, dimension, size, step):
    """Return the windows along an axis, each along a new last axis."""
    dim = dimension % x.ndim
    starts = mint.arange(0, x.shape[dim] - size + 1, step)
    index = mint.unsqueeze(starts, 1) + mint.arange(size)
    windows = mint.index_select(x, dim, mint.flatten(index))
    windows = mint.reshape(windows, (*x.shape[:dim], starts.shape[0], size, *x.shape[dim + 1 :]))
    return ops.movedim(windows, dim + 1, -1)


def _view_as_dtype(x, dtype):
    """Return the bytes of a Tensor read as another dtype."""
    values = np.ascontiguousarray(x.asnumpy()).view(mindspore.dtype_to_nptype(dtype))
    return mindspore.tensor(values, dtype=dtype)
