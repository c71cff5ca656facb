"""Special functions that take several calls."""

import math

import sporax as mindspore
from sporax import mint


def _xlog1py(x, y):
    """Return x log(1 + y); it is 0 where x is 0, unless y is NaN."""
    if not isinstance(y, mindspore.Tensor):
        y = mint.full_like(x, y)
    if not isinstance(x, mindspore.Tensor):
        x = mint.full_like(y, x)
    zero = mint.logical_and(x == 0, mint.logical_not(mint.isnan(y)))
    return mint.where(zero, 0.0, x * mint.log1p(y))


def _entr(x):
    """Return -x log(x), 0 at 0 and minus infinity below."""
    x = x if x.is_floating_point() else x.float()
    inside = x > 0
    value = -x * mint.log(mint.where(inside, x, mint.ones_like(x)))
    return mint.where(inside, value, mint.where(x == 0, 0.0, mint.where(mint.isnan(x), x, -math.inf)))


def _erfcx(x):
    """Return exp(x^2) erfc(x), by its asymptotic series where erfc is too small."""
    y = x.to(mindspore.float64)
    far = y > 12
    large, small = mint.where(far, y, 12.0), mint.where(far, 0.0, y)
    s = 0.5 / mint.square(large)
    series = 1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s * (1 - 11 * s)))))
    near = mint.exp(mint.square(small)) * mint.erfc(small)
    return mint.where(far, series / (large * math.sqrt(math.pi)), near).to(x.dtype)


def _log_ndtr(x):
    """Return the logarithm of the normal distribution function."""
    y = x.to(mindspore.float64) * math.sqrt(0.5)
    below = mint.where(y < 0, y, 0.0)
    tail = mint.log(_erfcx(-below) * 0.5) - mint.square(below)
    return mint.where(y < -1, tail, mint.log1p(mint.erfc(mint.where(y < -1, 0.0, y)) * -0.5)).to(x.dtype)


def _ndtri(p):
    """Return the argument at which the normal distribution function is p."""
    return (mint.erfinv(p.to(mindspore.float64) * 2 - 1) * math.sqrt(2)).to(p.dtype)


def _polynomials(x, n, first, following):
    """Return the n-th polynomial of a recurrence that starts with 1 and `first`; 0 for negative n."""
    count = n if isinstance(n, int) else int(n.max())
    degrees = mint.full_like(x, n) if isinstance(n, int) else n + mint.zeros_like(x)
    before, now = mint.ones_like(x), first
    result = mint.where(degrees == 0, before, mint.zeros_like(x))
    for k in range(1, count + 1):
        result = mint.where(degrees == k, now, result)
        before, now = now, following(k, now, before)
    return result


def _chebyshev(x, n, slope, shift):
    """Return Chebyshev polynomials; the polynomial of degree 1 is `slope * x + shift`."""
    return _polynomials(x, n, x * slope + shift, lambda k, p, q: 2 * x * p - q)


def _hermite(x, n, scale):
    """Return Hermite polynomials, of physics (scale 2) or probability (1)."""
    return _polynomials(x, n, x * scale, lambda k, p, q: scale * (x * p - k * q))


def _laguerre(x, n):
    """Return Laguerre polynomials."""
    return _polynomials(x, n, 1 - x, lambda k, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1))


def _legendre(x, n):
    """Return Legendre polynomials."""
    return _polynomials(x, n, x, lambda k, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1))
