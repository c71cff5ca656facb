"""Methods of torch's Tensor that MindSpore's has not."""

import math

import mindspore
from mindspore import mint, ops


def _assign(x, function, *args, **kwargs):
    """Write into a Tensor what a function makes of it, in the Tensor's own dtype."""
    x.copy_(function(x, *args, **kwargs))
    return x


def _become(x, function, *args):
    """Let a Tensor be what a function makes of it, in its shape too."""
    x.assign_value(function(x, *args))
    return x


def _second(x, y):
    """Return the second of two arguments."""
    return y


def _resized(x, *sizes):
    """Return the elements of a Tensor in their order in another shape; what it lacks is 0."""
    shape = sizes[0] if isinstance(sizes[0], (tuple, list)) else sizes
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    size = math.prod(shape)
    flat = mint.flatten(x)[:size]
    rest = mint.zeros((size - flat.shape[0],), dtype=x.dtype)
    return mint.reshape(mint.cat((flat, rest)), tuple(shape))


def _polygamma(x, n):
    """Return the n-th derivative of digamma."""
    return ops.polygamma(n, x)


def _frexp(x):
    """Return mantissas of at least one half and below one, and the exponents of 2 that they are multiplied with."""
    exponent = mint.where(x == 0, mint.zeros_like(x), mint.floor(mint.log2(mint.abs(x))) + 1)
    mantissa = x / mint.exp2(exponent)
    large = mint.abs(mantissa) >= 1
    small = mint.logical_and(mint.abs(mantissa) < 0.5, x != 0)
    mantissa = mint.where(large, mantissa / 2, mint.where(small, mantissa * 2, mantissa))
    exponent = exponent + large.to(x.dtype) - small.to(x.dtype)
    return mantissa, exponent.to(mindspore.int32)


def _cauchy_(x, median=0, sigma=1):
    """Fill a Tensor with random numbers of a Cauchy distribution."""
    x.copy_(median + sigma * mint.tan(math.pi * (mint.rand(x.shape) - 0.5)))
    return x


def _geometric_(x, p):
    """Fill a Tensor with random numbers of a geometric distribution: the trials up to the first success."""
    x.copy_(mint.clamp(mint.ceil(mint.log1p(-mint.rand(x.shape)) / math.log1p(-p)), 1))
    return x


def _log_normal_(x, mean=1, std=2):
    """Fill a Tensor with the exponentials of normal random numbers."""
    x.copy_(mint.exp(mean + std * mint.randn(x.shape)))
    return x
