"""Distributions over the reals with a location and a scale, and distributions derived from them."""

import math

import numpy as np

from sporax import ops
from sporax._src.migrate.helpers.distributions.constraints import _GreaterThan, _GreaterThanEq, _Real
from sporax._src.migrate.helpers.distributions.distribution import (
    _betaln,
    _broadcast_all,
    _Distribution,
    _gamma_sample,
    _normal_sample,
    _open_uniform_sample,
)


class _LocationScale(_Distribution):
    """A distribution of `loc + scale * x`, where the subclass draws x and has its density, distribution function and inverse."""

    has_rsample = True
    _parameters = {"loc": 0, "scale": 0}

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _broadcast_all(loc, scale)
        super().__init__(self.loc.shape)

    @property
    def support(self):
        return _Real()

    @property
    def mode(self):
        return self.loc

    @property
    def mean(self):
        return self.loc

    def rsample(self, sample_shape=()):
        return self.loc + self.scale * self._standard_sample(self._extended_shape(sample_shape))

    def log_prob(self, value):
        return self._standard_log_prob((value - self.loc) / self.scale) - ops.log(self.scale)

    def cdf(self, value):
        return self._standard_cdf((value - self.loc) / self.scale)

    def icdf(self, value):
        return self.loc + self.scale * self._standard_icdf(value)


class _Normal(_LocationScale):
    """The normal distribution."""

    @property
    def stddev(self):
        return self.scale

    @property
    def variance(self):
        return self.scale**2

    def _standard_sample(self, shape):
        return _normal_sample(shape, self.loc.dtype)

    def _standard_log_prob(self, x):
        return -(x**2) / 2 - math.log(2 * math.pi) / 2

    def _standard_cdf(self, x):
        return (1 + ops.erf(x / math.sqrt(2))) / 2

    def _standard_icdf(self, p):
        return ops.erfinv(2 * p - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + ops.log(self.scale)

    def _kl_Normal(self, other):
        ratio = (self.scale / other.scale) ** 2
        return 0.5 * (ratio + ((self.loc - other.loc) / other.scale) ** 2 - 1 - ops.log(ratio))

    def _kl_Laplace(self, other):
        shift = self.loc - other.loc
        spread = math.sqrt(2 / math.pi) * self.scale * ops.exp(-0.5 * (shift / self.scale) ** 2)
        mean = spread + shift * ops.erf(math.sqrt(0.5) * shift / self.scale)
        return -ops.log(self.scale / other.scale) - 0.5 - 0.5 * math.log(math.pi / 2) + mean / other.scale

    def _kl_Gumbel(self, other):
        mean = (self.loc - other.loc) / other.scale
        exponential = ops.exp(-mean + 0.5 * (self.scale / other.scale) ** 2)
        return mean + exponential - ops.log(self.scale / other.scale) - 0.5 - 0.5 * math.log(2 * math.pi)


class _LogNormal(_Normal):
    """The distribution of the exponential of a normally distributed number."""

    @property
    def support(self):
        return _GreaterThan(0.0)

    @property
    def mean(self):
        return ops.exp(self.loc + self.scale**2 / 2)

    @property
    def mode(self):
        return ops.exp(self.loc - self.scale**2)

    @property
    def variance(self):
        return ops.expm1(self.scale**2) * ops.exp(2 * self.loc + self.scale**2)

    @property
    def stddev(self):
        return ops.sqrt(self.variance)

    def rsample(self, sample_shape=()):
        return ops.exp(super().rsample(sample_shape))

    def log_prob(self, value):
        return super().log_prob(ops.log(value)) - ops.log(value)

    def cdf(self, value):
        return super().cdf(ops.log(value))

    def icdf(self, value):
        return ops.exp(super().icdf(value))

    def entropy(self):
        return super().entropy() + self.loc


class _Laplace(_LocationScale):
    """The Laplace distribution."""

    @property
    def variance(self):
        return 2 * self.scale**2

    @property
    def stddev(self):
        return math.sqrt(2) * self.scale

    def _standard_sample(self, shape):
        u = 2 * _open_uniform_sample(shape, self.loc.dtype) - 1
        return -ops.sign(u) * ops.log1p(-ops.abs(u))

    def _standard_log_prob(self, x):
        return -ops.abs(x) - math.log(2)

    def _standard_cdf(self, x):
        return 0.5 - 0.5 * ops.sign(x) * ops.expm1(-ops.abs(x))

    def _standard_icdf(self, p):
        return -ops.sign(p - 0.5) * ops.log1p(-2 * ops.abs(p - 0.5))

    def entropy(self):
        return 1 + math.log(2) + ops.log(self.scale)

    def _kl_Laplace(self, other):
        ratio, shift = self.scale / other.scale, ops.abs(self.loc - other.loc)
        return -ops.log(ratio) + shift / other.scale + ratio * ops.exp(-shift / self.scale) - 1

    def _kl_Normal(self, other):
        spread = (self.scale**2 + 0.5 * (self.loc - other.loc) ** 2) / other.scale**2
        return -ops.log(self.scale / other.scale) + 0.5 * math.log(2 * math.pi) - math.log(2) - 1 + spread


class _Gumbel(_LocationScale):
    """The Gumbel distribution."""

    @property
    def mean(self):
        return self.loc + self.scale * np.euler_gamma

    @property
    def stddev(self):
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self):
        return self.stddev**2

    def _standard_sample(self, shape):
        return -ops.log(-ops.log(_open_uniform_sample(shape, self.loc.dtype)))

    def _standard_log_prob(self, x):
        return -x - ops.exp(-x)

    def _standard_cdf(self, x):
        return ops.exp(-ops.exp(-x))

    def _standard_icdf(self, p):
        return -ops.log(-ops.log(p))

    def entropy(self):
        return ops.log(self.scale) + (1 + np.euler_gamma)

    def _kl_Gumbel(self, other):
        ratio = self.scale / other.scale
        shift = (other.loc - self.loc) / other.scale
        gamma = ops.exp(shift + ops.lgamma(1 + ratio))
        return -ops.log(ratio) - shift + np.euler_gamma * (ratio - 1) + gamma - 1


class _Cauchy(_LocationScale):
    """The Cauchy distribution."""

    @property
    def mean(self):
        return ops.full_like(self.loc, math.nan)

    @property
    def variance(self):
        return ops.full_like(self.loc, math.inf)

    def _standard_sample(self, shape):
        return ops.tan(math.pi * (_open_uniform_sample(shape, self.loc.dtype) - 0.5))

    def _standard_log_prob(self, x):
        return -math.log(math.pi) - ops.log1p(x**2)

    def _standard_cdf(self, x):
        return ops.atan(x) / math.pi + 0.5

    def _standard_icdf(self, p):
        return ops.tan(math.pi * (p - 0.5))

    def entropy(self):
        return math.log(4 * math.pi) + ops.log(self.scale)

    def _kl_Cauchy(self, other):
        spread = ops.log((self.scale + other.scale) ** 2 + (self.loc - other.loc) ** 2)
        return spread - ops.log(4 * self.scale * other.scale)


class _HalfNormal(_Distribution):
    """The distribution of the absolute value of a normally distributed number."""

    has_rsample = True
    _parameters = {"scale": 0}

    def __init__(self, scale, validate_args=None):
        (self.scale,) = _broadcast_all(scale)
        super().__init__(self.scale.shape)

    @property
    def support(self):
        return _GreaterThanEq(0.0)

    @property
    def _whole(self):
        return _Normal(0.0, self.scale)

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self):
        return ops.zeros_like(self.scale)

    @property
    def variance(self):
        return self.scale**2 * (1 - 2 / math.pi)

    def rsample(self, sample_shape=()):
        return ops.abs(self._whole.rsample(sample_shape))

    def log_prob(self, value):
        inside = self._whole.log_prob(value) + math.log(2)
        return ops.where(value >= 0, inside, ops.full_like(inside, -math.inf))

    def cdf(self, value):
        return 2 * self._whole.cdf(value) - 1

    def icdf(self, value):
        return self._whole.icdf((value + 1) / 2)

    def entropy(self):
        return self._whole.entropy() - math.log(2)

    def _kl_HalfNormal(self, other):
        return self._whole._kl_Normal(other._whole)


class _HalfCauchy(_HalfNormal):
    """The distribution of the absolute value of a Cauchy distributed number."""

    @property
    def _whole(self):
        return _Cauchy(0.0, self.scale)

    @property
    def mean(self):
        return ops.full_like(self.scale, math.inf)

    @property
    def variance(self):
        return ops.full_like(self.scale, math.inf)

    def _kl_HalfNormal(self, other):
        raise NotImplementedError


class _StudentT(_LocationScale):
    """Student's t distribution."""

    _parameters = {"df": 0, "loc": 0, "scale": 0}

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = _broadcast_all(df, loc, scale)
        _Distribution.__init__(self, self.df.shape)

    @property
    def mean(self):
        return ops.where(self.df > 1, self.loc, ops.full_like(self.loc, math.nan))

    @property
    def variance(self):
        wide = ops.where(self.df > 2, self.scale**2 * self.df / (self.df - 2), ops.full_like(self.df, math.inf))
        return ops.where(self.df > 1, wide, ops.full_like(self.df, math.nan))

    def _standard_sample(self, shape):
        chi2 = 2 * _gamma_sample(ops.broadcast_to(self.df / 2, shape))
        return _normal_sample(shape, self.loc.dtype) * ops.rsqrt(chi2 / self.df)

    def _standard_log_prob(self, x):
        norm = 0.5 * ops.log(self.df * math.pi) + ops.lgamma(self.df / 2) - ops.lgamma((self.df + 1) / 2)
        return -0.5 * (self.df + 1) * ops.log1p(x**2 / self.df) - norm

    def cdf(self, value):
        raise NotImplementedError

    def icdf(self, value):
        raise NotImplementedError

    def entropy(self):
        half = (self.df + 1) / 2
        return (
            ops.log(self.scale)
            + half * (ops.digamma(half) - ops.digamma(self.df / 2))
            + 0.5 * ops.log(self.df)
            + _betaln(0.5 * ops.ones_like(self.df), self.df / 2)
        )
