"""The C type of 64-bit integers in the arrays that programs get.

C has two types for them, and NumPy prints arrays of its own default, `long`, without a dtype: `array([1, 2])`. MindSpore's
arrays are of `long long`: `array([1, 2], dtype=int64)`. Both are the dtype int64.
"""

from __future__ import annotations

import numpy as np

__all__ = ["as_served", "serve"]


class _Served:
    """Whether arrays use MindSpore's C type: while sporax stands in for `mindspore`."""

    now = False


def serve(served: bool) -> None:
    """Set whether `as_served` returns arrays with MindSpore's C type."""
    _Served.now = served


def as_served(array: np.ndarray) -> np.ndarray:
    """Return an array with the C type of integers that the program expects."""
    return array.view(np.longlong) if _Served.now and array.dtype.char == "l" else array
