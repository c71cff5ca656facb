"""Image operations that blot out parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.randomness import generator
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision import arguments
from sporax._src.data.vision.image import ImageOperation

__all__ = ["CutOut", "Erase", "RandomErasing"]


class CutOut(ImageOperation):
    """Sets random squares of an image to zero.

    Args:
        length (int): The side of a square.
        num_patches (int): How many squares. Default: ``1``.
        is_hwc (bool): Whether channels come last, else first. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is not positive.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> bool((vision.CutOut(2)(np.ones((8, 8, 3), np.uint8)) == 0).any())
        True
    """

    keeps_pil = False

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        self.length = checks.integer("vision.CutOut", "length", length, 1)
        self.num_patches = checks.integer("vision.CutOut", "num_patches", num_patches, 1)
        checks.boolean("vision.CutOut", "is_hwc", is_hwc)
        self.is_hwc = is_hwc

    def _draw(self, image: object) -> np.ndarray:
        return generator().random((self.num_patches, 2))

    def _array(self, image: np.ndarray, draw: np.ndarray) -> np.ndarray:
        image = image.copy()
        planes = image if self.is_hwc or image.ndim == 2 else image.transpose(1, 2, 0)
        for down, across in draw:
            middle = int(down * planes.shape[0]), int(across * planes.shape[1])
            top, left = (max(position - self.length // 2, 0) for position in middle)
            bottom, right = (position + self.length - self.length // 2 for position in middle)
            planes[top:bottom, left:right] = 0
        return image


class RandomErasing(ImageOperation):
    """Blots out a random rectangle of an image of ``(C, H, W)``, with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.5``.
        scale (sequence): The smallest and largest fraction of the area. Default: ``(0.02, 0.33)``.
        ratio (sequence): The least and most height over width. Default: ``(0.3, 3.3)``.
        value (Union[int, str, sequence]): One number, one per channel, or ``'random'``. Default: ``0``.
        inplace (bool): Whether to write into the input. Default: ``False``.
        max_attempts (int): How many rectangles are tried. Default: ``10``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image of rank 3.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> bool((vision.RandomErasing(1.0)(np.ones((3, 16, 16), np.float32)) == 0).any())
        True
    """

    in_python = True

    def __init__(
        self,
        prob: float = 0.5,
        scale: object = (0.02, 0.33),
        ratio: object = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:
        where = "vision.RandomErasing"
        self.prob = check_probability(where, prob)
        self.scale = arguments.interval(where, "scale", scale, 0.0)
        self.ratio = arguments.interval(where, "ratio", ratio, 1e-6)
        if not (value == "random" or isinstance(value, (int, list, tuple))):
            raise TypeError(f"{where}: value must be a number, one per channel or 'random', got {describe(value)}.")
        checks.boolean(where, "inplace", inplace)
        self.value, self.inplace = value, inplace
        self.max_attempts = checks.integer(where, "max_attempts", max_attempts, 1)

    def _draw(self, image: object) -> tuple[int, int, int, int] | None:
        rng = generator()
        if not isinstance(image, np.ndarray) or image.ndim != 3:
            raise RuntimeError(f"vision.RandomErasing: expected an image of (C, H, W), got {describe(image)}.")
        if rng.random() >= self.prob:
            return None
        height, width = image.shape[1:]
        for _ in range(self.max_attempts):
            area = height * width * rng.uniform(*self.scale)
            shape = rng.uniform(*self.ratio)
            box = round(float(np.sqrt(area * shape))), round(float(np.sqrt(area / shape)))
            if 0 < box[0] < height and 0 < box[1] < width:
                top, left = rng.integers(height - box[0] + 1), rng.integers(width - box[1] + 1)
                return int(top), int(left), box[0], box[1]
        return None

    def _array(self, image: np.ndarray, draw: tuple[int, int, int, int] | None) -> np.ndarray:
        if draw is None:
            return image
        image = image if self.inplace else image.copy()
        top, left, height, width = draw
        patch = image[:, top : top + height, left : left + width]
        if self.value == "random":
            patch[...] = generator().standard_normal(patch.shape)
        else:
            patch[...] = np.reshape(self.value, (-1, 1, 1))
        return image


class Erase(ImageOperation):
    """Fills a rectangle.

    Args:
        top (int): The first row.
        left (int): The first column.
        height (int): The rows.
        width (int): The columns; the part outside of the image is left out.
        value (Union[int, sequence]): The grey or RGB value. Default: ``0``.
        inplace (bool): Whether to write into the input. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image of (H, W, C), or the rectangle begins outside of it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Erase(0, 1, 1, 1, 7)(np.ones((1, 3, 1), np.uint8)).ravel()
        array([1, 7, 1], dtype=uint8)
    """

    keeps_pil = False

    def __init__(self, top: int, left: int, height: int, width: int, value: Any = 0.0, inplace: bool = False) -> None:
        where = "vision.Erase"
        self.top, self.left = checks.integer(where, "top", top, 0), checks.integer(where, "left", left, 0)
        self.height, self.width = checks.integer(where, "height", height, 1), checks.integer(where, "width", width, 1)
        values = (value,) if isinstance(value, (int, float)) else value
        if not isinstance(values, (list, tuple)) or len(values) not in (1, 3):
            raise TypeError(f"{where}: value must be a number or three of them, got {describe(value)}.")
        if not all(isinstance(v, (int, float)) and 0 <= v <= 255 for v in values):
            raise ValueError(f"{where}: value must be of [0, 255], got {describe(value)}.")
        self.value = tuple(values)
        checks.boolean(where, "inplace", inplace)
        self.inplace = inplace

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        if image.ndim != 3 or self.top >= image.shape[0] or self.left >= image.shape[1]:
            raise RuntimeError(
                f"vision.Erase: expected an image of (H, W, C) with a pixel at ({self.top}, {self.left}), "
                f"got {describe(image)}."
            )
        image = image if self.inplace else image.copy()
        colour = np.resize(np.array(self.value), image.shape[2])
        image[self.top : self.top + self.height, self.left : self.left + self.width] = colour.astype(image.dtype)
        return image
