"""Conversions of images: files into arrays, arrays into Pillow images and tensors, and other element types."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.tensor_bridge import as_array, as_dtype
from sporax._src.data.transforms.arrays import TypeCast
from sporax._src.data.transforms.base import TensorOperation
from sporax._src.data.vision import opencv
from sporax._src.data.vision.image import VisionOperation, decode, decode_pil, is_pil, to_pil

__all__ = ["Decode", "ToNumpy", "ToPIL", "ToTensor", "ToType"]


class Decode(VisionOperation):
    """Decodes the bytes of an image file to RGB.

    Args:
        to_pil (bool): Whether to return a Pillow image instead of an array of ``(H, W, 3)``. Default: ``False``.

    Raises:
        TypeError: If `to_pil` is not a bool.
        RuntimeError: If the input is not a vector of bytes or is not an image.

    Examples:
        >>> import io
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> buffer = io.BytesIO()
        >>> Image.new("RGB", (4, 2)).save(buffer, "PNG")
        >>> vision.Decode()(buffer.getvalue()).shape
        (2, 4, 3)
    """

    def __init__(self, to_pil: bool = False) -> None:
        checks.boolean("vision.Decode", "to_pil", to_pil)
        self.to_pil = self.in_python = to_pil

    def __call__(self, *inputs: Any) -> Any:
        raw = [np.frombuffer(item, np.uint8) if isinstance(item, bytes) else item for item in inputs]
        images = [decode_pil(item) if self.to_pil else decode(item) for item in raw]
        return images[0] if len(images) == 1 else tuple(images)


class ToPIL(TensorOperation):
    """Turns a uint8 array into a Pillow image; a Pillow image stays as it is.

    Raises:
        TypeError: If the input is not a uint8 image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.ToPIL()(np.zeros((2, 4, 3), np.uint8)).size
        (4, 2)
    """

    in_python = True

    def __call__(self, *inputs: object) -> Any:
        images = [item if is_pil(item) else to_pil(as_array(item)) for item in inputs]
        return images[0] if len(images) == 1 else tuple(images)


class ToNumpy(TensorOperation):
    """Turns a Pillow image into an array.

    Examples:
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> vision.ToNumpy()(Image.new("L", (4, 2))).shape
        (2, 4)
    """

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return array.copy()


class ToTensor(TensorOperation):
    """Turns an image of ``(H, W, C)`` or ``(H, W)`` with values of [0, 255] into ``(C, H, W)`` with values of [0, 1].

    Args:
        output_type (Union[mindspore.dtype, numpy.dtype]): The type of the result. Default: ``numpy.float32``.

    Raises:
        TypeError: If `output_type` is not a data type.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.ToTensor()(np.full((2, 4, 3), 255, np.uint8)).shape
        (3, 2, 4)
    """

    by_element = True

    def __init__(self, output_type: object = np.float32) -> None:
        self.output_type = as_dtype(output_type)

    def __call__(self, *inputs: object) -> Any:
        results = [self._pil(item) if is_pil(item) else self._apply(as_array(item)) for item in inputs]
        return results[0] if len(results) == 1 else tuple(results)

    def _pil(self, image: object) -> np.ndarray:
        # MindSpore divides a Pillow image by 255 in float64.
        array = np.atleast_3d(np.asarray(image)).transpose(2, 0, 1) / 255.0
        return np.ascontiguousarray(array, np.float32).astype(self.output_type, copy=False)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.ndim not in (2, 3):
            raise RuntimeError(f"vision.ToTensor: expected (H, W) or (H, W, C), got {describe(array)}.")
        return self._shares(opencv.channels_first(array) if array.ndim == 3 else array[None])

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked images."""
        if rows.ndim not in (3, 4):
            raise RuntimeError(f"vision.ToTensor: expected (H, W) or (H, W, C), got {describe(rows[0])}.")
        return self._shares(rows[:, None] if rows.ndim == 3 else rows.transpose(0, 3, 1, 2))

    def _shares(self, images: np.ndarray) -> np.ndarray:
        # MindSpore multiplies by the float32 nearest to 1 / 255.
        values = np.multiply(images, np.float32(1 / 255), dtype=np.float32, order="C", casting="unsafe")
        return values.astype(self.output_type, copy=False)


class ToType(TypeCast):
    """Converts to `data_type`.

    Args:
        data_type (Union[mindspore.dtype, numpy.dtype]): The type.

    Raises:
        TypeError: If `data_type` is not a data type.

    Examples:
        >>> from sporax.dataset import vision
        >>> vision.ToType("float32")([1, 2])
        array([1., 2.], dtype=float32)
    """

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked images."""
        return self._apply(rows)
