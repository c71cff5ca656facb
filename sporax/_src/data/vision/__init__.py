"""Operations on images for `Dataset.map`: arrays of ``(H, W, C)`` or Pillow images."""

from sporax._src.data.vision.colour import Grayscale, Invert, RandomColorAdjust, RandomGrayscale
from sporax._src.data.vision.enums import Border, Inter
from sporax._src.data.vision.erase import CutOut, RandomErasing
from sporax._src.data.vision.geometry import CenterCrop, Crop, HorizontalFlip, Pad, Resize, VerticalFlip
from sporax._src.data.vision.random_geometry import (
    RandomCrop,
    RandomCropDecodeResize,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
)
from sporax._src.data.vision.values import (
    HWC2CHW,
    Decode,
    Normalize,
    NormalizePad,
    Rescale,
    ToNumpy,
    ToPIL,
    ToTensor,
    ToType,
)

__all__ = [
    "Border",
    "CenterCrop",
    "Crop",
    "CutOut",
    "Decode",
    "Grayscale",
    "HWC2CHW",
    "HorizontalFlip",
    "Inter",
    "Invert",
    "Normalize",
    "NormalizePad",
    "Pad",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
    "Rescale",
    "Resize",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
    "VerticalFlip",
]
