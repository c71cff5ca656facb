"""The base of the classes of `torch.distributions`."""

import numpy as np

import sporax as mindspore
from sporax import ops
from sporax._src.migrate.helpers.distributions.constraints import _IndependentConstraint


def _broadcast_all(*values):
    """Return numbers and Tensors as Tensors broadcast to one shape."""
    dtype = next((v.dtype for v in values if isinstance(v, mindspore.Tensor)), mindspore.float32)
    tensors = [v if isinstance(v, mindspore.Tensor) else mindspore.Tensor(v, dtype) for v in values]
    shape = np.broadcast_shapes(*[tuple(t.shape) for t in tensors])
    return [ops.broadcast_to(t, shape) for t in tensors]


def _sum_rightmost(value, dims):
    """Sum the last `dims` axes."""
    return value if dims == 0 else value.reshape(*value.shape[: value.ndim - dims], -1).sum(-1)


def _uniform_sample(shape, dtype):
    """Draw numbers from [0, 1)."""
    return ops.rand(*shape, 1).astype(dtype)[..., 0]


def _open_uniform_sample(shape, dtype):
    """Draw numbers from (0, 1)."""
    info = np.finfo(mindspore.dtype_to_nptype(dtype))
    return ops.clamp(_uniform_sample(shape, dtype), float(info.tiny), float(1 - info.eps))


def _normal_sample(shape, dtype):
    """Draw from the standard normal distribution."""
    return ops.standard_normal(tuple(shape)).astype(dtype)


def _gamma_sample(concentration):
    """Draw from the standard gamma distribution, differentiable with respect to the concentration."""
    tiny = float(np.finfo(mindspore.dtype_to_nptype(concentration.dtype)).tiny)
    fixed = ops.stop_gradient(concentration)
    drawn = ops.random_gamma(mindspore.Tensor([1], mindspore.int32), fixed.astype(mindspore.float32))[0]
    drawn = ops.stop_gradient(ops.clamp(drawn.astype(concentration.dtype), min=tiny))
    below = ops.igamma(concentration, drawn)
    density = ops.exp((fixed - 1) * ops.log(drawn) - drawn - ops.lgamma(fixed))
    return drawn - (below - ops.stop_gradient(below)) / density


def _clamp_probs(probs):
    """Clamp probabilities to values that are neither 0 nor 1."""
    eps = float(np.finfo(mindspore.dtype_to_nptype(probs.dtype)).eps)
    return ops.clamp(probs, eps, 1 - eps)


def _logits_of(probs, is_binary=False):
    """Return the logits of probabilities."""
    probs = _clamp_probs(probs)
    return ops.log(probs) - ops.log1p(-probs) if is_binary else ops.log(probs)


def _binary_cross_entropy(logits, target):
    """Return the cross entropy of logits and probabilities, element by element."""
    return ops.clamp(logits, min=0) - logits * target + ops.log1p(ops.exp(-ops.abs(logits)))


class _Distribution:
    """A distribution over Tensors: the shape of a batch of them, and of one draw."""

    has_rsample = False
    has_enumerate_support = False
    arg_constraints = {}
    _parameters = {}  # the attributes to expand, each with the number of its axes that do not belong to the batch

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self.batch_shape = tuple(batch_shape)
        self.event_shape = tuple(event_shape)

    @staticmethod
    def set_default_validate_args(value):
        """Arguments are not validated."""

    def _copied(self):
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def expand(self, batch_shape, _instance=None):
        new = self._copied()
        new.batch_shape = tuple(batch_shape)
        for name, dims in self._parameters.items():
            value = getattr(self, name, None)
            if isinstance(value, mindspore.Tensor):
                own = tuple(value.shape)[value.ndim - dims :]
                setattr(new, name, ops.broadcast_to(value, new.batch_shape + own))
        return new

    def _extended_shape(self, sample_shape=()):
        return tuple(sample_shape) + self.batch_shape + self.event_shape

    def sample(self, sample_shape=()):
        return ops.stop_gradient(self.rsample(sample_shape))

    def rsample(self, sample_shape=()):
        raise NotImplementedError

    def sample_n(self, n):
        return self.sample((n,))

    def log_prob(self, value):
        raise NotImplementedError

    def cdf(self, value):
        raise NotImplementedError

    def icdf(self, value):
        raise NotImplementedError

    def entropy(self):
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        raise NotImplementedError

    def _enumerated(self, values, expand):
        values = values.reshape((-1,) + (1,) * len(self.batch_shape))
        return ops.broadcast_to(values, (values.shape[0], *self.batch_shape)) if expand else values

    @property
    def mean(self):
        raise NotImplementedError

    @property
    def mode(self):
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self):
        raise NotImplementedError

    @property
    def stddev(self):
        return ops.sqrt(self.variance)

    def perplexity(self):
        return ops.exp(self.entropy())

    def _full(self, value):
        return ops.full(self.batch_shape, value, dtype=mindspore.float32)

    def __repr__(self):
        names = [name for name in self._parameters if isinstance(getattr(self, name, None), mindspore.Tensor)]
        shown = [
            f"{n}: {getattr(self, n) if getattr(self, n).size == 1 else tuple(getattr(self, n).shape)}" for n in names
        ]
        return f"{type(self).__name__.lstrip('_')}({', '.join(shown)})"


class _Independent(_Distribution):
    """A distribution that counts the last axes of its batch as axes of the event."""

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        shape = base_distribution.batch_shape + base_distribution.event_shape
        count = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        if count < 0:
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}"
            )
        super().__init__(shape[:count], shape[count:])
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.has_rsample = base_distribution.has_rsample

    def expand(self, batch_shape, _instance=None):
        batch_shape = tuple(batch_shape)
        inner = self.event_shape[: self.reinterpreted_batch_ndims]
        return type(self)(self.base_dist.expand(batch_shape + inner), self.reinterpreted_batch_ndims)

    @property
    def support(self):
        return _IndependentConstraint(self.base_dist.support, self.reinterpreted_batch_ndims)

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def mode(self):
        return self.base_dist.mode

    @property
    def variance(self):
        return self.base_dist.variance

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def _kl_Independent(self, other):
        return _sum_rightmost(_kl_divergence(self.base_dist, other.base_dist), self.reinterpreted_batch_ndims)


def _kl_divergence(p, q):
    """Return the Kullback-Leibler divergence of two distributions."""
    for base in type(q).__mro__:
        formula = getattr(p, f"_kl{base.__name__}", None)
        if formula is not None:
            return formula(q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


def _register_kl(type_p, type_q):
    """Return a decorator that makes a function the divergence of two classes."""

    def decorator(function):
        setattr(type_p, f"_kl{type_q.__name__}", function)
        return function

    return decorator


def _xlogy(x, y):
    """Return x log y, 0 where x is 0."""
    return ops.where(x == 0, ops.zeros_like(x * y), x * ops.log(ops.where(x == 0, ops.ones_like(x * y), y)))


def _betaln(a, b):
    """Return the logarithm of the beta function."""
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)
