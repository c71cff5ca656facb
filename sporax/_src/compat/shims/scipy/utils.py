"""What `mindspore.scipy.utils` does with matrices; MindSpore's own tests use it."""

from __future__ import annotations

from sporax import Tensor


def _nd_transpose(a: Tensor) -> Tensor:
    """Return a Tensor with its last two axes swapped; ValueError if it has fewer."""
    if a.ndim < 2:
        raise ValueError(f"_nd_transpose: the input must have 2 axes or more, got {a.ndim}.")
    return a.swapaxes(-1, -2)
