"""Random Tensor methods, in-place draws and candidate samplers."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.api.tensor.operators import assign
from sporax._src.base.typing import Array, Key, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.engine.primitive import primitive
from sporax._src.engine.table import internal, op
from sporax._src.engine.tensor_methods import method
from sporax._src.ops.random import distributions

# --- Tensor methods: a draw in the shape of the Tensor ----------------------------------------------------------------


@internal("Tensor.normal_")
def _normal(key: Key, input: Array, mean: Array, std: Array, generator: Static = None) -> Array:
    mean, std = (jnp.asarray(v).astype(input.dtype) for v in (mean, std))
    return mean + std * jax.random.normal(key, input.shape, input.dtype)


@internal("Tensor.uniform_")
def _uniform(key: Key, input: Array, low: Array, high: Array, generator: Static = None) -> Array:
    low, high = (jnp.asarray(v).astype(input.dtype) for v in (low, high))
    return low + (high - low) * jax.random.uniform(key, input.shape, input.dtype)


@internal("Tensor.exponential_")
def _exponential(key: Key, input: Array, lambd: Array, generator: Static = None) -> Array:
    return jax.random.exponential(key, input.shape, input.dtype) / jnp.asarray(lambd).astype(input.dtype)


@internal("Tensor.random_")
def _random(key: Key, input: Array, low: Array, high: Array, generator: Static = None) -> Array:
    return jax.random.randint(key, input.shape, jnp.asarray(low), jnp.asarray(high), np.int64).astype(input.dtype)


@internal("Tensor.bernoulli")
def _bernoulli(key: Key, input: Array, p: Array, generator: Static = None) -> Array:
    return (jax.random.uniform(key, input.shape, np.float32) < jnp.asarray(p).astype(np.float32)).astype(input.dtype)


@internal("Tensor.cauchy")
def _cauchy(key: Key, input: Array, median: Array, sigma: Array) -> Array:
    median, sigma = (jnp.asarray(v).astype(np.float32) for v in (median, sigma))
    return median + sigma * jax.random.cauchy(key, input.shape, np.float32)


def _largest(dtype: mstype.Type) -> int:
    """Return the bound below which every integer has a place in a dtype."""
    kind = to_numpy(dtype)
    return 2 if kind.kind == "b" else int(np.iinfo(kind).max) if kind.kind in "iu" else 2 ** (jnp.finfo(kind).nmant + 1)


@method("normal_")
def _normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Any = None) -> Tensor:
    """Fill the Tensor with draws from the normal distribution, and return it.

    Args:
        mean: The mean.
        std: The standard deviation.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([1.0, 2.0]).normal_().shape
        (2,)
    """
    return assign(self, _normal(self, mean, std, generator), "normal_")


@method("uniform_")
def _uniform_(self: Tensor, from_: float = 0, to: float = 1, *, generator: Any = None) -> Tensor:
    """Fill the Tensor with draws from the uniform distribution over [from_, to), and return it.

    Args:
        from_: The least number.
        to: The bound above.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([1.0, 2.0]).uniform_().shape
        (2,)
    """
    return assign(self, _uniform(self, from_, to, generator), "uniform_")


@method("exponential_")
def _exponential_(self: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Fill the Tensor with draws from the exponential distribution of rate lambd, and return it.

    Args:
        lambd: The rate, positive.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> bool((Tensor([1.0, 2.0]).exponential_() >= 0).all())
        True
    """
    return assign(self, _exponential(self, lambd, generator), "exponential_")


@method("random_")
def _random_(self: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Tensor:
    """Fill the Tensor with integers from [from_, to), and return it; one number alone is `to`.

    Args:
        from_: The least integer.
        to: The bound above; None: as far as the dtype reaches.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([1, 2]).random_(0, 1).asnumpy()
        array([0, 0])
    """
    return assign(self, _random(self, from_, _largest(self.dtype) if to is None else to, generator), "random_")


@method("bernoulli_")
def _bernoulli_(self: Tensor, p: float | Tensor = 0.5, *, generator: Any = None) -> Tensor:
    """Fill the Tensor with 1 with probability p, else 0, and return it.

    Args:
        p: A number, or a Tensor that broadcasts to the shape.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([5.0, 5.0]).bernoulli_(1.0).asnumpy()
        array([1., 1.], dtype=float32)
    """
    return assign(self, _bernoulli(self, p, generator), "bernoulli_")


@method("bernoulli")
def _bernoulli_of(self: Tensor, *, generator: Any = None) -> Tensor:
    """Draw 1 with the probability that each element is, else 0.

    Args:
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([0.0, 1.0]).bernoulli().asnumpy()
        array([0., 1.], dtype=float32)
    """
    return _bernoulli(self, self, generator)


@method("uniform")
def _uniform_of(self: Tensor, from_: float = 0.0, to: float = 1.0, generator: Any = None) -> Tensor:
    """Draw from the uniform distribution over [from_, to) in the shape and dtype of the Tensor.

    Args:
        from_: The least number.
        to: The bound above.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> Tensor([1.0, 2.0]).uniform().shape
        (2,)
    """
    return _uniform(self, from_, to, generator)


@method("cauchy")
def _cauchy_of(self: Tensor, median: float = 0.0, sigma: float = 1.0) -> Tensor:
    """Draw from the Cauchy distribution in the shape of the Tensor, as float32.

    Args:
        median: The median.
        sigma: The scale.

    Examples:
        >>> Tensor([1.0, 2.0]).cauchy().shape
        (2,)
    """
    return _cauchy(self, median, sigma)


@method("log_normal")
def _log_normal_of(self: Tensor, mean: float = 1.0, std: float = 2.0) -> Tensor:
    """Draw from the log-normal distribution in the shape and dtype of the Tensor.

    Args:
        mean, std: Mean and standard deviation of the logarithm.

    Examples:
        >>> Tensor([1.0, 2.0]).log_normal().shape
        (2,)
    """
    return _normal(self, mean, std, None).exp()


# --- candidate samplers -----------------------------------------------------------------------------------------------


def _drawn(key: Array, weights: Array, count: int, unique: bool) -> Array:
    return distributions.multinomial.raw(key, weights, count, not unique).astype(np.int64)


def _expected(p: Array, count: int, unique: bool) -> Array:
    return (-jnp.expm1(count * jnp.log1p(-p)) if unique else count * p).astype(np.float32)


@op(
    cases=("I(3, 2, low=0, dtype=np.int64), 2, 4, True, 9",),
    errors=(("I(3, 2, low=0, dtype=np.int64), 2, 9, True, 4", "range_max"),),
    grad=0,
)
def log_uniform_candidate_sampler(
    key: Key,
    true_classes: Array,
    num_true: int = 1,
    num_sampled: int = 5,
    unique: bool = True,
    range_max: int = 5,
    seed: Static = 0,
) -> tuple[Array, Array, Array]:
    """Draw classes with probability log((c + 2) / (c + 1)) / log(range_max + 1).

    Args:
        true_classes: The target classes, int64 of shape (N, num_true).
        num_true, num_sampled: How many classes per row, and how many to draw.
        unique: Whether each class is drawn at most once.
        range_max: The number of classes.
        seed: Selects a Generator of its own.

    Returns:
        The drawn classes, and how often the true and the drawn classes are expected among them.

    Raises:
        ValueError: If `num_sampled` exceeds `range_max` and each class is drawn at most once.

    Examples:
        >>> found, expected_true, expected = ops.log_uniform_candidate_sampler(Tensor([[0], [3]]), 1, 3)
        >>> found.shape, expected_true.shape, expected.shape
        ((3,), (2, 1), (3,))
    """
    _check_range(num_sampled, unique, range_max)
    classes = jnp.arange(range_max, dtype=np.float32)
    p = jnp.log((classes + 2) / (classes + 1)) / math.log(range_max + 1)
    found = _drawn(key, p, num_sampled, unique)
    return found, _expected(p[true_classes], num_sampled, unique), _expected(p[found], num_sampled, unique)


@op(
    cases=("I(3, 2, low=0, dtype=np.int64), 2, 4, False, 9",),
    errors=(("I(3, 2, low=0, dtype=np.int64), 2, 9, True, 4", "range_max"),),
    grad=0,
)
def uniform_candidate_sampler(
    key: Key,
    true_classes: Array,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Static = 0,
    remove_accidental_hits: bool = False,
) -> tuple[Array, Array, Array]:
    """Draw classes with equal probability.

    Args:
        true_classes: The target classes, int64 of shape (N, num_true).
        num_true, num_sampled: How many classes per row, and how many to draw.
        unique: Whether each class is drawn at most once.
        range_max: The number of classes.
        seed: Selects a Generator of its own.
        remove_accidental_hits: Whether classes that are true ones are not drawn.

    Returns:
        The drawn classes, and how often the true and the drawn classes are expected among them.

    Raises:
        ValueError: If `num_sampled` exceeds `range_max` and each class is drawn at most once.

    Examples:
        >>> sorted(ops.uniform_candidate_sampler(Tensor([[0], [3]]), 1, 5, True, 5)[0].tolist())
        [0, 1, 2, 3, 4]
    """
    _check_range(num_sampled, unique, range_max)
    weights = jnp.ones((range_max,), np.float32)
    if remove_accidental_hits:
        weights = weights.at[true_classes.reshape(-1)].set(0)
    p = jnp.full((range_max,), 1 / range_max, np.float32)
    found = _drawn(key, weights, num_sampled, unique)
    return found, _expected(p[true_classes], num_sampled, unique), _expected(p[found], num_sampled, unique)


def _check_range(count: int, unique: bool, classes: int) -> None:
    if unique and count > classes:
        raise ValueError(f"num_sampled must be at most range_max={classes} to be unique, got {count}.")


primitive("LogUniformCandidateSampler(num_true=1, num_sampled=5, unique=True, range_max=5, seed=0)")(
    log_uniform_candidate_sampler
)
primitive("UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False)")(
    uniform_candidate_sampler
)
