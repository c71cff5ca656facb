"""Greys, negatives, and the changes of brightness, contrast, saturation and hue that other image operations use."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.randomness import generator
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision.image import ImageOperation, to_pil

__all__ = ["Grayscale", "Invert", "RandomGrayscale"]


def grey(image: np.ndarray) -> np.ndarray:
    """Return the brightness of an RGB array as uint8, with OpenCV's weights of 15 fractional bits."""
    red, green, blue = (image[..., k].astype(np.int64) for k in range(3))
    return ((red * 9798 + green * 19235 + blue * 3735 + 16384) >> 15).astype(np.uint8)


def _blended(image: np.ndarray, other: object, factor: float) -> np.ndarray:
    """Return ``factor * image + (1 - factor) * other`` within the range of uint8."""
    share = np.float32(factor)
    mixed = image.astype(np.float32) * share + np.asarray(other, np.float32) * (np.float32(1) - share)
    return np.clip(np.rint(mixed), 0, 255).astype(np.uint8)


def adjust_brightness(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image between black (0) and itself (1), or beyond."""
    return _blended(image, 0.0, factor)


def adjust_contrast(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image between its mean grey (0) and itself (1), or beyond."""
    return _blended(image, float(int(grey(image).mean() + 0.5)), factor)


def adjust_saturation(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image between its grey version (0) and itself (1), or beyond."""
    return _blended(image, grey(image)[..., None], factor)


def adjust_hue(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image with its colours turned by `factor` of the circle, in the 256 steps of OpenCV's full HSV.

    OpenCV cuts off the fractions of the pixels that it takes 32 at a time, and rounds those left over in a row.
    """
    red, green, blue = (image[..., k].astype(np.int64) for k in range(3))
    value = image.max(-1).astype(np.int64)
    spread = value - image.min(-1)
    sector = np.where(
        value == red,
        green - blue,
        np.where(value == green, blue - red + 2 * spread, red - green + 4 * spread),
    )
    hue = _divided(sector, spread, 256 / 6) & 0xFF
    hue = (hue + (int(factor * 255) & 0xFF)) & 0xFF
    saturation, value = (x.astype(np.float32) * np.float32(1 / 255) for x in (_divided(spread, value, 255), value))
    side, part = np.divmod(hue.astype(np.float32) * np.float32(6 / 255), np.float32(1))
    low, falling, rising = (value * (1 - saturation * share) for share in (np.float32(1), part, 1 - part))
    ways = np.stack([value, low, falling, rising], -1)
    turned = np.take_along_axis(ways, _SIDES[side.astype(np.int64) % 6], -1) * np.float32(255)
    by_vectors = image.shape[1] // 32 * 32
    turned[:, by_vectors:] = np.rint(turned[:, by_vectors:])
    return turned.astype(np.uint8)


# Of the six sides of the hexagon of hues: which of value, low, falling and rising is red, green and blue.
_SIDES = np.array([[0, 3, 1], [2, 0, 1], [1, 0, 3], [1, 2, 0], [3, 1, 0], [0, 1, 2]])


def _divided(numerator: np.ndarray, denominator: np.ndarray, scale: float) -> np.ndarray:
    """Return ``scale * numerator / denominator`` rounded, by a reciprocal of 12 fractional bits; 0 for 0 / 0."""
    reciprocal = np.rint(scale * 4096 / np.maximum(denominator, 1)).astype(np.int64)
    return np.where(denominator > 0, (numerator * reciprocal + 2048) >> 12, 0)


class Grayscale(ImageOperation):
    """Returns the brightness of an RGB image.

    Args:
        num_output_channels (int): 1, or 3 for an RGB image of greys. Default: ``1``.

    Raises:
        TypeError: If `num_output_channels` is not an int.
        ValueError: If it is neither 1 nor 3.
        RuntimeError: If the input is not an image.

    Examples:
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> vision.Grayscale()(Image.new("RGB", (4, 2), (9, 9, 9))).getpixel((0, 0))
        9
    """

    in_python = True

    def __init__(self, num_output_channels: int = 1) -> None:
        checks.integer("vision.Grayscale", "num_output_channels", num_output_channels, 1, 3)
        if num_output_channels == 2:
            raise ValueError("vision.Grayscale: num_output_channels must be 1 or 3, got 2.")
        self.num_output_channels = num_output_channels

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return np.asarray(self._pil(to_pil(image), draw))

    def _pil(self, image: Any, draw: object) -> Any:
        plain = image.convert("L")
        return plain if self.num_output_channels == 1 else plain.convert("RGB")


class RandomGrayscale(ImageOperation):
    """Turns an RGB image into greys, still RGB, with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.1``.

    Raises:
        TypeError: If `prob` is not a number.
        ValueError: If `prob` is out of [0, 1].
        RuntimeError: If the input is not an image.

    Examples:
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> vision.RandomGrayscale(1.0)(Image.new("RGB", (4, 2), (9, 9, 9))).mode
        'RGB'
    """

    in_python = True

    def __init__(self, prob: float = 0.1) -> None:
        self.prob = check_probability("vision.RandomGrayscale", prob)

    def _draw(self, image: object) -> bool:
        return generator().random() < self.prob

    def _array(self, image: np.ndarray, draw: bool) -> np.ndarray:
        return np.asarray(self._pil(to_pil(image), draw))

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

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        if image.dtype != np.uint8 and image.dtype.kind != "f":
            raise RuntimeError(f"vision.Invert: expected an image of uint8 or floats, got {describe(image)}.")
        return 255 - image
