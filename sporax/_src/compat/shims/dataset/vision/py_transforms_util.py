"""Functions on Pillow images and arrays of `mindspore.dataset.vision.py_transforms_util`.

Each does what the class of `dataset.vision` of its name does. Files of `models` (`research/cv/autoaugment`) import them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax.dataset import vision

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
    "augment_error_message", "auto_contrast", "center_crop", "crop", "decode", "equalize", "five_crop", "grayscale",
    "horizontal_flip", "hsv_to_rgb", "hwc_to_chw", "invert_color", "is_numpy", "is_pil", "linear_transform", "pad",
    "random_color", "random_crop", "random_horizontal_flip", "random_lighting", "random_sharpness",
    "random_vertical_flip", "resize", "rgb_to_hsv", "rotate", "ten_crop", "to_pil", "to_tensor", "to_type",
    "uniform_augment", "vertical_flip",
]  # fmt: skip


augment_error_message = "img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for decoded data."


def is_pil(img: object) -> bool:
    """Return whether an object is a Pillow image."""
    return any(cls.__module__ == "PIL.Image" for cls in type(img).__mro__)


def is_numpy(img: object) -> bool:
    """Return whether an object is a NumPy array."""
    return isinstance(img, np.ndarray)


def hwc_to_chw(img: np.ndarray) -> np.ndarray:
    """Return an image (H, W, C) as (C, H, W), an image (H, W) as it is.

    Raises:
        TypeError: If it is no array of 2 or 3 axes.
    """
    if not is_numpy(img) or img.ndim not in (2, 3):
        raise TypeError(f"img should be a NumPy array of 2 or 3 axes. Got {type(img)}.")
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def rotate(img: object, angle: float, resample: Any, expand: bool, center: object, fill_value: object) -> Any:
    """Return a Pillow image turned counter-clockwise by degrees.

    Raises:
        TypeError: If it is no Pillow image.
    """
    if not is_pil(img):
        raise TypeError(augment_error_message.format(type(img)))
    fill = tuple(fill_value) if isinstance(fill_value, list) else fill_value
    return vision.Rotate(angle, vision.Inter(int(resample)), expand, center, fill)(img)


def crop(img: object, top: int, left: int, height: int, width: int) -> Any:
    """Return the part of an image that begins at (top, left)."""
    return vision.Crop((top, left), (height, width))(img)


def to_tensor(img: object, output_type: object) -> np.ndarray:
    """Return an image as an array (C, H, W) in [0, 1]."""
    return vision.ToTensor(output_type)(img)


def rgb_to_hsv(np_rgb_img: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Return an image of red, green and blue as one of hue, saturation and value."""
    return vision.RgbToHsv(is_hwc)(np_rgb_img)


def hsv_to_rgb(np_hsv_img: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Return an image of hue, saturation and value as one of red, green and blue."""
    return vision.HsvToRgb(is_hwc)(np_hsv_img)


def pad(img: object, padding: object, fill_value: object, padding_mode: object) -> Any:
    """Return an image with a border around it."""
    return vision.Pad(padding, fill_value, vision.Border(padding_mode))(img)


def _of(operation: Callable[..., Any]) -> Callable[..., Any]:
    def apply(img: object, *args: object) -> Any:
        return operation(*args)(img)

    apply.__doc__ = f"Return what `vision.{operation.__name__}(*args)(img)` does."
    return apply


adjust_brightness = _of(vision.AdjustBrightness)
adjust_contrast = _of(vision.AdjustContrast)
adjust_gamma = _of(vision.AdjustGamma)
adjust_hue = _of(vision.AdjustHue)
adjust_saturation = _of(vision.AdjustSaturation)
auto_contrast = _of(vision.AutoContrast)
center_crop = _of(vision.CenterCrop)
equalize = _of(vision.Equalize)
five_crop = _of(vision.FiveCrop)
grayscale = _of(vision.Grayscale)
horizontal_flip = _of(vision.HorizontalFlip)
invert_color = _of(vision.Invert)
linear_transform = _of(vision.LinearTransformation)
random_color = _of(vision.RandomColor)
random_crop = _of(vision.RandomCrop)
random_horizontal_flip = _of(vision.RandomHorizontalFlip)
random_lighting = _of(vision.RandomLighting)
random_sharpness = _of(vision.RandomSharpness)
random_vertical_flip = _of(vision.RandomVerticalFlip)
resize = _of(vision.Resize)
ten_crop = _of(vision.TenCrop)
to_pil = _of(vision.ToPIL)
to_type = _of(vision.ToType)
uniform_augment = _of(vision.UniformAugment)
vertical_flip = _of(vision.VerticalFlip)


def decode(img: object) -> Any:
    """Return the Pillow image in the bytes of a file."""
    return vision.Decode(to_pil=True)(img)
