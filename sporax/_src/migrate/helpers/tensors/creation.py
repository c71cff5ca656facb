"""Tensors of ranges, powers and random numbers."""

import math

import mindspore
import numpy as np
from mindspore import mint, ops


def _inclusive_range(start, end, step=1, dtype=None):
    """Return the numbers from `start` to `end`, which is one of them."""
    count = math.floor((end - start) / step) + 1
    return (mint.arange(count) * step + start).to(mindspore.float32 if dtype is None else dtype)


def _logspace(start, end, steps, base=10.0, dtype=None):
    """Return powers of `base` whose exponents are evenly spaced."""
    powers = mint.pow(base, mint.linspace(start, end, steps, dtype=mindspore.float64))
    return powers.to(mindspore.float32 if dtype is None else dtype)


def _vander(x, N=None, increasing=False):
    """Return the powers of a vector's elements, a column each."""
    count = x.shape[0] if N is None else N
    powers = mint.arange(count) if increasing else mint.arange(count - 1, -1, -1)
    return mint.pow(mint.unsqueeze(x, 1), powers)


def _view_as_complex(x):
    """Return the complex numbers whose parts stand in the last dimension."""
    return ops.Complex()(x[..., 0], x[..., 1])


def _poisson(rate):
    """Draw from the Poisson distributions of the given rates."""
    return ops.random_poisson(mindspore.tensor((), dtype=mindspore.int32), rate, dtype=rate.dtype)


def _binomial(count, probability):
    """Draw from binomial distributions."""
    drawn = np.random.binomial(count.asnumpy().astype(np.int64), probability.asnumpy())
    return mindspore.tensor(drawn, dtype=probability.dtype)
