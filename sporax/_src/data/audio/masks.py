"""Parts of a spectrogram filled: MaskAlongAxis, MaskAlongAxisIID."""

from __future__ import annotations

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, real
from sporax._src.data.randomness import generator


class MaskAlongAxis(AudioTensorOperation):
    """Fills a range of one axis of a spectrogram ``(..., frequency, time)``.

    Args:
        mask_start (int): The start of the range.
        mask_width (int): Its length, at least 1.
        mask_value (float): The fill value.
        axis (int): 1 for frequencies, 2 for time.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input has fewer than two axes, or the range leaves it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.MaskAlongAxis(1, 2, 9, 2)(np.zeros((1, 4), np.float32))
        array([[0., 9., 9., 0.]], dtype=float32)
    """

    rank = 2

    def __init__(self, mask_start: int, mask_width: int, mask_value: float, axis: int) -> None:
        self.mask_start = checks.integer("audio.MaskAlongAxis", "mask_start", mask_start, 0)
        self.mask_width = checks.integer("audio.MaskAlongAxis", "mask_width", mask_width, 1)
        self.mask_value = real("audio.MaskAlongAxis", "mask_value", mask_value)
        self.axis = checks.integer("audio.MaskAlongAxis", "axis", axis, 1, 2)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if self.mask_start + self.mask_width > array.shape[self.axis - 3]:
            raise RuntimeError(
                f"audio.MaskAlongAxis: mask_width={self.mask_width} from {self.mask_start} leaves {describe(array)}."
            )
        return self._filled(array, self.mask_start, self.mask_width)

    def _filled(self, array: np.ndarray, start: int, width: int) -> np.ndarray:
        output = array.copy()
        np.moveaxis(output, self.axis - 3, -1)[..., start : start + width] = self.mask_value
        return output


class MaskAlongAxisIID(MaskAlongAxis):
    """Fills a range of one axis of a spectrogram ``(..., frequency, time)``, drawn for each input.

    Args:
        mask_param (int): Its greatest length.
        mask_value (float): The fill value.
        axis (int): 1 for frequencies, 2 for time.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input has fewer than two axes, or the axis is shorter than `mask_param`.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.MaskAlongAxisIID(0, 9, 2)(np.zeros((1, 4), np.float32))
        array([[0., 0., 0., 0.]], dtype=float32)
    """

    def __init__(self, mask_param: int, mask_value: float, axis: int) -> None:
        self.mask_param = checks.integer("audio.MaskAlongAxisIID", "mask_param", mask_param, 0)
        self.mask_value = real("audio.MaskAlongAxisIID", "mask_value", mask_value)
        self.axis = checks.integer("audio.MaskAlongAxisIID", "axis", axis, 1, 2)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        size = array.shape[self.axis - 3]
        if self.mask_param > size:
            raise RuntimeError(
                f"audio.MaskAlongAxisIID: mask_param={self.mask_param} is longer than {describe(array)}."
            )
        width = int(generator().integers(0, self.mask_param + 1))
        return self._filled(array, int(generator().integers(0, size - width + 1)), width)
