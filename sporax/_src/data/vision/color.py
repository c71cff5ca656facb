"""Greys, negatives, and the changes of brightness, contrast, saturation and hue that other image operations use."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.randomness import generator
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision import opencv
from sporax._src.data.vision.enums import ConvertMode
from sporax._src.data.vision.image import ImageOperation

__all__ = ["Grayscale", "Invert", "RandomGrayscale"]


def adjust_brightness(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image between black (0) and itself (1), or beyond."""
    return opencv.scaled(image, factor)


def adjust_contrast(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image between its mean grey (0) and itself (1), or beyond."""
    mean = opencv.grey(image).mean(dtype=np.float64)
    return between(np.full_like(image, mean if image.dtype.kind == "f" else np.rint(mean)), image, factor)


def adjust_saturation(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image between its grey version (0) and itself (1), or beyond."""
    return between(greys(image), image, factor)


def adjust_hue(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image with its colours turned by `factor` of the circle."""
    return opencv.hue_turned(image, int(np.float32(factor) * np.float32(255)) & 0xFF)


def greys(image: np.ndarray) -> np.ndarray:
    """Return the brightness of an RGB image, three times."""
    return opencv.converted(opencv.grey(image), ConvertMode.COLOR_GRAY2RGB)


def between(other: np.ndarray, image: np.ndarray, factor: float) -> np.ndarray:
    """Return ``(1 - factor) * other + factor * image``, the factor being a float32, as MindSpore's is."""
    share = float(np.float32(factor))
    return opencv.mixed(other, 1 - share, image, share)


class Grayscale(ImageOperation):
    """Returns the brightness of an RGB image.

    Args:
        num_output_channels (int): 1, or 3 for an RGB image of greys. Default: ``1``.

    Raises:
        TypeError: If `num_output_channels` is not an int, or the input is not a Pillow image.
        ValueError: If it is neither 1 nor 3.

    Examples:
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> vision.Grayscale()(Image.new("RGB", (4, 2), (9, 9, 9))).getpixel((0, 0))
        9
    """

    in_python = True
    pil_only = TypeError

    def __init__(self, num_output_channels: int = 1) -> None:
        checks.integer("vision.Grayscale", "num_output_channels", num_output_channels, 1, 3)
        if num_output_channels == 2:
            raise ValueError("vision.Grayscale: num_output_channels must be 1 or 3, got 2.")
        self.num_output_channels = num_output_channels

    def _pil(self, image: Any, draw: object) -> Any:
        plain = image.convert("L")
        return plain if self.num_output_channels == 1 else plain.convert("RGB")


class RandomGrayscale(ImageOperation):
    """Turns an RGB image into greys, still RGB, with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.1``.

    Raises:
        TypeError: If `prob` is not a number, or the input is not a Pillow image.
        ValueError: If `prob` is out of [0, 1].

    Examples:
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> vision.RandomGrayscale(1.0)(Image.new("RGB", (4, 2), (9, 9, 9))).mode
        'RGB'
    """

    in_python = True
    pil_only = TypeError

    def __init__(self, prob: float = 0.1) -> None:
        self.prob = check_probability("vision.RandomGrayscale", prob)

    def _draw(self, image: object) -> bool:
        return generator().random() < self.prob

    def _pil(self, image: Any, draw: bool) -> Any:
        return image.convert("L").convert(image.mode) if draw else image


class Invert(ImageOperation):
    """Returns the negative of an image: 255 less its values.

    Raises:
        RuntimeError: If the input is neither a uint8 image nor one of floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Invert()(np.array([[0, 250]], np.uint8))
        array([[255,   5]], dtype=uint8)
    """

    on_batch = ImageOperation._each

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        if image.dtype != np.uint8 and image.dtype.kind != "f":
            raise RuntimeError(f"vision.Invert: expected an image of uint8 or floats, got {describe(image)}.")
        return 255 - image
