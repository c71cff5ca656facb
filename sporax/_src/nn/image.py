"""Layers of images: resizing, pixel orders, gradients, cropping, patches, and similarity of two images."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.nn.activation import ReLU
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import bad_input, choice, dtype_input, integer, is_int, label, of_type, rank_input, within
from sporax._src.nn.containers import CellList
from sporax._src.nn.convolution import Conv2d
from sporax._src.nn.pooling.pooling import AvgPool2d
from sporax._src.ops.array.gather import slice_
from sporax._src.ops.image import patches, similarity
from sporax._src.ops.image.pixel_shuffle import channel_shuffle, pixel_shuffle, pixel_unshuffle
from sporax._src.ops.image.resize import interpolate

__all__ = [
    "MSSSIM", "PSNR", "SSIM", "CentralCrop", "ChannelShuffle", "ImageGradients", "PixelShuffle", "PixelUnshuffle",
    "Unfold", "Upsample",
]  # fmt: skip


class Upsample(Cell):
    """Resizes x, shape (N, C, *), see `ops.interpolate`.

    Args:
        size: The new sizes; None if `scale_factor` is given.
        scale_factor: The factors of the sizes.
        mode: `"nearest"`, `"linear"`, `"bilinear"`, `"bicubic"`, `"trilinear"`, `"area"` or `"nearest-exact"`.
        align_corners: Whether the corner pixels stay in place.
        recompute_scale_factor: Whether the factors follow from the rounded sizes.
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x: Tensor) -> Tensor:
        return interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)


class PixelShuffle(Cell):
    """Turns channels into pixels: (*, C · r², H, W) becomes (*, C, H · r, W · r), see `ops.pixel_shuffle`.

    Args:
        upscale_factor: The factor r.
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """Turns pixels into channels: (*, C, H · r, W · r) becomes (*, C · r², H, W), see `ops.pixel_unshuffle`.

    Args:
        downscale_factor: The factor r.
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """Mixes the channels of x, shape (N, C, *): the axis is split into (groups, members), transposed and merged again.

    Args:
        groups: The number of groups, which divides C.
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = integer(self, "groups", groups, 1)

    shape, reshape, transpose = holds("Shape"), holds("Reshape"), holds("Transpose")

    def construct(self, x: Tensor) -> Tensor:
        return channel_shuffle(x, self.groups)


class ImageGradients(Cell):
    """Returns the differences (dy, dx) of each pixel of images, shape (N, C, H, W), to the next one down and right."""

    def __init__(self) -> None:
        super().__init__()

    def construct(self, images: Tensor) -> tuple[Tensor, Tensor]:
        rank_input(self, (4,), images=images)
        return patches.image_gradients(images)


class CentralCrop(Cell):
    """Cuts out the middle of an image, shape (C, H, W) or (N, C, H, W).

    Args:
        central_fraction: The share of height and width that stays, in (0, 1].
    """

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        of_type(self, "central_fraction", central_fraction, float)
        self.central_fraction = within(self, "central_fraction", central_fraction, 0, 1, "(]")

    slice = holds("Slice")

    def construct(self, image: Tensor) -> Tensor:
        rank_input(self, (3, 4), image=image)
        if self.central_fraction == 1.0:
            return image
        *lead, height, width = image.shape
        top, left = (int((size - size * self.central_fraction) / 2) for size in (height, width))
        begin = (*[0] * len(lead), top, left)
        return slice_(image, begin, (*lead, height - 2 * top, width - 2 * left))


class Unfold(Cell):
    """Takes patches out of images, shape (N, C, H, W), and puts the values of each along the channels.

    Args:
        ksizes: The patch, [1, rows, columns, 1].
        strides: The distance of the patches, [1, down, right, 1].
        rates: The distance of neighbouring values of a patch, [1, down, right, 1].
        padding: `"valid"`: patches lie inside. `"same"`: ceil(size / stride) patches.

    Outputs:
        A Tensor of shape (N, rows · columns · C, H', W'); the channel index runs fastest.
    """

    def __init__(
        self,
        ksizes: int | tuple[int, ...],
        strides: int | tuple[int, ...],
        rates: int | tuple[int, ...],
        padding: str = "valid",
    ) -> None:
        super().__init__()
        named = (("ksizes", ksizes), ("strides", strides), ("rates", rates))
        self._kernel, self._stride, self._rate = (_plane(self, name, value) for name, value in named)
        self._padding = choice(self, "padding", padding.lower(), ("valid", "same"))

    extract_image_patches = holds(
        "ExtractImagePatches",
        lambda self: (1, 1, *self._kernel),
        lambda self: (1, 1, *self._stride),
        lambda self: (1, 1, *self._rate),
        own._padding,
    )

    def construct(self, input_x: Tensor) -> Tensor:
        rank_input(self, (4,), input_x=input_x)
        return patches.patches(input_x, self._kernel, self._stride, self._rate, self._padding)


def _plane(cell: Cell, name: str, value: Any) -> tuple[int, int]:
    of_type(cell, name, value, (tuple, list))
    good = len(value) == 4 and value[0] == 1 and value[3] == 1 and all(is_int(v) and v > 0 for v in value)
    if not good:
        raise ValueError(
            f"{label(cell)}: {name} must be [1, rows, columns, 1] with positive integers, got {describe(value)}."
        )
    return value[1], value[2]


# --- similarity of two images ---------------------------------------------------------------------------------------


def _check_max(cell: Cell, max_val: Any) -> float:
    if of_type(cell, "max_val", max_val, (int, float)) <= 0:
        raise ValueError(f"{label(cell)}: max_val must be positive, got {max_val}.")
    return max_val


def _check_images(cell: Cell, img1: Tensor, img2: Tensor, least: int = 1) -> None:
    rank_input(cell, (4,), img1=img1, img2=img2)
    if img1.shape != img2.shape or img1.dtype != img2.dtype:
        raise bad_input(cell, "both images must have the same shape and dtype.", img1=img1, img2=img2)
    if min(img1.shape[2:]) < least:
        raise bad_input(cell, f"height and width must be at least filter_size={least}.", img1=img1, img2=img2)


class PSNR(Cell):
    """Computes the peak signal-to-noise ratio 10 · log₁₀(max_val² / mean((img1 - img2)²)) of each pair of images.

    Args:
        max_val: The largest value of a pixel.

    Inputs:
        - **img1**, **img2** (Tensor) - Shape (N, C, H, W).

    Outputs:
        A Tensor of shape (N,).
    """

    def __init__(self, max_val: float = 1.0) -> None:
        super().__init__()
        self.max_val = _check_max(self, max_val)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        _check_images(self, img1, img2)
        return similarity.psnr(img1, img2, self.max_val)


def _window(size: int, sigma: float) -> Tensor:
    """Return a Gaussian window of sum 1, shape (1, 1, size, size)."""
    y, x = np.mgrid[-size // 2 + 1 : size // 2 + 1, -size // 2 + 1 : size // 2 + 1].astype(np.float32)
    g = np.exp(-(x**2 + y**2) / (2 * sigma**2))
    return Tensor((g / g.sum())[None, None].astype(np.float32))


class _Similarity(Cell):
    """The base of structural similarities: a Gaussian window and two constants."""

    def __init__(self, max_val: float, filter_size: int, filter_sigma: float, k1: float, k2: float) -> None:
        super().__init__()
        self.max_val = _check_max(self, max_val)
        self.filter_size = integer(self, "filter_size", filter_size, 1)
        self.filter_sigma = of_type(self, "filter_sigma", filter_sigma, float)
        within(self, "filter_sigma", filter_sigma, 0, float("inf"), "()")
        self.k1, self.k2 = of_type(self, "k1", k1, float), of_type(self, "k2", k2, float)

    reduce_mean, concat = holds("ReduceMean"), holds("Concat", 1)

    def _blur(self) -> Conv2d:
        conv = Conv2d(
            1, 1, self.filter_size, pad_mode="valid", weight_init=_window(self.filter_size, self.filter_sigma)
        )
        conv.weight.requires_grad = False
        return conv


class SSIM(_Similarity):
    """Computes the structural similarity of each pair of images (Wang et al., 2004).

    Args:
        max_val: The largest value of a pixel.
        filter_size: The size of the Gaussian window.
        filter_sigma: Its standard deviation.
        k1, k2: The constants that keep the quotients finite.

    Inputs:
        - **img1**, **img2** (Tensor) - Shape (N, C, H, W).

    Outputs:
        A Tensor of shape (N,).
    """

    def __init__(
        self, max_val: float = 1.0, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.conv = self._blur()

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        dtype_input(self, (mstype.float32, mstype.float16), img1=img1)
        _check_images(self, img1, img2, self.filter_size)
        return similarity.ssim(img1, img2, self.conv.weight, self.max_val, self.k1, self.k2)


class MSSSIM(_Similarity):
    """Computes the multi-scale structural similarity of each pair of images (Wang et al., 2003).

    Args:
        max_val: The largest value of a pixel.
        power_factors: The exponent of each scale; each halves the images.
        filter_size: The size of the Gaussian window.
        filter_sigma: Its standard deviation.
        k1, k2: The constants that keep the quotients finite.

    Inputs:
        - **img1**, **img2** (Tensor) - Shape (N, C, H, W).

    Outputs:
        A Tensor of shape (N,).
    """

    def __init__(
        self,
        max_val: float = 1.0,
        power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self._powers = tuple(of_type(self, "power_factors", power_factors, (tuple, list)))
        self.level = len(self._powers)
        self.multi_convs_list = CellList([self._blur() for _ in self._powers])
        self.weight_tensor = Tensor(list(self._powers), mstype.float32)
        self.avg_pool = AvgPool2d(kernel_size=2, stride=2, pad_mode="valid")
        self.relu = ReLU()

    pow, prod, stack = holds("Pow"), holds("ReduceProd"), holds("Stack", -1)
    conv = cached_property(lambda self: list(self.multi_convs_list))

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        dtype_input(self, (mstype.float64, mstype.float32, mstype.float16, mstype.uint8), img1=img1)
        _check_images(self, img1, img2, self.filter_size * 2 ** (self.level - 1))
        window = self.multi_convs_list[0].weight
        return similarity.msssim(img1, img2, window, self.max_val, self._powers, self.k1, self.k2)
