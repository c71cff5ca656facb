"""Random Tensor methods, in-place draws, Primitive classes and candidate samplers."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes, random, sampling
from sporax._src.ops.dropout import one_seed
from sporax._src.ops.methods import method
from sporax._src.ops.operators import assign
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal, op

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
    return (jax.random.uniform(key, input.shape, np.float32) < jnp.asarray(p)).astype(input.dtype)


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
    """Fill with draws from the normal distribution."""
    return assign(self, _normal(self, mean, std, generator), "normal_")


@method("uniform_")
def _uniform_(self: Tensor, from_: float = 0, to: float = 1, *, generator: Any = None) -> Tensor:
    """Fill with draws from the uniform distribution over [from_, to)."""
    return assign(self, _uniform(self, from_, to, generator), "uniform_")


@method("exponential_")
def _exponential_(self: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Fill with draws from the exponential distribution of rate lambd."""
    return assign(self, _exponential(self, lambd, generator), "exponential_")


@method("random_")
def _random_(self: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Tensor:
    """Fill with integers from [from_, to) (None: as far as the dtype reaches); one number alone is `to`."""
    return assign(self, _random(self, from_, _largest(self.dtype) if to is None else to, generator), "random_")


@method("bernoulli_")
def _bernoulli_(self: Tensor, p: float | Tensor = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with 1 with probability p, else 0."""
    return assign(self, _bernoulli(self, p, generator), "bernoulli_")


method("bernoulli")(lambda self, *, generator=None: _bernoulli(self, self, generator))
method("uniform")(lambda self, from_=0.0, to=1.0, generator=None: _uniform(self, from_, to, generator))
method("cauchy")(lambda self, median=0.0, sigma=1.0: _cauchy(self, median, sigma))
method("log_normal")(lambda self, mean=1.0, std=2.0: _normal(self, mean, std, None).exp())


# --- Primitive classes ------------------------------------------------------------------------------------------------


@primitive("UniformReal(seed=0, seed2=0)")
def _uniform_real(shape: Shape, seed: int = 0, seed2: int = 0) -> Tensor:
    """Draw from the uniform distribution over [0, 1), as float32."""
    return random.rand(axes.sizes(_plain(shape)), seed=one_seed(seed, seed2))


def _plain(shape: Any) -> Any:
    return tuple(shape.tolist()) if isinstance(shape, Tensor) else shape


@primitive("UniformInt(seed=0, seed2=0)")
def _uniform_int(shape: Shape, minval: Tensor, maxval: Tensor, seed: int = 0, seed2: int = 0) -> Tensor:
    """Draw integers from [minval, maxval), as int32."""
    return random.uniform(shape, minval, maxval, one_seed(seed, seed2), mstype.int32)


@primitive("Bernoulli(seed=-1, offset=0)")
def _bernoulli_primitive(x: Tensor, p: Tensor, seed: int = -1, offset: int = 0) -> Tensor:
    """Draw 1 with probability p, else 0, in shape and dtype of x (a seed of -1 means none)."""
    return sampling.bernoulli(x, p, None if seed == -1 else seed)


@primitive("Multinomial(seed=0, seed2=0, dtype=None)")
def _multinomial(x: Tensor, num_samples: int, seed: int = 0, seed2: int = 0, dtype: Any = None) -> Tensor:
    """Draw indices of rows of weights with replacement, as int32 unless dtype says otherwise."""
    return sampling.multinomial(x, num_samples, True, one_seed(seed, seed2)).astype(dtype or mstype.int32)


@op(cases=("U(2, 4), 1, 2, 3, True", "U(4), 1, 2, 3"), errors=(("U(2), 1, 2, 3", "at most"),), grad=0)
def multinomial_with_replacement(
    key: Key, x: Array, seed: Static = None, offset: Static = 0, numsamples: int = 1, replacement: bool = False
) -> Array:
    """Draw indices of rows of weights, as int64.

    Args:
        x: Weights of shape (C,) or (N, C).
        seed: Selects a Generator of its own.
        offset: Accepted for MindSpore programs: every call draws anew here.
        numsamples: How many indices to draw per row.
        replacement: Whether an index may be drawn twice.
    """
    return sampling.multinomial.raw(key, x, numsamples, replacement).astype(np.int64)


@primitive("MultinomialWithReplacement(numsamples, replacement=False)")
def _multinomial_with_replacement(
    x: Tensor, seed: Tensor, offset: Tensor, numsamples: int = 1, replacement: bool = False
) -> Tensor:
    """Draw indices of rows of weights, as int64."""
    return multinomial_with_replacement(x, seed, offset, numsamples, replacement)


@primitive("RandomCategorical(dtype=None)")
def _random_categorical(logits: Tensor, num_sample: int, seed: int = 0, dtype: Any = None) -> Tensor:
    """Draw num_sample indices per row of unnormalised log-probabilities."""
    return sampling.random_categorical(logits, num_sample, seed, dtype or mstype.int64)


@primitive("RandomPoisson(seed=0, seed2=0, dtype=None)")
def _random_poisson(shape: Tensor, rate: Tensor, seed: int = 0, seed2: int = 0, dtype: Any = None) -> Tensor:
    """Draw counts from the Poisson distribution in shape `shape` + rate.shape, as int64 unless dtype says otherwise."""
    return random.random_poisson(shape, rate, one_seed(seed, seed2), dtype or mstype.int64)


@primitive("Randperm(max_length=1, pad=-1, dtype=None)")
def _randperm(n: Tensor, max_length: int = 1, pad: int = -1, dtype: Any = None) -> Tensor:
    """Return 0 … n-1 in random order, filled up with `pad` to max_length, as int32 unless dtype says otherwise."""
    return _padded_permutation(n.reshape(()), max_length, pad, dtype or mstype.int32)


@internal("Randperm")
def _padded_permutation(key: Key, n: Array, length: int, pad: int, dtype: Static) -> Array:
    place = jnp.arange(length)
    order = jnp.argsort(jnp.where(place < n, jax.random.uniform(key, (length,), np.float32), 2.0))
    return jnp.where(place < n, order, pad).astype(to_numpy(dtype))


@primitive("TruncatedNormal(dtype=None, seed=0, seed2=0)")
@internal("TruncatedNormal")
def _truncated_normal(key: Key, shape: Shape, dtype: Static = None, seed: Static = 0, seed2: Static = 0) -> Array:
    """Draw from the standard normal distribution cut off at two standard deviations."""
    return jax.random.truncated_normal(key, -2.0, 2.0, axes.fixed_sizes(shape), random.float_dtype(dtype))


@primitive("ParameterizedTruncatedNormal(seed=0, seed2=0)")
@internal("ParameterizedTruncatedNormal")
def _truncated(
    key: Key, shape: Shape, mean: Array, stdevs: Array, min: Array, max: Array, seed: Static = 0, seed2: Static = 0
) -> Array:
    """Draw from the normal distribution cut off to [min, max]; parameters are scalars or one per row."""
    full = axes.fixed_sizes(shape)
    mean, stdevs, min, max = (
        p.reshape(p.shape[:1] + (1,) * (len(full) - 1)) if p.ndim else p for p in (mean, stdevs, min, max)
    )
    return mean + stdevs * jax.random.truncated_normal(
        key, (min - mean) / stdevs, (max - mean) / stdevs, full, mean.dtype
    )


@primitive("Cauchy(size, median=0.0, sigma=1.0)")
@internal("Cauchy")
def _cauchy_of_size(key: Key, size: Shape, median: float = 0.0, sigma: float = 1.0) -> Array:
    """Draw from the Cauchy distribution, as float32."""
    return median + sigma * jax.random.cauchy(key, axes.fixed_sizes(size), np.float32)


@primitive("LogNormalReverse(mean=1.0, std=2.0)")
def _log_normal_reverse(x: Tensor, mean: float = 1.0, std: float = 2.0) -> Tensor:
    """Draw from the log-normal distribution in the shape of x."""
    return _normal(x, mean, std, None).exp()


@primitive("NonDeterministicInts(dtype=None)")
@internal("NonDeterministicInts")
def _any_ints(key: Key, shape: Shape, dtype: Static = None) -> Array:
    """Draw integers from the whole range of the dtype (int64)."""
    kind = random.int_dtype(dtype)
    bits = jax.random.bits(key, axes.fixed_sizes(shape), np.dtype(f"uint{kind.itemsize * 8}"))
    return jax.lax.bitcast_convert_type(bits, kind)


# --- candidate samplers -----------------------------------------------------------------------------------------------


def _drawn(key: Array, weights: Array, count: int, unique: bool) -> Array:
    return sampling.multinomial.raw(key, weights, count, not unique).astype(np.int64)


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
    """Draw classes with equal probability (arguments and results as `log_uniform_candidate_sampler`).

    With remove_accidental_hits, classes that are true ones are not drawn.
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
