"""Conversion of elements to another dtype, with MindSpore's results for floats out of the range of an integer dtype.

XLA saturates, and converts NaN to 0; MindSpore's CPU and PyTorch convert as x86 does: through int32 to the smaller integers,
through int64 to uint32, where numbers out of range become the lowest integer, and the result is truncated to its lowest bits.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array


def converted(x: Array, dtype: Any) -> jax.Array:
    """Return the elements of an array, or a number, in another dtype, as MindSpore's CPU converts them.

    Floats are truncated towards zero. The real part of a complex number is converted, also to bool.

    Args:
        x: An array or a number.
        dtype: A NumPy dtype.
    """
    if not isinstance(x, jax.Array):
        return jnp.asarray(converted_by_numpy(np.asarray(x), dtype))
    return _converted(x, np.dtype(dtype), jnp)


def converted_by_numpy(x: np.ndarray, dtype: Any) -> np.ndarray:
    """Return the elements of a NumPy array in another dtype; the same numbers as `converted` on every processor."""
    with np.errstate(all="ignore"):
        return _converted(x, np.dtype(dtype), np)


def _converted(x: Any, dtype: np.dtype, xp: Any) -> Any:
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = xp.real(x)
    if dtype.kind not in "iu" or not jnp.issubdtype(x.dtype, jnp.floating):
        return x.astype(dtype)
    return _whole(x if x.dtype.itemsize >= 4 else x.astype(np.float32), dtype, xp)


def _whole(x: Any, dtype: np.dtype, xp: Any) -> Any:
    """Return floats as integers; callers replace the results of numbers that do not fit."""
    if dtype == np.uint64:
        high = xp.where(x < 2.0**64, x.astype(dtype), xp.zeros((), dtype))
        return xp.where(x >= 2.0**63, high, _signed(x, np.dtype(np.int64), xp).astype(dtype))
    if dtype.kind == "i" and dtype.itemsize >= 4:
        return _signed(x, dtype, xp)
    through = np.dtype(np.int32) if dtype.itemsize <= 2 else np.dtype(np.int64)
    return _signed(x, through, xp).astype(dtype)


def _signed(x: Any, dtype: np.dtype, xp: Any) -> Any:
    lowest = np.iinfo(dtype).min
    fits = (x >= float(lowest)) & (x < -float(lowest))
    return xp.where(fits, x.astype(dtype), xp.asarray(lowest, dtype))
