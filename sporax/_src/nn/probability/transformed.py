"""Bijector, the base of invertible maps, and TransformedDistribution, the image of a distribution under such a map."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.core.dtype import Type
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.probability.distribution import FLOATS, Distribution, shape_of
from sporax._src.ops.array.cast import cast
from sporax._src.ops.math.elementwise import exp, log


class Bijector(Cell):
    """The base of invertible, differentiable maps of numbers.

    A subclass defines `_forward(x)`, `_inverse(y)`, `_forward_log_jacobian(x)` and `_inverse_log_jacobian(y)`. A call
    with a distribution returns the TransformedDistribution; a call with a name returns that quantity.

    Args:
        is_constant_jacobian: Whether the derivative does not depend on the argument.
        is_injective: Whether different arguments have different images.
        name: The name in messages.
        dtype: The dtype of the parameters; None: any float dtype.
        param: The arguments of the constructor; `param["param_dict"]` holds the parameters.

    Raises:
        TypeError: If an argument has another type.

    Examples:
        >>> import sporax as ms
        >>> class Twice(ms.nn.probability.bijector.Bijector):
        ...     def __init__(self):
        ...         super().__init__(is_constant_jacobian=True, name="Twice", param={})
        ...     def _forward(self, x):
        ...         return 2 * x
        >>> Twice().forward(ms.Tensor([1.5])).asnumpy()
        array([3.], dtype=float32)
    """

    def __init__(
        self,
        is_constant_jacobian: bool = False,
        is_injective: bool = True,
        name: str | None = None,
        dtype: Type | None = None,
        param: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        kind = type(self).__name__
        if not isinstance(name, str):
            raise TypeError(f"{kind}: name must be a string, got {name!r}.")
        for key, flag in (("is_constant_jacobian", is_constant_jacobian), ("is_injective", is_injective)):
            if not isinstance(flag, bool):
                raise TypeError(f"{kind}: {key} must be a bool, got {flag!r}.")
        if dtype is not None and dtype not in FLOATS:
            raise TypeError(f"For '{kind}', the 'dtype' should be one of {list(FLOATS)}, but got {dtype!r}.")
        parameters = (param or {}).get("param_dict")
        self._name, self._dtype = name, dtype
        self._parameters = {k: v for k, v in (param or {}).items() if k != "self" and not k.startswith("_")}
        self._is_constant_jacobian, self._is_injective = is_constant_jacobian, is_injective
        self._batch_shape = None if parameters is None else shape_of(parameters)
        self._is_scalar_batch = parameters is not None and all(isinstance(v, (int, float)) for v in parameters.values())
        self.default_parameters: list[Any] = []
        self.parameter_names: list[str] = []

    name = property(lambda self: self._name, doc="The name in messages.")
    dtype = property(lambda self: self._dtype, doc="The dtype of the parameters, or None.")
    parameters = property(lambda self: self._parameters, doc="The arguments of the constructor.")
    is_constant_jacobian = property(lambda self: self._is_constant_jacobian, doc="Whether the derivative is constant.")
    is_injective = property(lambda self: self._is_injective, doc="Whether different arguments have different images.")
    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the parameters, or None.")
    is_scalar_batch = property(lambda self: self._is_scalar_batch, doc="Whether all parameters are Python numbers.")

    def _add_parameter(self, value: object, name: str) -> Tensor:
        """Keep a parameter and return it as a Tensor."""
        if isinstance(value, bool) or value is None:
            raise TypeError(f"{name} cannot be type {type(value)}")
        parameter = value if isinstance(value, Parameter) else Tensor(value)
        common = self.dtype or next((p.dtype for p in self.default_parameters), parameter.dtype)
        if parameter.dtype != common:
            raise TypeError(f"{name} should have the same dtype as other arguments.")
        if common not in FLOATS:
            raise TypeError(
                f"For '{type(self).__name__}', the 'dtype of {name}' should be one of {list(FLOATS)}, but got {common!r}."
            )
        self.default_parameters.append(parameter)
        self.parameter_names.append(name)
        return parameter

    def _check_value_dtype(self, value: object) -> Tensor:
        if not isinstance(value, Tensor):
            raise TypeError("For input value of bijector, input type must be a Tensor or Parameter.")
        if value.dtype not in ((self.dtype,) if self.dtype else FLOATS):
            raise TypeError(
                f"For input value of bijector , the type must be or be subclass of {self.dtype or 'Float'}, "
                f"but got {value.dtype}"
            )
        return value

    def cast_param_by_value(self, value: Tensor, para: Tensor) -> Tensor:
        """Return a parameter in the dtype of a value."""
        return cast(para, value.dtype)

    def forward(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return y = f(x)."""
        return self._rule("forward", value, *args, **kwargs)

    def inverse(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return x with f(x) = y."""
        return self._rule("inverse", value, *args, **kwargs)

    def forward_log_jacobian(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return log |f'(x)|."""
        return self._rule("forward_log_jacobian", value, *args, **kwargs)

    def inverse_log_jacobian(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return log |(f⁻¹)'(y)|."""
        return self._rule("inverse_log_jacobian", value, *args, **kwargs)

    def _rule(self, name: str, *args: Any, **kwargs: Any) -> Tensor:
        method = getattr(self, f"_{name}", None)
        if method is None:
            raise NotImplementedError(f"{name} is not implemented for {self.name} bijector.")
        return method(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the transformed distribution, or the quantity with the name."""
        if args and isinstance(args[0], Distribution):
            return TransformedDistribution(self, args[0])
        return super().__call__(*args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Tensor:
        """Return the quantity called `name`: `bijector("forward", x)` is `bijector.forward(x)`."""
        if name not in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
            raise ValueError(f"{self.name}: a bijector has forward, inverse and their log_jacobian, got {name!r}.")
        return getattr(self, name)(*args, **kwargs)


@internal("TransformedDistribution.log_prob")
def _moved(log_prob: Array, log_jacobian: Array) -> Array:
    """Return the density of y from that of x; it is 0 if that of x is 0, whatever the derivative."""
    return jnp.where(jnp.isneginf(log_prob), log_prob, log_prob + log_jacobian)


class TransformedDistribution(Distribution):
    """The distribution of `f(x)` where x has a distribution and f is a bijector.

    Args:
        bijector: The map f.
        distribution: The distribution of x.
        seed: Selects a generator for samples.
        name: The name in messages.

    Raises:
        TypeError: If `bijector` or `distribution` is none, or the distribution has no float dtype.
        ValueError: If the mean is asked for and f is not linear.

    Examples:
        >>> import sporax as ms
        >>> msd, msb = ms.nn.probability.distribution, ms.nn.probability.bijector
        >>> msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0)).cdf(ms.Tensor([1.0])).asnumpy()
        array([0.5], dtype=float32)
    """

    def __init__(
        self,
        bijector: Bijector,
        distribution: Distribution,
        seed: int | None = None,
        name: str = "transformed_distribution",
    ) -> None:
        kind = type(self).__name__
        if not isinstance(bijector, Bijector):
            raise TypeError(f"{kind}: bijector must be a Bijector, got {bijector!r}.")
        if not isinstance(distribution, Distribution):
            raise TypeError(f"{kind}: distribution must be a Distribution, got {distribution!r}.")
        if distribution.dtype not in FLOATS:
            raise TypeError(
                f"For '{kind}', the 'dtype' should be one of {list(FLOATS)}, but got {distribution.dtype!r}."
            )
        arguments = {"bijector": bijector, "distribution": distribution, "seed": seed, "name": name}
        super().__init__(seed, distribution.dtype, name, arguments)
        self._bijector, self._distribution = bijector, distribution
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape
        self.default_parameters, self.parameter_names = distribution.default_parameters, distribution.parameter_names
        self.parameter_type = distribution.parameter_type
        shapes = (bijector.batch_shape, distribution.batch_shape)
        self._broadcast_shape = None if None in shapes else np.broadcast_shapes(*shapes)

    bijector = property(lambda self: self._bijector, doc="The map.")
    distribution = property(lambda self: self._distribution, doc="The distribution before the map.")

    @property
    def is_linear_transformation(self) -> bool:
        """Whether the map has a constant derivative."""
        return self._bijector.is_constant_jacobian

    def _cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return self.distribution.cdf(self.bijector.inverse(value), *args, **kwargs)

    def _log_cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return log(self._cdf(value, *args, **kwargs))

    def _log_prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        before = self.distribution.log_prob(self.bijector.inverse(value), *args, **kwargs)
        return _moved(before, self.bijector.inverse_log_jacobian(value))

    def _prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return exp(self._log_prob(value, *args, **kwargs))

    def _sample(self, *args: Any, **kwargs: Any) -> Tensor:
        return self.bijector.forward(self.distribution.sample(*args, **kwargs))

    def _mean(self, *args: Any, **kwargs: Any) -> Tensor:
        if not self.is_linear_transformation:
            raise ValueError("mean function must be implemented for non-linear transformation")
        return self.bijector.forward(self.distribution.mean(*args, **kwargs))
