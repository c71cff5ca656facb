"""Large constants of a graph, such as masks and tables of positions, as inputs of the compiled function.

As constants, XLA would copy, hash and fold them when it compiles, store them twice, and write them to the disk cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from sporax._src.base.jax_compat import constants_as_inputs

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr

LARGE = 1 << 16  # bytes; XLA should fold smaller ones, such as sizes, axes and kernels of images


def lifted(closed: ClosedJaxpr) -> tuple[ClosedJaxpr, list[Any]]:
    """Return a graph with its large constants as last inputs, and the constants."""
    large = [getattr(c, "nbytes", 0) >= LARGE for c in closed.consts]
    if not any(large):
        return closed, []
    return constants_as_inputs(closed, large), [
        jnp.asarray(c) for c, is_large in zip(closed.consts, large, strict=True) if is_large
    ]


class WithConstants:
    """A compiled function whose last argument is always the same.

    Args:
        step: The function `(donated, retained, arrays, constants)`.
        constants: Its last argument.
    """

    def __init__(self, step: Any, constants: Sequence[Any]) -> None:
        self._step, self._constants = step, constants
        self.clear_cache = step.clear_cache

    def __call__(self, donated: Sequence[Any], retained: Sequence[Any], arrays: Sequence[Any]) -> Any:
        return self._step(donated, retained, arrays, self._constants)

    def lower(self, donated: Sequence[Any], retained: Sequence[Any], arrays: Sequence[Any]) -> Any:
        """Return JAX's `Lowered`."""
        return self._step.lower(donated, retained, arrays, self._constants)
