"""Names for what annotations say; op rows read operands off these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import jax

# A row is a function over arrays, and what callers see of it takes Tensors and numbers as well: hence `| Any`, which leaves the
# body of the row checked against `jax.Array`.
Array: TypeAlias = jax.Array | Any
TensorArray: TypeAlias = jax.Array | Any
OptArray: TypeAlias = jax.Array | Any | None
Arrays: TypeAlias = Sequence[jax.Array | Any]
Key: TypeAlias = jax.Array
Axis: TypeAlias = int | tuple[int, ...] | None
Shape: TypeAlias = tuple[int, ...]
Static: TypeAlias = Any


def number(value: float) -> Any:
    """Return the number itself: the default of an operand, whose annotation says `Array`."""
    return value
