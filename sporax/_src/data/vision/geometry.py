"""Image operations that move pixels, without random values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.vision import arguments, opencv
from sporax._src.data.vision.enums import Border, Inter
from sporax._src.data.vision.image import ImageOperation, colour_of, pil_filter, size_of, to_pil
from sporax._src.data.vision.opencv import mirrored, padded

__all__ = ["CenterCrop", "Crop", "HorizontalFlip", "Pad", "Resize", "VerticalFlip"]


def resized(image: np.ndarray, height: int, width: int, interpolation: Inter) -> np.ndarray:
    """Return an array at another size; the two filters only Pillow has go through Pillow."""
    if interpolation in (Inter.PILCUBIC, Inter.ANTIALIAS):
        return np.array(to_pil(image).resize((width, height), pil_filter(interpolation)))
    return opencv.resize(image, height, width, interpolation)


class Resize(ImageOperation):
    """Brings an image to `size`; arrays are resampled as OpenCV does, Pillow images as Pillow does.

    Args:
        size (Union[int, sequence]): (height, width), or the length of the shorter side.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.BILINEAR``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a side is not positive.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Resize((4, 6))(np.zeros((8, 8, 3), np.uint8)).shape
        (4, 6, 3)
    """

    takes_batches = True

    on_batch = ImageOperation._each

    def __init__(self, size: Any, interpolation: Inter = Inter.BILINEAR) -> None:
        where = f"vision.{type(self).__name__}"
        arguments.size_pair(where, size)
        self.size = size
        self.interpolation = arguments.choice(where, "interpolation", interpolation, Inter)

    def _target(self, image: object) -> tuple[int, int]:
        if not isinstance(self.size, int):
            return self.size[0], self.size[1]
        height, width = size_of(image)
        if height < width:
            return self.size, int(self.size * width / height)
        return int(self.size * height / width), self.size

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return resized(image, *self._target(image), self.interpolation)

    def _pil(self, image: Any, draw: object) -> Any:
        height, width = self._target(image)
        return image.resize((width, height), pil_filter(self.interpolation))


class Crop(ImageOperation):
    """Cuts out a rectangle.

    Args:
        coordinates (sequence): (top, left).
        size (Union[int, sequence]): (height, width), or the side of a square.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a coordinate is negative or a side not positive.
        RuntimeError: If the rectangle leaves the image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Crop((1, 1), 2)(np.zeros((4, 4, 3), np.uint8)).shape
        (2, 2, 3)
    """

    keeps_pil = False

    on_batch = ImageOperation._each

    def __init__(self, coordinates: object, size: Any) -> None:
        if not isinstance(coordinates, (list, tuple)) or len(coordinates) != 2:
            raise TypeError(f"vision.Crop: coordinates must be (top, left), got {describe(coordinates)}.")
        self.coordinates = tuple(checks.integer("vision.Crop", "coordinates", part, 0) for part in coordinates)
        self.size = arguments.size_pair("vision.Crop", size)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        (top, left), (height, width) = self.coordinates, self.size
        if top + height > image.shape[0] or left + width > image.shape[1]:
            raise RuntimeError(f"vision.Crop: {height}×{width} at ({top}, {left}) leaves the image {describe(image)}.")
        return image[top : top + height, left : left + width].copy()


class CenterCrop(ImageOperation):
    """Cuts out the middle; an image that is smaller is padded with zeros first.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.

    Raises:
        TypeError: If `size` has the wrong type.
        ValueError: If a side is not positive.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.CenterCrop(2)(np.arange(16, dtype=np.uint8).reshape(4, 4))
        array([[ 5,  6],
               [ 9, 10]], dtype=uint8)
    """

    takes_batches = True

    on_batch = ImageOperation._each

    def __init__(self, size: Any) -> None:
        self.size = arguments.size_pair("vision.CenterCrop", size)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return self._middle(image, lambda room: room // 2)

    def _pil(self, image: Any, draw: object) -> Any:
        (height, width), (rows, columns) = self.size, size_of(image)
        if height > rows or width > columns:
            return to_pil(self._middle(np.asarray(image), lambda room: round(room / 2)))
        top, left = round((rows - height) / 2), round((columns - width) / 2)
        return image.crop((left, top, left + width, top + height))

    def _middle(self, image: np.ndarray, half: Callable[[int], int]) -> np.ndarray:
        height, width = self.size
        short, thin = max(height - image.shape[0], 0), max(width - image.shape[1], 0)
        if short or thin:
            sides = (thin - thin // 2, short - short // 2, thin // 2, short // 2)
            image = padded(image, sides, (0,), Border.CONSTANT)
        top, left = half(image.shape[0] - height), half(image.shape[1] - width)
        return image[top : top + height, left : left + width].copy()


class Pad(ImageOperation):
    """Adds pixels around an image.

    Args:
        padding (Union[int, sequence]): All sides, (left and right, top and bottom), or (left, top, right, bottom).
        fill_value (Union[int, tuple[int]]): The grey or RGB value for ``Border.CONSTANT``. Default: ``0``.
        padding_mode (Border): The values of the new pixels. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Pad(1, 9)(np.zeros((1, 1), np.uint8))
        array([[9, 9, 9],
               [9, 0, 9],
               [9, 9, 9]], dtype=uint8)
    """

    on_batch = ImageOperation._each

    def __init__(self, padding: object, fill_value: object = 0, padding_mode: Border = Border.CONSTANT) -> None:
        self.padding = arguments.padding("vision.Pad", padding)
        self.fill_value = arguments.colour("vision.Pad", fill_value)
        self.padding_mode = arguments.choice("vision.Pad", "padding_mode", padding_mode, Border)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return padded(image, self.padding, self.fill_value, self.padding_mode)

    def _pil(self, image: Any, draw: object) -> Any:
        return to_pil(padded(np.asarray(image), self.padding, colour_of(image, self.fill_value), self.padding_mode))


class HorizontalFlip(ImageOperation):
    """Mirrors left and right.

    Raises:
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.HorizontalFlip()(np.array([[1, 2]], np.uint8))
        array([[2, 1]], dtype=uint8)
    """

    keeps_pil = False
    takes_batches = True

    on_batch = ImageOperation._each

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return mirrored(image)


class VerticalFlip(ImageOperation):
    """Mirrors top and bottom.

    Raises:
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.VerticalFlip()(np.array([[1], [2]], np.uint8))
        array([[2],
               [1]], dtype=uint8)
    """

    keeps_pil = False
    takes_batches = True

    on_batch = ImageOperation._each

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return np.ascontiguousarray(image[::-1])
