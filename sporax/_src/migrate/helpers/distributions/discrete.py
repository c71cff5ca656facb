"""Distributions over integers and over categories."""

import math

import numpy as np

import sporax as mindspore
from sporax import ops
from sporax._src.migrate.helpers.distributions.constraints import (
    _Boolean,
    _IntegerGreaterThan,
    _IntegerInterval,
    _Interval,
    _MultinomialConstraint,
    _OneHot,
)
from sporax._src.migrate.helpers.distributions.distribution import (
    _binary_cross_entropy,
    _broadcast_all,
    _clamp_probs,
    _Distribution,
    _logits_of,
    _open_uniform_sample,
    _uniform_sample,
    _xlogy,
)
from sporax._src.migrate.helpers.distributions.positive import _Gamma


class _WithLogits(_Distribution):
    """A distribution given by probabilities or by logits; the other of the two is computed."""

    _parameters = {"probs": 0, "logits": 0}

    def _set_binary(self, probs, logits):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            (self.probs,) = _broadcast_all(probs)
            self.logits = _logits_of(self.probs, True)
        else:
            (self.logits,) = _broadcast_all(logits)
            self.probs = ops.sigmoid(self.logits)

    @property
    def param_shape(self):
        return tuple(self.probs.shape)


class _Bernoulli(_WithLogits):
    """The Bernoulli distribution."""

    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._set_binary(probs, logits)
        super().__init__(self.probs.shape)

    @property
    def support(self):
        return _Boolean()

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        mode = (self.probs >= 0.5).astype(self.probs.dtype)
        return ops.where(self.probs == 0.5, ops.full_like(mode, math.nan), mode)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        drawn = _uniform_sample(self._extended_shape(sample_shape), self.probs.dtype)
        return ops.stop_gradient((drawn < self.probs).astype(self.probs.dtype))

    def log_prob(self, value):
        return -_binary_cross_entropy(self.logits, value)

    def entropy(self):
        return _binary_cross_entropy(self.logits, self.probs)

    def enumerate_support(self, expand=True):
        return self._enumerated(mindspore.Tensor([0.0, 1.0], self.probs.dtype), expand)

    def _kl_Bernoulli(self, other):
        p, q = self.probs, other.probs
        return _xlogy(p, p) - _xlogy(p, q) + _xlogy(1 - p, 1 - p) - _xlogy(1 - p, 1 - q)


class _ContinuousBernoulli(_WithLogits):
    """The continuous Bernoulli distribution on [0, 1]."""

    has_rsample = True

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        self._set_binary(probs, logits)
        if probs is not None:
            self.probs = _clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self.probs.shape)

    @property
    def support(self):
        return _Interval(0.0, 1.0)

    @property
    def _outside(self):
        return ops.logical_or(self.probs <= self._lims[0], self.probs > self._lims[1])

    @property
    def _cut(self):
        return ops.where(self._outside, self.probs, ops.full_like(self.probs, self._lims[0]))

    def _log_norm(self):
        cut = self._cut
        exact = ops.log(ops.abs(ops.log1p(-cut) - ops.log(cut))) - ops.log(ops.abs(1 - 2 * cut))
        x = (self.probs - 0.5) ** 2
        return ops.where(self._outside, exact, math.log(2.0) + (4 / 3 + 104 / 45 * x) * x)

    @property
    def mean(self):
        cut = self._cut
        exact = cut / (2 * cut - 1) + 1 / (ops.log1p(-cut) - ops.log(cut))
        x = self.probs - 0.5
        return ops.where(self._outside, exact, 0.5 + (1 / 3 + 16 / 45 * x**2) * x)

    @property
    def variance(self):
        cut = self._cut
        exact = cut * (cut - 1) / (1 - 2 * cut) ** 2 + 1 / (ops.log1p(-cut) - ops.log(cut)) ** 2
        x = (self.probs - 0.5) ** 2
        return ops.where(self._outside, exact, 1 / 12 - (1 / 15 - 128 / 945 * x) * x)

    def rsample(self, sample_shape=()):
        return self.icdf(_uniform_sample(self._extended_shape(sample_shape), self.probs.dtype))

    def log_prob(self, value):
        return -_binary_cross_entropy(self.logits, value) + self._log_norm()

    def cdf(self, value):
        cut = self._cut
        exact = (cut**value * (1 - cut) ** (1 - value) + cut - 1) / (2 * cut - 1)
        inside = ops.where(self._outside, exact, value * ops.ones_like(exact))
        return ops.where(value <= 0, ops.zeros_like(inside), ops.where(value >= 1, ops.ones_like(inside), inside))

    def icdf(self, value):
        cut = self._cut
        exact = (ops.log1p(-cut + value * (2 * cut - 1)) - ops.log1p(-cut)) / (ops.log(cut) - ops.log1p(-cut))
        return ops.where(self._outside, exact, value * ops.ones_like(exact))

    def entropy(self):
        low, high = ops.log1p(-self.probs), ops.log(self.probs)
        return self.mean * (low - high) - self._log_norm() - low

    def _kl_ContinuousBernoulli(self, other):
        ours = self.mean * self.logits + self._log_norm() + ops.log1p(-self.probs)
        return ours - (self.mean * other.logits + other._log_norm() + ops.log1p(-other.probs))


class _Geometric(_WithLogits):
    """The distribution of the number of failures before the first success."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._set_binary(probs, logits)
        super().__init__(self.probs.shape)

    @property
    def support(self):
        return _IntegerGreaterThan(0)

    @property
    def mean(self):
        return 1 / self.probs - 1

    @property
    def mode(self):
        return ops.zeros_like(self.probs)

    @property
    def variance(self):
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape=()):
        u = _open_uniform_sample(self._extended_shape(sample_shape), self.probs.dtype)
        return ops.stop_gradient(ops.floor(ops.log(u) / ops.log1p(-self.probs)))

    def log_prob(self, value):
        value, probs = _broadcast_all(value, self.probs)
        surely = ops.logical_and(probs == 1, value == 0)
        return value * ops.log1p(-ops.where(surely, ops.zeros_like(probs), probs)) + ops.log(self.probs)

    def entropy(self):
        return _binary_cross_entropy(self.logits, self.probs) / self.probs

    def _kl_Geometric(self, other):
        return -self.entropy() - ops.log1p(-other.probs) / self.probs - other.logits


class _Binomial(_WithLogits):
    """The binomial distribution."""

    has_enumerate_support = True
    _parameters = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        self._set_binary(probs, logits)
        self.total_count, self.probs = _broadcast_all(total_count, self.probs)
        self.total_count = self.total_count.astype(self.probs.dtype)
        self.logits = ops.broadcast_to(self.logits, tuple(self.probs.shape))
        super().__init__(self.probs.shape)

    @property
    def support(self):
        return _IntegerInterval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ops.clamp(ops.floor((self.total_count + 1) * self.probs), max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        probs = np.clip(self.probs.asnumpy().astype(np.float64), 0, 1)
        drawn = np.random.binomial(self.total_count.asnumpy().astype(np.int64), probs, shape)
        return mindspore.Tensor(drawn, self.probs.dtype)

    def log_prob(self, value):
        n, logits = self.total_count, self.logits
        norm = n * ops.clamp(logits, min=0) + n * ops.log1p(ops.exp(-ops.abs(logits))) - ops.lgamma(n + 1)
        return value * logits - ops.lgamma(value + 1) - ops.lgamma(n - value + 1) - norm

    def entropy(self):
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(ops.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        counts = self.total_count.asnumpy()
        if counts.min() != counts.max():
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        return self._enumerated(mindspore.Tensor(np.arange(1 + int(counts.max())), self.probs.dtype), expand)

    def _kl_Binomial(self, other):
        inside = self.total_count * (self.probs * (self.logits - other.logits) + ops.log1p(-self.probs))
        divergence = inside - self.total_count * ops.log1p(-other.probs)
        return ops.where(self.total_count > other.total_count, ops.full_like(divergence, math.inf), divergence)


class _NegativeBinomial(_WithLogits):
    """The distribution of the number of successes before `total_count` failures."""

    _parameters = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        self._set_binary(probs, logits)
        self.total_count, self.probs = _broadcast_all(total_count, self.probs)
        self.total_count = self.total_count.astype(self.probs.dtype)
        self.logits = ops.broadcast_to(self.logits, tuple(self.probs.shape))
        super().__init__(self.probs.shape)

    @property
    def support(self):
        return _IntegerGreaterThan(0)

    @property
    def mean(self):
        return self.total_count * ops.exp(self.logits)

    @property
    def mode(self):
        return ops.clamp(ops.floor((self.total_count - 1) * ops.exp(self.logits)), min=0)

    @property
    def variance(self):
        return self.mean / ops.sigmoid(-self.logits)

    def sample(self, sample_shape=()):
        rate = _Gamma(self.total_count, ops.exp(-self.logits)).sample(sample_shape)
        return _Poisson(rate).sample()

    def log_prob(self, value):
        n = self.total_count
        weights = -n * ops.softplus(self.logits) - value * ops.softplus(-self.logits)
        norm = ops.lgamma(1 + value) + ops.lgamma(n) - ops.lgamma(n + value)
        return weights - ops.where(n + value == 0, ops.zeros_like(norm), norm)


class _Poisson(_Distribution):
    """The Poisson distribution."""

    _parameters = {"rate": 0}

    def __init__(self, rate, validate_args=None):
        (self.rate,) = _broadcast_all(rate)
        super().__init__(self.rate.shape)

    @property
    def support(self):
        return _IntegerGreaterThan(0)

    @property
    def mean(self):
        return self.rate

    @property
    def mode(self):
        return ops.floor(self.rate)

    @property
    def variance(self):
        return self.rate

    def sample(self, sample_shape=()):
        drawn = np.random.poisson(self.rate.asnumpy(), self._extended_shape(sample_shape))
        return mindspore.Tensor(drawn, self.rate.dtype)

    def log_prob(self, value):
        return _xlogy(value, self.rate) - self.rate - ops.lgamma(value + 1)

    def _kl_Poisson(self, other):
        return self.rate * (ops.log(self.rate) - ops.log(other.rate)) - (self.rate - other.rate)


class _Categorical(_Distribution):
    """The distribution over the indices of the last axis of its probabilities."""

    has_enumerate_support = True
    _parameters = {"probs": 1, "logits": 1}

    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if (logits if probs is None else probs).ndim < 1:
            raise ValueError("the parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdims=True)
            self.logits = _logits_of(self.probs)
        else:
            self.logits = ops.log_softmax(logits, -1)
            self.probs = ops.softmax(self.logits, -1)
        super().__init__(self.probs.shape[:-1])

    @property
    def _num_events(self):
        return self.probs.shape[-1]

    @property
    def param_shape(self):
        return tuple(self.probs.shape)

    @property
    def support(self):
        return _IntegerInterval(0, self._num_events - 1)

    @property
    def mean(self):
        return self._full(math.nan)

    @property
    def mode(self):
        return ops.argmax(self.probs, -1)

    @property
    def variance(self):
        return self._full(math.nan)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape) + (self._num_events,)
        noise = -ops.log(-ops.log(_open_uniform_sample(shape, self.probs.dtype)))
        possible = ops.where(self.probs > 0, self.logits, ops.full_like(self.logits, -math.inf))
        return ops.argmax(possible + noise, -1).astype(mindspore.int64)

    def log_prob(self, value):
        value = value.astype(mindspore.int64)
        shape = np.broadcast_shapes(tuple(value.shape), self.batch_shape)
        logits = ops.broadcast_to(self.logits, (*shape, self._num_events))
        index = ops.broadcast_to(value, shape).reshape((*shape, 1))
        return ops.gather_elements(logits, -1, index)[..., 0]

    def entropy(self):
        lowest = float(np.finfo(mindspore.dtype_to_nptype(self.logits.dtype)).min)
        return -(ops.clamp(self.logits, min=lowest) * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        return self._enumerated(ops.arange(0, self._num_events), expand)

    def _kl_Categorical(self, other):
        t = self.probs * (self.logits - other.logits)
        t = ops.where(other.probs == 0, ops.full_like(t, math.inf), t)
        return ops.where(self.probs == 0, ops.zeros_like(t), t).sum(-1)


class _OneHotCategorical(_Distribution):
    """The distribution over the one-hot vectors of categories."""

    has_enumerate_support = True
    _parameters = {"probs": 1, "logits": 1}

    def __init__(self, probs=None, logits=None, validate_args=None):
        categorical = _Categorical(probs, logits)
        self.probs, self.logits = categorical.probs, categorical.logits
        super().__init__(categorical.batch_shape, self.probs.shape[-1:])

    @property
    def _categorical(self):
        return _Categorical(logits=self.logits) if self.probs is None else _Categorical(probs=self.probs)

    @property
    def param_shape(self):
        return tuple(self.probs.shape)

    @property
    def support(self):
        return _OneHot()

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        return self._one_hot(ops.argmax(self.probs, -1))

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def _one_hot(self, index):
        classes = ops.arange(0, self.probs.shape[-1])
        return (index.astype(mindspore.int64).expand_dims(-1) == classes).astype(self.probs.dtype)

    def sample(self, sample_shape=()):
        return self._one_hot(self._categorical.sample(sample_shape))

    def log_prob(self, value):
        return self._categorical.log_prob(ops.argmax(value, -1))

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = ops.eye(n, n, self.probs.dtype).reshape((n,) + (1,) * len(self.batch_shape) + (n,))
        return ops.broadcast_to(values, (n, *self.batch_shape, n)) if expand else values

    def _kl_OneHotCategorical(self, other):
        return self._categorical._kl_Categorical(other._categorical)


class _OneHotCategoricalStraightThrough(_OneHotCategorical):
    """One-hot vectors whose gradient is that of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape=()):
        return self.sample(sample_shape) + (self.probs - ops.stop_gradient(self.probs))


class _Multinomial(_Distribution):
    """The multinomial distribution."""

    _parameters = {"probs": 1, "logits": 1}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        categorical = _Categorical(probs, logits)
        self.total_count = total_count
        self.probs, self.logits = categorical.probs, categorical.logits
        super().__init__(categorical.batch_shape, self.probs.shape[-1:])

    @property
    def param_shape(self):
        return tuple(self.probs.shape)

    @property
    def support(self):
        return _MultinomialConstraint(self.total_count)

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        return _OneHotCategorical(probs=self.probs).sample((self.total_count, *sample_shape)).sum(0)

    def log_prob(self, value):
        logits = ops.where(ops.logical_and(value == 0, self.probs == 0), ops.zeros_like(self.logits), self.logits)
        return ops.lgamma(value.sum(-1) + 1) - ops.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)

    def entropy(self):
        n = mindspore.Tensor(float(self.total_count), self.probs.dtype)
        counts = mindspore.Tensor(np.arange(1, 1 + self.total_count), self.probs.dtype)
        counts = counts.reshape((-1,) + (1,) * self.probs.ndim)
        weights = ops.exp(_Binomial(self.total_count, probs=self.probs).log_prob(counts))
        spread = (weights * ops.lgamma(counts + 1)).sum((0, -1))
        return self.total_count * _Categorical(probs=self.probs).entropy() - ops.lgamma(n + 1) + spread
