"""Image operations that move pixels at random."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.randomness import generator
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision import arguments
from sporax._src.data.vision.affine import rotated
from sporax._src.data.vision.enums import Border, Inter
from sporax._src.data.vision.geometry import Resize, resized
from sporax._src.data.vision.image import ImageOperation, colour_of, decode, pil_filter, size_of, to_pil
from sporax._src.data.vision.opencv import mirrored, padded

__all__ = [
    "RandomCrop", "RandomCropDecodeResize", "RandomHorizontalFlip", "RandomResize", "RandomResizedCrop",
    "RandomRotation", "RandomVerticalFlip",
]  # fmt: skip


class RandomHorizontalFlip(ImageOperation):
    """Mirrors left and right with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If `prob` is not a number.
        ValueError: If `prob` is out of [0, 1].
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomHorizontalFlip(1.0)(np.array([[1, 2]], np.uint8))
        array([[2, 1]], dtype=uint8)
    """

    takes_batches = True

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = check_probability(f"vision.{type(self).__name__}", prob)

    def _draw(self, image: object) -> bool:
        return generator().random() < self.prob

    def _array(self, image: np.ndarray, draw: bool) -> np.ndarray:
        return mirrored(image) if draw else image


class RandomVerticalFlip(ImageOperation):
    """Mirrors top and bottom with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If `prob` is not a number.
        ValueError: If `prob` is out of [0, 1].
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomVerticalFlip(1.0)(np.array([[1], [2]], np.uint8))
        array([[2],
               [1]], dtype=uint8)
    """

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = check_probability(f"vision.{type(self).__name__}", prob)

    def _draw(self, image: object) -> bool:
        return generator().random() < self.prob

    def _array(self, image: np.ndarray, draw: bool) -> np.ndarray:
        return np.ascontiguousarray(image[::-1]) if draw else image


class RandomCrop(ImageOperation):
    """Cuts out a rectangle at a random position, after padding.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.
        padding (Union[int, sequence], optional): As for `Pad`. Default: ``None``, none.
        pad_if_needed (bool): Whether a smaller image is padded to `size`. Default: ``False``.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of padding. Default: ``0``.
        padding_mode (Border): What padding is. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the image is smaller than `size`, or is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomCrop((32, 32), (4, 4, 4, 4))(np.zeros((32, 32, 3), np.uint8)).shape
        (32, 32, 3)
    """

    takes_batches = True

    def __init__(
        self,
        size: object,
        padding: object = None,
        pad_if_needed: bool = False,
        fill_value: object = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        where = f"vision.{type(self).__name__}"
        self.size = arguments.size_pair(where, size)
        self.padding = None if padding is None else arguments.padding(where, padding)
        checks.boolean(where, "pad_if_needed", pad_if_needed)
        self.pad_if_needed = pad_if_needed
        self.fill_value = arguments.colour(where, fill_value)
        self.padding_mode = arguments.choice(where, "padding_mode", padding_mode, Border)

    def _draw(self, image: object) -> np.ndarray:
        return generator().random(2)

    def _draws(self, images: np.ndarray, draw: object) -> Iterator[tuple[np.ndarray, Any]]:
        return ((image, self._draw(image)) for image in images)  # each at its own position, as in MindSpore

    def _array(self, image: np.ndarray, draw: np.ndarray) -> np.ndarray:
        return self._cropped(image, draw, self.fill_value)

    def _pil(self, image: Any, draw: np.ndarray) -> Any:
        return to_pil(self._cropped(np.asarray(image), draw, colour_of(image, self.fill_value)))

    def _cropped(self, image: np.ndarray, draw: np.ndarray, colour: tuple[int, ...]) -> np.ndarray:
        (height, width), (image, _) = self.size, self.with_padding(image, colour)
        top, left = self.corner(image, draw)
        return image[top : top + height, left : left + width].copy()

    def with_padding(self, image: np.ndarray, colour: tuple[int, ...]) -> tuple[np.ndarray, tuple[int, int]]:
        """Return the image padded with a colour, and how far down and right it moved."""
        (height, width), (rows, columns) = self.size, (0, 0)
        if self.padding is not None:
            image = padded(image, self.padding, colour, self.padding_mode)
            columns, rows = self.padding[:2]
        if self.pad_if_needed:
            thin, short = max(width - image.shape[1], 0), max(height - image.shape[0], 0)
            image = padded(image, (thin, short, thin, short), colour, self.padding_mode)
            rows, columns = rows + short, columns + thin
        return image, (rows, columns)

    def corner(self, image: np.ndarray, draw: np.ndarray) -> tuple[int, int]:
        """Return where the rectangle of a padded image begins."""
        (height, width), name = self.size, type(self).__name__
        if image.shape[0] < height or image.shape[1] < width:
            raise RuntimeError(
                f"vision.{name}: size {self.size} is larger than the padded image, {list(image.shape[:2])}."
            )
        return int(draw[0] * (image.shape[0] - height + 1)), int(draw[1] * (image.shape[1] - width + 1))


def random_box(
    size: tuple[int, int], scale: tuple[float, float], ratio: tuple[float, float], attempts: int
) -> tuple[int, int, int, int]:
    """Draw (top, left, height, width) with a share of `scale` of the area and a width-to-height ratio of `ratio`.

    After `attempts` boxes that do not fit, the largest central box whose ratio is in range is used.
    """
    (height, width), rng = size, generator()
    for _ in range(attempts):
        area = height * width * rng.uniform(*scale)
        shape = math.exp(rng.uniform(math.log(ratio[0]), math.log(ratio[1])))
        box_width, box_height = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
        if 0 < box_width <= width and 0 < box_height <= height:
            top, left = rng.integers(height - box_height + 1), rng.integers(width - box_width + 1)
            return int(top), int(left), box_height, box_width
    box_height, box_width = height, width
    if width / height < ratio[0]:
        box_height = max(round(width / ratio[0]), 1)
    elif width / height > ratio[1]:
        box_width = max(round(height * ratio[1]), 1)
    return (height - box_height) // 2, (width - box_width) // 2, box_height, box_width


class RandomResizedCrop(ImageOperation):
    """Cuts out a random rectangle and brings it to `size`.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.
        scale (sequence): The smallest and largest fraction of the area. Default: ``(0.08, 1.0)``.
        ratio (sequence): The smallest and largest ratio of width to height. Default: ``(3/4, 4/3)``.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.BILINEAR``.
        max_attempts (int): How many rectangles are tried. Default: ``10``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomResizedCrop(8)(np.zeros((16, 20, 3), np.uint8)).shape
        (8, 8, 3)
    """

    takes_batches = True

    def __init__(
        self,
        size: object,
        scale: object = (0.08, 1.0),
        ratio: object = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        where = f"vision.{type(self).__name__}"
        self.size = arguments.size_pair(where, size)
        self.scale = arguments.interval(where, "scale", scale, 0.0)
        self.ratio = arguments.interval(where, "ratio", ratio, 1e-6)
        self.interpolation = arguments.choice(where, "interpolation", interpolation, Inter)
        self.max_attempts = checks.integer(where, "max_attempts", max_attempts, 1)

    def _draw(self, image: object) -> tuple[int, int, int, int]:
        return random_box(size_of(image), self.scale, self.ratio, self.max_attempts)

    def _array(self, image: np.ndarray, draw: tuple[int, int, int, int]) -> np.ndarray:
        top, left, height, width = draw
        return resized(image[top : top + height, left : left + width], *self.size, self.interpolation)

    def _pil(self, image: Any, draw: tuple[int, int, int, int]) -> Any:
        top, left, height, width = draw
        box = image.crop((left, top, left + width, top + height))
        return box.resize(self.size[::-1], pil_filter(self.interpolation))


class RandomCropDecodeResize(RandomResizedCrop):
    """Decodes the bytes of an image file, then does what `RandomResizedCrop` does.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.
        scale (sequence): The smallest and largest fraction of the area. Default: ``(0.08, 1.0)``.
        ratio (sequence): The smallest and largest ratio of width to height. Default: ``(3/4, 4/3)``.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.BILINEAR``.
        max_attempts (int): How many rectangles are tried. Default: ``10``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not the bytes of an image.

    Examples:
        >>> import io
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> buffer = io.BytesIO()
        >>> Image.new("RGB", (20, 16)).save(buffer, "PNG")
        >>> vision.RandomCropDecodeResize(8)(buffer.getvalue()).shape
        (8, 8, 3)
    """

    def __call__(self, *images: Any) -> Any:
        decoded = [decode(np.frombuffer(item, np.uint8) if isinstance(item, bytes) else item) for item in images]
        return super().__call__(*decoded)


class RandomRotation(ImageOperation):
    """Turns an image counter-clockwise by a random angle.

    Args:
        degrees (Union[int, float, sequence]): The least and most angle; one number d means (-d, d).
        resample (Inter): The interpolation between pixels: nearest, bilinear or bicubic. Default: ``Inter.NEAREST``.
        expand (bool): Whether the result grows to hold the whole image. Default: ``False``.
        center (tuple, optional): (x, y) of the centre. Default: ``None``, the middle.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of new pixels. Default: ``0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomRotation((90, 90))(np.array([[1, 2], [3, 4]], np.uint8))
        array([[2, 4],
               [1, 3]], dtype=uint8)
    """

    def __init__(
        self,
        degrees: object,
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: object = None,
        fill_value: object = 0,
    ) -> None:
        where = "vision.RandomRotation"
        if isinstance(degrees, (int, float)) and degrees < 0:
            raise ValueError(f"{where}: degrees must not be negative if it is one number, got {degrees}.")
        pair = (-degrees, degrees) if isinstance(degrees, (int, float)) else degrees
        self.degrees = arguments.interval(where, "degrees", pair)
        self.resample = arguments.choice(where, "resample", resample, Inter)
        checks.boolean(where, "expand", expand)
        if center is not None and not (isinstance(center, tuple) and len(center) == 2):
            raise TypeError(f"{where}: center must be (x, y), got {describe(center)}.")
        self.expand, self.center = expand, center
        self.fill_value = arguments.colour(where, fill_value)

    def _draw(self, image: object) -> float:
        return generator().uniform(*self.degrees)

    def _array(self, image: np.ndarray, draw: float) -> np.ndarray:
        return rotated(image, draw, self.resample, self.expand, self.center, self.fill_value)

    def _pil(self, image: Any, draw: float) -> Any:
        colour = colour_of(image, self.fill_value)
        fill = colour[0] if len(colour) == 1 else colour
        return image.rotate(draw, pil_filter(self.resample), self.expand, self.center, fillcolor=fill)


class RandomResize(ImageOperation):
    """Does what `Resize` does, with a random interpolation: nearest, bilinear, bicubic or area.

    Args:
        size (Union[int, sequence]): As for `Resize`.

    Raises:
        TypeError: If `size` has the wrong type.
        ValueError: If a side is not positive.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomResize((4, 6))(np.zeros((8, 8, 3), np.uint8)).shape
        (4, 6, 3)
    """

    keeps_pil = False
    takes_batches = True

    def __init__(self, size: object) -> None:
        self.resize = Resize(size)
        self.size = size

    def _draw(self, image: object) -> Inter:
        kinds = (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.AREA)
        return kinds[int(generator().integers(len(kinds)))]

    def _array(self, image: np.ndarray, draw: Inter) -> np.ndarray:
        return resized(image, *self.resize._target(image), draw)
