"""Loss scalers for training functions, and the test for NaN and Inf."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.core.tree import map_leaves
from sporax._src.train.callbacks.monitor import check_int
from sporax._src.transform.jit import Jit


def check_scale(label: str, name: str, value: object, low: float = 1) -> Any:
    """Return a loss scale, which must be a number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{label}: {name} must be a number, got {describe(value)}.")
    if value < low:
        raise ValueError(f"{label}: {name} must be >= {low}, got {value}.")
    return value


def init_status() -> Tensor:
    """Return the status that older programs pass to `all_finite`: zeros, without effect."""
    return Tensor(np.zeros(8, np.float32))


def all_finite(inputs: object, status: object = None) -> Tensor:
    """Return whether all Tensors of a nested value are free of NaN and Inf, as a bool Tensor.

    Args:
        inputs: A Tensor, or a nested tuple, list or dict of Tensors.
        status: Accepted from older programs, see `init_status`.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> ms.amp.all_finite((ms.Tensor([1.0]), ms.Tensor([np.inf]))).item()
        False
    """
    found: list[Any] = []
    map_leaves(lambda t: found.append(t._data), inputs, is_tensor)
    return wrap(_finite(found))


@jax.jit
def _finite(arrays: list[Any]) -> Any:
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(a)) for a in arrays])) if arrays else jnp.asarray(True)


def _times(scale: Tensor, inputs: object) -> Any:
    return map_leaves(lambda t: t * scale.reshape(()).astype(t.dtype), inputs, is_tensor)


def _over(scale: Tensor, inputs: object) -> Any:
    return map_leaves(lambda t: t * (1 / scale.reshape(())).astype(t.dtype), inputs, is_tensor)


scaled, unscaled = Jit(_times, always=True), Jit(_over, always=True)


class LossScaler(ABC):
    """The base of loss scalers for training functions: `scale` the loss, `unscale` the gradients, `adjust` the scale."""

    @abstractmethod
    def scale(self, inputs: object) -> Any:
        """Return the nested Tensors multiplied by the scale."""

    @abstractmethod
    def unscale(self, inputs: object) -> Any:
        """Return the nested Tensors divided by the scale."""

    @abstractmethod
    def adjust(self, grads_finite: Tensor) -> bool:
        """Update the scale, given whether the gradients were finite; return whether the scale may change."""


class StaticLossScaler(LossScaler):
    """A constant loss scale.

    Args:
        scale_value: The scale, >= 1.

    Raises:
        TypeError: If `scale_value` is not a number.
        ValueError: If it is less than 1.

    Examples:
        >>> import sporax as ms
        >>> scaler = ms.amp.StaticLossScaler(1024)
        >>> scaler.scale(ms.Tensor(1.0)).item(), scaler.unscale((ms.Tensor(1024.0),))[0].item()
        (1024.0, 1.0)
    """

    def __init__(self, scale_value: float) -> None:
        value = check_scale(type(self).__name__, "scale_value", scale_value)
        self.scale_value = Parameter(Tensor(value, mstype.float32), name="scale_value")

    def scale(self, inputs: object) -> Any:
        return scaled(self.scale_value.value(), inputs)

    def unscale(self, inputs: object) -> Any:
        return unscaled(self.scale_value.value(), inputs)

    def adjust(self, grads_finite: Tensor) -> bool:
        return False


class DynamicLossScaler(StaticLossScaler):
    """A loss scale that falls when gradients overflow and grows after a window of finite ones.

    Args:
        scale_value: The first scale, >= 1.
        scale_factor: The factor, an int > 0.
        scale_window: Steps with finite gradients before it grows, an int > 0.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> scaler = ms.amp.DynamicLossScaler(scale_value=8, scale_factor=2, scale_window=10)
        >>> scaler.adjust(ms.Tensor(False))
        True
        >>> scaler.scale_value.item()
        4.0
    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__(scale_value)
        self.scale_window = check_int("DynamicLossScaler", "scale_window", scale_window, 1)
        self.scale_factor = check_int("DynamicLossScaler", "scale_factor", scale_factor, 1)
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter")

    def adjust(self, grads_finite: Tensor) -> bool:
        finite = grads_finite._data if isinstance(grads_finite, Tensor) else jnp.asarray(bool(grads_finite))
        factor, window = np.float32(self.scale_factor), np.int32(self.scale_window)
        scale, counter = _adjusted(self.scale_value._data, self.counter._data, finite, factor, window)
        self.scale_value.adopt(scale)
        self.counter.adopt(counter)
        return True


@jax.jit
def _adjusted(scale: Array, counter: Array, finite: Array, factor: Array, window: Array) -> tuple[Any, Any]:
    finite = finite.astype(bool).reshape(())
    raised = jnp.where(jnp.isfinite(scale * factor), scale * factor, scale)
    grown = jnp.where(counter == window - 1, raised, scale)
    return jnp.where(finite, grown, jnp.maximum(scale / factor, 1)), jnp.where(finite, (counter + 1) % window, 0)
