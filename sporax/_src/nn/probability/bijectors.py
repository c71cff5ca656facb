"""Bijectors: Exp, PowerTransform, ScalarAffine, Softplus, GumbelCDF, Invert."""

# Formulas are functions of arrays, of which the decorators make methods:
# pyright: reportGeneralTypeIssues=false

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from numpy.typing import ArrayLike

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal
from sporax._src.nn.probability.transformed import Bijector


def maps(formula: Callable[..., Array]) -> Callable[..., Tensor]:
    """Make `formula(value, *parameters)` the method `(value)` of a bijector."""

    @functools.wraps(formula)
    def fn(**operands: object) -> Array:
        return formula(*unify(*operands.values()))

    run = internal(formula.__qualname__.replace("._", "."))(fn)

    @functools.wraps(formula)
    def method(self: Bijector, value: Tensor) -> Tensor:
        value = self._check_value_dtype(value)
        parameters = [self.cast_param_by_value(value, p) for p in self.default_parameters]
        return run(value, *parameters)  # pyright: ignore[reportCallIssue]  (the formula's parameters are positional)

    return method


class _Parametric(Bijector):
    """A bijector of named parameters."""

    def __init__(self, name: str, is_constant_jacobian: bool = False, **parameters: object) -> None:
        super().__init__(is_constant_jacobian, name=name, param={**parameters, "name": name, "param_dict": parameters})
        for key, value in parameters.items():
            setattr(self, f"_{key}", self._add_parameter(value, key))

    def extend_repr(self) -> str:
        """Return the parameters as the text of the Cell shows them."""
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{n} = {p.asnumpy()}" for n, p in pairs)


def _parameter(name: str) -> Any:
    return property(lambda self: getattr(self, f"_{name}"), doc=f"The parameter `{name}` as a Tensor.")


def _known(value: Tensor) -> bool:
    return not isinstance(value, Parameter)


class PowerTransform(_Parametric):
    """The map `f(x) = (1 + c·x)^(1/c)` with the power c >= 0; for c = 0 its limit `exp(x)`.

    Args:
        power: The power c, a float.
        name: The name in messages.

    Raises:
        TypeError: If `power` is not a float.
        ValueError: If `power` is below 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.bijector.PowerTransform(1.0).forward(ms.Tensor([2.0])).asnumpy()
        array([3.], dtype=float32)
    """

    power = _parameter("power")

    def __init__(self, power: Tensor | ArrayLike = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name, power=power)
        if _known(self.power) and (self.power.asnumpy() < 0).any():
            raise ValueError("Power must be greater than or equal to zero.")

    @maps
    def _forward(x: Array, power: Array) -> Array:
        safe = jnp.where(power == 0.0, 1.0, power)
        return jnp.where(power == 0.0, jnp.exp(x), jnp.exp(jnp.log1p(jnp.where(power == 0.0, 0.0, x) * safe) / safe))

    @maps
    def _inverse(y: Array, power: Array) -> Array:
        safe = jnp.where(power == 0.0, 1.0, power)
        return jnp.where(power == 0.0, jnp.log(y), jnp.expm1(jnp.log(y) * safe) / safe)

    @maps
    def _forward_log_jacobian(x: Array, power: Array) -> Array:
        safe = jnp.where(power == 0.0, 1.0, power)
        return jnp.where(power == 0.0, x, (1.0 / safe - 1.0) * jnp.log1p(x * power))

    @maps
    def _inverse_log_jacobian(y: Array, power: Array) -> Array:
        return (power - 1.0) * jnp.log(y)


class Exp(PowerTransform):
    """The map `f(x) = exp(x)`.

    Args:
        name: The name in messages.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.bijector.Exp().inverse(ms.Tensor([1.0])).asnumpy()
        array([0.], dtype=float32)
    """

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(name=name)

    def extend_repr(self) -> str:
        """Return the arguments in the text of the Cell."""
        return "exp"


class ScalarAffine(_Parametric):
    """The map `f(x) = scale · x + shift`.

    Args:
        scale: The factor, a float or float Tensor.
        shift: The summand, a float or float Tensor.
        name: The name in messages.

    Raises:
        TypeError: If a parameter is no float, or their dtypes differ.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.bijector.ScalarAffine(2.0, 1.0).forward(ms.Tensor([3.0])).asnumpy()
        array([7.], dtype=float32)
    """

    scale, shift = _parameter("scale"), _parameter("shift")

    def __init__(
        self, scale: Tensor | ArrayLike = 1.0, shift: Tensor | ArrayLike = 0.0, name: str = "ScalarAffine"
    ) -> None:
        super().__init__(name, is_constant_jacobian=True, scale=scale, shift=shift)

    @maps
    def _forward(x: Array, scale: Array, shift: Array) -> Array:
        return scale * x + shift

    @maps
    def _inverse(y: Array, scale: Array, shift: Array) -> Array:
        return (y - shift) / scale

    @maps
    def _forward_log_jacobian(x: Array, scale: Array, shift: Array) -> Array:
        return jnp.log(jnp.abs(scale))

    @maps
    def _inverse_log_jacobian(y: Array, scale: Array, shift: Array) -> Array:
        return -jnp.log(jnp.abs(scale))


def _softplus_inverse(y: Array) -> Array:
    return y + jnp.log(-jnp.expm1(-y))


class Softplus(_Parametric):
    """The map `f(x) = log(1 + exp(k·x)) / k` with the sharpness k.

    Args:
        sharpness: The sharpness k, a float or float Tensor.
        name: The name in messages.

    Raises:
        TypeError: If `sharpness` is not a float.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.bijector.Softplus().forward(ms.Tensor([0.0])).asnumpy().round(4)
        array([0.6931], dtype=float32)
    """

    sharpness = _parameter("sharpness")

    def __init__(self, sharpness: Tensor | ArrayLike = 1.0, name: str = "Softplus") -> None:
        super().__init__(name, sharpness=sharpness)

    @maps
    def _forward(x: Array, sharpness: Array) -> Array:
        return jax.nn.softplus(sharpness * x) / sharpness

    @maps
    def _inverse(y: Array, sharpness: Array) -> Array:
        return _softplus_inverse(sharpness * y) / sharpness

    @maps
    def _forward_log_jacobian(x: Array, sharpness: Array) -> Array:
        return jax.nn.log_sigmoid(sharpness * x)

    @maps
    def _inverse_log_jacobian(y: Array, sharpness: Array) -> Array:
        return -jnp.log(-jnp.expm1(-sharpness * y))


class GumbelCDF(_Parametric):
    """The map `f(x) = exp(-exp(-(x - loc) / scale))`, onto (0, 1).

    Args:
        loc: The location, a float or float Tensor.
        scale: The scale, > 0.
        name: The name in messages.

    Raises:
        TypeError: If a parameter is no float, or their dtypes differ.
        ValueError: If a `scale` is not above 0.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.probability.bijector.GumbelCDF().forward(ms.Tensor([0.0])).asnumpy().round(4)
        array([0.3679], dtype=float32)
    """

    loc, scale = _parameter("loc"), _parameter("scale")

    def __init__(self, loc: Tensor | ArrayLike = 0.0, scale: Tensor | ArrayLike = 1.0, name: str = "GumbelCDF") -> None:
        super().__init__(name, loc=loc, scale=scale)
        if _known(self.scale) and not (self.scale.asnumpy() > 0).all():
            raise ValueError("scale must be greater than zero.")

    @maps
    def _forward(x: Array, loc: Array, scale: Array) -> Array:
        return jnp.exp(-jnp.exp((loc - x) / scale))

    @maps
    def _inverse(y: Array, loc: Array, scale: Array) -> Array:
        return loc - scale * jnp.log(-jnp.log(y))

    @maps
    def _forward_log_jacobian(x: Array, loc: Array, scale: Array) -> Array:
        z = (x - loc) / scale
        return -z - jnp.exp(-z) - jnp.log(scale)

    @maps
    def _inverse_log_jacobian(y: Array, loc: Array, scale: Array) -> Array:
        return jnp.log(-scale / (y * jnp.log(y)))


class Invert(Bijector):
    """The inverse of a bijector.

    Args:
        bijector: The map to invert.
        name: The name in messages; "Invert" and the name of the bijector unless given.

    Raises:
        TypeError: If `bijector` is none.

    Examples:
        >>> import sporax as ms
        >>> msb = ms.nn.probability.bijector
        >>> msb.Invert(msb.Exp()).forward(ms.Tensor([1.0])).asnumpy()
        array([0.], dtype=float32)
    """

    def __init__(self, bijector: Bijector, name: str = "") -> None:
        if not isinstance(bijector, Bijector):
            raise TypeError(f"Invert: bijector must be a Bijector, got {bijector!r}.")
        name = name or f"Invert{bijector.name}"
        arguments = {"bijector": bijector, "name": name}
        super().__init__(bijector.is_constant_jacobian, bijector.is_injective, name, bijector.dtype, arguments)
        self._bijector = bijector
        self._batch_shape, self._is_scalar_batch = bijector.batch_shape, bijector.is_scalar_batch

    bijector = property(lambda self: self._bijector, doc="The map that is inverted.")

    def _forward(self, x: Tensor) -> Tensor:
        return self.bijector.inverse(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.bijector.forward(y)

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        return self.bijector.inverse_log_jacobian(x)

    def _inverse_log_jacobian(self, y: Tensor) -> Tensor:
        return self.bijector.forward_log_jacobian(y)
