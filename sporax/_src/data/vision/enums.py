"""The choices that image operations take."""

from __future__ import annotations

from enum import IntEnum, StrEnum

__all__ = ["AutoAugmentPolicy", "Border", "ConvertMode", "ImageBatchFormat", "ImageReadMode", "Inter", "SliceMode"]


class Inter(IntEnum):
    """The interpolation between pixels."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(StrEnum):
    """The values of padding."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ConvertMode(IntEnum):
    """From which order of channels to which `ConvertColor` goes."""

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class ImageBatchFormat(IntEnum):
    """Where the channels of a batch of images are."""

    NHWC = 0
    NCHW = 1


class SliceMode(IntEnum):
    """The treatment of pixels that do not fill a patch."""

    PAD = 0
    DROP = 1


class AutoAugmentPolicy(StrEnum):
    """The data set for which the policies of `AutoAugment` were learned."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


class ImageReadMode(IntEnum):
    """The channels that `read_image` returns."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2
