"""Primitive classes that resize images and signals."""

from __future__ import annotations

from typing import Any

from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.ops.image.resize import interpolate


def _rule(align_corners: bool, half_pixel_centers: bool) -> str:
    if align_corners and half_pixel_centers:
        raise ValueError("align_corners and half_pixel_centers cannot both be True.")
    return "align_corners" if align_corners else "half_pixel" if half_pixel_centers else "asymmetric"


@primitive("UpsampleTrilinear3D(align_corners=False)")
def _upsample_trilinear3d(x: Any, output_size: object = None, scales: object = None, *, align_corners: bool) -> Any:
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


primitives(
    """\
    x, image, input_x: A Tensor (N, C, H, W).
    size: The new height and width.
    align_corners: Whether the first and last elements of input and output coincide.
    half_pixel_centers: Whether positions are those of the centres of pixels.
    ValueError: If both flags are set, a size is not positive, or the number of axes does not fit.
ResizeNearestNeighbor(size, align_corners=False, half_pixel_centers=False)(input_x) -> \
_resize_nearest(input_x, size, _rule(align_corners, False))
    Return x with the sizes `size`, by nearest neighbours.
    half_pixel_centers: Accepted: centres of pixels count for nothing, as in the CPU kernel.
    ValueError: If a size is not positive, or the number of axes does not fit.
    >>> ops.ResizeNearestNeighbor((4, 4))(ops.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
ResizeNearestNeighborV2(align_corners=False, half_pixel_centers=False)(image, size) -> \
_resize_nearest(image, size, _rule(align_corners, half_pixel_centers))
    Return x with the sizes `size`, by nearest neighbours.
    >>> ops.ResizeNearestNeighborV2()(ops.ones((1, 1, 2, 2)), (4, 4)).shape
    (1, 1, 4, 4)
ResizeBilinearV2(align_corners=False, half_pixel_centers=False)(image, size) -> \
_resize_linear(image, size, _rule(align_corners, half_pixel_centers))
    Return x with the sizes `size`, bilinear between pixels.
    >>> ops.ResizeBilinearV2()(Tensor([[[[1.0, 3.0]]]]), (1, 4)).asnumpy()
    array([[[[1., 2., 3., 3.]]]], dtype=float32)
ResizeBilinear(size, align_corners=False, half_pixel_centers=False)(x) -> \
_resize_linear(x, size, _rule(align_corners, half_pixel_centers))
    Return x with the sizes `size`, bilinear between pixels (a name of older releases).
    >>> ops.ResizeBilinear((1, 4))(Tensor([[[[1.0, 3.0]]]])).asnumpy()
    array([[[[1., 2., 3., 3.]]]], dtype=float32)
ResizeBicubic(align_corners=False, half_pixel_centers=False)(image, size) -> \
_resize_cubic(image, size, _rule(align_corners, half_pixel_centers))
    Return x with the sizes `size`, cubic between pixels.
    >>> ops.ResizeBicubic()(ops.ones((1, 1, 2, 2)), (4, 4)).shape
    (1, 1, 4, 4)
ResizeLinear1D(coordinate_transformation_mode='align_corners')(x, size) -> \
_resize_linear(x, size, coordinate_transformation_mode)
    Return x with the length `size`, linear between elements.
    x: A Tensor (N, C, L).
    size: The new length, a tuple of one int.
    coordinate_transformation_mode: "align_corners", "half_pixel" or "asymmetric".
    ValueError: If a size is not positive, or the number of axes does not fit.
    >>> ops.ResizeLinear1D()(Tensor([[[1.0, 3.0]]]), (3,)).asnumpy()
    array([[[1., 2., 3.]]], dtype=float32)
ResizeArea(align_corners=False)(images, size) -> _resize_area(images, size, align_corners)
    ValueError: If a size is not positive, or `images` has not 4 axes.
    >>> ops.ResizeArea()(ops.ones((1, 4, 4, 2)), (2, 2)).shape
    (1, 2, 2, 2)
UpsampleNearest3D()(x, output_size=None, scales=None) -> interpolate(x, output_size, scales)
    Return x with other sizes, by nearest neighbours.
    x: A Tensor (N, C, D, H, W).
    output_size: The new sizes; either these or `scales`.
    scales: New sizes over old ones.
    ValueError: If both or neither of `output_size` and `scales` are given.
    >>> ops.UpsampleNearest3D()(ops.ones((1, 1, 2, 2, 2)), (4, 4, 4)).shape
    (1, 1, 4, 4, 4)
""",
    globals(),
)
