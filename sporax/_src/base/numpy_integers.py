"""The C type of 64-bit integers in NumPy arrays that sporax returns.

C has two types of 64-bit integers. NumPy prints arrays of its default type `long` without a dtype: `array([1, 2])`.
MindSpore's arrays are of `long long`: `array([1, 2], dtype=int64)`. Both types are the dtype int64.
"""

from __future__ import annotations

import numpy as np

__all__ = ["as_served", "serve"]


class _Served:
    """Whether arrays use MindSpore's C type, which they do while sporax replaces `mindspore`."""

    now = False


def serve(served: bool) -> None:
    """Set whether `as_served` returns arrays with MindSpore's C type."""
    _Served.now = served


def as_served(array: np.ndarray) -> np.ndarray:
    """Return an array with the C type of integers that the program expects."""
    return array.view(np.longlong) if _Served.now and array.dtype.char == "l" else array
