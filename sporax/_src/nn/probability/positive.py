"""Distributions on the positive numbers and on intervals: Exponential, Gamma, Beta, Uniform."""

# Formulas are functions of arrays, of which the decorators make methods:
# pyright: reportGeneralTypeIssues=false

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import betaln, digamma, gammainc, gammaln
from numpy.typing import ArrayLike

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import Type
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.probability.parametric import Parametric, parameter, positive
from sporax._src.nn.probability.rules import draws, of_parameters, of_two, of_value


class Exponential(Parametric):
    """The exponential distribution: `prob(x) = rate · exp(-rate · x)` for x >= 0, else 0.

    Args:
        rate: The inverse of the mean, > 0; None if each call gives it.
        seed: Selects a generator for samples.
        dtype: A float dtype, of samples.
        name: The name in messages.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If a `rate` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Exponential(2.0).mean().item()
        0.5
    """

    conditions = {"rate": positive}
    rate = parameter("rate")

    def __init__(
        self,
        rate: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Exponential",
    ) -> None:
        super().__init__(seed, dtype, name, rate=rate)

    @of_parameters
    def _mean(rate: Array) -> Array:
        return 1.0 / rate

    @of_parameters
    def _sd(rate: Array) -> Array:
        return 1.0 / rate

    @of_parameters
    def _mode(rate: Array) -> Array:
        return jnp.zeros_like(rate)

    @of_parameters
    def _entropy(rate: Array) -> Array:
        return 1.0 - jnp.log(rate)

    @of_value
    def _log_prob(value: Array, rate: Array) -> Array:
        return jnp.where(value < 0.0, -jnp.inf, jnp.log(rate) - rate * value)

    @of_value
    def _cdf(value: Array, rate: Array) -> Array:
        return jnp.where(value < 0.0, 0.0, -jnp.expm1(-rate * value))

    @of_value
    def _log_survival(value: Array, rate: Array) -> Array:
        return jnp.where(value < 0.0, 0.0, -rate * value)

    @of_two
    def _kl_loss(rate_b: Array, rate: Array) -> Array:
        return jnp.log(rate) - jnp.log(rate_b) + rate_b / rate - 1.0

    @draws
    def _sample(key: Key, shape: Shape, rate: Array, seed: Static = None) -> Array:
        return jax.random.exponential(key, shape + rate.shape, rate.dtype) / rate


class Gamma(Parametric):
    """The gamma distribution: `prob(x) = rate^a · x^(a - 1) · exp(-rate · x) / Γ(a)`, a being the concentration.

    Args:
        concentration: The shape a > 0, as a Tensor, array or list; None if each call gives it.
        rate: The inverse of the scale, > 0, as a Tensor, array or list; None if each call gives it.
        seed, dtype, name: As for `Exponential`.

    Raises:
        TypeError: If `dtype` is not a float dtype, or a parameter is a Python number.
        ValueError: If a parameter is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Gamma([3.0], [2.0]).mean().asnumpy()
        array([1.5], dtype=float32)
    """

    conditions = {"concentration": positive, "rate": positive}
    no_scalars = ("concentration", "rate")
    concentration, rate = parameter("concentration"), parameter("rate")

    def __init__(
        self,
        concentration: Tensor | ArrayLike | None = None,
        rate: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Gamma",
    ) -> None:
        super().__init__(seed, dtype, name, concentration=concentration, rate=rate)

    @of_parameters
    def _mean(concentration: Array, rate: Array) -> Array:
        return concentration / rate

    @of_parameters
    def _var(concentration: Array, rate: Array) -> Array:
        return concentration / jnp.square(rate)

    @of_parameters
    def _sd(concentration: Array, rate: Array) -> Array:
        return jnp.sqrt(concentration) / rate

    @of_parameters
    def _mode(concentration: Array, rate: Array) -> Array:
        return jnp.where(concentration > 1.0, (concentration - 1.0) / rate, jnp.nan)

    @of_parameters
    def _entropy(concentration: Array, rate: Array) -> Array:
        return concentration - jnp.log(rate) + gammaln(concentration) + (1.0 - concentration) * digamma(concentration)

    @of_value
    def _log_prob(value: Array, concentration: Array, rate: Array) -> Array:
        shaped = (concentration - 1.0) * jnp.log(value) - rate * value
        return shaped + concentration * jnp.log(rate) - gammaln(concentration)

    @of_value
    def _cdf(value: Array, concentration: Array, rate: Array) -> Array:
        return gammainc(*jnp.broadcast_arrays(concentration, rate * value))

    @of_two
    def _kl_loss(concentration_b: Array, rate_b: Array, concentration_a: Array, rate_a: Array) -> Array:
        shapes = (concentration_a - concentration_b) * digamma(concentration_a)
        areas = gammaln(concentration_b) - gammaln(concentration_a)
        rates = concentration_b * (jnp.log(rate_a) - jnp.log(rate_b)) + concentration_a * (rate_b / rate_a - 1.0)
        return shapes + areas + rates

    @draws
    def _sample(key: Key, shape: Shape, concentration: Array, rate: Array, seed: Static = None) -> Array:
        return jax.random.gamma(key, concentration, shape + rate.shape, rate.dtype) / rate


class Beta(Parametric):
    """The beta distribution on (0, 1): the density is proportional to `x^(concentration1 - 1) (1 - x)^(concentration0 - 1)`.

    Args:
        concentration1: The exponent at 0, > 0, as a Tensor, array or list; None if each call gives it.
        concentration0: The exponent at 1, > 0, as a Tensor, array or list; None if each call gives it.
        seed, dtype, name: As for `Exponential`.

    Raises:
        TypeError: If `dtype` is not a float dtype, or a parameter is a Python number.
        ValueError: If a parameter is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Beta([1.0], [3.0]).mean().asnumpy()
        array([0.25], dtype=float32)
    """

    conditions = {"concentration1": positive, "concentration0": positive}
    no_scalars = ("concentration0", "concentration1")
    concentration1, concentration0 = parameter("concentration1"), parameter("concentration0")

    def __init__(
        self,
        concentration1: Tensor | ArrayLike | None = None,
        concentration0: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Beta",
    ) -> None:
        super().__init__(seed, dtype, name, concentration1=concentration1, concentration0=concentration0)

    @of_parameters
    def _mean(concentration1: Array, concentration0: Array) -> Array:
        return concentration1 / (concentration1 + concentration0)

    @of_parameters
    def _var(concentration1: Array, concentration0: Array) -> Array:
        total = concentration1 + concentration0
        return concentration1 * concentration0 / (jnp.square(total) * (total + 1.0))

    @of_parameters
    def _mode(concentration1: Array, concentration0: Array) -> Array:
        peaked = (concentration1 > 1.0) & (concentration0 > 1.0)
        return jnp.where(peaked, (concentration1 - 1.0) / (concentration1 + concentration0 - 2.0), jnp.nan)

    @of_parameters
    def _entropy(concentration1: Array, concentration0: Array) -> Array:
        total = concentration1 + concentration0
        ends = (concentration1 - 1.0) * digamma(concentration1) + (concentration0 - 1.0) * digamma(concentration0)
        return betaln(concentration1, concentration0) - ends + (total - 2.0) * digamma(total)

    @of_value
    def _log_prob(value: Array, concentration1: Array, concentration0: Array) -> Array:
        shaped = (concentration1 - 1.0) * jnp.log(value) + (concentration0 - 1.0) * jnp.log1p(-value)
        return shaped - betaln(concentration1, concentration0)

    @of_two
    def _kl_loss(
        concentration1_b: Array, concentration0_b: Array, concentration1_a: Array, concentration0_a: Array
    ) -> Array:
        areas = betaln(concentration1_b, concentration0_b) - betaln(concentration1_a, concentration0_a)
        more1, more0 = concentration1_b - concentration1_a, concentration0_b - concentration0_a
        total = digamma(concentration1_a + concentration0_a)
        return areas - digamma(concentration1_a) * more1 - digamma(concentration0_a) * more0 + total * (more1 + more0)

    @draws
    def _sample(key: Key, shape: Shape, concentration1: Array, concentration0: Array, seed: Static = None) -> Array:
        return jax.random.beta(key, concentration1, concentration0, shape + concentration1.shape, concentration1.dtype)


class Uniform(Parametric):
    """The uniform distribution on [low, high].

    Args:
        low: The lower end; None if each call gives it.
        high: The upper end, above `low`; None if each call gives it.
        seed, dtype, name: As for `Exponential`.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If a `low` is not below its `high`.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Uniform(0.0, 2.0).prob(ms.Tensor([1.0, 3.0])).asnumpy()
        array([0.5, 0. ], dtype=float32)
    """

    low, high = parameter("low"), parameter("high")

    def __init__(
        self,
        low: Tensor | ArrayLike | None = None,
        high: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Uniform",
    ) -> None:
        super().__init__(seed, dtype, name, low=low, high=high)
        known = not any(v is None or isinstance(v, Parameter) for v in (self.low, self.high))
        if known and not np.less(self.low.asnumpy(), self.high.asnumpy()).all():
            raise ValueError("low must be less than high")

    @of_parameters
    def _mean(low: Array, high: Array) -> Array:
        return (low + high) / 2.0

    @of_parameters
    def _var(low: Array, high: Array) -> Array:
        return jnp.square(high - low) / 12.0

    @of_parameters
    def _entropy(low: Array, high: Array) -> Array:
        return jnp.log(high - low)

    @of_value
    def _prob(value: Array, low: Array, high: Array) -> Array:
        return jnp.where((low <= value) & (value <= high), 1.0 / (high - low), 0.0)

    @of_value
    def _cdf(value: Array, low: Array, high: Array) -> Array:
        return jnp.where(value < low, 0.0, jnp.where(value < high, (value - low) / (high - low), 1.0))

    @of_two
    def _kl_loss(low_b: Array, high_b: Array, low: Array, high: Array) -> Array:
        inside = (low_b <= low) & (high <= high_b)
        return jnp.where(inside, jnp.log(high_b - low_b) - jnp.log(high - low), jnp.inf)

    @draws
    def _sample(key: Key, shape: Shape, low: Array, high: Array, seed: Static = None) -> Array:
        return low + (high - low) * jax.random.uniform(key, shape + low.shape, low.dtype)
