"""Transformed distributions with their own formulas: LogNormal, Gumbel."""

# Formulas are functions of arrays, of which the decorators make methods:
# pyright: reportGeneralTypeIssues=false

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax.scipy.special import gammaln, ndtr
from numpy.typing import ArrayLike

from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import Type
from sporax._src.core.tensor import Tensor
from sporax._src.nn.probability.bijectors import Exp, GumbelCDF, Invert
from sporax._src.nn.probability.location_scale import Normal
from sporax._src.nn.probability.parametric import Parametric, parameter
from sporax._src.nn.probability.positive import Uniform
from sporax._src.nn.probability.rules import of_parameters, of_two, of_value
from sporax._src.nn.probability.transformed import TransformedDistribution

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_EULER = 0.5772156649015329


class _Named(TransformedDistribution):
    """A transformed distribution whose parameters are `loc` and `scale`."""

    loc, scale = parameter("loc"), parameter("scale")
    _get_dist_type = Parametric._get_dist_type
    _get_dist_args = Parametric._get_dist_args
    _cross_entropy = Parametric._cross_entropy
    extend_repr = Parametric.extend_repr
    shown = Parametric.shown
    _kl_loss: Any

    def _name_parameters(self, loc: Tensor | ArrayLike | None, scale: Tensor | ArrayLike | None) -> None:
        self._reset_parameters()
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")


class LogNormal(_Named):
    """The distribution of `exp(x)` where x is normal.

    Args:
        loc: The mean of x; None if each call gives it.
        scale: The standard deviation of x, > 0; None if each call gives it.
        seed: Selects a generator for samples.
        dtype: A float dtype, of samples.
        name: The name in messages.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If a `scale` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.LogNormal(0.0, 1.0).cdf(ms.Tensor([1.0])).asnumpy()
        array([0.5], dtype=float32)
    """

    def __init__(
        self,
        loc: Tensor | ArrayLike | None = None,
        scale: Tensor | ArrayLike | None = None,
        seed: int | None = 0,
        dtype: Type = mstype.float32,
        name: str = "LogNormal",
    ) -> None:
        super().__init__(Exp(), Normal(loc, scale, seed, dtype), seed, name)
        self._name_parameters(loc, scale)

    @of_parameters
    def _mean(loc: Array, scale: Array) -> Array:
        return jnp.exp(loc + 0.5 * jnp.square(scale))

    @of_parameters
    def _mode(loc: Array, scale: Array) -> Array:
        return jnp.exp(loc - jnp.square(scale))

    @of_parameters
    def _var(loc: Array, scale: Array) -> Array:
        var = jnp.square(scale)
        return jnp.expm1(var) * jnp.exp(2.0 * loc + var)

    @of_parameters
    def _entropy(loc: Array, scale: Array) -> Array:
        return loc + 0.5 + jnp.log(scale) + _HALF_LOG_2PI

    @of_value
    def _log_prob(value: Array, loc: Array, scale: Array) -> Array:
        x = jnp.log(value)
        return -0.5 * jnp.square((x - loc) / scale) - _HALF_LOG_2PI - jnp.log(scale) - x

    @of_value
    def _cdf(value: Array, loc: Array, scale: Array) -> Array:
        x = jnp.log(jnp.where(value > 0.0, value, 1.0))
        return jnp.where(value > 0.0, ndtr((x - loc) / scale), 0.0)

    def _kl_loss(
        self, dist: str, loc_b: Tensor, scale_b: Tensor, loc_a: Tensor | None = None, scale_a: Tensor | None = None
    ) -> Tensor:
        self._same_kind(dist)
        return self.distribution.kl_loss("Normal", loc_b, scale_b, loc_a, scale_a)

    _kl_loss.names = ["loc_b", "scale_b", "loc_a", "scale_a"]


class Gumbel(_Named):
    """The Gumbel distribution: `cdf(x) = exp(-exp(-(x - loc) / scale))`.

    Args:
        loc: The location.
        scale: The scale, > 0.
        seed: Selects a generator for samples.
        dtype: A float dtype, of samples.
        name: The name in messages.

    Raises:
        TypeError: If `dtype` is not a float dtype.
        ValueError: If a `scale` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.distribution.Gumbel(0.0, 1.0).cdf(ms.Tensor([0.0])).asnumpy().round(4)
        array([0.3679], dtype=float32)
    """

    def __init__(
        self,
        loc: Tensor | ArrayLike,
        scale: Tensor | ArrayLike,
        seed: int | None = 0,
        dtype: Type = mstype.float32,
        name: str = "Gumbel",
    ) -> None:
        cdf = GumbelCDF(loc, scale)
        super().__init__(Invert(cdf), Uniform(0.0, 1.0, seed, dtype), seed, name)
        self._gumbel_bijector = cdf
        self._name_parameters(loc, scale)

    @of_parameters
    def _mean(loc: Array, scale: Array) -> Array:
        return loc + scale * _EULER

    @of_parameters
    def _mode(loc: Array, scale: Array) -> Array:
        return loc

    @of_parameters
    def _sd(loc: Array, scale: Array) -> Array:
        return scale * (math.pi / math.sqrt(6.0))

    @of_parameters
    def _entropy(loc: Array, scale: Array) -> Array:
        return 1.0 + jnp.log(scale) + _EULER

    @of_value
    def _log_prob(value: Array, loc: Array, scale: Array) -> Array:
        z = (value - loc) / scale
        return -(z + jnp.exp(-z)) - jnp.log(scale)

    @of_value
    def _cdf(value: Array, loc: Array, scale: Array) -> Array:
        return jnp.exp(-jnp.exp((loc - value) / scale))

    @of_value
    def _log_cdf(value: Array, loc: Array, scale: Array) -> Array:
        return -jnp.exp((loc - value) / scale)

    @of_two
    def _kl_loss(loc_b: Array, scale_b: Array, loc: Array, scale: Array) -> Array:
        ratio = scale / scale_b
        spread = -jnp.log(ratio) + _EULER * (ratio - 1.0)
        return spread + (loc - loc_b) / scale_b + jnp.expm1((loc_b - loc) / scale_b + gammaln(ratio + 1.0))

    def _sample(self, shape: tuple[int, ...] = ()) -> Tensor:
        return self.bijector.forward(self.distribution.sample(self._sizes(shape) + (self.broadcast_shape or ())))
