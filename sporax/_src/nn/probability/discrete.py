"""Distributions on integers: Bernoulli, Geometric, Poisson, Categorical."""

# Formulas are functions of arrays, of which the decorators make methods:
# pyright: reportGeneralTypeIssues=false

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammainc, gammaln
from numpy.typing import ArrayLike

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import Type
from sporax._src.core.tensor import Tensor
from sporax._src.nn.probability.parametric import ANY, Parametric, parameter, positive, probability
from sporax._src.nn.probability.rules import draws, of_parameters, of_two, of_value
from sporax._src.ops.array.cast import cast


class _OfIntegers(Parametric):
    """A distribution whose values and mode are compared in the dtype of its parameters."""

    dtypes = ANY

    def _operand(self, value: object) -> Tensor:
        return cast(self._tensor(value, "value"), self.parameter_type)

    _most_probable: Any

    def _mode(self, *args: Any, **kwargs: Any) -> Tensor:
        return cast(self._most_probable(*args, **kwargs), self.dtype)


class Bernoulli(_OfIntegers):
    """The Bernoulli distribution: 1 with probability `probs`, else 0.

    Args:
        probs: The probability of 1, in (0, 1); None if each call gives it.
        seed: Selects a generator for samples.
        dtype: The dtype of samples.
        name: The name in messages.

    Raises:
        TypeError: If `dtype` is no dtype of numbers.
        ValueError: If a probability is not inside (0, 1).

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Bernoulli(0.25).prob(ms.Tensor([0, 1])).asnumpy().round(3)
        array([0.75, 0.25], dtype=float32)
    """

    conditions = {"probs": probability}
    probs = parameter("probs")

    def __init__(
        self,
        probs: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.int32,
        name: str = "Bernoulli",
    ) -> None:
        super().__init__(seed, dtype, name, probs=probs)

    @of_parameters
    def _mean(probs1: Array) -> Array:
        return probs1

    @of_parameters
    def _most_probable(probs1: Array) -> Array:
        return (probs1 > 0.5).astype(probs1.dtype)

    @of_parameters
    def _var(probs1: Array) -> Array:
        return probs1 * (1.0 - probs1)

    @of_parameters
    def _entropy(probs1: Array) -> Array:
        return -(1.0 - probs1) * jnp.log1p(-probs1) - probs1 * jnp.log(probs1)

    @of_value
    def _log_prob(value: Array, probs1: Array) -> Array:
        eps = float(jnp.finfo(probs1.dtype).eps)
        probs1 = jnp.clip(probs1, eps, 1.0 - eps)
        return jnp.log(probs1) * value + jnp.log1p(-probs1) * (1.0 - value)

    @of_value
    def _cdf(value: Array, probs1: Array) -> Array:
        return jnp.where(value < 0.0, 0.0, jnp.where(value < 1.0, 1.0 - probs1, 1.0))

    @of_two
    def _kl_loss(probs1_b: Array, probs1: Array) -> Array:
        probs0, probs0_b = 1.0 - probs1, 1.0 - probs1_b
        return probs1 * jnp.log(probs1 / probs1_b) + probs0 * jnp.log(probs0 / probs0_b)

    @draws
    def _sample(key: Key, shape: Shape, probs1: Array, seed: Static = None) -> Array:
        return jax.random.bernoulli(key, probs1, shape + probs1.shape)


class Geometric(_OfIntegers):
    """The geometric distribution: the number of failures before the first success, `prob(k) = (1 - probs)^k · probs`.

    Args:
        probs: The probability of a success, in (0, 1); None if each call gives it.
        seed, dtype, name: As for `Bernoulli`.

    Raises:
        TypeError: If `dtype` is no dtype of numbers.
        ValueError: If a probability is not inside (0, 1).

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Geometric(0.5).mean().item()
        1.0
    """

    conditions = {"probs": probability}
    probs = parameter("probs")

    def __init__(
        self,
        probs: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.int32,
        name: str = "Geometric",
    ) -> None:
        super().__init__(seed, dtype, name, probs=probs)

    @of_parameters
    def _mean(probs1: Array) -> Array:
        return (1.0 - probs1) / probs1

    @of_parameters
    def _most_probable(probs1: Array) -> Array:
        return jnp.zeros_like(probs1)

    @of_parameters
    def _var(probs1: Array) -> Array:
        return (1.0 - probs1) / jnp.square(probs1)

    @of_parameters
    def _entropy(probs1: Array) -> Array:
        return -((1.0 - probs1) * jnp.log1p(-probs1) + probs1 * jnp.log(probs1)) / probs1

    @of_value
    def _prob(value: Array, probs1: Array) -> Array:
        value = jnp.floor(value)
        return jnp.where(value < 0.0, 0.0, jnp.exp(jnp.log1p(-probs1) * value + jnp.log(probs1)))

    @of_value
    def _cdf(value: Array, probs1: Array) -> Array:
        value = jnp.floor(value)
        return jnp.where(value < 0.0, 0.0, -jnp.expm1(jnp.log1p(-probs1) * (value + 1.0)))

    @of_two
    def _kl_loss(probs1_b: Array, probs1: Array) -> Array:
        return jnp.log(probs1 / probs1_b) + (1.0 - probs1) / probs1 * jnp.log((1.0 - probs1) / (1.0 - probs1_b))

    @draws
    def _sample(key: Key, shape: Shape, probs1: Array, seed: Static = None) -> Array:
        tiny = float(jnp.finfo(probs1.dtype).tiny)
        draw = jax.random.uniform(key, shape + probs1.shape, probs1.dtype, minval=tiny)
        return jnp.floor(jnp.log(draw) / jnp.log1p(-probs1))


class Poisson(_OfIntegers):
    """The Poisson distribution: `prob(k) = rate^k · exp(-rate) / k!`.

    Args:
        rate: The mean, > 0, as a Tensor, array or list; None if each call gives it.
        seed, dtype, name: As for `Bernoulli`; `dtype` is float32 here.

    Raises:
        TypeError: If `dtype` is no dtype of numbers, or `rate` is a Python number.
        ValueError: If a `rate` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Poisson([2.5]).mode().asnumpy()
        array([2.], dtype=float32)
    """

    conditions = {"rate": positive}
    no_scalars = ("rate",)
    rate = parameter("rate")

    def __init__(
        self,
        rate: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Poisson",
    ) -> None:
        super().__init__(seed, dtype, name, rate=rate)

    @of_parameters
    def _mean(rate: Array) -> Array:
        return rate

    @of_parameters
    def _most_probable(rate: Array) -> Array:
        return jnp.floor(rate)

    @of_parameters
    def _var(rate: Array) -> Array:
        return rate

    @of_value
    def _log_prob(value: Array, rate: Array) -> Array:
        count = jnp.maximum(value, 0.0)
        return jnp.where(value < 0.0, -jnp.inf, count * jnp.log(rate) - gammaln(count + 1.0) - rate)

    @of_value
    def _cdf(value: Array, rate: Array) -> Array:
        count = jnp.maximum(value, 0.0)
        return jnp.where(value < 0.0, 0.0, 1.0 - gammainc(*jnp.broadcast_arrays(count + 1.0, rate)))

    @draws
    def _sample(key: Key, shape: Shape, rate: Array, seed: Static = None) -> Array:
        return jax.random.poisson(key, rate, shape + rate.shape)


def _classes(name: str, probs: np.ndarray) -> None:
    if probs.ndim == 0:
        raise ValueError("probs for Categorical distribution must have rank >= 1.")
    probability(name, probs)
    eps = float(np.finfo(probs.dtype).eps)
    if not np.allclose(probs.sum(-1), 1.0, rtol=10 * eps, atol=eps):
        raise ValueError("Probabilities for each category should sum to one for Categorical distribution.")


class Categorical(_OfIntegers):
    """The distribution over the classes 0 ... n - 1 with probabilities `probs`.

    `mean`, `var` and `sd` treat the class as a number and keep the axis of the classes, with length 1.

    Args:
        probs: The probabilities, along the last axis, in (0, 1) and of sum 1; None if each call gives them.
        seed, dtype, name: As for `Bernoulli`.

    Raises:
        TypeError: If `dtype` is no dtype of numbers.
        ValueError: If the probabilities are a scalar, not inside (0, 1), or of another sum than 1.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Categorical([0.25, 0.75]).prob(ms.Tensor([0, 1])).asnumpy()
        array([0.25, 0.75], dtype=float32)
    """

    conditions = {"probs": _classes}
    probs = parameter("probs")

    def __init__(
        self,
        probs: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.int32,
        name: str = "Categorical",
    ) -> None:
        super().__init__(seed, dtype, name, probs=probs)
        if self.probs is not None and (shape := self.probs.shape):
            self._broadcast_shape = shape[:-1]
            self._is_scalar_batch = len(shape) == 1

    @of_parameters
    def _mean(probs: Array) -> Array:
        return (_numbers(probs) * probs).sum(-1, keepdims=True)

    @of_parameters
    def _most_probable(probs: Array) -> Array:
        return jnp.argmax(probs, -1).astype(probs.dtype)

    @of_parameters
    def _var(probs: Array) -> Array:
        numbers = _numbers(probs)
        mean = (numbers * probs).sum(-1, keepdims=True)
        return (jnp.square(numbers) * probs).sum(-1, keepdims=True) - jnp.square(mean)

    @of_parameters
    def _entropy(probs: Array) -> Array:
        return jnp.squeeze(-(jnp.log(probs) * probs).sum(-1))

    @of_value
    def _log_prob(value: Array, probs: Array) -> Array:
        logits, index, valid = _at_class(jnp.log(probs), value)
        return jnp.where(valid, jnp.take_along_axis(logits, index, -1)[..., 0], jnp.nan)

    @of_value
    def _cdf(value: Array, probs: Array) -> Array:
        below, index, _ = _at_class(jnp.cumsum(probs, -1), value)
        return jnp.where(_whole(value) < 0.0, 0.0, jnp.take_along_axis(below, index, -1)[..., 0])

    @of_two
    def _kl_loss(probs_b: Array, probs: Array) -> Array:
        log_a, log_b = (jax.nn.log_softmax(jnp.log(p), -1) for p in (probs, probs_b))
        return jnp.squeeze((jnp.exp(log_a) * (log_a - log_b)).sum(-1))

    @draws
    def _sample(key: Key, shape: Shape, probs: Array, seed: Static = None) -> Array:
        return jax.random.categorical(key, jnp.log(probs), -1, shape + probs.shape[:-1])


def _numbers(probs: Array) -> Array:
    return jnp.arange(probs.shape[-1], dtype=probs.dtype)


def _whole(value: Array) -> Array:
    return jnp.where((value > -1.0) & (value < 0.0), 0.0, jnp.floor(value))


def _at_class(table: Array, value: Array) -> tuple[Array, Array, Array]:
    """Return a table over classes and the class of each value in one batch shape, and which classes exist."""
    value = _whole(value)[..., None]
    shape = jnp.broadcast_shapes(table.shape, value.shape)
    value = jnp.broadcast_to(value, (*shape[:-1], 1))
    index = jnp.clip(value, 0, shape[-1] - 1).astype(np.int32)
    return jnp.broadcast_to(table, shape), index, ((value >= 0.0) & (value <= shape[-1] - 1))[..., 0]
