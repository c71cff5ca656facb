"""Images as arrays or as Pillow images, and the base of the operations that take both.

Arrays are ``(H, W)`` or ``(H, W, C)``; some operations take ``(..., H, W, C)`` as well. Pillow is imported on first use.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import TensorOperation, is_pil
from sporax._src.data.vision import opencv
from sporax._src.data.vision.enums import Inter

if TYPE_CHECKING:
    from PIL import Image

# Pillow reads more formats; one of them, EPS, is a program for an interpreter.
_FORMATS = ("BMP", "DIB", "GIF", "ICO", "JPEG", "JPEG2000", "PCX", "PNG", "PPM", "TGA", "TIFF", "WEBP")


def to_pil(array: np.ndarray) -> Image.Image:
    """Return a uint8 array as a Pillow image.

    Raises:
        TypeError: If `array` is not uint8 of shape ``(H, W)``, ``(H, W, 1)``, ``(H, W, 3)`` or ``(H, W, 4)``.
    """
    from PIL import Image

    if array.dtype != np.uint8 or not (array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (1, 3, 4))):
        raise TypeError(f"vision.ToPIL: expected uint8 of (H, W) or (H, W, C) with 1, 3 or 4 channels, "
                        f"got {describe(array)}.")  # fmt: skip
    return Image.fromarray(array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array)


def decode(data: np.ndarray, mode: str = "RGB") -> np.ndarray:
    """Return the RGB image, or the one of another mode of Pillow, in the bytes of a JPEG, PNG, BMP or other image file.

    Raises:
        TypeError: If `data` is not an array of one axis.
        RuntimeError: If `data` is not of uint8 or is not an image.
    """
    usual = mode == "RGB" and isinstance(data, np.ndarray) and data.ndim == 1
    image = opencv.jpeg(data) if usual else None
    return np.array(decode_pil(data, mode)) if image is None else image


def decode_pil(data: object, mode: str = "RGB") -> Image.Image:
    """Return the RGB image in the bytes of an image file as a Pillow image.

    Raises:
        TypeError: If `data` is not an array of one axis.
        RuntimeError: If `data` is not of uint8 or is not an image.
    """
    if not isinstance(data, (np.ndarray, bytes)) or np.ndim(data) > 1:
        raise TypeError(f"vision.Decode: expected the bytes of an image file as a vector, got {describe(data)}.")
    array = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
    if array.ndim != 1 or array.dtype.kind not in "uiSU" or array.size == 0:
        raise RuntimeError(f"vision.Decode: expected the bytes of an image file as a vector, got {describe(array)}.")
    return opened("vision.Decode", f"the {array.size} bytes are not an image file", io.BytesIO(array.tobytes()), mode)


def opened(where: str, otherwise: str, source: Any, mode: str | None = None) -> Image.Image:
    """Return the image in a file, in a mode of Pillow or that of the file.

    Raises:
        RuntimeError: If it holds none, is damaged, or has more pixels than Pillow takes for an image.
    """
    from PIL import Image

    try:
        with Image.open(source, formats=_FORMATS) as image:
            return as_bytes(image, mode) if mode else image.copy()
    except Exception as error:  # Pillow's readers share no class of errors
        raise RuntimeError(f"{where}: {otherwise}: {error}") from error


def as_bytes(image: Image.Image, mode: str) -> Image.Image:
    """Return an image in a mode of Pillow that has 8 bits.

    Raises:
        ValueError: If its pixels are numbers of 32 bits.
    """
    from PIL import Image

    if image.mode in ("F", "I"):
        raise ValueError("its pixels are numbers of 32 bits; vision.read_image reads them as they are")
    if image.mode.startswith("I;16"):  # the upper bytes, as MindSpore for PNG; Pillow would give white
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    return image.convert(mode)


def pil_filter(interpolation: Inter) -> Any:
    """Return Pillow's name for `interpolation`.

    Raises:
        TypeError: If Pillow has none.
    """
    from PIL import Image

    filters = {
        Inter.NEAREST: Image.Resampling.NEAREST,
        Inter.ANTIALIAS: Image.Resampling.LANCZOS,
        Inter.BILINEAR: Image.Resampling.BILINEAR,
        Inter.BICUBIC: Image.Resampling.BICUBIC,
        Inter.PILCUBIC: Image.Resampling.BICUBIC,
    }
    if interpolation not in filters:
        raise TypeError(f"vision: a Pillow image cannot be interpolated by {interpolation!r}.")
    return filters[interpolation]


def colour_of(image: Image.Image, fill: tuple[int, ...]) -> tuple[int, ...]:
    """Return a grey or RGB colour for the bands of a Pillow image; it hides what is behind it."""
    bands = len(image.getbands())
    if image.mode == "RGBA" and len(fill) != 4:
        return (*(fill if len(fill) == 3 else fill[:1] * 3), 255)
    return fill if len(fill) == bands else fill[:1] * bands


def _in_a_row(array: np.ndarray) -> np.ndarray:
    """Return an array of ``(..., H, W, C)`` as ``(N, H, W, C)``."""
    return array.reshape(-1, *array.shape[-3:])


def size_of(image: Any) -> tuple[int, int]:
    """Return height and width."""
    return (image.size[1], image.size[0]) if is_pil(image) else (image.shape[0], image.shape[1])


class VisionOperation(TensorOperation):
    """Base of the operations that MindSpore places on a device."""

    def device(self, device_target: str = "CPU") -> Self:
        """Accept where the operation should run, and return it: all compute on the CPU.

        Args:
            device_target (str): ``"CPU"`` or ``"Ascend"``.

        Raises:
            TypeError: If `device_target` is not a str.
            ValueError: If it names another device.
        """
        if not isinstance(device_target, str):
            raise TypeError(
                f"vision.{type(self).__name__}.device: device_target must be a str, got {describe(device_target)}."
            )
        if device_target not in ("CPU", "Ascend"):
            raise ValueError(
                f"vision.{type(self).__name__}.device: device_target must be 'CPU' or 'Ascend', got {device_target!r}."
            )
        return self


class ImageOperation(VisionOperation):
    """Base of the operations on images: `_array` takes an array, `_pil` a Pillow image, `_draw` returns the random values.

    All images of one call share one draw.
    """

    keeps_pil = True  # whether a Pillow image gives a Pillow image; not if MindSpore's operation knows only arrays
    pil_only: type[Exception] | None = None  # what an array raises where MindSpore's operation knows only Pillow images
    takes_batches = False  # whether an array may be (..., H, W, C), as in MindSpore

    def __call__(self, *images: Any) -> Any:
        inputs = [image if is_pil(image) else self._checked(as_array(image)) for image in images]
        draw = self._draw(inputs[0] if is_pil(inputs[0]) or inputs[0].ndim <= 3 else _in_a_row(inputs[0])[0])
        results = [self._pil(image, draw) if is_pil(image) else self._arrays(image, draw) for image in inputs]
        return results[0] if len(results) == 1 else tuple(results)

    def _arrays(self, array: np.ndarray, draw: Any) -> np.ndarray:
        if array.ndim <= 3:
            return self._array(array, draw)
        results = np.stack([self._array(image, drawn) for image, drawn in self._draws(_in_a_row(array), draw)])
        return results.reshape(*array.shape[:-3], *results.shape[1:])

    def _each(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked images: the `on_batch` of operations without draws."""
        return np.stack([self._array(self._checked(image), None) for image in rows])

    def _draws(self, images: np.ndarray, draw: Any) -> Iterator[tuple[np.ndarray, Any]]:
        return ((image, draw) for image in images)

    def _checked(self, array: Any) -> np.ndarray:
        if self.pil_only is not None:
            raise self.pil_only(f"vision.{type(self).__name__}: expected a Pillow image, got {describe(array)}.")
        batch = self.takes_batches and isinstance(array, np.ndarray) and array.ndim > 3 and array.size > 0
        known = isinstance(array, np.ndarray) and array.dtype.kind in "biuf" and (batch or array.ndim in (2, 3))
        if not known:
            raise RuntimeError(
                f"vision.{type(self).__name__}: expected an image of (H, W) or (H, W, C), got {describe(array)}."
            )
        return array

    def _draw(self, image: object) -> Any:
        return None

    def _array(self, image: np.ndarray, draw: Any) -> np.ndarray:
        raise NotImplementedError(f"vision.{type(self).__name__} must define _array.")

    def _pil(self, image: object, draw: Any) -> Any:
        result = self._array(np.asarray(image), draw)
        return to_pil(result) if self.keeps_pil else result
