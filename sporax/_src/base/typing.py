"""Names for what annotations say; op rows read operands off these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import jax

Array: TypeAlias = jax.Array
TensorArray: TypeAlias = jax.Array
OptArray: TypeAlias = jax.Array | None
Arrays: TypeAlias = Sequence[jax.Array]
Key: TypeAlias = jax.Array
Axis: TypeAlias = int | tuple[int, ...] | None
Shape: TypeAlias = tuple[int, ...]
Static: TypeAlias = Any


def number(value: float) -> Any:
    """Return the number itself: the default of an operand, whose annotation says `Array`."""
    return value
