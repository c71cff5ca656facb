"""Distributions with named parameters, and the conditions on these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.core.dtype import Type
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.probability.distribution import FLOATS, INTEGERS, Distribution
from sporax._src.nn.probability.rules import bind

ANY = (*FLOATS, *INTEGERS)
Condition = Callable[[str, np.ndarray], None]


def positive(name: str, value: np.ndarray) -> None:
    """Raise ValueError if an element is not above 0."""
    if not (value > 0).all():
        raise ValueError(f"{name} must be greater than zero.")


def probability(name: str, value: np.ndarray) -> None:
    """Raise ValueError if an element is not inside (0, 1)."""
    if not (value > 0).all():
        raise ValueError("Probabilities must be greater than zero")
    if not (value < 1).all():
        raise ValueError("Probabilities must be less than one")


def parameter(name: str) -> Any:
    """Return the property of a parameter as a Tensor; None if each call passes it."""
    return property(lambda self: getattr(self, f"_{name}"), doc=f"The parameter `{name}` as a Tensor, or None.")


class Parametric(Distribution):
    """A distribution with named parameters, each passed to the constructor or at each call.

    Attributes:
        dtypes: The dtypes that samples may have.
        shown: The name of a parameter in texts, if that differs from its name.
        conditions: The condition on a parameter.
        no_scalars: The parameters that may not be Python numbers.
    """

    dtypes: ClassVar[tuple[Type, ...]] = FLOATS
    shown: ClassVar[dict[str, str]] = {}
    conditions: ClassVar[dict[str, Condition]] = {}
    no_scalars: ClassVar[tuple[str, ...]] = ()

    def __init__(self, seed: int | None, dtype: Type, name: str, **parameters: Tensor | ArrayLike | None) -> None:
        kind = type(self).__name__
        if dtype not in self.dtypes:
            raise TypeError(f"For '{kind}', the 'dtype' should be one of {list(self.dtypes)}, but got {dtype!r}.")
        for key in self.no_scalars:
            if isinstance(parameters[key], (int, float)):
                raise TypeError(f"Input {key} can't be scalar")
        super().__init__(
            seed, dtype, name, {**parameters, "seed": seed, "dtype": dtype, "name": name, "param_dict": parameters}
        )
        for key, value in parameters.items():
            self._take(key, value)

    def _take(self, key: str, value: Tensor | ArrayLike | None) -> None:
        parameter = self._add_parameter(value, key)
        clashes = callable(getattr(type(self), key, None))
        setattr(self, f"_{key}_value" if clashes or key == "df" else f"_{key}", parameter)
        if key in self.conditions and parameter is not None and not isinstance(parameter, Parameter):
            self.conditions[key](self.shown.get(key, key), parameter.asnumpy())

    def _get_dist_type(self) -> str:
        return next(c.__name__ for c in type(self).__mro__ if c.__module__.startswith("sporax."))

    def _get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Tensor | None, ...]:
        values = [*args, *[kwargs.get(n) for n in self.parameter_names[len(args) :]]]
        both = zip(values, self.parameter_names, self.default_parameters, strict=True)
        return tuple([default if x is None else self._tensor(x, name) for x, name, default in both])

    _kl_loss: Any

    def _cross_entropy(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        arguments = bind(f"{type(self).__name__}.cross_entropy", self._kl_loss.names, args, kwargs)
        loss = self.kl_loss(dist, *arguments)
        return self.entropy(*arguments[len(arguments) // 2 :]) + loss

    def extend_repr(self) -> str:
        """Return the parameters as the text of the Cell shows them."""
        if not self.is_scalar_batch:
            return f"batch_shape = {self.broadcast_shape}"
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{self.shown.get(n, n).lower()} = {None if v is None else v.asnumpy()}" for n, v in pairs)
