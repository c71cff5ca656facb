"""Images and bytes from and to files: read_image, write_png, encode_jpeg and their kin."""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.vision import opencv
from sporax._src.data.vision.enums import ImageReadMode
from sporax._src.data.vision.image import as_bytes, is_pil, opened, to_pil

__all__ = [
    "encode_jpeg", "encode_png", "get_image_num_channels", "get_image_size", "read_file", "read_image",
    "write_file", "write_jpeg", "write_png",
]  # fmt: skip


def _path(where: str, filename: object) -> str:
    if not isinstance(filename, (str, os.PathLike)):
        raise TypeError(f"vision.{where}: filename must be a path, got {describe(filename)}.")
    return os.fspath(filename)


def _existing(where: str, filename: object) -> str:
    path = _path(where, filename)
    if not os.path.isfile(path):
        raise RuntimeError(f"vision.{where}: the file {path} does not exist.")
    return path


def read_file(filename: str) -> np.ndarray:
    """Return the bytes of a file as a vector of uint8.

    Raises:
        TypeError: If `filename` is not a path.
        RuntimeError: If the file does not exist.
    """
    return np.fromfile(_existing("read_file", filename), np.uint8)


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """Return the image in a file as an array of (H, W, C).

    Args:
        filename (str): The file.
        mode (ImageReadMode): Which channels to give; ``COLOR`` and ``GRAYSCALE`` turn the image as the file says. Default:
            ``ImageReadMode.UNCHANGED``, one or three as in the file, without transparency.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If the file does not exist or holds no image.
    """
    path = _existing("read_image", filename)
    if not isinstance(mode, ImageReadMode):
        raise TypeError(f"vision.read_image: mode must be an ImageReadMode, got {describe(mode)}.")
    image = opened("vision.read_image", f"{shown(path)} holds no image", path)
    is_kept = mode is ImageReadMode.UNCHANGED
    is_deep = image.mode in ("F", "I")
    if is_deep and not is_kept:
        raise RuntimeError(
            f"vision.read_image: {shown(path)} holds numbers of 32 bits; read it with ImageReadMode.UNCHANGED."
        )
    if is_kept and (is_deep or image.mode.startswith("I;16")):
        return np.array(image)[:, :, None]
    is_gray = image.mode in ("1", "L") if is_kept else mode is ImageReadMode.GRAYSCALE
    array = opencv.of_file(np.fromfile(path, np.uint8), is_gray, not is_kept)
    if array is None:
        array = np.array(as_bytes(image if is_kept else _turned(image), "L" if is_gray else "RGB"))
    return array if array.ndim == 3 else array[:, :, None]


def _turned(image: Any) -> Any:
    from PIL import ImageOps

    return ImageOps.exif_transpose(image)


def write_file(filename: str, data: object) -> None:
    """Write a vector of uint8 as a file.

    Raises:
        TypeError: If `filename` is not a path.
        RuntimeError: If `data` is not a vector of uint8.
    """
    array = as_array(data)
    if array.dtype != np.uint8 or array.ndim != 1:
        raise RuntimeError(f"vision.write_file: expected a vector of uint8, got {describe(data)}.")
    array.tofile(_path("write_file", filename))


def _check_level(where: str, name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"vision.{where}: {name} must be an int, got {describe(value)}.")
    if not low <= value <= high:
        raise RuntimeError(f"vision.{where}: {name} must be in [{low}, {high}], got {value}.")


def _encoded(where: str, image: object, kind: str, **options: object) -> np.ndarray:
    array = as_array(image)
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3)):
        raise RuntimeError(f"vision.{where}: expected uint8 of (H, W), (H, W, 1) or (H, W, 3), got {describe(image)}.")
    buffer = io.BytesIO()
    to_pil(array).save(buffer, kind, **options)
    return np.frombuffer(buffer.getvalue(), np.uint8).copy()


def encode_jpeg(image: object, quality: int = 75) -> np.ndarray:
    """Return an image as the bytes of a JPEG file.

    Args:
        image (Union[numpy.ndarray, Tensor]): uint8 of (H, W), (H, W, 1) or (H, W, 3).
        quality (int): From 1, small, to 100, exact. Default: ``75``.

    Raises:
        TypeError: If `quality` is not an int.
        RuntimeError: If `quality` is out of range, or `image` is something else.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> bytes(vision.encode_jpeg(np.zeros((4, 4, 3), np.uint8))[:2]).hex()
        'ffd8'
    """
    _check_level("encode_jpeg", "quality", quality, 1, 100)
    return _encoded("encode_jpeg", image, "JPEG", quality=quality)


def encode_png(image: object, compression_level: int = 6) -> np.ndarray:
    """Return an image as the bytes of a PNG file.

    Args:
        image (Union[numpy.ndarray, Tensor]): uint8 of (H, W), (H, W, 1) or (H, W, 3).
        compression_level (int): From 0, fast, to 9, small. Default: ``6``.

    Raises:
        TypeError: If `compression_level` is not an int.
        RuntimeError: If `compression_level` is out of range, or `image` is something else.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Decode()(vision.encode_png(np.full((1, 1, 3), 7, np.uint8))).ravel()
        array([7, 7, 7], dtype=uint8)
    """
    _check_level("encode_png", "compression_level", compression_level, 0, 9)
    return _encoded("encode_png", image, "PNG", compress_level=compression_level)


def write_jpeg(filename: str, image: object, quality: int = 75) -> None:
    """Write an image as a JPEG file (arguments and errors as of `encode_jpeg`)."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: str, image: object, compression_level: int = 6) -> None:
    """Write an image as a PNG file (arguments and errors as of `encode_png`)."""
    write_file(filename, encode_png(image, compression_level))


def get_image_size(image: object) -> list[int]:
    """Return height and width of an image.

    Raises:
        TypeError: If `image` is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.get_image_size(np.zeros((4, 5, 3), np.uint8))
        [4, 5]
    """
    return list(_shape("get_image_size", image)[:2])


def get_image_num_channels(image: object) -> int:
    """Return the number of channels of an image, 1 for an array of (H, W).

    Raises:
        TypeError: If `image` is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.get_image_num_channels(np.zeros((4, 5, 3), np.uint8))
        3
    """
    return _shape("get_image_num_channels", image)[2]


def _shape(where: str, image: Any) -> tuple[int, int, int]:
    if is_pil(image):
        return image.size[1], image.size[0], len(image.getbands())
    shape: Any = np.shape(image) if isinstance(image, np.ndarray) else ()
    if len(shape) not in (2, 3):
        raise TypeError(
            f"vision.{where}: expected an array of (H, W) or (H, W, C) or a Pillow image, got {describe(image)}."
        )
    return shape[0], shape[1], shape[2] if len(shape) == 3 else 1
