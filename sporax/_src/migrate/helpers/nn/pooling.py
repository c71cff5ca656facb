"""Pooling in the forms that MindSpore lacks."""

import math

import sporax as mindspore
from sporax import mint, nn, ops
from sporax._src.migrate.helpers.nn.convolutions import _each


def _pooling(layer, kernel_size, stride=None, **settings):
    """Return a pooling layer, whose default stride is the size of its window."""
    return layer(kernel_size, kernel_size if stride is None else stride, pad_mode="pad", **settings)


def _max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Return the maxima of windows over the last dimension."""
    kernel_size, padding, dilation = _each(kernel_size, 1)[0], _each(padding, 1)[0], _each(dilation, 1)[0]
    stride = kernel_size if stride is None or stride == [] else _each(stride, 1)[0]
    result = mint.nn.functional.max_pool2d(
        input.reshape(-1, 1, 1, input.shape[-1]),
        (1, kernel_size),
        (1, stride),
        (0, padding),
        (1, dilation),
        ceil_mode,
        return_indices,
    )
    shape = (*input.shape[:-1], -1)
    return tuple(r.reshape(shape) for r in result) if return_indices else result.reshape(shape)


def _max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Return the maxima of windows over the last three dimensions, of a batch or of one element."""
    x = input.unsqueeze(0) if input.ndim == 4 else input
    result = ops.max_pool3d(x, kernel_size, stride, padding, dilation, ceil_mode, True)
    result = tuple(r.squeeze(0) for r in result) if input.ndim == 4 else result
    return (result[0], result[1].to(mindspore.int64)) if return_indices else result[0]


def _adaptive_max_pool3d(input, output_size, return_indices=False):
    """Return the adaptive maxima over the last three dimensions: windows are chosen by the size of the output."""
    result = ops.adaptive_max_pool3d(input, output_size, return_indices)
    return (result[0], result[1].to(mindspore.int64)) if return_indices else result


def _lp_pool(input, norm_type, kernel_size, stride=None, ceil_mode=False, n=2):
    """Return the p-norms of windows over the last n dimensions; a window that is cut at the edge is scaled to its full size."""
    if norm_type == math.inf:
        largest = {1: _max_pool1d, 2: mint.nn.functional.max_pool2d, 3: _max_pool3d}[n]
        return largest(input.abs(), kernel_size, stride, ceil_mode=ceil_mode)
    pool = {1: mint.nn.functional.avg_pool1d, 2: mint.nn.functional.avg_pool2d, 3: mint.nn.functional.avg_pool3d}
    kernel_size = _each(kernel_size, n)
    mean = pool[n](input**norm_type, kernel_size, stride, 0, ceil_mode)
    return (ops.sign(mean) * ops.relu(ops.abs(mean)) * math.prod(kernel_size)) ** (1 / norm_type)


def _max_unpool(n, input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Return zeros with each maximum at its index over the last n dimensions."""
    kernel_size, padding = _each(kernel_size, n), _each(padding, n)
    stride = kernel_size if stride is None else _each(stride, n)
    usual = [(d - 1) * s - 2 * p + k for d, s, p, k in zip(input.shape[-n:], stride, padding, kernel_size, strict=True)]
    size = usual if output_size is None else list(output_size)[-n:]
    for wanted, expected, step in zip(size, usual, stride, strict=True):
        if not expected - step < wanted < expected + step:
            raise ValueError(f"invalid output_size {output_size} (each dimension must be near {usual})")
    lead = input.shape[:-n]
    zeros = ops.zeros((math.prod(lead), math.prod(size)), input.dtype)
    flat = indices.reshape(math.prod(lead), -1), input.reshape(math.prod(lead), -1)
    return ops.tensor_scatter_elements(zeros, *flat, axis=1).reshape(*lead, *size)


class _MaxUnpool(nn.Cell):
    """Writes maxima over n dimensions to the positions that they came from."""

    def __init__(self, n, kernel_size, stride=None, padding=0):
        super().__init__()
        self.n, self.kernel_size, self.padding = n, kernel_size, padding
        self.stride = kernel_size if stride is None else stride

    def construct(self, input, indices, output_size=None):
        return _max_unpool(self.n, input, indices, self.kernel_size, self.stride, self.padding, output_size)
