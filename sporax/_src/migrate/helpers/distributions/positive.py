"""Distributions over positive numbers and over intervals."""

import math

import numpy as np

import sporax as mindspore
from sporax import ops
from sporax._src.migrate.helpers.distributions.constraints import _GreaterThan, _GreaterThanEq, _Interval, _Real
from sporax._src.migrate.helpers.distributions.distribution import (
    _betaln,
    _broadcast_all,
    _Distribution,
    _gamma_sample,
    _open_uniform_sample,
    _uniform_sample,
    _xlogy,
)


class _Uniform(_Distribution):
    """The uniform distribution."""

    has_rsample = True
    _parameters = {"low": 0, "high": 0}

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = _broadcast_all(low, high)
        super().__init__(self.low.shape)

    @property
    def support(self):
        return _Interval(self.low, self.high)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def mode(self):
        return self.high * math.nan

    @property
    def stddev(self):
        return (self.high - self.low) / math.sqrt(12)

    @property
    def variance(self):
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape=()):
        return self.low + (self.high - self.low) * _uniform_sample(self._extended_shape(sample_shape), self.low.dtype)

    def log_prob(self, value):
        inside = ops.logical_and(self.low <= value, self.high > value).astype(self.low.dtype)
        return ops.log(inside) - ops.log(self.high - self.low)

    def cdf(self, value):
        return ops.clamp((value - self.low) / (self.high - self.low), 0, 1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return ops.log(self.high - self.low)

    def _kl_Uniform(self, other):
        inside = ops.logical_and(other.low <= self.low, self.high <= other.high)
        ratio = ops.log((other.high - other.low) / (self.high - self.low))
        return ops.where(inside, ratio, ops.full_like(ratio, math.inf))


class _Exponential(_Distribution):
    """The exponential distribution."""

    has_rsample = True
    _parameters = {"rate": 0}

    def __init__(self, rate, validate_args=None):
        (self.rate,) = _broadcast_all(rate)
        super().__init__(self.rate.shape)

    @property
    def support(self):
        return _GreaterThanEq(0.0)

    @property
    def mean(self):
        return 1 / self.rate

    @property
    def mode(self):
        return ops.zeros_like(self.rate)

    @property
    def stddev(self):
        return 1 / self.rate

    @property
    def variance(self):
        return 1 / self.rate**2

    def rsample(self, sample_shape=()):
        return -ops.log1p(-_uniform_sample(self._extended_shape(sample_shape), self.rate.dtype)) / self.rate

    def log_prob(self, value):
        return ops.log(self.rate) - self.rate * value

    def cdf(self, value):
        return 1 - ops.exp(-self.rate * value)

    def icdf(self, value):
        return -ops.log1p(-value) / self.rate

    def entropy(self):
        return 1 - ops.log(self.rate)

    def _kl_Exponential(self, other):
        ratio = other.rate / self.rate
        return ratio - 1 - ops.log(ratio)

    def _kl_Gamma(self, other):
        ratio = other.rate / self.rate
        return (
            -other.concentration * ops.log(ratio)
            + ratio
            + ops.lgamma(other.concentration)
            + other.concentration * np.euler_gamma
            - (1 + np.euler_gamma)
        )


class _Gamma(_Distribution):
    """The gamma distribution."""

    has_rsample = True
    _parameters = {"concentration": 0, "rate": 0}

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = _broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape)

    @property
    def support(self):
        return _GreaterThanEq(0.0)

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def mode(self):
        return ops.clamp((self.concentration - 1) / self.rate, min=0)

    @property
    def variance(self):
        return self.concentration / self.rate**2

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return _gamma_sample(ops.broadcast_to(self.concentration, shape)) / self.rate

    def log_prob(self, value):
        a, b = self.concentration, self.rate
        return _xlogy(a, b) + _xlogy(a - 1, value) - b * value - ops.lgamma(a)

    def cdf(self, value):
        return ops.igamma(self.concentration, self.rate * value)

    def entropy(self):
        a = self.concentration
        return a - ops.log(self.rate) + ops.lgamma(a) + (1 - a) * ops.digamma(a)

    def _kl_Gamma(self, other):
        a, b, c, d = self.concentration, self.rate, other.concentration, other.rate
        return c * ops.log(b / d) + ops.lgamma(c) - ops.lgamma(a) + (a - c) * ops.digamma(a) + (d - b) * (a / b)

    def _kl_Exponential(self, other):
        ratio = other.rate / self.rate
        return -self.entropy() - ops.log(other.rate) + ratio * self.concentration


class _Chi2(_Gamma):
    """The chi-squared distribution."""

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5)

    @property
    def df(self):
        return self.concentration * 2


class _InverseGamma(_Distribution):
    """The distribution of the reciprocal of a gamma distributed number."""

    has_rsample = True
    _parameters = {"concentration": 0, "rate": 0}

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = _broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape)

    @property
    def support(self):
        return _GreaterThan(0.0)

    @property
    def mean(self):
        finite = self.rate / (self.concentration - 1)
        return ops.where(self.concentration > 1, finite, ops.full_like(finite, math.inf))

    @property
    def mode(self):
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        a = self.concentration
        finite = self.rate**2 / ((a - 1) ** 2 * (a - 2))
        return ops.where(a > 2, finite, ops.full_like(finite, math.inf))

    def rsample(self, sample_shape=()):
        return 1 / _Gamma(self.concentration, self.rate).rsample(sample_shape)

    def log_prob(self, value):
        return _Gamma(self.concentration, self.rate).log_prob(1 / value) - 2 * ops.log(value)

    def cdf(self, value):
        return 1 - ops.igamma(self.concentration, self.rate / value)

    def entropy(self):
        a = self.concentration
        return a + ops.log(self.rate) + ops.lgamma(a) - (1 + a) * ops.digamma(a)

    def _kl_InverseGamma(self, other):
        ours, theirs = _Gamma(self.concentration, self.rate), _Gamma(other.concentration, other.rate)
        return ours._kl_Gamma(theirs)


class _Beta(_Distribution):
    """The beta distribution."""

    has_rsample = True
    _parameters = {"concentration1": 0, "concentration0": 0}

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = _broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.shape)

    @property
    def support(self):
        return _Interval(0.0, 1.0)

    @property
    def _total(self):
        return self.concentration1 + self.concentration0

    @property
    def mean(self):
        return self.concentration1 / self._total

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        inner = (a - 1) / (a + b - 2)
        edge = ops.where(a < b, ops.zeros_like(a), ops.ones_like(a))
        edge = ops.where(ops.logical_and(a < 1, ops.logical_and(b < 1, a == b)), ops.full_like(a, math.nan), edge)
        return ops.where(ops.logical_and(a > 1, b > 1), inner, edge)

    @property
    def variance(self):
        return self.concentration1 * self.concentration0 / (self._total**2 * (self._total + 1))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        a = _gamma_sample(ops.broadcast_to(self.concentration1, shape))
        return a / (a + _gamma_sample(ops.broadcast_to(self.concentration0, shape)))

    def log_prob(self, value):
        a, b = self.concentration1, self.concentration0
        return _xlogy(a - 1, value) + _xlogy(b - 1, 1 - value) - _betaln(a, b)

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        spread = (a - 1) * ops.digamma(a) + (b - 1) * ops.digamma(b)
        return _betaln(a, b) - spread + (a + b - 2) * ops.digamma(a + b)

    def _kl_Beta(self, other):
        a, b, c, d = self.concentration1, self.concentration0, other.concentration1, other.concentration0
        spread = (a - c) * ops.digamma(a) + (b - d) * ops.digamma(b)
        return _betaln(c, d) - _betaln(a, b) + spread + (c - a + d - b) * ops.digamma(a + b)


class _Kumaraswamy(_Distribution):
    """The Kumaraswamy distribution."""

    has_rsample = True
    _parameters = {"concentration1": 0, "concentration0": 0}

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = _broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.shape)

    @property
    def support(self):
        return _Interval(0.0, 1.0)

    def _moment(self, n):
        a, b = self.concentration1, self.concentration0
        return ops.exp(ops.log(b) + _betaln(1 + n / a, b))

    @property
    def mean(self):
        return self._moment(1)

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        log_mode = ops.log1p(-b) / b - ops.log1p(-a * b)
        return ops.exp(ops.where(ops.logical_or(a < 1, b < 1), ops.full_like(log_mode, math.nan), log_mode))

    @property
    def variance(self):
        return self._moment(2) - self.mean**2

    def rsample(self, sample_shape=()):
        u = _open_uniform_sample(self._extended_shape(sample_shape), self.concentration1.dtype)
        return self.icdf(u)

    def log_prob(self, value):
        a, b = self.concentration1, self.concentration0
        return ops.log(a * b) + (a - 1) * ops.log(value) + (b - 1) * ops.log1p(-(value**a))

    def cdf(self, value):
        return 1 - (1 - value**self.concentration1) ** self.concentration0

    def icdf(self, value):
        return (1 - (1 - value) ** (1 / self.concentration0)) ** (1 / self.concentration1)

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = ops.digamma(b + 1) + np.euler_gamma
        return 1 - 1 / b + (1 - 1 / a) * harmonic - ops.log(a) - ops.log(b)


class _Pareto(_Distribution):
    """The Pareto distribution of the first kind."""

    has_rsample = True
    _parameters = {"scale": 0, "alpha": 0}

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = _broadcast_all(scale, alpha)
        super().__init__(self.scale.shape)

    @property
    def support(self):
        return _GreaterThanEq(self.scale)

    @property
    def mean(self):
        a = ops.clamp(self.alpha, min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self):
        return self.scale

    @property
    def variance(self):
        a = ops.clamp(self.alpha, min=2)
        return self.scale**2 * a / ((a - 1) ** 2 * (a - 2))

    def rsample(self, sample_shape=()):
        return self.icdf(_open_uniform_sample(self._extended_shape(sample_shape), self.scale.dtype))

    def log_prob(self, value):
        return ops.log(self.alpha) + self.alpha * ops.log(self.scale) - (self.alpha + 1) * ops.log(value)

    def cdf(self, value):
        return 1 - (self.scale / value) ** self.alpha

    def icdf(self, value):
        return self.scale * (1 - value) ** (-1 / self.alpha)

    def entropy(self):
        return ops.log(self.scale / self.alpha) + (1 + 1 / self.alpha)

    def _kl_Pareto(self, other):
        ratio = other.alpha / self.alpha
        divergence = other.alpha * ops.log(self.scale / other.scale) - ops.log(ratio) + ratio - 1
        return ops.where(self.scale < other.scale, ops.full_like(divergence, math.inf), divergence)


class _GeneralizedPareto(_Distribution):
    """The generalized Pareto distribution."""

    has_rsample = True
    _parameters = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = _broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape)

    @property
    def support(self):
        return _GreaterThanEq(self.loc)

    @property
    def _shape(self):
        flat = ops.isclose(self.concentration, ops.zeros_like(self.concentration))
        return flat, ops.where(flat, ops.ones_like(self.concentration), self.concentration)

    @property
    def mean(self):
        finite = self.loc + self.scale / (1 - self.concentration)
        return ops.where(self.concentration < 1, finite, ops.full_like(finite, math.nan))

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        finite = self.scale**2 / ((1 - self.concentration) ** 2 * (1 - 2 * self.concentration))
        return ops.where(self.concentration < 0.5, finite, ops.full_like(finite, math.nan))

    def rsample(self, sample_shape=()):
        return self.icdf(_uniform_sample(self._extended_shape(sample_shape), self.loc.dtype))

    def _log_survival(self, value):
        flat, k = self._shape
        x = (value - self.loc) / self.scale
        return ops.where(flat, -x, -ops.log1p(k * x) / k), flat, k

    def log_prob(self, value):
        survival, flat, k = self._log_survival(value)
        density = ops.where(flat, survival, survival * (1 + k)) - ops.log(self.scale)
        return ops.where(value >= self.loc, density, ops.full_like(density, -math.inf))

    def log_survival_function(self, value):
        return self._log_survival(value)[0]

    def cdf(self, value):
        return 1 - ops.exp(self._log_survival(value)[0])

    def log_cdf(self, value):
        return ops.log1p(-ops.exp(self._log_survival(value)[0]))

    def icdf(self, value):
        flat, k = self._shape
        rest = ops.log1p(-value)
        return self.loc + self.scale * ops.where(flat, -rest, ops.expm1(-k * rest) / k)

    def entropy(self):
        return ops.log(self.scale) + self.concentration + 1


class _Weibull(_Distribution):
    """The Weibull distribution."""

    has_rsample = True
    _parameters = {"scale": 0, "concentration": 0}

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = _broadcast_all(scale, concentration)
        super().__init__(self.scale.shape)

    @property
    def support(self):
        return _GreaterThan(0.0)

    @property
    def mean(self):
        return self.scale * ops.exp(ops.lgamma(1 + 1 / self.concentration))

    @property
    def mode(self):
        k = self.concentration
        return self.scale * ((k - 1) / k) ** (1 / k)

    @property
    def variance(self):
        first, second = ops.lgamma(1 + 1 / self.concentration), ops.lgamma(1 + 2 / self.concentration)
        return self.scale**2 * (ops.exp(second) - ops.exp(2 * first))

    def rsample(self, sample_shape=()):
        return self.icdf(_open_uniform_sample(self._extended_shape(sample_shape), self.scale.dtype))

    def log_prob(self, value):
        k, x = self.concentration, value / self.scale
        return ops.log(k / self.scale) + (k - 1) * ops.log(x) - x**k

    def cdf(self, value):
        return 1 - ops.exp(-((value / self.scale) ** self.concentration))

    def icdf(self, value):
        return self.scale * (-ops.log1p(-value)) ** (1 / self.concentration)

    def entropy(self):
        k = self.concentration
        return np.euler_gamma * (1 - 1 / k) + ops.log(self.scale / k) + 1

    def _kl_Weibull(self, other):
        raise NotImplementedError


class _FisherSnedecor(_Distribution):
    """The F distribution."""

    has_rsample = True
    _parameters = {"df1": 0, "df2": 0}

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = _broadcast_all(df1, df2)
        super().__init__(self.df1.shape)

    @property
    def support(self):
        return _GreaterThan(0.0)

    @property
    def mean(self):
        return ops.where(self.df2 > 2, self.df2 / (self.df2 - 2), ops.full_like(self.df2, math.nan))

    @property
    def mode(self):
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return ops.where(self.df1 <= 2, ops.full_like(mode, math.nan), mode)

    @property
    def variance(self):
        a, b = self.df1, self.df2
        finite = 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4))
        return ops.where(b > 4, finite, ops.full_like(finite, math.nan))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        above = _gamma_sample(ops.broadcast_to(self.df1 / 2, shape)) / self.df1
        return above / (_gamma_sample(ops.broadcast_to(self.df2 / 2, shape)) / self.df2)

    def log_prob(self, value):
        a, b = self.df1 / 2, self.df2 / 2
        ratio = self.df1 / self.df2
        return -_betaln(a, b) + a * ops.log(ratio) + (a - 1) * ops.log(value) - (a + b) * ops.log1p(ratio * value)


class _VonMises(_Distribution):
    """The von Mises distribution on the circle."""

    _parameters = {"loc": 0, "concentration": 0}

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = _broadcast_all(loc, concentration)
        super().__init__(self.loc.shape)

    @property
    def support(self):
        return _Real()

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return 1 - ops.bessel_i1(self.concentration) / ops.bessel_i0(self.concentration)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        drawn = np.random.vonmises(self.loc.asnumpy(), self.concentration.asnumpy(), shape)
        return mindspore.Tensor(drawn, self.loc.dtype)

    def log_prob(self, value):
        scale = self.concentration + ops.log(ops.bessel_i0e(self.concentration)) + math.log(2 * math.pi)
        return self.concentration * ops.cos(value - self.loc) - scale
