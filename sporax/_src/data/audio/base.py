"""Sound as arrays of floats, time last, and the base of the operations on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import TensorOperation

_MOST = 16777216


def number(where: str, name: str, value: Any, low: float = 0.0, *, above: bool = False, high: float = _MOST) -> float:
    """Return a number of [low, high], or above `low`.

    Raises:
        TypeError: If it is no number.
        ValueError: If it is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{where}: {name} must be a number, got {describe(value)}.")
    if not low <= value <= high or (above and value == low):
        raise ValueError(f"{where}: {name} must be in {'(' if above else '['}{low}, {high}], got {value}.")
    return value


class AudioTensorOperation(TensorOperation):
    """Base of the operations on sound: integers become float32, of which results are too.

    Examples:
        >>> from sporax.dataset import audio
        >>> audio.ComplexNorm()([[3, 4]])
        array([5.], dtype=float32)
    """

    rank = 1  # the fewest axes

    def __call__(self, *inputs: Any) -> Any:
        return super().__call__(*[self._floats(value) for value in inputs])

    def _floats(self, value: Any) -> np.ndarray:
        array = as_array(value)
        if array.dtype.kind not in "iuf" or array.ndim < self.rank:
            raise RuntimeError(
                f"audio.{type(self).__name__}: expected numbers with at least {self.rank} axes, got {describe(array)}."
            )
        return array if array.dtype == np.float64 else array.astype(np.float32)
