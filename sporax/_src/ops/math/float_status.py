"""The overflow flag of an accelerator, for programs with loss scaling.

Such a device has a register that any overflow sets. Here a flag watches the values of `ops.depend(flag, values)`, with
which programs order their calls. The flag shows whether one of them is infinite or NaN.
"""

from __future__ import annotations

import jax.numpy as jnp

from sporax._src.base.typing import Array, Arrays
from sporax._src.bindings.primitive import primitive
from sporax._src.core import tree
from sporax._src.core.dtype import from_numpy
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.engine.table import internal
from sporax._src.ops.math.comparison import isfinite

_LENGTH = 8


class FloatStatus(Tensor):
    """A flag (8,) of float32: its sum is above 0 after an overflow; `watched` holds the values to check."""

    def after(self, values: object) -> FloatStatus:
        """Return this flag, which now watches `values` (Tensors, or a nest of them) too."""
        tensors: list[Tensor] = []
        tree.flatten(values, is_tensor, tensors)
        self.watched = [*getattr(self, "watched", ()), *[t for t in tensors if not isinstance(t, FloatStatus)]]
        return self


@internal("NPUGetFloatStatus")
def _status(flag: Array, values: Arrays) -> Array:
    finite = [jnp.all(jnp.isfinite(v)) for v in values if jnp.issubdtype(v.dtype, jnp.inexact)]
    over = jnp.logical_not(jnp.all(jnp.stack(finite))) if finite else jnp.zeros((), bool)
    return jnp.maximum(flag, jnp.where(over, 1, 0).astype(flag.dtype))


@primitive("NPUAllocFloatStatus()")
def _alloc() -> FloatStatus:
    """Return a flag (8,) of float32 without overflow."""
    return FloatStatus(jnp.zeros(_LENGTH, jnp.float32))


@primitive("NPUClearFloatStatus()")
def _clear(x: Tensor) -> Tensor:
    """Clear the watched values of a flag, and return zeros of its shape."""
    _check("NPUClearFloatStatus", x)
    if isinstance(x, FloatStatus):
        x.watched = []
        x._rebind(Tensor(jnp.zeros(x.shape, x._data.dtype)))
    return Tensor(jnp.zeros(x.shape, x._data.dtype))


@primitive("NPUGetFloatStatus()")
def _get(x: Tensor) -> Tensor:
    """Set a flag if one of its watched values (see `ops.depend`) is not finite, and return it."""
    _check("NPUGetFloatStatus", x)
    if isinstance(x, FloatStatus):
        x._rebind(_status(x, list(getattr(x, "watched", ()))))
    return x


def _check(name: str, x: object) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"ops.{name}: input must be a Tensor, got {type(x).__name__}.")
    if str(x.dtype) not in ("Float16", "Float32"):
        raise TypeError(f"ops.{name}: input must be of float16 or float32, got {x.dtype}.")


@primitive("CheckNumerics()")
def _check_numerics(x: Tensor) -> Tensor:
    """Return x, which must hold neither NaN nor infinity."""
    if not isfinite(x).asnumpy().all():
        raise RuntimeError(
            f"ops.CheckNumerics: the {from_numpy(x._data.dtype)} Tensor of shape {list(x.shape)} holds NaN or infinity."
        )
    return x
