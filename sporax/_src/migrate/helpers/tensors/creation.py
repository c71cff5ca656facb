"""Tensors of ranges, powers and random numbers."""

import math

import numpy as np

import sporax as mindspore
from sporax import mint, ops


def _inclusive_range(start, end, step=1, dtype=None):
    """Return the numbers from `start` to `end`, both included."""
    count = math.floor((end - start) / step) + 1
    return (mint.arange(count) * step + start).to(mindspore.float32 if dtype is None else dtype)


def _logspace(start, end, steps, base=10.0, dtype=None):
    """Return powers of `base` whose exponents are evenly spaced."""
    powers = mint.pow(base, mint.linspace(start, end, steps, dtype=mindspore.float64))
    return powers.to(mindspore.float32 if dtype is None else dtype)


def _vander(x, N=None, increasing=False):
    """Return the matrix whose columns are powers of a vector."""
    count = x.shape[0] if N is None else N
    powers = mint.arange(count) if increasing else mint.arange(count - 1, -1, -1)
    return mint.pow(mint.unsqueeze(x, 1), powers)


def _view_as_complex(x):
    """Return the complex numbers whose two parts are the last dimension."""
    return ops.Complex()(x[..., 0], x[..., 1])


def _polar(abs, angle):
    """Return complex numbers of absolute values and angles; absolute values that MindSpore computed are complex."""
    return mint.polar(ops.real(abs) if abs.is_complex() else abs, angle)


def _rand(*size, generator=None, dtype=None):
    """Draw uniform numbers of [0, 1); of complex ones both parts."""
    return _drawn(mint.rand, size, generator, dtype, 1.0)


def _randn(*size, generator=None, dtype=None):
    """Draw numbers from a normal distribution of variance 1; the parts of complex ones have variance 1/2."""
    return _drawn(mint.randn, size, generator, dtype, math.sqrt(0.5))


def _drawn(draw, size, generator, dtype, scale):
    """Draw numbers of a dtype; complex ones from two draws of their parts, which are scaled."""
    if dtype is None or not dtype.is_complex:
        return draw(*size, generator=generator, dtype=dtype)
    part = mindspore.float64 if dtype == mindspore.complex128 else mindspore.float32
    real, imaginary = (draw(*size, generator=generator, dtype=part) * scale for _ in range(2))
    return ops.Complex()(real, imaginary)


def _poisson(rate):
    """Draw from the Poisson distributions of the given rates."""
    return ops.random_poisson(mindspore.tensor((), dtype=mindspore.int32), rate, dtype=rate.dtype)


def _binomial(count, probability):
    """Draw from binomial distributions."""
    drawn = np.random.binomial(count.asnumpy().astype(np.int64), probability.asnumpy())
    return mindspore.tensor(drawn, dtype=probability.dtype)


class _Finfo:
    """The limits of a floating-point dtype, also of bfloat16 and those of 8 bits, which NumPy lacks."""

    def __init__(self, dtype=mindspore.float32):
        others = {
            "bfloat16": (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 0.01),
            "float8_e4m3fn": (8, 0.125, 448.0, 2.0**-6, 1.0),
            "float8_e5m2": (8, 0.25, 57344.0, 2.0**-14, 1.0),
        }
        name = next((name for name in others if getattr(mindspore, name, None) == dtype), "")
        known = None if name else np.finfo(mindspore.dtype_to_nptype(dtype))
        limits = others[name] if known is None else (known.bits, known.eps, known.max, known.tiny, known.resolution)
        self.dtype = name or str(known.dtype)
        self.bits = limits[0]
        self.eps, self.max, self.tiny, self.resolution = (float(limit) for limit in limits[1:])
        self.min, self.smallest_normal = -self.max, self.tiny


def _set_default_dtype(dtype):
    """Accept float32, which is the default dtype of MindSpore's numbers."""
    if dtype != mindspore.float32:
        raise NotImplementedError(f"the default dtype is float32, not {dtype}; give each constructor dtype= instead.")
