"""Below `mindspore.nn.layer.basic`."""

from __future__ import annotations

from sporax import Tensor
from sporax._src.compat.operators import ops

__all__ = ["_is_equal_one"]


def _is_equal_one(x: Tensor | None) -> Tensor | bool:
    """Return whether the mean of a Tensor is 1, as a Tensor of bool; False for None."""
    return False if x is None else ops.equal(ops.mean(x), 1.0)
