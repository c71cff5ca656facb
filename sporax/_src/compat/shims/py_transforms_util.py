"""Functions on Pillow images and arrays, each what the class of `mindspore.dataset.vision` of its name does."""

from __future__ import annotations

import numbers
import random
from abc import ABCMeta
from collections.abc import Callable, Iterable, Sequence
from enum import Enum, IntEnum
from typing import Any

import numpy as np

from sporax.dataset import vision

__all__ = [
    "Implementation", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
    "augment_error_message", "auto_contrast", "center_crop", "crop", "decode", "equalize", "five_crop", "grayscale",
    "horizontal_flip", "hsv_to_rgb", "hwc_to_chw", "invert_color", "is_numpy", "is_pil", "linear_transform", "pad",
    "random_color", "random_crop", "random_horizontal_flip", "random_lighting", "random_sharpness",
    "random_vertical_flip", "resize", "rgb_to_hsv", "rotate", "ten_crop", "to_pil", "to_tensor", "to_type",
    "uniform_augment", "vertical_flip",
]  # fmt: skip


class Implementation(IntEnum):
    """What an operation runs in, which programs set as `implementation`; here all run in Python."""

    C = 0
    PY = 1


augment_error_message = "img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for decoded data."


def is_pil(img: Any) -> bool:
    """Tell whether an object is a Pillow image."""
    return any(cls.__module__ == "PIL.Image" for cls in type(img).__mro__)


def is_numpy(img: Any) -> bool:
    """Tell whether an object is a NumPy array."""
    return isinstance(img, np.ndarray)


def hwc_to_chw(img: np.ndarray) -> np.ndarray:
    """Return an image (H, W, C) as (C, H, W), an image (H, W) as it is.

    Raises:
        TypeError: If it is no array of 2 or 3 axes.
    """
    if not is_numpy(img) or img.ndim not in (2, 3):
        raise TypeError(f"img should be a NumPy array of 2 or 3 axes. Got {type(img)}.")
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def rotate(img: Any, angle: float, resample: Any, expand: bool, center: Any, fill_value: Any) -> Any:
    """Return a Pillow image turned counter-clockwise by degrees.

    Raises:
        TypeError: If it is no Pillow image.
    """
    if not is_pil(img):
        raise TypeError(augment_error_message.format(type(img)))
    fill = tuple(fill_value) if isinstance(fill_value, list) else fill_value
    return vision.Rotate(angle, vision.Inter(int(resample)), expand, center, fill)(img)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Return the part of an image that begins at (top, left)."""
    return vision.Crop((top, left), (height, width))(img)


def to_tensor(img: Any, output_type: Any) -> np.ndarray:
    """Return an image as an array (C, H, W) in [0, 1]."""
    return vision.ToTensor(output_type)(img)


def rgb_to_hsv(np_rgb_img: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Return an image of red, green and blue as one of hue, saturation and value."""
    return vision.RgbToHsv(is_hwc)(np_rgb_img)


def hsv_to_rgb(np_hsv_img: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Return an image of hue, saturation and value as one of red, green and blue."""
    return vision.HsvToRgb(is_hwc)(np_hsv_img)


def pad(img: Any, padding: Any, fill_value: Any, padding_mode: Any) -> Any:
    """Return an image with a border around it."""
    return vision.Pad(padding, fill_value, vision.Border(padding_mode))(img)


def _of(operation: Callable[..., Any]) -> Callable[..., Any]:
    def apply(img: Any, *args: Any) -> Any:
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


def decode(img: Any) -> Any:
    """Return the Pillow image in the bytes of a file."""
    return vision.Decode(to_pil=True)(img)


# --- what lies beside them: `dataset.vision.utils`, `dataset.vision.c_transforms`, `dataset.transforms.py_transforms_util` ---

NEAREST, ANTIALIAS, LINEAR, CUBIC = 0, 1, 2, 3  # how Pillow finds a pixel between others
AFFINE, PERSPECTIVE = 0, 2  # how it moves them
FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM = 0, 1


def parse_padding(padding: Any) -> Any:
    """Return a padding of one number, two or four as the four at the left, the top, the right and the bottom."""
    if isinstance(padding, numbers.Number):
        return (padding,) * 4
    return tuple(padding) * 2 if len(padding) == 2 else tuple(padding)


_IN_PYTHON = (
    vision.FiveCrop, vision.Grayscale, vision.HsvToRgb, vision.LinearTransformation, vision.MixUp, vision.RandomErasing,
    vision.RandomGrayscale, vision.RandomPerspective, vision.RgbToHsv, vision.TenCrop, vision.ToNumpy, vision.ToPIL,
    vision.ToType, vision.UniformAugment,
)  # fmt: skip


class ImageTensorOperation(metaclass=ABCMeta):  # noqa: B024  (the operations are registered)
    """The operations on images that MindSpore computes in C++, as programs ask with `isinstance`."""


for _name in vision.__all__:
    _kind = getattr(vision, _name)
    if isinstance(_kind, type) and not issubclass(_kind, (*_IN_PYTHON, Enum)):
        ImageTensorOperation.register(_kind)


def all_numpy(args: Any) -> bool:
    """Tell whether an object, or each in a tuple, is a NumPy array."""
    return all(map(is_numpy, args)) if isinstance(args, tuple) else is_numpy(args)


def compose(transforms: Iterable[Callable[..., Any]], *args: Any) -> tuple[Any, ...]:
    """Return what some operations make of the columns of a row, one after the other."""
    for transform in transforms:
        found = transform(*args)
        args = found if isinstance(found, tuple) else (found,)
    return args


def one_hot_encoding(label: Any, num_classes: int, epsilon: float) -> np.ndarray:
    """Return labels as 1 at their class and 0 elsewhere, smoothed by a share.

    Args:
        label: An array of integers.
        num_classes: How many classes there are.
        epsilon: The share of each label that all classes get.

    Raises:
        ValueError: If it is no array of integers, or a label is no class.
    """
    if not is_numpy(label) or label.dtype.kind not in "iu":
        raise ValueError(f"one_hot_encoding: the labels must be an array of integers, got {type(label).__name__}.")
    if (label >= num_classes).any():
        raise ValueError(f"one_hot_encoding: there are {num_classes} classes, got the label {label.max()}.")
    return (1 - epsilon) * np.eye(num_classes)[label] + epsilon / num_classes


def random_apply(img: Any, transforms: Iterable[Callable[..., Any]], prob: float) -> Any:
    """Return what some operations make of an image one after the other with a probability, else the image."""
    return img if prob < random.random() else _through(img, transforms)


def random_order(img: Any, transforms: list[Callable[..., Any]]) -> Any:
    """Return what some operations make of an image one after the other in an order that is drawn."""
    return _through(img, random.sample(transforms, len(transforms)))


def random_choice(img: Any, transforms: Sequence[Callable[..., Any]]) -> Any:
    """Return what one of some operations makes of an image."""
    return random.choice(transforms)(img)


def _through(img: Any, transforms: Iterable[Callable[..., Any]]) -> Any:
    for transform in transforms:
        img = transform(img)
    return img
