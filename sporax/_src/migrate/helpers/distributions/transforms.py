"""Invertible maps of Tensors with their Jacobians, and distributions of mapped values."""

import math

import numpy as np

import sporax as mindspore
from sporax import ops
from sporax._src.migrate.helpers.distributions.constraints import _GreaterThan, _IndependentConstraint, _Interval, _Real
from sporax._src.migrate.helpers.distributions.distribution import (
    _broadcast_all,
    _Distribution,
    _Independent,
    _kl_divergence,
    _sum_rightmost,
)


class _Transform:
    """A map of Tensors: `_call`, its inverse `_inverse` and `log_abs_det_jacobian`."""

    bijective = False
    _dims = (0, 0)  # the axes of an event before and after

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size

    @property
    def domain(self):
        return _IndependentConstraint(_Real(), self._dims[0]) if self._dims[0] else _Real()

    @property
    def codomain(self):
        return _IndependentConstraint(_Real(), self._dims[1]) if self._dims[1] else _Real()

    @property
    def event_dim(self):
        return self.domain.event_dim

    @property
    def inv(self):
        return _InverseTransform(self)

    @property
    def sign(self):
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        return self

    def __call__(self, x):
        return self._call(x)

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        raise NotImplementedError

    def forward_shape(self, shape):
        return tuple(shape)

    def inverse_shape(self, shape):
        return tuple(shape)

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return f"{type(self).__name__.lstrip('_')}()"


class _Elementwise(_Transform):
    """An increasing map of numbers without parameters."""

    bijective = True

    @property
    def sign(self):
        return 1

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))


class _InverseTransform(_Transform):
    """The inverse of a map."""

    def __init__(self, transform):
        super().__init__()
        self._inv = transform
        self.bijective = transform.bijective

    @property
    def domain(self):
        return self._inv.codomain

    @property
    def codomain(self):
        return self._inv.domain

    @property
    def inv(self):
        return self._inv

    @property
    def sign(self):
        return self._inv.sign

    def __call__(self, x):
        return self._inv._inverse(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __hash__(self):
        return hash(self._inv)


class _ComposeTransform(_Transform):
    """Several maps, applied one after the other."""

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size)
        self.parts = list(parts)
        self.bijective = all(p.bijective for p in self.parts)

    @property
    def domain(self):
        if not self.parts:
            return _Real()
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        first = self.parts[0].domain
        return _IndependentConstraint(first, dims - first.event_dim) if dims > first.event_dim else first

    @property
    def codomain(self):
        if not self.parts:
            return _Real()
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        last = self.parts[-1].codomain
        return _IndependentConstraint(last, dims - last.event_dim) if dims > last.event_dim else last

    @property
    def sign(self):
        return math.prod(p.sign for p in self.parts)

    @property
    def inv(self):
        return _ComposeTransform([p.inv for p in reversed(self.parts)])

    def _call(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y):
        return self.inv(y)

    def log_abs_det_jacobian(self, x, y):
        total, dims = ops.zeros_like(x), self.domain.event_dim
        terms = []
        for part in self.parts:
            after = part(x)
            terms.append(_sum_rightmost(part.log_abs_det_jacobian(x, after), dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
            x = after
        return sum(terms[1:], terms[0]) if terms else total

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return tuple(shape)

    def __eq__(self, other):
        return isinstance(other, _ComposeTransform) and self.parts == other.parts

    def __hash__(self):
        return hash(tuple(self.parts))


class _IndependentTransform(_Transform):
    """A map that counts the last axes of its batch as axes of the event."""

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size)
        self.base_transform = base_transform
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.bijective = base_transform.bijective

    @property
    def domain(self):
        return _IndependentConstraint(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self):
        return _IndependentConstraint(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def sign(self):
        return self.base_transform.sign

    def _call(self, x):
        return self.base_transform(x)

    def _inverse(self, y):
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class _ReshapeTransform(_Transform):
    """Changes the shape of the event."""

    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        super().__init__(cache_size)
        self.in_shape, self.out_shape = tuple(in_shape), tuple(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError("in_shape, out_shape have different numbers of elements")
        self._dims = (len(self.in_shape), len(self.out_shape))

    def _batch(self, shape, event):
        cut = len(shape) - len(event)
        if cut < 0 or tuple(shape[cut:]) != event:
            raise ValueError(f"Shape mismatch: expected {event} but got {tuple(shape)[max(cut, 0) :]}")
        return tuple(shape[:cut])

    def _call(self, x):
        return x.reshape(self._batch(x.shape, self.in_shape) + self.out_shape)

    def _inverse(self, y):
        return y.reshape(self._batch(y.shape, self.out_shape) + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return ops.zeros(self._batch(x.shape, self.in_shape), x.dtype)

    def forward_shape(self, shape):
        return self._batch(shape, self.in_shape) + self.out_shape

    def inverse_shape(self, shape):
        return self._batch(shape, self.out_shape) + self.in_shape


class _ExpTransform(_Elementwise):
    """y = exp(x)."""

    @property
    def codomain(self):
        return _GreaterThan(0.0)

    def _call(self, x):
        return ops.exp(x)

    def _inverse(self, y):
        return ops.log(y)

    def log_abs_det_jacobian(self, x, y):
        return x


class _PowerTransform(_Transform):
    """y = x ** exponent."""

    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        (self.exponent,) = _broadcast_all(exponent)

    @property
    def domain(self):
        return _GreaterThan(0.0)

    @property
    def codomain(self):
        return _GreaterThan(0.0)

    @property
    def sign(self):
        return ops.sign(self.exponent)

    def _call(self, x):
        return x**self.exponent

    def _inverse(self, y):
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return ops.log(ops.abs(self.exponent * y / x))

    def forward_shape(self, shape):
        return tuple(np.broadcast_shapes(tuple(shape), tuple(self.exponent.shape)))

    def inverse_shape(self, shape):
        return self.forward_shape(shape)

    def __eq__(self, other):
        return isinstance(other, _PowerTransform) and bool((self.exponent == other.exponent).all())

    def __hash__(self):
        return hash(_PowerTransform)


class _SigmoidTransform(_Elementwise):
    """y = 1 / (1 + exp(-x))."""

    @property
    def codomain(self):
        return _Interval(0.0, 1.0)

    def _call(self, x):
        info = np.finfo(mindspore.dtype_to_nptype(x.dtype))
        return ops.clamp(ops.sigmoid(x), float(info.tiny), float(1 - info.eps))

    def _inverse(self, y):
        info = np.finfo(mindspore.dtype_to_nptype(y.dtype))
        y = ops.clamp(y, float(info.tiny), float(1 - info.eps))
        return ops.log(y) - ops.log1p(-y)

    def log_abs_det_jacobian(self, x, y):
        return -ops.softplus(-x) - ops.softplus(x)


class _SoftplusTransform(_Elementwise):
    """y = log(1 + exp(x))."""

    @property
    def codomain(self):
        return _GreaterThan(0.0)

    def _call(self, x):
        return ops.where(x > 20, x, ops.log1p(ops.exp(ops.clamp(x, max=20.0))))

    def _inverse(self, y):
        return ops.log(-ops.expm1(-y)) + y

    def log_abs_det_jacobian(self, x, y):
        return -self._call(-x)


class _TanhTransform(_Elementwise):
    """y = tanh(x)."""

    @property
    def codomain(self):
        return _Interval(-1.0, 1.0)

    def _call(self, x):
        return ops.tanh(x)

    def _inverse(self, y):
        return ops.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        return 2 * (math.log(2) - x - _SoftplusTransform()(-2 * x))


class _AbsTransform(_Transform):
    """y = |x|, whose inverse is the identity."""

    @property
    def codomain(self):
        return _GreaterThan(0.0)

    def _call(self, x):
        return ops.abs(x)

    def _inverse(self, y):
        return y

    def __eq__(self, other):
        return isinstance(other, _AbsTransform)

    def __hash__(self):
        return hash(_AbsTransform)


class _AffineTransform(_Transform):
    """y = loc + scale * x."""

    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale = loc, scale
        self._dims = (event_dim, event_dim)

    @property
    def sign(self):
        if isinstance(self.scale, mindspore.Tensor):
            return ops.sign(self.scale)
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        if isinstance(self.scale, mindspore.Tensor):
            result = ops.log(ops.abs(self.scale))
        else:
            result = ops.full_like(x, math.log(abs(self.scale)))
        if self._dims[0]:
            result = result.reshape((*result.shape[: result.ndim - self._dims[0]], -1)).sum(-1)
        return ops.broadcast_to(result, tuple(x.shape[: x.ndim - self._dims[0]]))

    def _broadcast(self, shape):
        others = [tuple(getattr(v, "shape", ())) for v in (self.loc, self.scale)]
        return tuple(np.broadcast_shapes(tuple(shape), *others))

    def forward_shape(self, shape):
        return self._broadcast(shape)

    def inverse_shape(self, shape):
        return self._broadcast(shape)

    def __eq__(self, other):
        if not isinstance(other, _AffineTransform):
            return False
        pairs = ((self.loc, other.loc), (self.scale, other.scale))
        return all(bool(np.all(_host(a) == _host(b))) for a, b in pairs)

    def __hash__(self):
        return hash(_AffineTransform)


def _host(value):
    """Return a Tensor as an array, and anything else as it is."""
    return value.asnumpy() if isinstance(value, mindspore.Tensor) else value


class _TransformedDistribution(_Distribution):
    """The distribution of a random value after some maps."""

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = list(transforms) if isinstance(transforms, (list, tuple)) else [transforms]
        whole = _ComposeTransform(self.transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        after = whole.forward_shape(shape)
        before = whole.inverse_shape(after)
        base = base_distribution
        if before != shape:
            base = base.expand(before[: len(before) - len(base.event_shape)])
        more = whole.domain.event_dim - len(base.event_shape)
        self.base_dist = _Independent(base, more) if more > 0 else base
        change = whole.codomain.event_dim - whole.domain.event_dim
        dims = max(whole.codomain.event_dim, len(self.base_dist.event_shape) + change)
        super().__init__(after[: len(after) - dims], after[len(after) - dims :])
        self.has_rsample = self.base_dist.has_rsample

    def expand(self, batch_shape, _instance=None):
        shape = _ComposeTransform(self.transforms).inverse_shape(tuple(batch_shape) + self.event_shape)
        base = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return _TransformedDistribution(base, self.transforms)

    @property
    def support(self):
        return self.transforms[-1].codomain if self.transforms else self.base_dist.support

    def sample(self, sample_shape=()):
        return ops.stop_gradient(_ComposeTransform(self.transforms)(self.base_dist.sample(sample_shape)))

    def rsample(self, sample_shape=()):
        return _ComposeTransform(self.transforms)(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        log_prob, dims = 0.0, len(self.event_shape)
        for transform in reversed(self.transforms):
            x = transform.inv(value)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            inner = _sum_rightmost(transform.log_abs_det_jacobian(x, value), dims - transform.domain.event_dim)
            log_prob, value = log_prob - inner, x
        base = self.base_dist.log_prob(value)
        return log_prob + _sum_rightmost(base, dims - len(self.base_dist.event_shape))

    def _oriented(self, value):
        sign = math.prod(t.sign for t in self.transforms)
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        return self._oriented(self.base_dist.cdf(value))

    def icdf(self, value):
        return _ComposeTransform(self.transforms)(self.base_dist.icdf(self._oriented(value)))

    def _kl_TransformedDistribution(self, other):
        if self.transforms != other.transforms:
            raise NotImplementedError
        divergence = _kl_divergence(self.base_dist, other.base_dist)
        return _sum_rightmost(divergence, len(self.event_shape) - len(self.base_dist.event_shape))
