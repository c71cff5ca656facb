"""64-bit integers of the arrays that programs get.

C has two types for them, and NumPy prints arrays of its own default, `long`, without a dtype: `array([1, 2])`. MindSpore's
arrays are of `long long`: `array([1, 2], dtype=int64)`. Both are the dtype int64.
"""

from __future__ import annotations

import numpy as np

__all__ = ["as_served", "serve"]


class _Served:
    """Whether arrays are MindSpore's: while `mindspore` is answered by sporax."""

    now = False


def serve(served: bool) -> None:
    """Say whether `as_served` returns MindSpore's arrays."""
    _Served.now = served


def as_served(array: np.ndarray) -> np.ndarray:
    """Return an array with the type of integers that a program expects of it."""
    return array.view(np.longlong) if _Served.now and array.dtype.char == "l" else array
