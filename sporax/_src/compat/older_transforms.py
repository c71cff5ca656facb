"""What `py_transforms` and `c_transforms` of MindSpore have that differs from the classes of the same names today.

Images of `py_transforms` are Pillow's, or arrays (C, H, W): `Decode` gives a Pillow image, `Normalize` takes channels first and
keeps the dtype, and a `Compose` that is called by itself gives a tuple. Those of `c_transforms` are arrays (H, W, C). The other
names are those of `vision` and `transforms`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.compat.shims.dataset.vision.py_transforms_util import hwc_to_chw, is_numpy, is_pil
from sporax.dataset import transforms, vision

__all__ = [
    "ArrayDecode",
    "ArrayRgbToBgr",
    "Compose",
    "Cutout",
    "HWC2CHW",
    "Normalize",
    "NormalizePad",
    "OneHotOp",
    "PilDecode",
    "RgbToBgr",
    "ToTensor",
    "ToType",
]


class Compose(transforms.Compose):
    """Applies operations one after the other, and gives the tuple of what the last one returns."""

    in_python = True


class OneHotOp(transforms.PyTensorOperation):
    """Turns an array of labels into rows of float64 with a one at the label, which `smoothing_rate` spreads.

    Raises:
        ValueError: If it is called with something else, or with a label of `num_classes` or more.
    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        transforms.OneHot(num_classes, smoothing_rate)  # checks them
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def __call__(self, label: Any) -> np.ndarray:
        if not is_numpy(label) or label.dtype.kind not in "iu":
            raise ValueError(f"OneHotOp: labels must be an array of integers, got {describe(label)}.")
        if label.size and label.max() >= self.num_classes:
            raise ValueError(f"OneHotOp: labels must be less than num_classes={self.num_classes}, got {label.max()}.")
        hot = np.eye(self.num_classes, dtype=int)[label]
        return (1 - self.smoothing_rate) * hot + self.smoothing_rate / self.num_classes


class PilDecode(vision.Decode):
    """Decodes the bytes of an image file to a Pillow image.

    Raises:
        ValueError: If it is called with something else.
    """

    def __init__(self) -> None:
        super().__init__(to_pil=True)

    def __call__(self, *inputs: object) -> Any:
        try:
            return super().__call__(*inputs)
        except (RuntimeError, TypeError) as error:
            raise ValueError(str(error)) from error


class ArrayDecode(vision.Decode):
    """Decodes the bytes of an image file to an array of RGB.

    Raises:
        RuntimeError: If `rgb` is False when it is called, as in MindSpore.
    """

    def __init__(self, rgb: bool = True) -> None:
        super().__init__(to_pil=False)
        self.rgb = rgb

    def __call__(self, *inputs: Any) -> Any:
        if not self.rgb:
            raise RuntimeError("c_transforms.Decode: rgb must be True, got False.")
        return super().__call__(*inputs)


class HWC2CHW(vision.HWC2CHW):
    """Moves the channels of an array to the front."""

    in_python = True

    def __call__(self, *inputs: Any) -> Any:
        return hwc_to_chw(*inputs)


class Cutout(vision.CutOut):
    """Sets random squares of an image (C, H, W) to zero."""

    in_python = True

    def __init__(self, length: int, num_patches: int = 1) -> None:
        super().__init__(length, num_patches, is_hwc=False)


class Normalize(transforms.PyTensorOperation):
    """Returns (x - mean) / std for each channel of an image (C, H, W), in its dtype.

    Args:
        mean, std: A number of [0, 1] per channel, or one for all.

    Raises:
        TypeError: If it is called with no array of three axes.
        ValueError: If numbers are out of range, or not one per channel.
        NotImplementedError: If it is called with an array of integers.
    """

    in_python = True

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        vision.Normalize(mean, std)  # checks them
        if max(*mean, *std) > 1 or min(mean) < 0:
            raise ValueError(f"{self._name()}: mean and std must be numbers of [0, 1], got {mean} and {std}.")
        self.mean, self.std = mean, std

    def _name(self) -> str:
        return type(self).__name__

    def __call__(self, img: Any) -> np.ndarray:
        if not is_numpy(img) or img.ndim != 3:
            raise TypeError(f"{self._name()}: img must be an array (C, H, W), got {describe(img)}.")
        if img.dtype.kind in "iu":
            raise NotImplementedError(f"{self._name()}: img must hold floats, as ToTensor gives, got {describe(img)}.")
        if len(self.mean) not in (1, len(img)):
            raise ValueError(f"{self._name()}: expected {len(self.mean)} channels first, got shape {list(img.shape)}.")
        mean, std = np.array(self.mean, img.dtype), np.array(self.std, img.dtype)
        return (img - mean[:, None, None]) / std[:, None, None]


class NormalizePad(Normalize):
    """Normalizes as `Normalize` and adds a channel of zeros.

    Args:
        mean, std: See `Normalize`.
        dtype: "float32" or "float16".

    Raises:
        ValueError: If `dtype` is another one.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], dtype: str = "float32") -> None:
        vision.NormalizePad(mean, std, dtype)  # checks them
        super().__init__(mean, std)
        self.dtype = dtype

    def __call__(self, img: object) -> np.ndarray:
        image = super().__call__(img)
        padded = np.concatenate([image, np.zeros((1, *image.shape[1:]), np.float32)])
        return padded.astype(np.float16) if self.dtype == "float16" else padded


class RgbToBgr(transforms.PyTensorOperation):
    """Turns the order of three channels around, the first axis of an image or the last.

    Raises:
        TypeError: If it is called with no array of such images.
    """

    in_python = True

    def __init__(self, is_hwc: bool = False) -> None:
        vision.RgbToHsv(is_hwc)  # checks it
        self.is_hwc = is_hwc

    def __call__(self, rgb_imgs: Any) -> np.ndarray:
        axis = -1 if self.is_hwc else -3
        if not is_numpy(rgb_imgs) or rgb_imgs.ndim not in (3, 4) or rgb_imgs.shape[axis] != 3:
            raise TypeError(f"RgbToBgr: img must be an array with 3 channels, got {describe(rgb_imgs)}.")
        return np.flip(rgb_imgs, axis)


class ArrayRgbToBgr(RgbToBgr):
    """Turns the order of the channels of an image (H, W, C) around."""

    in_python = False

    def __init__(self) -> None:
        super().__init__(is_hwc=True)


class ToTensor(vision.ToTensor):
    """Turns an image (H, W, C) or (H, W) into an array (C, H, W), divided by 255.

    Raises:
        TypeError: If it is called with something else.
    """

    in_python = True

    def __call__(self, *inputs: object) -> Any:
        (img,) = inputs
        if not (is_pil(img) or is_numpy(img)) or np.asarray(img).ndim not in (2, 3):
            raise TypeError(f"ToTensor: img must be a Pillow image or an array of 2 or 3 axes, got {describe(img)}.")
        return (np.atleast_3d(np.asarray(img)).transpose(2, 0, 1).copy() / 255.0).astype(self.output_type)


class ToType(vision.ToType):
    """Converts an array to `output_type`."""

    in_python = True

    def __init__(self, output_type: object) -> None:
        super().__init__(output_type)
