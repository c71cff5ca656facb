"""GaussianBlur."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.vision.image import ImageOperation

__all__ = ["GaussianBlur"]

_FRACTION = 8  # bits after the point of the weights for uint8 images


def _weights(size: int, sigma: float) -> np.ndarray:
    offset = np.arange(size) - (size - 1) / 2
    line = np.exp(-0.5 * (offset / sigma) ** 2)
    return line / line.sum()


def _whole(weights: np.ndarray) -> np.ndarray:
    """Return weights as multiples of 2^-8 whose sum is 1: the rounding error of each is added to the next one inwards."""
    half, left = len(weights) // 2, 0.0
    out = np.zeros(len(weights), np.int64)
    for k in range(half):
        exact = weights[k] * (1 << _FRACTION) + left
        out[k] = out[-1 - k] = round(exact)
        left = exact - out[k]
    out[half] = (1 << _FRACTION) - out.sum()
    return out


def _mirrored(image: np.ndarray, height: int, width: int) -> np.ndarray:
    down, across = height // 2, width // 2
    widths = ((down, down), (across, across), (0, 0))[: image.ndim]
    return np.pad(image, widths, "reflect") if min(image.shape[:2]) > 1 else np.pad(image, widths, "edge")


def gaussian_blur(image: np.ndarray, size: tuple[int, int], sigma: tuple[float, float]) -> np.ndarray:
    """Return an image averaged over (width, height) pixels with the weights of a bell curve."""
    across, down = _weights(size[0], sigma[0]), _weights(size[1], sigma[1])
    integer = image.dtype == np.uint8
    lines: Any = (_whole(across), _whole(down)) if integer else (across, down)
    framed = _mirrored(image, size[1], size[0]).astype(np.int64 if integer else np.float64)
    wide: Any = sum(w * framed[:, k : k + image.shape[1]] for k, w in enumerate(lines[0]))
    total: Any = sum(w * wide[k : k + image.shape[0]] for k, w in enumerate(lines[1]))
    if not integer:
        return total.astype(image.dtype)
    return np.clip((total + (1 << 2 * _FRACTION - 1)) >> 2 * _FRACTION, 0, 255).astype(np.uint8)


class GaussianBlur(ImageOperation):
    """Averages an image over its surroundings with the weights of a bell curve.

    Args:
        kernel_size (Union[int, sequence]): (width, height) of the surroundings, odd; one number for both.
        sigma (Union[float, sequence], optional): The standard deviations along both. Default: ``None``,
            ``0.3 · ((size - 1) / 2 - 1) + 0.8``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a size is not positive and odd, or a deviation not positive.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.GaussianBlur(3)(np.eye(3, dtype=np.uint8) * 100)
        array([[50, 37, 23],
               [37, 39, 37],
               [23, 37, 50]], dtype=uint8)
    """

    keeps_pil = False

    def __init__(self, kernel_size: object, sigma: object = None) -> None:
        where = "vision.GaussianBlur"
        sizes = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
        if not isinstance(sizes, (list, tuple)) or len(sizes) not in (1, 2):
            raise TypeError(f"{where}: kernel_size must be an int or two, got {describe(kernel_size)}.")
        self.kernel_size = tuple(checks.integer(where, "kernel_size", size, 1) for size in (*sizes, *sizes)[:2])
        if not all(size % 2 for size in self.kernel_size):
            raise ValueError(f"{where}: kernel_size must be odd, got {describe(kernel_size)}.")
        pair = (sigma, sigma) if isinstance(sigma, (int, float)) else sigma
        if pair is None:
            pair = tuple(0.3 * ((size - 1) / 2 - 1) + 0.8 for size in self.kernel_size)
        if (
            not isinstance(pair, (list, tuple))
            or not all(isinstance(s, (int, float)) for s in pair)
            or len(pair) not in (1, 2)
        ):
            raise TypeError(f"{where}: sigma must be a number or two, got {describe(sigma)}.")
        self.sigma = tuple(map(float, (*pair, *pair)[:2]))
        if min(self.sigma) <= 0:
            raise ValueError(f"{where}: sigma must be positive, got {describe(sigma)}.")

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        (width, height), (across, down) = self.kernel_size, self.sigma
        return gaussian_blur(image, (width, height), (across, down))
