"""Type aliases for annotations; operators declare their operands with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import jax

# A row is a function over arrays, but callers also pass Tensors and numbers: hence `| Any`, with which the body of the row is still
# checked against `jax.Array`.
Array: TypeAlias = jax.Array | Any
TensorArray: TypeAlias = jax.Array | Any
OptArray: TypeAlias = jax.Array | Any | None
Arrays: TypeAlias = Sequence[jax.Array | Any]
Key: TypeAlias = jax.Array
Axis: TypeAlias = int | tuple[int, ...] | None
Shape: TypeAlias = tuple[int, ...]
Static: TypeAlias = Any


def number(value: float) -> Any:
    """Return the number itself, typed as `Array`: the default of an operand."""
    return value
