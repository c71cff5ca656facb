"""The sets that parameters and values of distributions belong to."""

import numpy as np

import sporax as mindspore
from sporax import ops


class _Constraint:
    """A set of values: `check` tells for each value of a batch whether the set contains it."""

    is_discrete = False
    event_dim = 0

    def check(self, value):
        raise NotImplementedError

    def __repr__(self):
        shown = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__.lstrip('_')}({shown})"


class _Real(_Constraint):
    """All numbers."""

    def check(self, value):
        return value == value


class _Boolean(_Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value):
        return ops.logical_or(value == 0, value == 1)


class _GreaterThan(_Constraint):
    """Numbers above a bound."""

    def __init__(self, lower_bound):
        self.lower_bound = lower_bound

    def check(self, value):
        return value > self.lower_bound


class _GreaterThanEq(_GreaterThan):
    """Numbers that are at least a bound."""

    def check(self, value):
        return value >= self.lower_bound


class _LessThan(_Constraint):
    """Numbers below a bound."""

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, value):
        return value < self.upper_bound


class _Interval(_Constraint):
    """Numbers of a closed interval."""

    def __init__(self, lower_bound, upper_bound):
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def check(self, value):
        return ops.logical_and(value >= self.lower_bound, value <= self.upper_bound)


class _HalfOpenInterval(_Interval):
    """Numbers of an interval that contains its lower bound only."""

    def check(self, value):
        return ops.logical_and(value >= self.lower_bound, value < self.upper_bound)


class _IntegerInterval(_Interval):
    """Integers of a closed interval."""

    is_discrete = True

    def check(self, value):
        return ops.logical_and(value % 1 == 0, super().check(value))


class _IntegerGreaterThan(_GreaterThanEq):
    """Integers that are at least a bound."""

    is_discrete = True

    def check(self, value):
        return ops.logical_and(value % 1 == 0, super().check(value))


class _OneHot(_Constraint):
    """One-hot vectors."""

    is_discrete = True
    event_dim = 1

    def check(self, value):
        return ops.logical_and(ops.logical_or(value == 0, value == 1).all(-1), value.sum(-1) == 1)


class _Simplex(_Constraint):
    """Vectors of probabilities."""

    event_dim = 1

    def check(self, value):
        return ops.logical_and((value >= 0).all(-1), ops.abs(value.sum(-1) - 1) < 1e-6)


class _MultinomialConstraint(_Constraint):
    """Vectors of counts with a maximum sum."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, value):
        return ops.logical_and((value >= 0).all(-1), value.sum(-1) <= self.upper_bound)


class _LowerTriangular(_Constraint):
    """Lower triangular square matrices."""

    event_dim = 2

    def check(self, value):
        return (ops.tril(value) == value).all((-2, -1))


class _LowerCholesky(_LowerTriangular):
    """Lower triangular square matrices with a positive diagonal."""

    def check(self, value):
        return ops.logical_and(super().check(value), (ops.diagonal(value, 0, -2, -1) > 0).all(-1))


class _CorrCholesky(_LowerCholesky):
    """Cholesky factors of correlation matrices."""

    def check(self, value):
        eps = 1.2e-6 * value.shape[-1]
        unit = (ops.abs(ops.sqrt((value**2).sum(-1)) - 1) <= eps + 1e-4).all(-1)
        return ops.logical_and(super().check(value), unit)


class _Square(_Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value):
        return mindspore.Tensor(np.full(tuple(value.shape[:-2]), value.shape[-2] == value.shape[-1]))


class _Symmetric(_Square):
    """Symmetric matrices."""

    def check(self, value):
        other = ops.swapaxes(value, -1, -2)
        return (ops.abs(value - other) <= 1e-6 + 1e-5 * ops.abs(other)).all((-2, -1))


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without a negative eigenvalue."""

    def check(self, value):
        smallest = ops.amin(ops.real(ops.eigvals(value)), -1)
        return ops.logical_and(super().check(value), smallest >= 0)


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices whose eigenvalues are positive."""

    def check(self, value):
        smallest = ops.amin(ops.real(ops.eigvals(value)), -1)
        return ops.logical_and(super().check(value), smallest > 0)


class _IndependentConstraint(_Constraint):
    """Arrays whose elements all belong to another set."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        result = self.base_constraint.check(value)
        axes = result.ndim - self.reinterpreted_batch_ndims
        if axes < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return result.reshape((*result.shape[:axes], -1)).all(-1)


class _CatConstraint(_Constraint):
    """Arrays that are concatenated along an axis, each piece from a set of its own."""

    def __init__(self, cseq, dim=0, lengths=None):
        self.cseq = list(cseq)
        self.dim = dim
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    @property
    def is_discrete(self):
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self):
        return max(c.event_dim for c in self.cseq)

    def check(self, value):
        checked, start = [], 0
        for constraint, length in zip(self.cseq, self.lengths, strict=True):
            checked.append(constraint.check(value.narrow(self.dim, start, length)))
            start += length
        return ops.concat(checked, self.dim)


class _StackConstraint(_Constraint):
    """Arrays that are stacked along an axis, each slice from a set of its own."""

    def __init__(self, cseq, dim=0):
        self.cseq = list(cseq)
        self.dim = dim

    @property
    def is_discrete(self):
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self):
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value):
        slices = ops.unstack(value, self.dim)
        return ops.stack([c.check(v) for c, v in zip(self.cseq, slices, strict=True)], self.dim)
