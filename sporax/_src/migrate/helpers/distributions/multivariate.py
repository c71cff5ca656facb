"""Distributions over vectors and matrices, mixtures and relaxed categories."""

import math

import numpy as np

import sporax as mindspore
from sporax import ops
from sporax._src.migrate.helpers.distributions.constraints import (
    _CorrCholesky,
    _IndependentConstraint,
    _Interval,
    _PositiveDefinite,
    _Real,
    _Simplex,
)
from sporax._src.migrate.helpers.distributions.discrete import _Categorical, _WithLogits
from sporax._src.migrate.helpers.distributions.distribution import (
    _broadcast_all,
    _clamp_probs,
    _Distribution,
    _gamma_sample,
    _normal_sample,
    _uniform_sample,
    _xlogy,
)
from sporax._src.migrate.helpers.distributions.location_scale import _Normal
from sporax._src.migrate.helpers.distributions.positive import _Beta
from sporax._src.migrate.helpers.distributions.vector_transforms import _StickBreakingTransform


class _Dirichlet(_Distribution):
    """The Dirichlet distribution."""

    has_rsample = True
    _parameters = {"concentration": 1}

    def __init__(self, concentration, validate_args=None):
        if concentration.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])

    @property
    def support(self):
        return _Simplex()

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, keepdims=True)

    @property
    def mode(self):
        excess = ops.clamp(self.concentration - 1, min=0.0)
        mode = excess / excess.sum(-1, keepdims=True)
        flat = (self.concentration < 1).all(-1, keep_dims=True)
        largest = self.concentration == self.concentration.max(-1, keepdims=True)
        first = (ops.cumsum(largest.astype(mode.dtype), -1) == 1).astype(mode.dtype) * largest.astype(mode.dtype)
        return ops.where(flat, first, mode)

    @property
    def variance(self):
        total = self.concentration.sum(-1, keepdims=True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def rsample(self, sample_shape=()):
        drawn = _gamma_sample(ops.broadcast_to(self.concentration, self._extended_shape(sample_shape)))
        return drawn / drawn.sum(-1, keepdims=True)

    def log_prob(self, value):
        a = self.concentration
        return _xlogy(a - 1, value).sum(-1) + ops.lgamma(a.sum(-1)) - ops.lgamma(a).sum(-1)

    def entropy(self):
        a = self.concentration
        k, total = a.shape[-1], a.sum(-1)
        norm = ops.lgamma(a).sum(-1) - ops.lgamma(total)
        return norm - (k - total) * ops.digamma(total) - ((a - 1) * ops.digamma(a)).sum(-1)

    def _kl_Dirichlet(self, other):
        a, b = self.concentration, other.concentration
        ours, theirs = a.sum(-1), b.sum(-1)
        spread = ((a - b) * (ops.digamma(a) - ops.digamma(ours).expand_dims(-1))).sum(-1)
        return ops.lgamma(ours) - ops.lgamma(theirs) - (ops.lgamma(a) - ops.lgamma(b)).sum(-1) + spread


def _solved(matrix, vector):
    """Return the solutions of systems of linear equations; the batch axes are broadcast."""
    shape = np.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(vector.shape[:-1]))
    matrix = ops.broadcast_to(matrix, shape + tuple(matrix.shape[-2:]))
    vector = ops.broadcast_to(vector, shape + tuple(vector.shape[-1:]))
    return ops.matrix_solve(matrix, vector.expand_dims(-1))[..., 0]


class _MultivariateNormal(_Distribution):
    """The normal distribution over vectors."""

    has_rsample = True
    _parameters = {"loc": 1, "scale_tril": 2}

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        matrices = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
        if len(matrices) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        batch = np.broadcast_shapes(tuple(matrices[0].shape[:-2]), tuple(loc.shape[:-1]))
        if scale_tril is None:
            covariance_matrix = covariance_matrix if precision_matrix is None else ops.inverse(precision_matrix)
            scale_tril = ops.cholesky(covariance_matrix)
        self.loc = ops.broadcast_to(loc, batch + tuple(loc.shape[-1:]))
        self.scale_tril = ops.broadcast_to(scale_tril, batch + tuple(scale_tril.shape[-2:]))
        super().__init__(batch, loc.shape[-1:])

    @property
    def support(self):
        return _IndependentConstraint(_Real(), 1)

    @property
    def covariance_matrix(self):
        return ops.matmul(self.scale_tril, ops.swapaxes(self.scale_tril, -1, -2))

    @property
    def precision_matrix(self):
        return ops.inverse(self.covariance_matrix)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return (self.scale_tril**2).sum(-1)

    @property
    def _half_log_det(self):
        return ops.log(ops.diagonal(self.scale_tril, 0, -2, -1)).sum(-1)

    def rsample(self, sample_shape=()):
        noise = _normal_sample(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + ops.matmul(self.scale_tril, noise.expand_dims(-1))[..., 0]

    def log_prob(self, value):
        distance = (_solved(self.scale_tril, value - self.loc) ** 2).sum(-1)
        return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det

    def entropy(self):
        return 0.5 * self.event_shape[0] * (1 + math.log(2 * math.pi)) + self._half_log_det

    def _kl_MultivariateNormal(self, other):
        shift = (_solved(other.scale_tril, other.loc - self.loc) ** 2).sum(-1)
        trace = (ops.inverse(other.covariance_matrix) * self.covariance_matrix).sum((-2, -1))
        return other._half_log_det - self._half_log_det + 0.5 * (trace + shift - self.event_shape[0])


class _LowRankMultivariateNormal(_MultivariateNormal):
    """The normal distribution over vectors whose covariance is the sum of a matrix of low rank and a diagonal."""

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        self.cov_factor, self.cov_diag = cov_factor, cov_diag
        covariance = ops.matmul(cov_factor, ops.swapaxes(cov_factor, -1, -2))
        diagonal = ops.eye(cov_diag.shape[-1], cov_diag.shape[-1], cov_diag.dtype) * cov_diag.expand_dims(-1)
        super().__init__(loc, covariance_matrix=covariance + diagonal)


class _Wishart(_Distribution):
    """The Wishart distribution over positive definite matrices."""

    has_rsample = True
    _parameters = {"df": 0, "scale_tril": 2}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        matrices = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
        if len(matrices) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if scale_tril is None:
            covariance_matrix = covariance_matrix if precision_matrix is None else ops.inverse(precision_matrix)
            scale_tril = ops.cholesky(covariance_matrix)
        df = df if isinstance(df, mindspore.Tensor) else mindspore.Tensor(df, scale_tril.dtype)
        batch = np.broadcast_shapes(tuple(df.shape), tuple(scale_tril.shape[:-2]))
        self.df = ops.broadcast_to(df, batch)
        self.scale_tril = ops.broadcast_to(scale_tril, batch + tuple(scale_tril.shape[-2:]))
        super().__init__(batch, scale_tril.shape[-2:])

    @property
    def support(self):
        return _PositiveDefinite()

    @property
    def covariance_matrix(self):
        return ops.matmul(self.scale_tril, ops.swapaxes(self.scale_tril, -1, -2))

    @property
    def precision_matrix(self):
        return ops.inverse(self.covariance_matrix)

    @property
    def mean(self):
        return self.df.reshape((*self.batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self.event_shape[0] - 1
        factor = ops.where(factor <= 0, ops.full_like(factor, math.nan), factor)
        return factor.reshape((*self.batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        v = self.covariance_matrix
        diagonal = ops.diagonal(v, 0, -2, -1)
        outer = diagonal.expand_dims(-1) * diagonal.expand_dims(-2)
        return self.df.reshape((*self.batch_shape, 1, 1)) * (v**2 + outer)

    def _degrees(self):
        steps = mindspore.Tensor(np.arange(self.event_shape[0]), self.df.dtype)
        return self.df.expand_dims(-1) - steps

    @property
    def _half_log_det(self):
        return ops.log(ops.diagonal(self.scale_tril, 0, -2, -1)).sum(-1)

    def rsample(self, sample_shape=()):
        shape, p = self._extended_shape(sample_shape), self.event_shape[0]
        diagonal = ops.sqrt(2 * _gamma_sample(ops.broadcast_to(self._degrees() / 2, shape[:-1])))
        noise = ops.tril(_normal_sample(shape, self.df.dtype), -1)
        factor = noise + ops.eye(p, p, self.df.dtype) * diagonal.expand_dims(-1)
        factor = ops.matmul(self.scale_tril, factor)
        return ops.matmul(factor, ops.swapaxes(factor, -1, -2))

    def log_prob(self, value):
        p, n = self.event_shape[0], self.df
        log_det = 2 * ops.log(ops.diagonal(ops.cholesky(value), 0, -2, -1)).sum(-1)
        trace = (self.precision_matrix * value).sum((-2, -1))
        norm = n * (p * math.log(2) / 2 + self._half_log_det) + _mvlgamma(n / 2, p)
        return (n - p - 1) / 2 * log_det - trace / 2 - norm

    def entropy(self):
        p, n = self.event_shape[0], self.df
        digammas = ops.digamma(self._degrees() / 2).sum(-1)
        return (
            (p + 1) * (self._half_log_det + p * math.log(2) / 2)
            + _mvlgamma(n / 2, p)
            - (n - p - 1) / 2 * digammas
            + n * p / 2
        )


def _mvlgamma(x, p):
    """Return the logarithm of the multivariate gamma function."""
    halves = mindspore.Tensor(np.arange(p) / 2, x.dtype)
    return p * (p - 1) / 4 * math.log(math.pi) + ops.lgamma(x.expand_dims(-1) - halves).sum(-1)


class _LKJCholesky(_Distribution):
    """The LKJ distribution over Cholesky factors of correlation matrices."""

    _parameters = {"concentration": 0}

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = _broadcast_all(concentration)
        super().__init__(self.concentration.shape, (dim, dim))

    @property
    def support(self):
        return _CorrCholesky()

    def sample(self, sample_shape=()):
        shape, dtype = self._extended_shape(sample_shape), self.concentration.dtype
        rows = mindspore.Tensor(np.arange(self.dim), dtype)
        first = ops.where(rows == 0, ops.ones_like(rows), rows / 2)
        second = self.concentration.expand_dims(-1) + (self.dim - 2 - ops.clamp(rows - 1, min=0)) / 2
        y = _Beta(first, second).sample(tuple(sample_shape)).expand_dims(-1)
        u = ops.tril(_normal_sample(shape, dtype), -1)
        norm = ops.sqrt((u**2).sum(-1, keepdims=True))
        u = u / ops.where(norm == 0, ops.ones_like(norm), norm)
        top = (rows == 0).astype(dtype).expand_dims(-1)
        w = ops.sqrt(y) * u * (1 - top)
        tiny = float(np.finfo(mindspore.dtype_to_nptype(dtype)).tiny)
        diagonal = ops.sqrt(ops.clamp(1 - (w**2).sum(-1), min=tiny))
        return w + ops.eye(self.dim, self.dim, dtype) * diagonal.expand_dims(-1)

    def log_prob(self, value):
        diagonal = ops.diagonal(value, 0, -2, -1)[..., 1:]
        order = mindspore.Tensor(np.arange(2, self.dim + 1), self.concentration.dtype)
        order = 2 * (self.concentration - 1).expand_dims(-1) + self.dim - order
        unnormalized = (order * ops.log(diagonal)).sum(-1)
        m = self.dim - 1
        alpha = self.concentration + 0.5 * m
        norm = 0.5 * m * math.log(math.pi) + _mvlgamma(alpha - 0.5, m) - ops.lgamma(alpha) * m
        return unnormalized - norm


class _MixtureSameFamily(_Distribution):
    """A mixture of the distributions along the last axis of a batch."""

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self.mixture_distribution = mixture_distribution
        self.component_distribution = component_distribution
        super().__init__(component_distribution.batch_shape[:-1], component_distribution.event_shape)

    def expand(self, batch_shape, _instance=None):
        batch_shape = tuple(batch_shape)
        count = self.component_distribution.batch_shape[-1:]
        components = self.component_distribution.expand(batch_shape + count)
        return type(self)(self.mixture_distribution.expand(batch_shape), components)

    @property
    def support(self):
        return self.component_distribution.support

    def _weights(self):
        probs = self.mixture_distribution.probs
        return probs.reshape(tuple(probs.shape) + (1,) * len(self.event_shape))

    @property
    def mean(self):
        return (self._weights() * self.component_distribution.mean).sum(-1 - len(self.event_shape))

    @property
    def variance(self):
        axis = -1 - len(self.event_shape)
        within = (self._weights() * self.component_distribution.variance).sum(axis)
        spread = (self.component_distribution.mean - self.mean.expand_dims(axis)) ** 2
        return within + (self._weights() * spread).sum(axis)

    def log_prob(self, value):
        value = value.expand_dims(-1 - len(self.event_shape))
        weights = ops.log_softmax(self.mixture_distribution.logits, -1)
        return ops.logsumexp(self.component_distribution.log_prob(value) + weights, -1)

    def cdf(self, value):
        value = value.expand_dims(-1 - len(self.event_shape))
        return (self.component_distribution.cdf(value) * self.mixture_distribution.probs).sum(-1)

    def sample(self, sample_shape=()):
        chosen = self.mixture_distribution.sample(sample_shape)
        drawn = self.component_distribution.sample(sample_shape)
        axis = drawn.ndim - 1 - len(self.event_shape)
        index = chosen.reshape(tuple(chosen.shape) + (1,) * (1 + len(self.event_shape)))
        shape = tuple(drawn.shape[:axis]) + (1, *self.event_shape)
        return ops.stop_gradient(ops.gather_elements(drawn, axis, ops.broadcast_to(index, shape)).squeeze(axis))


class _RelaxedBernoulli(_WithLogits):
    """The Bernoulli distribution relaxed to (0, 1) by a temperature."""

    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._set_binary(probs, logits)
        super().__init__(self.probs.shape)

    @property
    def support(self):
        return _Interval(0.0, 1.0)

    def rsample(self, sample_shape=()):
        u = _clamp_probs(_uniform_sample(self._extended_shape(sample_shape), self.probs.dtype))
        probs = _clamp_probs(self.probs)
        noise = ops.log(u) - ops.log1p(-u) + ops.log(probs) - ops.log1p(-probs)
        return _clamp_probs(ops.sigmoid(noise / self.temperature))

    def log_prob(self, value):
        y = ops.log(value) - ops.log1p(-value)
        difference = self.logits - y * self.temperature
        density = ops.log(self.temperature) + difference - 2 * ops.log1p(ops.exp(difference))
        return density - ops.log(value) - ops.log1p(-value)


class _RelaxedOneHotCategorical(_Distribution):
    """The one-hot categorical distribution relaxed to the simplex by a temperature."""

    has_rsample = True
    _parameters = {"probs": 1, "logits": 1}

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        categorical = _Categorical(probs, logits)
        self.temperature = temperature
        self.probs, self.logits = categorical.probs, categorical.logits
        super().__init__(categorical.batch_shape, self.probs.shape[-1:])

    @property
    def support(self):
        return _Simplex()

    def rsample(self, sample_shape=()):
        u = _clamp_probs(_uniform_sample(self._extended_shape(sample_shape), self.probs.dtype))
        scores = (self.logits - ops.log(-ops.log(u))) / self.temperature
        return ops.softmax(scores, -1)

    def log_prob(self, value):
        k = self.event_shape[0]
        log_scale = math.lgamma(k) + (k - 1) * ops.log(self.temperature)
        score = self.logits - ops.log(value) * self.temperature
        score = (score - ops.logsumexp(score, -1, True)).sum(-1)
        return score + log_scale - ops.log(value).sum(-1)


class _LogisticNormal(_Distribution):
    """The distribution on the simplex of a normally distributed vector through stick breaking."""

    has_rsample = True
    _parameters = {"loc": 1, "scale": 1}

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _broadcast_all(loc, scale)
        super().__init__(self.loc.shape[:-1], (self.loc.shape[-1] + 1,))

    @property
    def support(self):
        return _Simplex()

    def rsample(self, sample_shape=()):
        shape = tuple(sample_shape) + tuple(self.loc.shape)
        return _StickBreakingTransform()(self.loc + self.scale * _normal_sample(shape, self.loc.dtype))

    def log_prob(self, value):
        transform = _StickBreakingTransform()
        x = transform.inv(value)
        density = _Normal(self.loc, self.scale).log_prob(x).sum(-1)
        return density - transform.log_abs_det_jacobian(x, value)
