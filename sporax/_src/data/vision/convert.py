"""Image operations that convert colours or values: ConvertColor, RgbToHsv, HsvToRgb, LinearTransformation."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import TensorOperation
from sporax._src.data.vision import opencv
from sporax._src.data.vision.enums import ConvertMode
from sporax._src.data.vision.image import ImageOperation, is_pil

__all__ = ["ConvertColor", "HsvToRgb", "LinearTransformation", "RgbToHsv"]

_NEEDED = {
    ConvertMode.COLOR_BGRA2BGR: (4,), ConvertMode.COLOR_RGBA2BGR: (4,), ConvertMode.COLOR_BGRA2RGBA: (4,),
    ConvertMode.COLOR_BGRA2GRAY: (4,), ConvertMode.COLOR_RGBA2GRAY: (4,),
    ConvertMode.COLOR_GRAY2BGR: (1,), ConvertMode.COLOR_GRAY2BGRA: (1,),
    ConvertMode.COLOR_BGR2GRAY: (3,), ConvertMode.COLOR_RGB2GRAY: (3,),
}  # fmt: skip


class ConvertColor(ImageOperation):
    """Exchanges, adds or removes channels.

    Args:
        convert_mode (ConvertMode): From which channels to which.

    Raises:
        TypeError: If `convert_mode` is not a ConvertMode.
        RuntimeError: If the image has other channels.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)(np.array([[[1, 2, 3]]], np.uint8)).ravel()
        array([3, 2, 1], dtype=uint8)
    """

    keeps_pil = False

    def __init__(self, convert_mode: ConvertMode) -> None:
        if not isinstance(convert_mode, ConvertMode):
            raise TypeError(f"vision.ConvertColor: convert_mode must be a ConvertMode, got {describe(convert_mode)}.")
        self.convert_mode = convert_mode

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        channels = image.shape[2] if image.ndim == 3 else 1
        needed = _NEEDED.get(self.convert_mode, (1, 3))
        if channels not in needed:
            raise RuntimeError(
                f"vision.ConvertColor: {self.convert_mode.name} takes {' or '.join(map(str, needed))} channels, "
                f"got {describe(image)}."
            )
        return opencv.converted(image, self.convert_mode)


class _Colours(TensorOperation):
    """An operation on colours with one axis of three channels."""

    in_python = True

    def __init__(self, is_hwc: bool = False) -> None:
        checks.boolean(f"vision.{type(self).__name__}", "is_hwc", is_hwc)
        self.is_hwc = is_hwc

    def __call__(self, *images: object) -> Any:
        results = [self._checked(image) for image in images]
        return results[0] if len(results) == 1 else tuple(results)

    def _checked(self, image: object) -> np.ndarray:
        array = None if is_pil(image) else as_array(image)
        axis = -1 if self.is_hwc else -3
        if array is None or array.ndim not in (3, 4) or array.shape[axis] != 3:
            raise TypeError(
                f"vision.{type(self).__name__}: expected an array with three channels "
                f"{'last' if self.is_hwc else 'first'}, of one image or several, got {describe(image)}."
            )
        return np.stack(self._channels(*np.moveaxis(array.astype(np.float64), axis, 0)), axis)

    def _channels(self, *channels: np.ndarray) -> tuple[np.ndarray, ...]:
        raise NotImplementedError(f"vision.{type(self).__name__} must define _channels.")


class RgbToHsv(_Colours):
    """Turns red, green and blue into hue, saturation and value.

    Args:
        is_hwc (bool): Whether channels come last, else first. Default: ``False``.

    Raises:
        TypeError: If `is_hwc` is not a bool, or the input is not an array with three channels.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RgbToHsv(is_hwc=True)(np.array([[[0.0, 1.0, 0.0]]])).ravel().round(3)
        array([0.333, 1.   , 1.   ])
    """

    def _channels(self, *channels: np.ndarray) -> tuple[np.ndarray, ...]:
        red, green, blue = channels
        value = np.maximum(np.maximum(red, green), blue)
        spread = value - np.minimum(np.minimum(red, green), blue)
        flat = spread == 0
        width = np.where(flat, 1, spread)
        to_red, to_green, to_blue = ((value - c) / width for c in channels)
        sector = np.where(
            red == value, to_blue - to_green, np.where(green == value, 2 + to_red - to_blue, 4 + to_green - to_red)
        )
        saturation = np.where(flat, 0.0, spread / np.where(value == 0, 1, value))
        return np.where(flat, 0.0, sector / 6 % 1.0), saturation, value


class HsvToRgb(_Colours):
    """Turns hue, saturation and value into red, green and blue.

    Args:
        is_hwc (bool): Whether channels come last, else first. Default: ``False``.

    Raises:
        TypeError: If `is_hwc` is not a bool, or the input is not an array with three channels.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.HsvToRgb(is_hwc=True)(np.array([[[0.5, 1.0, 1.0]]])).ravel()
        array([0., 1., 1.])
    """

    def _channels(self, *channels: np.ndarray) -> tuple[np.ndarray, ...]:
        hue, saturation, value = channels
        sector = np.trunc(hue * 6)
        part = hue * 6 - sector
        low, falling, rising = (value * (1 - saturation * k) for k in (1.0, part, 1 - part))
        turns = [(value, rising, low), (falling, value, low), (low, value, rising), (low, falling, value),
                 (rising, low, value), (value, low, falling)]  # fmt: skip
        index = sector.astype(np.int64) % 6
        colours = tuple(np.choose(index, [turn[c] for turn in turns]) for c in range(3))
        return tuple(np.where(saturation == 0, value, c) for c in colours)


class LinearTransformation(TensorOperation):
    """Flattens an array, takes a mean away, and multiplies with a matrix, as for whitening.

    Args:
        transformation_matrix (numpy.ndarray): Shape (n, n), n being the number of elements.
        mean_vector (numpy.ndarray): Shape (n,).

    Raises:
        TypeError: If an argument or the input is not an array.
        ValueError: If shapes do not fit.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.LinearTransformation(2 * np.eye(2), np.ones(2))(np.array([[1.0, 3.0]]))
        array([[0., 4.]])
    """

    in_python = True

    def __init__(self, transformation_matrix: np.ndarray, mean_vector: np.ndarray) -> None:
        where = "vision.LinearTransformation"
        for name, value in (("transformation_matrix", transformation_matrix), ("mean_vector", mean_vector)):
            if not isinstance(value, np.ndarray):
                raise TypeError(f"{where}: {name} must be an array, got {describe(value)}.")
        rows = transformation_matrix.shape[0] if transformation_matrix.ndim else 0
        if transformation_matrix.shape != (rows, rows) or mean_vector.shape != (rows,):
            raise ValueError(
                f"{where}: expected a square matrix and a vector of its length, got {describe(transformation_matrix)} "
                f"and {describe(mean_vector)}."
            )
        self.transformation_matrix, self.mean_vector = transformation_matrix, mean_vector

    def __call__(self, *images: object) -> Any:
        if any(is_pil(image) for image in images):
            raise TypeError("vision.LinearTransformation: expected an array, got a Pillow image.")
        return super().__call__(*images)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.size != len(self.mean_vector):
            raise ValueError(
                f"vision.LinearTransformation: the matrix is for {len(self.mean_vector)} elements, got {describe(array)}."
            )
        return ((array.reshape(-1) - self.mean_vector) @ self.transformation_matrix).reshape(array.shape)
