"""GaussianBlur."""

from __future__ import annotations

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.vision import opencv
from sporax._src.data.vision.image import ImageOperation

__all__ = ["GaussianBlur"]


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
        return opencv.blurred(image, (width, height), (across, down))
