"""Values with the derivative of another value, within traces of JAX."""

from __future__ import annotations

from typing import Any

import jax

from sporax._src.base.typing import Array


@jax.custom_jvp
def instead(value: Array, shadow: Array) -> Any:
    """Return `value` with the derivative of `shadow`."""
    return value


instead.defjvp(lambda primals, tangents: (instead(*primals), tangents[1]))


def written(value: Array, before: Array) -> Any:
    """Return a value that is written into a Parameter, or through `detach()`: it has the derivative of the value before.

    Such a write is not differentiated, and a Parameter stays the variable by which gradients are taken.
    """
    value = jax.lax.stop_gradient(value)
    if value.dtype != before.dtype or value.shape != before.shape or value.dtype.kind not in "fcV":
        return value
    return instead(value, before)
