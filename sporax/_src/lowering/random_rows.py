"""Random bits of some rows of an array, equal to those that JAX draws for the whole array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.jax_compat import threefry2x32_p
from sporax._src.base.typing import Array

_config: Any = jax.config
_WORD = 32


def are_numbered(key: Array) -> bool:
    """Return whether the bits that a key draws depend on their number in the array only."""
    return jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and (
        str(jax.random.key_impl(key)) == "threefry2x32" and _config.jax_threefry_partitionable
    )


def bits_of_rows(key: Array, shape: Sequence[int], first: Array, size: Sequence[int]) -> Array:
    """Return 32 random bits for each element of some rows of an array.

    Args:
        key: For which `are_numbered` is true.
        shape: The shape of the array (..., rows, columns).
        first: The number of the first row.
        size: How many rows, and how many of the first columns.

    Examples:
        >>> import jax
        >>> key = jax.random.key(1)
        >>> whole = jax.random.bits(key, (2, 3, 4), "uint32")
        >>> (bits_of_rows(key, (2, 3, 4), 1, (2, 3)) == whole[:, 1:3, :3]).all().item()
        True
    """
    *batch, rows, columns = shape
    before = np.arange(math.prod(batch), dtype=np.uint64).reshape(*batch, 1, 1) * np.uint64(rows * columns)
    row = jnp.asarray(first, jnp.uint32) + lax.broadcasted_iota(jnp.uint32, (*size,), 0)
    within = row * np.uint32(columns) + lax.broadcasted_iota(jnp.uint32, (*size,), 1)
    low = jnp.asarray(before.astype(np.uint32)) + within  # modulo 2³²
    high = jnp.asarray((before >> np.uint64(_WORD)).astype(np.uint32)) + (low < within).astype(jnp.uint32)
    words = jax.random.key_data(key)
    one, other = threefry2x32_p.bind(
        *(jnp.broadcast_to(word, low.shape) for word in (words[0], words[1])), jnp.broadcast_to(high, low.shape), low
    )
    return one ^ other
