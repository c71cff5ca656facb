"""Average pooling whose step is the window unless it is given."""

from __future__ import annotations

from typing import Any

from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell import Cell
from sporax._src.ops import pooling_average


class AvgPool1dExt(Cell):
    """Takes the mean of each window of input, shape (N, C, L), see `ops.avg_pool1d`.

    Args:
        kernel_size: The window.
        stride: The step of the window; None: the window itself.
        padding: Zeros on both sides.
        ceil_mode: Whether a last window may reach over the end.
        count_include_pad: Whether the zeros of the padding count as elements.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def construct(self, input: Tensor) -> Tensor:
        return pooling_average.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _DividedPool(Cell):
    """Average pooling of images and volumes."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override

    def _options(self) -> tuple[Any, ...]:
        divisor = self.divisor_override or 0
        return self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, divisor


class AvgPool2dExt(_DividedPool):
    """Takes the mean of each window of input, shape (N, C, H, W), see `ops.avg_pool2d`.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad: As for `AvgPool1dExt`, an integer or two.
        divisor_override: What the sums are divided by instead of the number of elements.
    """

    def construct(self, input: Tensor) -> Tensor:
        return pooling_average.avg_pool2d(input, *self._options())


class AvgPool3dExt(_DividedPool):
    """Takes the mean of each window of input, shape (N, C, D, H, W), see `ops.avg_pool3d`.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad: As for `AvgPool1dExt`, an integer or three.
        divisor_override: What the sums are divided by instead of the number of elements.
    """

    def construct(self, input: Tensor) -> Tensor:
        return pooling_average.avg_pool3d(input, *self._options())
