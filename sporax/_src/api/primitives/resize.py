"""Primitive classes that resize images and signals."""

from __future__ import annotations

from typing import Any

from sporax._src.engine.primitive import primitive
from sporax._src.ops.image.resize import interpolate, resize_area, resize_cubic, resize_linear, resize_nearest


def _rule(align_corners: bool, half_pixel_centers: bool) -> str:
    if align_corners and half_pixel_centers:
        raise ValueError("align_corners and half_pixel_centers cannot both be True.")
    return "align_corners" if align_corners else "half_pixel" if half_pixel_centers else "asymmetric"


@primitive("ResizeNearestNeighbor(size, align_corners=False, half_pixel_centers=False)")
def _resize_nearest_neighbor(x: Any, size: Any, align_corners: bool) -> Any:
    """Return x (N, C, H, W) with the sizes `size`; centres of pixels count for nothing, as in the CPU kernel.

    Args:
        x: A Tensor (N, C, H, W).
        size: The new height and width.
        align_corners: Whether the first and last elements of input and output coincide.

    Examples:
        >>> ops.ResizeNearestNeighbor((4, 4))(ops.ones((1, 1, 2, 2))).shape
        (1, 1, 4, 4)
    """
    return resize_nearest(x, size, _rule(align_corners, False))


@primitive("ResizeNearestNeighborV2(align_corners=False, half_pixel_centers=False)")
def _resize_nearest_neighbor2(x: Any, size: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return x (N, C, H, W) with the sizes `size`, by nearest neighbours.

    Args:
        x: A Tensor (N, C, H, W).
        size: The new height and width.
        align_corners: Whether the first and last elements of input and output coincide.
        half_pixel_centers: Whether positions are those of the centres of pixels.

    Raises:
        ValueError: If both flags are set.

    Examples:
        >>> ops.ResizeNearestNeighborV2()(ops.ones((1, 1, 2, 2)), (4, 4)).shape
        (1, 1, 4, 4)
    """
    return resize_nearest(x, size, _rule(align_corners, half_pixel_centers))


@primitive("ResizeBilinearV2(align_corners=False, half_pixel_centers=False)")
def _resize_bilinear2(x: Any, size: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return x (N, C, H, W) with the sizes `size`, bilinear between pixels.

    Args:
        x: A Tensor (N, C, H, W).
        size: The new height and width.
        align_corners: Whether the first and last elements of input and output coincide.
        half_pixel_centers: Whether positions are those of the centres of pixels.

    Raises:
        ValueError: If both flags are set.

    Examples:
        >>> ops.ResizeBilinearV2()(Tensor([[[[1.0, 3.0]]]]), (1, 4)).asnumpy()
        array([[[[1., 2., 3., 3.]]]], dtype=float32)
    """
    return resize_linear(x, size, _rule(align_corners, half_pixel_centers))


@primitive("ResizeBilinear(size, align_corners=False, half_pixel_centers=False)")
def _resize_bilinear(x: Any, size: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return x (N, C, H, W) with the sizes `size`, bilinear between pixels (a name of older releases).

    Args:
        x: A Tensor (N, C, H, W).
        size: The new height and width.
        align_corners: Whether the first and last elements of input and output coincide.
        half_pixel_centers: Whether positions are those of the centres of pixels.

    Raises:
        ValueError: If both flags are set.

    Examples:
        >>> ops.ResizeBilinear((1, 4))(Tensor([[[[1.0, 3.0]]]])).asnumpy()
        array([[[[1., 2., 3., 3.]]]], dtype=float32)
    """
    return resize_linear(x, size, _rule(align_corners, half_pixel_centers))


@primitive("ResizeBicubic(align_corners=False, half_pixel_centers=False)")
def _resize_bicubic(x: Any, size: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return x (N, C, H, W) with the sizes `size`, cubic between pixels.

    Args:
        x: A Tensor (N, C, H, W).
        size: The new height and width.
        align_corners: Whether the first and last elements of input and output coincide.
        half_pixel_centers: Whether positions are those of the centres of pixels.

    Raises:
        ValueError: If both flags are set.

    Examples:
        >>> ops.ResizeBicubic()(ops.ones((1, 1, 2, 2)), (4, 4)).shape
        (1, 1, 4, 4)
    """
    return resize_cubic(x, size, _rule(align_corners, half_pixel_centers))


@primitive("ResizeLinear1D(coordinate_transformation_mode='align_corners')")
def _resize_linear1d(x: Any, size: Any, coordinate_transformation_mode: str) -> Any:
    """Return x (N, C, L) with the length `size`, linear between elements.

    Args:
        x: A Tensor (N, C, L).
        size: The new length, a tuple of one int.
        coordinate_transformation_mode: "align_corners", "half_pixel" or "asymmetric".

    Examples:
        >>> ops.ResizeLinear1D()(Tensor([[[1.0, 3.0]]]), (3,)).asnumpy()
        array([[[1., 2., 3.]]], dtype=float32)
    """
    return resize_linear(x, size, coordinate_transformation_mode)


@primitive("ResizeArea(align_corners=False)")
def _resize_area(images: Any, size: Any, align_corners: bool) -> Any:
    """Return images (N, H, W, C) with the sizes `size`, each element a mean.

    Args:
        images: A Tensor (N, H, W, C).
        size: The new height and width.
        align_corners: Whether the first and last elements of input and output coincide.

    Examples:
        >>> ops.ResizeArea()(ops.ones((1, 4, 4, 2)), (2, 2)).shape
        (1, 2, 2, 2)
    """
    return resize_area(images, size, align_corners)


@primitive("UpsampleNearest3D()")
def _upsample_nearest3d(x: Any, output_size: Any = None, scales: Any = None) -> Any:
    """Return x (N, C, D, H, W) with other sizes, by nearest neighbours.

    Args:
        x: A Tensor (N, C, D, H, W).
        output_size: The new sizes; either these or `scales`.
        scales: New sizes over old ones.

    Raises:
        ValueError: If both or neither are given.

    Examples:
        >>> ops.UpsampleNearest3D()(ops.ones((1, 1, 2, 2, 2)), (4, 4, 4)).shape
        (1, 1, 4, 4, 4)
    """
    return interpolate(x, output_size, scales)


@primitive("UpsampleTrilinear3D(align_corners=False)")
def _upsample_trilinear3d(x: Any, output_size: Any = None, scales: Any = None, *, align_corners: bool) -> Any:
    """Return x (N, C, D, H, W) with other sizes, linear between elements along each axis.

    Args:
        x: A Tensor (N, C, D, H, W).
        output_size: The new sizes; either these or `scales`.
        scales: New sizes over old ones, floats.
        align_corners: Whether the first and last elements of input and output coincide.

    Raises:
        TypeError: If `scales` are no floats.
        ValueError: If both or neither are given.

    Examples:
        >>> ops.UpsampleTrilinear3D()(ops.ones((1, 1, 2, 2, 2)), (4, 4, 4)).shape
        (1, 1, 4, 4, 4)
    """
    if isinstance(scales, (tuple, list)) and not all(isinstance(s, float) for s in scales):
        raise TypeError(f"ops.UpsampleTrilinear3D: scales must be floats, got {scales}.")
    return interpolate(x, output_size, scales, "trilinear", align_corners)
