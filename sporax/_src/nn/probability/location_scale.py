"""Distributions on the real line: Normal, HalfNormal, Laplace, Logistic, Cauchy, StudentT."""

# Formulas are functions of arrays, of which the decorators make methods:
# pyright: reportGeneralTypeIssues=false

from __future__ import annotations

import math
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln, ndtr
from numpy.typing import ArrayLike

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import Type
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import magnitude
from sporax._src.nn.probability.parametric import Parametric, parameter, positive
from sporax._src.nn.probability.rules import draws, of_parameters, of_two, of_value

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_SD = "Standard deviation"


class Normal(Parametric):
    """The normal distribution: `prob(x) = exp(-((x - mean) / sd)² / 2) / (sd √(2π))`.

    Args:
        mean: The mean; None if each call gives it.
        sd: The standard deviation, > 0; None if each call gives it.
        seed: Selects a generator for samples.
        dtype: A float dtype, of samples.
        name: The name in messages.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If an `sd` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Normal(0.0, 1.0).cdf(ms.Tensor([0.0])).asnumpy()
        array([0.5], dtype=float32)
    """

    shown = {"sd": _SD}
    conditions = {"sd": positive}

    def __init__(
        self,
        mean: Tensor | ArrayLike | None = None,
        sd: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Normal",
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    @of_parameters
    def _mean(mean: Array, sd: Array) -> Array:
        return mean

    @of_parameters
    def _mode(mean: Array, sd: Array) -> Array:
        return mean

    @of_parameters
    def _sd(mean: Array, sd: Array) -> Array:
        return sd

    @of_parameters
    def _entropy(mean: Array, sd: Array) -> Array:
        return _HALF_LOG_2PI + 0.5 + jnp.log(sd)

    @of_value
    def _log_prob(value: Array, mean: Array, sd: Array) -> Array:
        return -0.5 * jnp.square((value - mean) / sd) - _HALF_LOG_2PI - jnp.log(sd)

    @of_value
    def _cdf(value: Array, mean: Array, sd: Array) -> Array:
        return ndtr((value - mean) / sd)

    @of_two
    def _kl_loss(mean_b: Array, sd_b: Array, mean: Array, sd: Array) -> Array:
        ratio = jnp.log(sd) - jnp.log(sd_b)
        return 0.5 * jnp.square((mean - mean_b) / sd_b) + 0.5 * jnp.expm1(2.0 * ratio) - ratio

    @draws
    def _sample(key: Key, shape: Shape, mean: Array, sd: Array, seed: Static = None) -> Array:
        return mean + sd * jax.random.normal(key, shape + mean.shape, mean.dtype)


class HalfNormal(Parametric):
    """The normal distribution folded at 0: `prob(x) = √(2/π) / sd · exp(-((x - mean) / sd)² / 2)` for x >= 0, else 0.

    Args:
        mean: The point the formula is centred at; None if each call gives it.
        sd: The scale, > 0; None if each call gives it.
        seed, dtype, name: As for `Normal`.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If an `sd` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.HalfNormal(0.0, 1.0).prob(ms.Tensor([-1.0])).asnumpy()
        array([0.], dtype=float32)
    """

    shown = {"sd": _SD}
    conditions = {"sd": positive}

    def __init__(
        self,
        mean: Tensor | ArrayLike | None = None,
        sd: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "HalfNormal",
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    @of_value
    def _prob(value: Array, mean: Array, sd: Array) -> Array:
        density = math.sqrt(2.0 / math.pi) / sd * jnp.exp(-0.5 * jnp.square((value - mean) / sd))
        return jnp.where(value >= 0.0, density, 0.0)


class Laplace(Parametric):
    """The Laplace distribution: `prob(x) = exp(-|x - mean| / sd) / (2 sd)`.

    Args:
        mean: The centre; None if each call gives it.
        sd: The scale, > 0; None if each call gives it.
        seed, dtype, name: As for `Normal`.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If an `sd` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Laplace(0.0, 0.5).prob(ms.Tensor([0.0])).asnumpy()
        array([1.], dtype=float32)
    """

    shown = {"sd": _SD}
    conditions = {"sd": positive}

    def __init__(
        self,
        mean: Tensor | ArrayLike | None = None,
        sd: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Laplace",
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    @of_value
    def _log_prob(value: Array, mean: Array, sd: Array) -> Array:
        return -magnitude((value - mean) / sd) - jnp.log(2.0 * sd)


class Logistic(Parametric):
    """The logistic distribution: `cdf(x) = sigmoid((x - loc) / scale)`.

    Args:
        loc: The mean; None if each call gives it.
        scale: The scale, > 0; None if each call gives it.
        seed, dtype, name: As for `Normal`.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If a `scale` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Logistic(0.0, 1.0).cdf(ms.Tensor([0.0])).asnumpy()
        array([0.5], dtype=float32)
    """

    shown = {"loc": "location"}
    conditions = {"scale": positive}
    loc, scale = parameter("loc"), parameter("scale")

    def __init__(
        self,
        loc: Tensor | ArrayLike | None = None,
        scale: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Logistic",
    ) -> None:
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    @of_parameters
    def _mean(loc: Array, scale: Array) -> Array:
        return loc

    @of_parameters
    def _mode(loc: Array, scale: Array) -> Array:
        return loc

    @of_parameters
    def _sd(loc: Array, scale: Array) -> Array:
        return scale * (math.pi / math.sqrt(3.0))

    @of_parameters
    def _entropy(loc: Array, scale: Array) -> Array:
        return jnp.log(scale) + 2.0

    @of_value
    def _log_prob(value: Array, loc: Array, scale: Array) -> Array:
        z = (value - loc) / scale
        return -z - 2.0 * jax.nn.softplus(-z) - jnp.log(scale)

    @of_value
    def _cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jax.nn.sigmoid((value - loc) / scale)

    @of_value
    def _log_cdf(value: Array, loc: Array, scale: Array) -> Array:
        return -jax.nn.softplus((loc - value) / scale)

    @of_value
    def _survival_function(value: Array, loc: Array, scale: Array) -> Array:
        return jax.nn.sigmoid((loc - value) / scale)

    @of_value
    def _log_survival(value: Array, loc: Array, scale: Array) -> Array:
        return -jax.nn.softplus((value - loc) / scale)

    @draws
    def _sample(key: Key, shape: Shape, loc: Array, scale: Array, seed: Static = None) -> Array:
        return loc + scale * jax.random.logistic(key, shape + loc.shape, loc.dtype)


class Cauchy(Parametric):
    """The Cauchy distribution: `prob(x) = 1 / (π scale (1 + ((x - loc) / scale)²))`; it has no mean and no variance.

    Args:
        loc: The median; None if each call gives it.
        scale: Half the width at half the height, > 0; None if each call gives it.
        seed, dtype, name: As for `Normal`.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If a `scale` is not above 0, or the mean, deviation or variance is asked for.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Cauchy(0.0, 1.0).cdf(ms.Tensor([1.0])).asnumpy()
        array([0.75], dtype=float32)
    """

    shown = {"loc": "location"}
    conditions = {"scale": positive}
    loc, scale = parameter("loc"), parameter("scale")

    def __init__(
        self,
        loc: Tensor | ArrayLike | None = None,
        scale: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Cauchy",
    ) -> None:
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    def _mean(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("mean is undefined for Cauchy distribution.")

    def _sd(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("standard deviation is undefined for Cauchy distribution.")

    def _var(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("variance is undefined for Cauchy distribution.")

    @of_parameters
    def _mode(loc: Array, scale: Array) -> Array:
        return loc

    @of_parameters
    def _entropy(loc: Array, scale: Array) -> Array:
        return jnp.log(scale) + math.log(4.0 * math.pi)

    @of_value
    def _log_prob(value: Array, loc: Array, scale: Array) -> Array:
        return -jnp.log1p(jnp.square((value - loc) / scale)) - jnp.log(math.pi * scale)

    @of_value
    def _cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jnp.arctan((value - loc) / scale) / math.pi + 0.5

    @of_value
    def _log_cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jnp.log1p(2.0 / math.pi * jnp.arctan((value - loc) / scale)) - math.log(2.0)

    @of_two
    def _kl_loss(loc_b: Array, scale_b: Array, loc_a: Array, scale_a: Array) -> Array:
        both = jnp.square(scale_a + scale_b) + jnp.square(loc_a - loc_b)
        return jnp.log(both) - math.log(4.0) - jnp.log(scale_a) - jnp.log(scale_b)

    @draws
    def _sample(key: Key, shape: Shape, loc: Array, scale: Array, seed: Static = None) -> Array:
        return loc + scale * jax.random.cauchy(key, shape + loc.shape, loc.dtype)


class StudentT(Parametric):
    """Student's t distribution: the density is proportional to `(1 + ((x - mean) / sd)² / df)^(-(df + 1) / 2)`.

    Args:
        df: The degrees of freedom, > 0; None if each call gives them.
        mean: The centre; None if each call gives it.
        sd: The scale, > 0; None if each call gives it.
        seed, dtype, name: As for `Normal`.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If a `df` or `sd` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.StudentT(2.0, 0.0, 1.0).log_prob(ms.Tensor([0.0])).asnumpy().round(4)
        array([-1.0397], dtype=float32)
    """

    shown = {"sd": _SD, "df": "Degrees of freedom"}
    conditions = {"sd": positive, "df": positive}

    def __init__(
        self,
        df: Tensor | ArrayLike | None = None,
        mean: Tensor | ArrayLike | None = None,
        sd: Tensor | ArrayLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "StudentT",
    ) -> None:
        super().__init__(seed, dtype, name, df=df, mean=mean, sd=sd)

    @of_value
    def _log_prob(value: Array, df: Array, mean: Array, sd: Array) -> Array:
        tail = 0.5 * (df + 1.0) * jnp.log1p(jnp.square((value - mean) / sd) / df)
        area = jnp.log(sd) + 0.5 * jnp.log(math.pi * df) + gammaln(0.5 * df) - gammaln(0.5 * (df + 1.0))
        return -tail - area
