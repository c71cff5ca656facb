"""Primitive classes of random draws."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import internal, op
from sporax._src.ops.nn.dropout import one_seed
from sporax._src.ops.random import distributions, draws


def _plain(shape: object) -> Any:
    return tuple(shape.tolist()) if isinstance(shape, Tensor) else shape


@op(cases=("U(2, 4), 1, 2, 3, True", "U(4), 1, 2, 3"), errors=(("U(2), 1, 2, 3", "at most"),), grad=0)
def multinomial_with_replacement(
    key: Key, x: Array, seed: Static = None, offset: Static = 0, numsamples: int = 1, replacement: bool = False
) -> Array:
    """Draw indices of rows of weights, as int64.

    Args:
        x: Weights of shape (C,) or (N, C).
        seed: Selects a Generator of its own.
        offset: Accepted for MindSpore programs: every call draws new numbers here.
        numsamples: How many indices to draw per row.
        replacement: Whether an index may be drawn twice.

    Returns:
        A Tensor of shape (numsamples,) or (N, numsamples).

    Raises:
        ValueError: If more are to be drawn than there are, without replacement.

    Examples:
        >>> ops.multinomial_with_replacement(Tensor([0.0, 1.0]), 1, 0, 2, True).asnumpy()
        array([1, 1])
    """
    return distributions.multinomial.raw(key, x, numsamples, replacement).astype(np.int64)


@internal("Randperm")
def _padded_permutation(key: Key, n: Array, length: int, pad: int, dtype: Static) -> Array:
    position = jnp.arange(length)
    order = jnp.argsort(jnp.where(position < n, jax.random.uniform(key, (length,), np.float32), 2.0))
    return jnp.where(position < n, order, pad).astype(to_numpy(dtype))


@primitive("TruncatedNormal(dtype=None, seed=0, seed2=0)")
@internal("TruncatedNormal")
def _truncated_normal(key: Key, shape: Shape, dtype: Static = None, seed: Static = 0, seed2: Static = 0) -> Array:
    """Draw from the standard normal distribution cut off at two standard deviations.

    Args:
        shape: The shape.
        dtype: A float dtype; float32 if None.
        seed, seed2: Seeds of a stream of its own; 0 takes the global one.

    Examples:
        >>> bool((ops.TruncatedNormal()((2, 3)).abs() <= 2).all())
        True
    """
    return jax.random.truncated_normal(key, -2.0, 2.0, axes.fixed_sizes(shape), draws.float_dtype(dtype))


@primitive("ParameterizedTruncatedNormal(seed=0, seed2=0)")
@internal("ParameterizedTruncatedNormal")
def _truncated(
    key: Key, shape: Shape, mean: Array, stdevs: Array, min: Array, max: Array, seed: Static = 0, seed2: Static = 0
) -> Array:
    """Draw from the normal distribution cut off to [min, max]; parameters are scalars or one per row.

    Args:
        shape: The shape.
        mean, stdevs: Mean and standard deviation before the cut.
        min, max: The bounds.
        seed, seed2: Seeds of a stream of its own; 0 takes the global one.

    Examples:
        >>> zero, one = Tensor(0.0), Tensor(1.0)
        >>> ops.ParameterizedTruncatedNormal()((2, 3), zero, one, zero, one).shape
        (2, 3)
    """
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
    """Draw from the Cauchy distribution, as float32.

    Args:
        size: The shape.
        median: The median.
        sigma: The scale.

    Examples:
        >>> ops.Cauchy((2, 3))().shape
        (2, 3)
    """
    return median + sigma * jax.random.cauchy(key, axes.fixed_sizes(size), np.float32)


@primitive("LogNormalReverse(mean=1.0, std=2.0)")
def _log_normal_reverse(x: Tensor, mean: float = 1.0, std: float = 2.0) -> Tensor:
    """Draw from the log-normal distribution in the shape of x.

    Args:
        x: A Tensor of floats; its shape and dtype are those of the result.
        mean, std: Mean and standard deviation of the logarithm.

    Examples:
        >>> ops.LogNormalReverse()(ops.ones((2, 3))).shape
        (2, 3)
    """
    return x.log_normal(mean, std)


@primitive("NonDeterministicInts(dtype=None)")
@internal("NonDeterministicInts")
def _any_ints(key: Key, shape: Shape, dtype: Static = None) -> Array:
    """Draw integers from the whole range of the dtype (int64).

    Args:
        shape: The shape.
        dtype: An integer dtype; int64 if None.

    Raises:
        ValueError: If the dtype is not an integer dtype.

    Examples:
        >>> ops.NonDeterministicInts()((2, 3)).shape
        (2, 3)
    """
    kind = draws.int_dtype(dtype)
    bits = jax.random.bits(key, axes.fixed_sizes(shape), np.dtype(f"uint{kind.itemsize * 8}"))
    return jax.lax.bitcast_convert_type(bits, kind)


primitives(
    """\
    seed, seed2: Seeds of a stream of its own; 0 takes the global one.
    offset: Accepted: every call draws new numbers.
UniformReal(seed: int = 0, seed2: int = 0)(shape: Shape) -> rand(*sizes(_plain(shape)), seed=one_seed(seed, seed2))
    Draw from the uniform distribution over [0, 1), as float32.
    shape: The shape, a tuple or a Tensor of it.
    >>> ops.UniformReal()((2, 3)).shape
    (2, 3)
UniformInt(seed: int = 0, seed2: int = 0)(shape, minval, maxval) -> \
uniform(shape, minval, maxval, one_seed(seed, seed2), int32)
    Draw integers from [minval, maxval), as int32.
    TypeError: If a bound is a number.
    >>> ops.UniformInt()((2, 3), Tensor(0, ms.int32), Tensor(5, ms.int32)).shape
    (2, 3)
Bernoulli(seed: int = -1, offset: int = 0)(x, p) -> bernoulli(x, p, None if seed == -1 else seed)
    Draw 1 with probability p, else 0, in shape and dtype of x.
    p: A number, or a Tensor of one element or of the shape of x.
    seed: A seed of a stream of its own; -1 takes the global one.
    >>> ops.Bernoulli()(ops.ones((2,)), Tensor(1.0)).asnumpy()
    array([1., 1.], dtype=float32)
Multinomial(seed: int = 0, seed2: int = 0, dtype=None)(x, num_samples) -> \
multinomial(x, num_samples, True, one_seed(seed, seed2)).astype(dtype or int32)
    Draw indices of rows of weights with replacement.
    dtype: The dtype of the result; int32 if None.
    Returns: A Tensor of shape (num_samples,) or (N, num_samples).
    >>> ops.Multinomial()(Tensor([0.0, 1.0]), 3).asnumpy()
    array([1, 1, 1], dtype=int32)
MultinomialWithReplacement(numsamples, replacement=False)(x, seed: Tensor, offset: Tensor) -> \
multinomial_with_replacement(x, seed, offset, numsamples, replacement)
    seed: A Tensor, which selects a Generator of its own.
    >>> ops.MultinomialWithReplacement(3, True)(Tensor([0.0, 1.0]), 2, 5).asnumpy()
    array([1, 1, 1])
RandomCategorical(dtype=None)(logits, num_sample, seed: int = 0) -> \
random_categorical(logits, num_sample, seed, dtype or int64)
    seed: Selects a Generator of its own.
    dtype: The integer dtype of the result; int64 if None.
    >>> ops.RandomCategorical()(Tensor([[-100.0, 0.0]]), 3, 0).asnumpy()
    array([[1, 1, 1]])
RandomPoisson(seed: int = 0, seed2: int = 0, dtype=None)(shape, rate) -> \
random_poisson(shape, rate, one_seed(seed, seed2), dtype or int64)
    dtype: The dtype of the result: float16, float32, float64, int32 or int64, which None means.
    >>> ops.RandomPoisson()(Tensor([3]), Tensor([1.0, 2.0])).shape
    (3, 2)
Randperm(max_length: int = 1, pad: int = -1, dtype=None)(n: Tensor) -> \
_padded_permutation(n.reshape(()), max_length, pad, dtype or int32)
    Return 0 … n-1 in random order, filled up with `pad` to max_length.
    n: A Tensor of one integer.
    max_length: The length of the result.
    pad: What fills it up.
    dtype: The dtype of the result; int32 if None.
    >>> sorted(ops.Randperm(max_length=4)(Tensor([3])).tolist())
    [-1, 0, 1, 2]
""",
    globals() | {"sizes": axes.sizes, "one_seed": one_seed, "int32": mstype.int32, "int64": mstype.int64},
)
