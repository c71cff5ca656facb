"""Image operations that cut out, pad or blot out parts at given positions: ResizedCrop, FiveCrop, TenCrop, Erase, …"""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.vision import arguments
from sporax._src.data.vision.enums import Border, Inter, SliceMode
from sporax._src.data.vision.geometry import CenterCrop, resized
from sporax._src.data.vision.image import ImageOperation, is_pil, size_of
from sporax._src.data.vision.opencv import padded

__all__ = ["FiveCrop", "PadToSize", "ResizedCrop", "SlicePatches", "TenCrop"]


class ResizedCrop(ImageOperation):
    """Cuts out a rectangle and brings it to `size`.

    Args:
        top (int): The first row.
        left (int): The first column.
        height (int): The rows.
        width (int): The columns.
        size (Union[int, sequence]): (height, width) of the result, or the side of a square.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.BILINEAR``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the rectangle leaves the image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.ResizedCrop(0, 0, 1, 2, (2, 4))(np.zeros((4, 4, 3), np.uint8)).shape
        (2, 4, 3)
    """

    keeps_pil = False

    def __init__(
        self, top: int, left: int, height: int, width: int, size: object, interpolation: Inter = Inter.BILINEAR
    ) -> None:
        where = "vision.ResizedCrop"
        self.top, self.left = checks.integer(where, "top", top, 0), checks.integer(where, "left", left, 0)
        self.height, self.width = checks.integer(where, "height", height, 1), checks.integer(where, "width", width, 1)
        self.size = arguments.size_pair(where, size)
        self.interpolation = arguments.choice(where, "interpolation", interpolation, Inter)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        bottom, right = self.top + self.height, self.left + self.width
        if bottom > image.shape[0] or right > image.shape[1]:
            raise RuntimeError(
                f"vision.ResizedCrop: {self.height}×{self.width} at ({self.top}, {self.left}) leaves {describe(image)}."
            )
        return resized(image[self.top : bottom, self.left : right], *self.size, self.interpolation)


class FiveCrop(ImageOperation):
    """Cuts out the four corners and the middle of a Pillow image.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.

    Raises:
        TypeError: If `size` has the wrong type, or the input is not a Pillow image.
        ValueError: If a side is not positive, or larger than the image.

    Examples:
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> [part.size for part in vision.FiveCrop((1, 2))(Image.new("RGB", (4, 3)))]
        [(2, 1), (2, 1), (2, 1), (2, 1), (2, 1)]
    """

    in_python = True

    def __init__(self, size: object) -> None:
        self.size = arguments.size_pair(f"vision.{type(self).__name__}", size)
        self.middle = CenterCrop(self.size)

    def __call__(self, *images: object) -> Any:
        results = [self._parts(image) for image in images]
        return results[0] if len(results) == 1 else tuple(results)

    def _parts(self, image: Any) -> tuple[Any, ...]:
        where = f"vision.{type(self).__name__}"
        if not is_pil(image):
            raise TypeError(f"{where}: expected a Pillow image, got {describe(image)}.")
        (height, width), (rows, columns) = self.size, size_of(image)
        if height > rows or width > columns:
            raise ValueError(f"{where}: size {self.size} is larger than the image, {(rows, columns)}.")
        corners = [(left, top) for top in (0, rows - height) for left in (0, columns - width)]
        return (*[image.crop((x, y, x + width, y + height)) for x, y in corners], self.middle(image))


class TenCrop(FiveCrop):
    """Cuts out the four corners and the middle of a Pillow image, and of its mirror image.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.
        use_vertical_flip (bool): Whether top and bottom are exchanged rather than left and right. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type, or the input is not a Pillow image.
        ValueError: If a side is not positive, or larger than the image.

    Examples:
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> len(vision.TenCrop(2)(Image.new("RGB", (4, 3))))
        10
    """

    def __init__(self, size: object, use_vertical_flip: bool = False) -> None:
        super().__init__(size)
        checks.boolean("vision.TenCrop", "use_vertical_flip", use_vertical_flip)
        self.use_vertical_flip = use_vertical_flip

    def _parts(self, image: Any) -> tuple[Any, ...]:
        from PIL import Image

        first = super()._parts(image)
        turn = Image.Transpose.FLIP_TOP_BOTTOM if self.use_vertical_flip else Image.Transpose.FLIP_LEFT_RIGHT
        return (*first, *super()._parts(image.transpose(turn)))


class PadToSize(ImageOperation):
    """Adds pixels around an image up to a size.

    Args:
        size (Union[int, sequence]): (height, width), or the side of a square.
        offset (Union[int, sequence], optional): (top, left) of the image in the result. Default: ``None``, the middle.
        fill_value (Union[int, tuple[int]]): The grey or RGB value for ``Border.CONSTANT``. Default: ``0``.
        padding_mode (Border): The values of the new pixels. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the image, with the offset, is larger than `size`.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.PadToSize((2, 3), (1, 1), 9)(np.zeros((1, 1), np.uint8))
        array([[9, 9, 9],
               [9, 0, 9]], dtype=uint8)
    """

    keeps_pil = False

    def __init__(
        self, size: object, offset: object = None, fill_value: object = 0, padding_mode: Border = Border.CONSTANT
    ) -> None:
        where = "vision.PadToSize"
        self.size = arguments.size_pair(where, size)
        pair = (offset, offset) if isinstance(offset, int) else offset or None
        if pair is not None and (not isinstance(pair, (list, tuple)) or len(pair) not in (1, 2)):
            raise TypeError(f"{where}: offset must be an int or (top, left), got {describe(offset)}.")
        self.offset = None if pair is None else tuple(checks.integer(where, "offset", v, 0) for v in (*pair, *pair)[:2])
        self.fill_value = arguments.colour(where, fill_value)
        self.padding_mode = arguments.choice(where, "padding_mode", padding_mode, Border)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        spare = self.size[0] - image.shape[0], self.size[1] - image.shape[1]
        top, left = self.offset or (spare[0] // 2, spare[1] // 2)
        bottom, right = spare[0] - top, spare[1] - left
        if min(top, left, bottom, right) < 0:
            raise RuntimeError(f"vision.PadToSize: {describe(image)} does not fit into {self.size} at ({top}, {left}).")
        return padded(image, (left, top, right, bottom), self.fill_value, self.padding_mode)


class SlicePatches(ImageOperation):
    """Cuts an image into patches, row by row.

    Args:
        num_height (int): How many patches below each other. Default: ``1``.
        num_width (int): How many patches side by side. Default: ``1``.
        slice_mode (SliceMode): Whether an image whose sides are not multiples is padded on the right and at the bottom,
            or loses the rest. Default: ``SliceMode.PAD``.
        fill_value (int): The value of padding. Default: ``0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If there are more patches than rows or columns.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> [part.tolist() for part in vision.SlicePatches(1, 2)(np.array([[1, 2, 3]], np.uint8))]
        [[[1, 2]], [[3, 0]]]
    """

    keeps_pil = False

    def __init__(
        self, num_height: int = 1, num_width: int = 1, slice_mode: SliceMode = SliceMode.PAD, fill_value: int = 0
    ) -> None:
        where = "vision.SlicePatches"
        self.num_height = checks.integer(where, "num_height", num_height, 1)
        self.num_width = checks.integer(where, "num_width", num_width, 1)
        if not isinstance(slice_mode, SliceMode):
            raise TypeError(f"{where}: slice_mode must be a SliceMode, got {describe(slice_mode)}.")
        self.slice_mode = slice_mode
        self.fill_value = checks.integer(where, "fill_value", fill_value, 0, 255)

    def _pil(self, image: object, draw: object) -> Any:
        return self._array(np.asarray(image), draw)

    def _array(self, image: np.ndarray, draw: object) -> Any:
        counts = self.num_height, self.num_width
        if any(count > side for count, side in zip(counts, image.shape, strict=False)):
            raise RuntimeError(f"vision.SlicePatches: {describe(image)} cannot be cut into {counts[0]}×{counts[1]}.")
        if self.slice_mode is SliceMode.PAD:
            down, across = (-image.shape[k] % counts[k] for k in (0, 1))
            image = padded(image, (0, 0, across, down), (self.fill_value,), Border.CONSTANT)
        height, width = (image.shape[k] // counts[k] for k in (0, 1))
        parts = [
            image[i * height : (i + 1) * height, j * width : (j + 1) * width].copy()
            for i in range(counts[0])
            for j in range(counts[1])
        ]
        return parts[0] if len(parts) == 1 else tuple(parts)
