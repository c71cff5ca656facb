"""A layer of `mindspore.nn.layer.basic` of MindSpore 1.x; `models` (53 files) and mindocr build networks of it.

MindSpore's own tests use _is_equal_one.
"""

from __future__ import annotations

from typing import Any

from sporax import Tensor, nn
from sporax._src.compat.operators import ops


def _is_equal_one(x: Tensor | None) -> Tensor | bool:
    """Return whether the mean of a Tensor is 1, as a Tensor of bool; False for None."""
    return False if x is None else ops.equal(ops.mean(x), 1.0)


class ResizeBilinear(nn.Cell):
    """Resizes images (N, C, H, W), bilinear between pixels; its successor is `ops.interpolate`.

    Args:
        half_pixel_centers: Whether pixels are squares with centres at half numbers. Default False.

    Inputs:
        - **x**: The images.
        - **size**: The new (H, W); None with `scale_factor`.
        - **scale_factor**: An int > 0 by which the sizes grow; None with `size`.
        - **align_corners**: Whether the corners stay where they are; not with `half_pixel_centers`.

    Raises:
        ValueError: If not exactly one of `size` and `scale_factor` is given, or a number is not positive.
        TypeError: If `scale_factor` is no int.

    Examples:
        >>> import sporax as ms
        >>> from sporax._src.compat.shims.nn.layer.basic import ResizeBilinear
        >>> ResizeBilinear()(ms.ops.ones((1, 1, 2, 2)), size=(4, 6)).shape
        (1, 1, 4, 6)
    """

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = half_pixel_centers

    def construct(self, x: Tensor, size: Any = None, scale_factor: Any = None, align_corners: bool = False) -> Tensor:
        sizes = self._sizes(x, size, scale_factor)
        return ops.ResizeBilinearV2(align_corners, self.half_pixel_centers)(x, sizes)

    def _sizes(self, x: Tensor, size: Any, scale_factor: object) -> tuple[int, ...]:
        if (size is None) == (scale_factor is None):
            raise ValueError("ResizeBilinear: give one of size and scale_factor.")
        if size is None:
            if isinstance(scale_factor, bool) or not isinstance(scale_factor, int):
                raise TypeError(f"ResizeBilinear: scale_factor must be an int, got {scale_factor!r}.")
            size = tuple(scale_factor * n for n in x.shape[2:])
        if len(size) != 2 or min(size) <= 0:
            raise ValueError(f"ResizeBilinear: the new sizes must be two ints > 0, got {tuple(size)}.")
        return tuple(size)
