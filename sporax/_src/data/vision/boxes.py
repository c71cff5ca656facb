"""Operations on images together with their bounding boxes, rows of (x, y, width, height, …) as float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.randomness import generator
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import TensorOperation
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision.enums import Inter
from sporax._src.data.vision.geometry import Resize, resized
from sporax._src.data.vision.image import ImageOperation, is_pil
from sporax._src.data.vision.random_geometry import (
    RandomCrop,
    RandomHorizontalFlip,
    RandomResize,
    RandomResizedCrop,
    RandomVerticalFlip,
)

__all__ = [
    "BoundingBoxAugment", "RandomCropWithBBox", "RandomHorizontalFlipWithBBox", "RandomResizeWithBBox",
    "RandomResizedCropWithBBox", "RandomVerticalFlipWithBBox", "ResizeWithBBox",
]  # fmt: skip


class _WithBoxes(ImageOperation):
    """An operation on an image and its boxes; `_boxes` takes both, and the random values of the call."""

    takes_batches = False

    def __call__(self, *inputs: object) -> Any:
        where = f"vision.{type(self).__name__}"
        if len(inputs) != 2:
            raise RuntimeError(f"{where}: expected an image and its boxes, got {len(inputs)} inputs.")
        if is_pil(inputs[0]):
            raise TypeError(f"{where}: expected an image as an array, got {describe(inputs[0])}.")
        image, boxes = self._checked(as_array(inputs[0])), as_array(inputs[1])
        if boxes.dtype != np.float32 or boxes.ndim < 2 or boxes.shape[1] < 4:
            raise RuntimeError(f"{where}: expected boxes as float32 of (N, 4 or more), got {describe(boxes)}.")
        (x, y, width, height), slack = boxes[:, :4].T, 1e-4
        if (np.minimum(x, y) < -slack).any() or (
            np.maximum(x + width - image.shape[1], y + height - image.shape[0]) > slack
        ).any():
            raise RuntimeError(f"{where}: a box leaves the image {describe(image)}: {boxes[:, :4].tolist()}.")
        return self._both(image, boxes.copy(), self._draw(image))

    def _both(self, image: np.ndarray, boxes: np.ndarray, draw: Any) -> tuple[np.ndarray, np.ndarray]:
        output = self._array(image, draw)
        return output, self._boxes(boxes, image, output, draw)

    def _boxes(self, boxes: np.ndarray, image: np.ndarray, output: np.ndarray, draw: Any) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must define _boxes.")


def _cropped(boxes: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """Return the parts of boxes in a rectangle, without the boxes outside of it."""
    first, last = boxes[:, :2], boxes[:, :2] + boxes[:, 2:4]
    there = (first <= [left + width, top + height]).all(1) & (last >= [left, top]).all(1)
    inside = boxes[there].copy()
    first, last = (np.clip(part[there] - [left, top], 0, [width, height]) for part in (first, last))
    inside[:, :2], inside[:, 2:4] = first, last - first
    return inside


def _scaled(boxes: np.ndarray, before: tuple[int, ...], after: tuple[int, ...]) -> np.ndarray:
    """Scale boxes, in place, as an image of (height, width) `before` was."""
    boxes[:, :4] *= np.tile(
        [np.float32(after[1]) / np.float32(before[1]), np.float32(after[0]) / np.float32(before[0])], 2
    )
    return boxes


class RandomHorizontalFlipWithBBox(_WithBoxes, RandomHorizontalFlip):
    """Mirrors left and right of an image and its boxes with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If `prob` is not a number.
        ValueError: If `prob` is out of [0, 1].
        RuntimeError: If the inputs are not an image and boxes inside it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> image, boxes = np.zeros((4, 6, 3), np.uint8), np.array([[0, 1, 2, 2]], np.float32)
        >>> vision.RandomHorizontalFlipWithBBox(1.0)(image, boxes)[1]
        array([[4., 1., 2., 2.]], dtype=float32)
    """

    def _boxes(self, boxes: np.ndarray, image: np.ndarray, output: np.ndarray, draw: bool) -> np.ndarray:
        if draw:
            boxes[:, 0] = image.shape[1] - boxes[:, 0] - boxes[:, 2]
        return boxes


class RandomVerticalFlipWithBBox(_WithBoxes, RandomVerticalFlip):
    """Mirrors top and bottom of an image and its boxes with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If `prob` is not a number.
        ValueError: If `prob` is out of [0, 1].
        RuntimeError: If the inputs are not an image and boxes inside it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> image, boxes = np.zeros((4, 6, 3), np.uint8), np.array([[0, 0, 2, 1]], np.float32)
        >>> vision.RandomVerticalFlipWithBBox(1.0)(image, boxes)[1]
        array([[0., 3., 2., 1.]], dtype=float32)
    """

    def _boxes(self, boxes: np.ndarray, image: np.ndarray, output: np.ndarray, draw: bool) -> np.ndarray:
        if draw:
            boxes[:, 1] = image.shape[0] - boxes[:, 1] - boxes[:, 3]
        return boxes


class ResizeWithBBox(_WithBoxes, Resize):
    """Brings an image to `size`, and its boxes with it.

    Args:
        size (Union[int, sequence]): As for `Resize`.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.LINEAR``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a side is not positive.
        RuntimeError: If the inputs are not an image and boxes inside it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> image, boxes = np.zeros((4, 6, 3), np.uint8), np.array([[0, 1, 2, 2]], np.float32)
        >>> vision.ResizeWithBBox((8, 9))(image, boxes)[1]
        array([[0., 2., 3., 4.]], dtype=float32)
    """

    def __init__(self, size: object, interpolation: Inter = Inter.LINEAR) -> None:
        super().__init__(size, interpolation)

    def _boxes(self, boxes: np.ndarray, image: np.ndarray, output: np.ndarray, draw: Any) -> np.ndarray:
        return _scaled(boxes, image.shape, output.shape)


class RandomResizeWithBBox(_WithBoxes, RandomResize):
    """Does what `ResizeWithBBox` does, with a random interpolation.

    Args:
        size (Union[int, sequence]): As for `Resize`.

    Raises:
        TypeError: If `size` has the wrong type.
        ValueError: If a side is not positive.
        RuntimeError: If the inputs are not an image and boxes inside it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> image, boxes = np.zeros((4, 6, 3), np.uint8), np.array([[0, 1, 2, 2]], np.float32)
        >>> vision.RandomResizeWithBBox((8, 9))(image, boxes)[1]
        array([[0., 2., 3., 4.]], dtype=float32)
    """

    def _boxes(self, boxes: np.ndarray, image: np.ndarray, output: np.ndarray, draw: Inter) -> np.ndarray:
        return _scaled(boxes, image.shape, output.shape)


class RandomCropWithBBox(_WithBoxes, RandomCrop):
    """Cuts a rectangle at a random position out of an image, after padding, and cuts the boxes accordingly.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.
        padding (Union[int, sequence], optional): As for `Pad`. Default: ``None``, none.
        pad_if_needed (bool): Whether a smaller image is padded to `size`. Default: ``False``.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of padding. Default: ``0``.
        padding_mode (Border): What padding is. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the image is smaller than `size`, or the inputs are not an image and boxes inside it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> image, boxes = np.zeros((4, 6, 3), np.uint8), np.array([[0, 1, 2, 2]], np.float32)
        >>> vision.RandomCropWithBBox((6, 8), 1)(image, boxes)[1]
        array([[1., 2., 2., 2.]], dtype=float32)
    """

    def _both(self, image: np.ndarray, boxes: np.ndarray, draw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        (height, width), (wide, (rows, columns)) = self.size, self.with_padding(image, self.fill_value)
        top, left = self.corner(wide, draw)
        boxes[:, :2] += np.array([columns, rows], np.float32)
        return wide[top : top + height, left : left + width].copy(), _cropped(boxes, top, left, height, width)


class RandomResizedCropWithBBox(_WithBoxes, RandomResizedCrop):
    """Cuts a random rectangle out of an image and its boxes, and brings both to `size`.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.
        scale (sequence): The smallest and largest fraction of the area. Default: ``(0.08, 1.0)``.
        ratio (sequence): The smallest and largest ratio of width to height. Default: ``(3/4, 4/3)``.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.BILINEAR``.
        max_attempts (int): How many rectangles are tried. Default: ``10``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the inputs are not an image and boxes inside it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> image, boxes = np.zeros((4, 4, 3), np.uint8), np.array([[0, 1, 2, 2]], np.float32)
        >>> vision.RandomResizedCropWithBBox(8, (1.0, 1.0), (1.0, 1.0))(image, boxes)[1]
        array([[0., 2., 4., 4.]], dtype=float32)
    """

    def _boxes(
        self, boxes: np.ndarray, image: np.ndarray, output: np.ndarray, draw: tuple[int, int, int, int]
    ) -> np.ndarray:
        return _scaled(_cropped(boxes, *draw), draw[2:], self.size)


class BoundingBoxAugment(_WithBoxes):
    """Applies an operation to the pixels of a box, for each box with probability `ratio`.

    Args:
        transform (TensorOperation): The operation on images.
        ratio (float): The probability. Default: ``0.3``.

    Raises:
        TypeError: If `transform` is not an operation, or `ratio` not a number.
        ValueError: If `ratio` is out of [0, 1].
        RuntimeError: If the inputs are not an image and boxes inside it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> image, boxes = np.array([[1, 2, 3, 4]], np.uint8), np.array([[1, 0, 2, 1]], np.float32)
        >>> vision.BoundingBoxAugment(vision.HorizontalFlip(), 1.0)(image, boxes)[0]
        array([[1, 3, 2, 4]], dtype=uint8)
    """

    def __init__(self, transform: TensorOperation, ratio: float = 0.3) -> None:
        self.ratio = check_probability("vision.BoundingBoxAugment", ratio)
        if not isinstance(transform, TensorOperation):
            raise TypeError(f"vision.BoundingBoxAugment: transform must be an operation, got {describe(transform)}.")
        self.transform = transform

    def _both(self, image: np.ndarray, boxes: np.ndarray, draw: Any) -> tuple[np.ndarray, np.ndarray]:
        image = image.copy()
        for x, y, width, height in boxes[:, :4].astype(int):
            if generator().random() < self.ratio:
                there = slice(y, y + height), slice(x, x + width)
                output = self.transform(image[there].copy())
                fits = output.shape[:2] == (height, width)
                image[there] = output if fits else resized(output, height, width, Inter.BILINEAR)
        return image, boxes
