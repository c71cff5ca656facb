"""Sound as arrays of floats, time last, and the base of the operations on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import TensorOperation

_MOST = 16777216


def number(
    where: str, name: str, value: object, low: float = 0.0, *, above: bool = False, high: float = _MOST
) -> float:
    """Return a number of [low, high], or above `low`.

    Raises:
        TypeError: If it is not a number.
        ValueError: If it is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{where}: {name} must be a number, got {describe(value)}.")
    if not low <= value <= high or (above and value == low):
        raise ValueError(f"{where}: {name} must be in {'(' if above else '['}{low}, {high}], got {value}.")
    return value


def real(where: str, name: str, value: object) -> float:
    """Return a number of [-16777216, 16777216].

    Raises:
        TypeError: If it is not a number.
        ValueError: If it is out of range.
    """
    return number(where, name, value, -_MOST)


class AudioTensorOperation(TensorOperation):
    """Base of the operations on sound: integers become float32, and results are float32.

    Examples:
        >>> from sporax.dataset import audio
        >>> audio.ComplexNorm()([[3, 4]])
        array([5.], dtype=float32)
    """

    rank = 1  # the least number of axes

    def __call__(self, *inputs: object) -> Any:
        return super().__call__(*[self._floats(value) for value in inputs])

    def _floats(self, value: object) -> np.ndarray:
        array = as_array(value)
        if array.dtype.kind not in "biuf" or array.ndim < self.rank:
            raise RuntimeError(
                f"audio.{type(self).__name__}: expected numbers with at least {self.rank} axes, got {describe(array)}."
            )
        return array if array.dtype == np.float64 else array.astype(np.float32)


class FloatTensorOperation(AudioTensorOperation):
    """Base of the operations on sound that take floats alone; results have the dtype of the input.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Biquad(1, 0, 0, 2, 0, 0)(np.ones(2, np.float16))
        array([0.5, 0.5], dtype=float16)
    """

    def _floats(self, value: object) -> np.ndarray:
        array = as_array(value)
        if array.dtype.kind != "f" or array.ndim < self.rank:
            raise RuntimeError(
                f"audio.{type(self).__name__}: expected floats with at least {self.rank} axes, got {describe(array)}."
            )
        return array
