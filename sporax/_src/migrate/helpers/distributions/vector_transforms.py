"""Maps of vectors and matrices, and the maps that reach a constraint."""

import functools
import math

import numpy as np

import sporax as mindspore
from sporax import ops
from sporax._src.migrate.helpers.distributions.constraints import (
    _CatConstraint,
    _CorrCholesky,
    _GreaterThan,
    _IndependentConstraint,
    _Interval,
    _LessThan,
    _LowerCholesky,
    _PositiveDefinite,
    _PositiveSemidefinite,
    _Real,
    _Simplex,
    _StackConstraint,
)
from sporax._src.migrate.helpers.distributions.distribution import _clamp_probs, _sum_rightmost
from sporax._src.migrate.helpers.distributions.transforms import (
    _AffineTransform,
    _ComposeTransform,
    _ExpTransform,
    _IndependentTransform,
    _SigmoidTransform,
    _Transform,
)


class _SoftmaxTransform(_Transform):
    """From vectors to the simplex through exponentials that are normalized."""

    _dims = (1, 1)

    @property
    def codomain(self):
        return _Simplex()

    def _call(self, x):
        return ops.softmax(x, -1)

    def _inverse(self, y):
        return ops.log(y)

    def __eq__(self, other):
        return isinstance(other, _SoftmaxTransform)

    def __hash__(self):
        return hash(_SoftmaxTransform)


class _StickBreakingTransform(_Transform):
    """From vectors to the simplex of one more dimension, by stick breaking."""

    bijective = True
    _dims = (1, 1)

    @property
    def codomain(self):
        return _Simplex()

    def _offset(self, x):
        return ops.log(mindspore.Tensor(np.arange(x.shape[-1], 0, -1), x.dtype))

    def _call(self, x):
        z = _clamp_probs(ops.sigmoid(x - self._offset(x)))
        one = ops.ones_like(z[..., :1])
        left = ops.cumprod(1 - z, -1)
        return ops.concat([z, one], -1) * ops.concat([one, left], -1)

    def _inverse(self, y):
        part = y[..., :-1]
        tiny = float(np.finfo(mindspore.dtype_to_nptype(y.dtype)).tiny)
        left = ops.clamp(1 - ops.cumsum(part, -1), min=tiny)
        return ops.log(part) - ops.log(left) + self._offset(part)

    def log_abs_det_jacobian(self, x, y):
        x = x - self._offset(x)
        return (-x + _log_sigmoid(x) + ops.log(y[..., :-1])).sum(-1)

    def forward_shape(self, shape):
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape):
        return (*shape[:-1], shape[-1] - 1)

    def __eq__(self, other):
        return isinstance(other, _StickBreakingTransform)

    def __hash__(self):
        return hash(_StickBreakingTransform)


def _log_sigmoid(x):
    """Return log(1 / (1 + exp(-x)))."""
    return ops.clamp(x, max=0) - ops.log1p(ops.exp(-ops.abs(x)))


class _LowerCholeskyTransform(_Transform):
    """From matrices to lower triangular ones with a positive diagonal."""

    _dims = (2, 2)

    @property
    def codomain(self):
        return _LowerCholesky()

    def _with_diagonal(self, x, function):
        n = x.shape[-1]
        diagonal = function(ops.diagonal(x, 0, -2, -1)).expand_dims(-1)
        return ops.tril(x, -1) + ops.eye(n, n, x.dtype) * diagonal

    def _call(self, x):
        return self._with_diagonal(x, ops.exp)

    def _inverse(self, y):
        return self._with_diagonal(y, ops.log)


class _PositiveDefiniteTransform(_LowerCholeskyTransform):
    """From matrices to positive definite ones."""

    @property
    def codomain(self):
        return _PositiveDefinite()

    def _call(self, x):
        factor = super()._call(x)
        return ops.matmul(factor, ops.swapaxes(factor, -1, -2))

    def _inverse(self, y):
        return super()._inverse(ops.cholesky(y))


class _CorrCholeskyTransform(_Transform):
    """From vectors to Cholesky factors of correlation matrices."""

    bijective = True
    _dims = (1, 2)

    @property
    def codomain(self):
        return _CorrCholesky()

    def _size(self, count):
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return size

    def _call(self, x):
        eps = float(np.finfo(mindspore.dtype_to_nptype(x.dtype)).eps)
        x = ops.clamp(ops.tanh(x), -1 + eps, 1 - eps)
        n = self._size(x.shape[-1])
        rows, columns = np.tril_indices(n, -1)
        selector = np.zeros((x.shape[-1], n * n), np.float32)
        selector[np.arange(x.shape[-1]), rows * n + columns] = 1
        r = ops.matmul(x, mindspore.Tensor(selector, x.dtype)).reshape((*x.shape[:-1], n, n))
        left = ops.cumprod(ops.sqrt(1 - r**2), -1)
        left = ops.concat([ops.ones_like(left[..., :1]), left[..., :-1]], -1)
        return ops.tril((r + ops.eye(n, n, x.dtype)) * left)

    def _inverse(self, y):
        n = y.shape[-1]
        left = 1 - ops.cumsum(y**2, -1)
        left = ops.concat([ops.ones_like(left[..., :1]), left[..., :-1]], -1)
        rows, columns = np.tril_indices(n, -1)
        at = mindspore.Tensor(rows * n + columns)
        inner = y.reshape((*y.shape[:-2], n * n))[..., at]
        return ops.atanh(inner / ops.sqrt(left.reshape((*y.shape[:-2], n * n))[..., at]))

    def log_abs_det_jacobian(self, x, y):
        n = y.shape[-1]
        left = ops.cumsum(y**2, -1)
        rows, columns = np.tril_indices(n - 1, -1)
        inner = 1 - left[..., 1:, :-1]
        at = mindspore.Tensor(rows * (n - 1) + columns)
        inner = inner.reshape((*inner.shape[:-2], (n - 1) * (n - 1)))[..., at]
        tanh = -2 * (x + _softplus(-2 * x) - math.log(2.0))
        return 0.5 * ops.log(inner).sum(-1) + tanh.sum(-1)

    def forward_shape(self, shape):
        size = self._size(shape[-1])
        return (*shape[:-1], size, size)

    def inverse_shape(self, shape):
        return (*shape[:-2], shape[-1] * (shape[-1] - 1) // 2)


def _softplus(x):
    """Return log(1 + exp(x))."""
    return ops.clamp(x, min=0) + ops.log1p(ops.exp(-ops.abs(x)))


class _CumulativeDistributionTransform(_Transform):
    """The distribution function of a distribution."""

    bijective = True

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self):
        return self.distribution.support

    @property
    def codomain(self):
        return _Interval(0.0, 1.0)

    @property
    def sign(self):
        return 1

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)


class _CatTransform(_Transform):
    """Applies a map to each piece of a concatenation along an axis."""

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(cache_size)
        self.transforms, self.dim = list(tseq), dim
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        self.bijective = all(t.bijective for t in self.transforms)

    @property
    def event_dim(self):
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self):
        return sum(self.lengths)

    @property
    def domain(self):
        return _CatConstraint([t.domain for t in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self):
        return _CatConstraint([t.codomain for t in self.transforms], self.dim, self.lengths)

    def _pieces(self, value):
        starts = np.cumsum([0, *self.lengths[:-1]]).tolist()
        return [value.narrow(self.dim, s, n) for s, n in zip(starts, self.lengths, strict=True)]

    def _call(self, x):
        return ops.concat([t(p) for t, p in zip(self.transforms, self._pieces(x), strict=True)], self.dim)

    def _inverse(self, y):
        return ops.concat([t.inv(p) for t, p in zip(self.transforms, self._pieces(y), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x, y):
        determinants = []
        for transform, a, b in zip(self.transforms, self._pieces(x), self._pieces(y), strict=True):
            inner = transform.log_abs_det_jacobian(a, b)
            determinants.append(_sum_rightmost(inner, self.event_dim - transform.event_dim))
        dim = self.dim - x.ndim if self.dim >= 0 else self.dim
        dim += self.event_dim
        return ops.concat(determinants, dim) if dim < 0 else sum(determinants[1:], determinants[0])


class _StackTransform(_Transform):
    """Applies a map to each slice of a stack along an axis."""

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(cache_size)
        self.transforms, self.dim = list(tseq), dim
        self.bijective = all(t.bijective for t in self.transforms)

    @property
    def domain(self):
        return _StackConstraint([t.domain for t in self.transforms], self.dim)

    @property
    def codomain(self):
        return _StackConstraint([t.codomain for t in self.transforms], self.dim)

    def _call(self, x):
        slices = ops.unstack(x, self.dim)
        return ops.stack([t(p) for t, p in zip(self.transforms, slices, strict=True)], self.dim)

    def _inverse(self, y):
        slices = ops.unstack(y, self.dim)
        return ops.stack([t.inv(p) for t, p in zip(self.transforms, slices, strict=True)], self.dim)

    def log_abs_det_jacobian(self, x, y):
        pairs = zip(self.transforms, ops.unstack(x, self.dim), ops.unstack(y, self.dim), strict=True)
        return ops.stack([t.log_abs_det_jacobian(a, b) for t, a, b in pairs], self.dim)


def _transform_to(constraint, is_bijective=False):
    """Return a map from all numbers to a constraint."""
    to = functools.partial(_transform_to, is_bijective=is_bijective)
    if isinstance(constraint, _IndependentConstraint):
        return _IndependentTransform(to(constraint.base_constraint), constraint.reinterpreted_batch_ndims)
    if isinstance(constraint, _Real):
        return _ComposeTransform([])
    if isinstance(constraint, _GreaterThan):
        shift = [] if _is_number(constraint.lower_bound, 0) else [_AffineTransform(constraint.lower_bound, 1)]
        return _ComposeTransform([_ExpTransform(), *shift]) if shift else _ExpTransform()
    if isinstance(constraint, _LessThan):
        return _ComposeTransform([_ExpTransform(), _AffineTransform(constraint.upper_bound, -1)])
    if isinstance(constraint, _Interval):
        low, high = constraint.lower_bound, constraint.upper_bound
        if _is_number(low, 0) and _is_number(high, 1):
            return _SigmoidTransform()
        return _ComposeTransform([_SigmoidTransform(), _AffineTransform(low, high - low)])
    if isinstance(constraint, _Simplex):
        return _StickBreakingTransform() if is_bijective else _SoftmaxTransform()
    if isinstance(constraint, _CorrCholesky):
        return _CorrCholeskyTransform()
    if isinstance(constraint, _LowerCholesky):
        return _LowerCholeskyTransform()
    if isinstance(constraint, (_PositiveDefinite, _PositiveSemidefinite)):
        return _PositiveDefiniteTransform()
    if isinstance(constraint, _CatConstraint):
        return _CatTransform([to(c) for c in constraint.cseq], constraint.dim, constraint.lengths)
    if isinstance(constraint, _StackConstraint):
        return _StackTransform([to(c) for c in constraint.cseq], constraint.dim)
    raise NotImplementedError(f"Cannot transform {type(constraint).__name__.lstrip('_')} constraints")


def _is_number(value, number):
    """Return whether a value is that number, and not a Tensor."""
    return isinstance(value, (int, float)) and value == number


def _biject_to(constraint):
    """Return an invertible map from all numbers to a constraint."""
    return _transform_to(constraint, is_bijective=True)
