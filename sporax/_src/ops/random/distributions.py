"""Draws from distributions of given parameters, and random choices: coin flips, indices by weight, candidate classes."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.bindings.primitive import primitive
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_numpy, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import floating
from sporax._src.engine.table import composite, freeze, internal, op
from sporax._src.ops.random import minstd


@op(cases=("(2, 3)", "(0, 3)"), errors=(("(-1,)", "negative"),), primitive="StandardNormal(seed=0, seed2=0)", grad=0)
def standard_normal(key: Key, shape: Shape, seed: Static = None) -> Array:
    """Draw from the standard normal distribution, as float32.

    Args:
        shape: The shape.
        seed: Selects a Generator of its own.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.standard_normal((2, 3)).shape
        (2, 3)
    """
    return jax.random.normal(key, axes.fixed_sizes(shape), np.float32)


@op(cases=("(2, 3)", "(0, 3)"), errors=(("(-1,)", "negative"),), primitive="StandardLaplace(seed=0, seed2=0)", grad=0)
def standard_laplace(key: Key, shape: Shape, seed: Static = None) -> Array:
    """Draw from the Laplace distribution of mean 0 and scale 1, as float32.

    Args:
        shape: The shape.
        seed: Selects a Generator of its own.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.standard_laplace((2, 3)).shape
        (2, 3)
    """
    return jax.random.laplace(key, axes.fixed_sizes(shape), np.float32)


@op(
    cases=("(2,), D(0.0), D(1.0)", "(2, 2), D([0.0, 1.0]), D([1.0, 1.0])"),
    errors=(("(2,), D(0.0), T(7, 11)", "Incompatible shapes for broadcasting"),),
    grad=0,
)
def laplace(key: Key, shape: Shape, mean: Array, lambda_param: Array, seed: Static = None) -> Array:
    """Draw from the Laplace distribution of the given mean and scale, as float32.

    Args:
        shape: The shape, broadcast with those of the parameters.
        mean: A Tensor or number.
        lambda_param: A Tensor or number: the scale.
        seed: Selects a Generator of its own.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.laplace((2, 3), Tensor(0.0), Tensor(1.0)).shape
        (2, 3)
    """
    mean, scale = (jnp.asarray(v).astype(np.float32) for v in (mean, lambda_param))
    full = jnp.broadcast_shapes(axes.fixed_sizes(shape), mean.shape, scale.shape)
    return mean + scale * jax.random.laplace(key, full, np.float32)


def _outer(shape: Shape, *xs: Array) -> tuple[int, ...]:
    """Return `shape` followed by the broadcast shape of the parameters: one block of draws per element of `shape`."""
    return axes.fixed_sizes(shape) + jnp.broadcast_shapes(*(jnp.shape(x) for x in xs))


@op(
    cases=("(3, 2), D([3.0, 4.0]), D([1.0, 1.0])", "(3, 2, 2), D([[3.0], [4.0]]), D([1.0, 2.0])"),
    errors=(("(2,), I(2), D([1.0])", "float"),),
    primitive="Gamma(seed=0, seed2=0)",
    grad=0,
)
def gamma(key: Key, shape: Shape, alpha: Array, beta: Array, seed: Static = None) -> Array:
    """Draw from the Gamma distribution of concentration alpha and rate beta.

    Args:
        shape: The shape, broadcast with those of the parameters.
        alpha, beta: Tensors of floats.
        seed: Selects a Generator of its own.

    Raises:
        TypeError: If a parameter is not of a float dtype.

    Examples:
        >>> ops.gamma((2, 3), Tensor(2.0), Tensor(1.0)).shape
        (2, 3)
    """
    alpha, beta = unify(floating(alpha, "alpha"), floating(beta, "beta"))
    full = jnp.broadcast_shapes(axes.fixed_sizes(shape), alpha.shape, beta.shape)
    return jax.random.gamma(key, jnp.broadcast_to(alpha, full), dtype=alpha.dtype) / beta


@op(
    cases=("(4,), D([3.0, 4.0])", "(2, 3), D(2.0)"),
    errors=(("(2,), I(2)", "float"),),
    primitive="RandomGamma(seed=0, seed2=0)",
    grad=0,
)
def random_gamma(key: Key, shape: Shape, alpha: Array, seed: Static = None) -> Array:
    """Draw from the Gamma distribution of concentration alpha and rate 1, in shape `shape` + alpha.shape.

    Args:
        shape: The shape of draws for each concentration.
        alpha: A Tensor of floats: the concentrations.
        seed: Selects a Generator of its own.

    Raises:
        TypeError: If `alpha` is not of a float dtype.

    Examples:
        >>> ops.random_gamma((3,), Tensor([1.0, 2.0])).shape
        (3, 2)
    """
    alpha = floating(alpha, "alpha")
    return jax.random.gamma(key, jnp.broadcast_to(alpha, _outer(shape, alpha)), dtype=alpha.dtype)


# --- Poisson: the sampler is slow to compile, so it is compiled for lengths that are powers of two and for one dtype ----


@internal("poisson")
def _rates(rate: Array, shape: Shape) -> Array:
    """Return the rates of all draws in one row, padded to a power of two."""
    flat = jnp.broadcast_to(jnp.asarray(rate).astype(np.float32), shape).reshape(-1)
    return jnp.pad(flat, (0, (1 << max(flat.size - 1, 0).bit_length()) - flat.size))


def _drawn(key: Key, rates: Array, seed: Static = None) -> Array:
    return jax.random.poisson(key, rates, rates.shape)  # threefry has it; other generators of JAX do not


_poisson_row = internal("poisson")(_drawn)
_random_poisson_row = internal("random_poisson")(_drawn)


@internal("poisson")
def _shaped(row: Array, shape: Shape, dtype: Static) -> Array:
    return row[: math.prod(shape)].reshape(shape).astype(to_numpy(dtype))


@composite(
    cases=("(3, 2), D([3.0, 4.0])", "(2, 1), D(5.0)"),
    errors=(("(-1,), D(5.0)", "negative"),),
    primitive="Poisson(seed=0, seed2=0)",
    grad=0,
)
def poisson(shape: Shape, mean: Tensor, seed: Static = None) -> Tensor:
    """Draw counts of the given mean from the Poisson distribution, as int32; shapes broadcast.

    Args:
        shape: The shape, broadcast with that of the means.
        mean: A Tensor of floats, positive.
        seed: Selects a Generator of its own.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.poisson((2, 3), Tensor(2.0)).shape
        (2, 3)
    """
    whole = jnp.broadcast_shapes(axes.fixed_sizes(freeze(shape)), jnp.shape(mean))
    return _shaped(_poisson_row(_rates(mean, whole), seed), whole, mstype.int32)


_COUNTED = (mstype.float16, mstype.bfloat16, mstype.float32, mstype.float64, mstype.int32, mstype.int64)


@composite(
    cases=(
        "D([2, 2], np.int64), D([3.0, 4.0])",
        "D([2], np.int64), D(5.0), dtype=ms.int64",
        "D([3], np.int32), 2.0, 7",
    ),
    errors=(
        ("(2, 2), D(5.0)", "shape must be an int32 or int64 Tensor, got tuple"),
        ("D([2.0]), D(5.0)", "shape must be an int32 or int64 Tensor, got Float"),
        ("D([[2]], np.int64), D(5.0)", "shape must have 1 axis, got 2"),
        ("D([-2], np.int64), D(5.0)", "negative"),
        ("D([2], np.int64), [5.0]", "rate must be a Tensor or a number, got list"),
        ("D([2], np.int64), B(2)", "rate must hold floats, int32 or int64, got Bool"),
        ("D([2], np.int64), D(5.0), dtype=ms.int8", "dtype must be a float type, int32 or int64, got Int8"),
    ),
    grad=0,
    jit=False,
)
def random_poisson(shape: Tensor, rate: Tensor, seed: Static = None, dtype: Static = mstype.float32) -> Tensor:
    """Draw counts of the given rate from the Poisson distribution, in shape `shape` + rate.shape.

    Args:
        shape: The shape of draws for each rate, an integer Tensor of one axis.
        rate: A number or Tensor, positive.
        seed: Selects a Generator of its own.
        dtype: The dtype of the result: float16, float32, float64, int32 or int64.

    Raises:
        TypeError: If `shape` is no such Tensor, `rate` a sequence, or a dtype another.
        ValueError: If `shape` has not 1 axis or a size is negative.

    Examples:
        >>> ops.random_poisson(Tensor([3]), Tensor([1.0, 2.0])).shape
        (3, 2)
    """
    if not isinstance(shape, Tensor) or shape.dtype not in (mstype.int32, mstype.int64):
        kind = shape.dtype if isinstance(shape, Tensor) else type(shape).__name__
        raise TypeError(f"ops.random_poisson: shape must be an int32 or int64 Tensor, got {kind}.")
    if shape.ndim != 1:
        raise ValueError(f"ops.random_poisson: shape must have 1 axis, got {shape.ndim}.")
    if isinstance(rate, (list, tuple)):
        raise TypeError(f"ops.random_poisson: rate must be a Tensor or a number, got {type(rate).__name__}.")
    if isinstance(rate, Tensor) and rate.dtype not in _COUNTED:
        raise TypeError(f"ops.random_poisson: rate must hold floats, int32 or int64, got {rate.dtype}.")
    if dtype not in _COUNTED:
        raise TypeError(f"ops.random_poisson: dtype must be a float type, int32 or int64, got {dtype}.")
    whole = axes.fixed_sizes(freeze(shape)) + jnp.shape(rate)
    return _shaped(_random_poisson_row(_rates(rate, whole), seed), whole, dtype)


# --- random choices -----------------------------------------------------------------------------------------------------


@op(
    cases=("T(2, 3) * 0 + 0.5, 0.5", "T(2, 3), U(2, 3)", "I(3), 0.5", "T(2, 3), D([0.25])"),
    errors=(("T(2, 3), U(3)", "shape"),),
    grad=0,
    name="_bernoulli",
)
def _bernoulli(key: Key, input: Array, p: Array, seed: Static = None) -> Array:
    p = jnp.asarray(p).astype(np.float32)
    if p.size != 1 and p.shape != input.shape:
        raise ValueError(f"p must have the shape of input {list(input.shape)} or one element, got {list(p.shape)}.")
    return (jax.random.uniform(key, input.shape, np.float32) < p.reshape(p.shape if p.size != 1 else ())).astype(
        input.dtype
    )


@composite(
    cases=("T(2, 3)", "I(3), 0.2", "T(2), U(2), 4"),
    errors=(("T(2), 1.5", "p must be in [0, 1]"), ("T(2), 0.5, seed='a'", "seed")),
    grad=0,
)
def bernoulli(input: Tensor, p: Tensor | float = 0.5, seed: int | None = None) -> Tensor:
    """Draw 1 with probability p, else 0, in shape and dtype of input.

    Args:
        input: Gives shape and dtype.
        p: A number, or a Tensor of one element or of the shape of input.
        seed: Selects a Generator of its own.

    Raises:
        TypeError: If the seed is not an int.
        ValueError: If `p` is a number outside [0, 1], or a Tensor of another shape.

    Examples:
        >>> ops.bernoulli(ops.ones((2, 3)), 1.0).asnumpy()
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
    if not isinstance(p, Tensor) and not 0 <= p <= 1:
        raise ValueError(f"ops.bernoulli: p must be in [0, 1], got {p}.")
    return _bernoulli(input, p, seed)


@op(
    cases=("U(4), 3", "U(2, 4), 3", "U(2, 4), 4, False", "D([0.0, 9.0, 4.0, 0.0]), 2, False"),
    errors=(("U(2, 2, 2), 3", "1 or 2 axes"), ("U(2), 3, False", "at most"), ("U(2), 0", "positive")),
    method="multinomial",
    grad=0,
)
def multinomial(key: Key, input: Array, num_samples: int, replacement: bool = True, seed: Static = None) -> Array:
    """Draw indices of rows of weights, as int32.

    Args:
        input: Weights of shape (C,) or (N, C), not negative; a row need not sum to 1.
        num_samples: How many indices to draw per row.
        replacement: Whether an index may be drawn twice.
        seed: Selects a Generator of its own.

    Returns:
        A Tensor of shape (num_samples,) or (N, num_samples).

    Raises:
        ValueError: If the number of axes or of samples does not fit.

    Examples:
        >>> ops.multinomial(Tensor([0.0, 1.0]), 3).asnumpy()
        array([1, 1, 1], dtype=int32)
    """
    if input.ndim not in (1, 2):
        raise ValueError(f"input must have 1 or 2 axes, got {input.ndim}.")
    if num_samples <= 0:
        raise ValueError(f"num_samples must be positive, got {num_samples}.")
    if not replacement and num_samples > input.shape[-1]:
        raise ValueError(f"num_samples must be at most {input.shape[-1]} without replacement, got {num_samples}.")
    return _draw_indices(key, jnp.log(input.astype(np.float32)), num_samples, replacement).astype(np.int32)


def _draw_indices(key: Array, logits: Array, count: int, replacement: bool) -> Array:
    if not replacement:  # the largest of Gumbel-perturbed logits are a sample without replacement
        return lax.top_k(logits + jax.random.gumbel(key, logits.shape, logits.dtype), count)[1]
    drawn = jax.random.categorical(key, logits, axis=-1, shape=(count, *logits.shape[:-1]))
    return jnp.moveaxis(drawn, 0, -1)


@internal("random_categorical")
def _categorical(key: Key, logits: Array, num_sample: int, dtype: Static) -> Array:
    return _draw_indices(key, logits, num_sample, True).astype(to_numpy(dtype))


@internal("random_categorical")
def _seeded_categorical(
    state: Array, first: Array, logits: Array, num_sample: int, dtype: Static
) -> tuple[Array, Array]:
    """Return the same draws for each row, as MindSpore's kernel does, and the next state."""
    number, word = minstd.doubles(minstd.word_of(state, first), num_sample)
    weights = jnp.exp(logits.astype(np.float32) - jnp.max(logits, 1, keepdims=True).astype(np.float32))
    sums = jnp.cumsum(weights.astype(logits.dtype), 1)
    aim = sums[:, -1:] * number.astype(np.float32).astype(logits.dtype)
    index = jax.vmap(jnp.searchsorted)(sums, aim)
    return index.astype(to_numpy(dtype)), minstd.after(state, word)


@composite(
    cases=("U(2, 4), 3", "U(2, 4), 3, dtype=ms.int32", "U(2, 4), 3, 5"),
    errors=(("U(4), 3", "2 axes"), ("U(2, 4), 3, True", "seed must be an int")),
    method="random_categorical",
    grad=0,
)
def random_categorical(logits: Tensor, num_sample: int, seed: int = 0, dtype: Static = mstype.int64) -> Tensor:
    """Draw num_sample indices per row of unnormalised log-probabilities (N, C).

    Args:
        logits: A Tensor of shape (N, C): unnormalised log-probabilities.
        num_sample: How many indices to draw per row.
        seed: Selects a Generator of its own, whose numbers are those of MindSpore's CPU kernel: the same for each row.
        dtype: The integer dtype of the result.

    Returns:
        A Tensor of shape (N, num_sample).

    Raises:
        TypeError: If `seed` is not an integer.
        ValueError: If `logits` has not 2 axes.

    Examples:
        >>> ops.random_categorical(Tensor([[-100.0, 0.0]]), 3).asnumpy()
        array([[1, 1, 1]])
    """
    if logits.ndim != 2:
        raise ValueError(f"ops.random_categorical: logits must have 2 axes, got {logits.ndim}.")
    minstd.check_seed("ops.random_categorical", "seed", seed)
    if not seed:
        return _categorical(logits, num_sample, dtype)
    return minstd.drawn(_seeded_categorical, "RandomCategorical", (0, seed), logits, num_sample, dtype)


@internal("shuffle")
def _shuffle(key: Key, x: Array) -> Array:
    return jax.random.permutation(key, x)


@internal("shuffle")
def _seeded_shuffle(state: Array, first: Array, x: Array) -> tuple[Array, Array]:
    order, word = minstd.shuffled(jnp.arange(x.shape[0]), x.shape[0], minstd.word_of(state, first))
    return x[order], minstd.after(state, word)


@composite(
    cases=("T(4, 3)", "I(5)", "I(5), 3"),
    errors=(("2", "must be a Tensor"), ("T(4), -3", "seed must be >= 0"), ("T(4), 1.5", "seed must be an int")),
    primitive="RandomShuffle(seed=0, seed2=0)",
    grad=0,
)
def shuffle(x: Tensor, seed: int | None = None, seed2: int = 0) -> Tensor:
    """Return x with the elements of its first axis in random order.

    Args:
        x: A Tensor.
        seed, seed2: Select a Generator of its own, whose numbers are those of MindSpore's CPU kernel.

    Raises:
        TypeError: If `x` is not a Tensor or a seed not an integer.
        ValueError: If a seed is negative.

    Examples:
        >>> sorted(ops.shuffle(Tensor([3, 1, 2])).tolist())
        [1, 2, 3]
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"ops.shuffle: x must be a Tensor, got {describe(x)}.")
    minstd.check_seed("ops.shuffle", "seed", seed, 0)
    minstd.check_seed("ops.shuffle", "seed2", seed2, 0)
    if not x.ndim:
        return x
    if not (seed or seed2):
        return _shuffle(x)
    return minstd.drawn(_seeded_shuffle, "RandomShuffle", (seed or 0, seed2), x)


def _chosen_indices(order: Array, mask: Array, count: int) -> tuple[Array, Array]:
    """Return the indices of the first `count` elements of `order`, and which of them are true."""
    order = jnp.pad(order[:count], (0, max(count - order.shape[0], 0)))
    real = jnp.arange(count) < jnp.sum(mask)
    index = jnp.stack(jnp.unravel_index(order, mask.shape), -1)
    return jnp.where(real[:, None], index, 0).astype(np.int32), real


@internal("choice_with_mask")
def _choice(key: Key, mask: Array, count: int) -> tuple[Array, Array]:
    flat = mask.reshape(-1)
    order = jnp.argsort(jnp.where(flat, jax.random.uniform(key, flat.shape, np.float32), 2.0))
    return _chosen_indices(order, mask, count)


@internal("choice_with_mask")
def _seeded_choice(state: Array, first: Array, mask: Array, count: int) -> tuple[Array, Array, Array]:
    indices = jnp.argsort(~mask.reshape(-1))
    order, word = minstd.shuffled(indices, jnp.sum(mask), minstd.word_of(state, first))
    return *_chosen_indices(order, mask, count), minstd.after(state, word)


@composite(
    cases=("B(2, 3), 8", "B(2, 3), 3", "B(5)", "B(5), 3, 9"),
    errors=(
        ("T(3)", "booleans"),
        ("B(3), 0", "positive"),
        ("B(3), 2**31", "more than"),
        ("B(3), 2, 1.5", "seed must be"),
    ),
    primitive="RandomChoiceWithMask(count=256, seed=0, seed2=0)",
    grad=0,
)
def choice_with_mask(
    input_x: Tensor, count: int = 256, seed: int | None = None, seed2: int = 0
) -> tuple[Tensor, Tensor]:
    """Choose at random up to `count` of the true elements of a mask.

    Args:
        input_x: A Tensor of booleans.
        count: How many to choose.
        seed, seed2: Select a Generator of its own, whose numbers are those of MindSpore's CPU kernel.

    Returns:
        Indices of shape (count, number of axes) as int32, and which of them are real choices (the rest is filled up).

    Raises:
        TypeError: If `input_x` does not hold booleans, or a seed is not an integer.
        ValueError: If `count` is not positive.
        RuntimeError: If the indices would be more than 2³¹.

    Examples:
        >>> index, real = ops.choice_with_mask(Tensor([False, True, False]), 2)
        >>> index.asnumpy().tolist(), real.asnumpy().tolist()
        ([[1], [0]], [True, False])
    """
    if input_x.dtype != mstype.bool_:
        raise TypeError(f"ops.choice_with_mask: input_x must hold booleans, got {input_x.dtype}.")
    if count < 1:
        raise ValueError(f"ops.choice_with_mask: count must be positive, got {count}.")
    minstd.check_seed("ops.choice_with_mask", "seed", seed)
    minstd.check_seed("ops.choice_with_mask", "seed2", seed2)
    if count * input_x.ndim >= 2**31:
        raise RuntimeError(
            f"ops.choice_with_mask: {count} choices along {input_x.ndim} axes are more than 2**31 indices."
        )
    if not (seed or seed2):
        return _choice(input_x, count)
    return minstd.drawn(_seeded_choice, "RandomChoiceWithMask", (seed or 0, seed2), input_x, count)


@op(
    cases=("T(2, 3)", "T(2, 3), 0.5, True", "T(2, 3), 1.0, False, 0"),
    errors=(("T(2, 3), 0.0", "tau"), ("I(3)", "float"), ("T(2, 3), 1.0, False, 5", "dim must be in")),
    grad=0,
)
def gumbel_softmax(key: Key, logits: Array, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Array:
    """Return softmax((logits + g) / tau) of Gumbel noise g: a differentiable sample of one class (Jang et al., 2017,
    arXiv:1611.01144).

    Args:
        logits: Unnormalised log-probabilities.
        tau: The temperature, positive; near 0 samples are near one-hot.
        hard: Whether to return the one-hot sample, with the gradient of the soft one.
        dim: The axis of the classes.

    Raises:
        TypeError: If `logits` is not of a float dtype.
        ValueError: If `tau` is not positive or the axis is out of range.

    Examples:
        >>> ops.gumbel_softmax(Tensor([[1.0, 2.0]]), hard=True).shape
        (1, 2)
    """
    if tau <= 0:
        raise ValueError(f"tau must be positive, got {tau}.")
    x = floating(logits, "logits")
    dim = axes.one(dim, x.ndim, "dim")
    soft = jax.nn.softmax((x + jax.random.gumbel(key, x.shape, x.dtype)) / tau, dim)
    if not hard:
        return soft
    one_hot = jax.nn.one_hot(jnp.argmax(soft, dim), x.shape[dim], axis=dim, dtype=x.dtype)
    return one_hot + soft - lax.stop_gradient(soft)


# --- candidates ---------------------------------------------------------------------------------------------------------


def _chosen(key: Array, weights: Array, count: int, unique: bool) -> Array:
    return multinomial.raw(key, weights, count, not unique).astype(np.int64)


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
    candidates = _chosen(key, p, num_sampled, unique)
    return candidates, _expected(p[true_classes], num_sampled, unique), _expected(p[candidates], num_sampled, unique)


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
    candidates = _chosen(key, weights, num_sampled, unique)
    return candidates, _expected(p[true_classes], num_sampled, unique), _expected(p[candidates], num_sampled, unique)


def _check_range(count: int, unique: bool, classes: int) -> None:
    if unique and count > classes:
        raise ValueError(f"num_sampled must be at most range_max={classes} to be unique, got {count}.")


primitive("LogUniformCandidateSampler(num_true=1, num_sampled=5, unique=True, range_max=5, seed=0)")(
    log_uniform_candidate_sampler
)
primitive("UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False)")(
    uniform_candidate_sampler
)
