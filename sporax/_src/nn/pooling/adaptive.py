"""Pooling with a given output size, power means, and the inverse of max pooling."""

from __future__ import annotations

from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import bad_input, dtype_input, integer, label, rank_input
from sporax._src.ops.array.cast import shape
from sporax._src.ops.nn import adaptive_pooling, pooling

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "LPPool1d", "LPPool2d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]  # fmt: skip


class _Adaptive(Cell):
    """The base of pooling layers with a given output size."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class _AdaptiveLine(_Adaptive):
    def __init__(self, output_size: int) -> None:
        super().__init__(output_size)
        integer(self, "output_size", output_size, 1)

    shape, dtype = staticmethod(shape), holds("DType")
    expand, squeeze = holds("ExpandDims"), holds("Squeeze", 2)

    def _check(self, x: Tensor) -> None:
        rank_input(self, (3,), x=x)
        dtype_input(self, (mstype.float16, mstype.float32, mstype.bfloat16, mstype.float64), x=x)
        if x.shape[2] % self.output_size or x.shape[2] < self.output_size:
            raise bad_input(
                self, f"the last axis of x must be a multiple of output_size={self.output_size}, got {x.shape[2]}.", x=x
            )


class AdaptiveAvgPool1d(_AdaptiveLine):
    """Takes the means of `output_size` windows of x, shape (N, C, L), L a multiple of `output_size`.

    Args:
        output_size: The number of windows.
    """

    def construct(self, input: Tensor) -> Tensor:
        self._check(input)
        return adaptive_pooling.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """Takes the means of windows that cover x, shape (N, C, H, W) or (C, H, W), see `ops.adaptive_avg_pool2d`.

    Args:
        output_size: The number of windows, an integer or (rows, columns); None keeps the size of the input.
    """

    adaptive_avgpool2d = holds("AdaptiveAvgPool2D", own.output_size)

    def construct(self, input: Tensor) -> Tensor:
        return adaptive_pooling.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """Takes the means of windows that cover x, shape (N, C, D, H, W) or (C, D, H, W), see `ops.adaptive_avg_pool3d`.

    Args:
        output_size: The number of windows, an integer or three; None keeps the size of the input.
    """

    adaptive_avg_pool3d = holds("AdaptiveAvgPool3D", own.output_size)

    def construct(self, input: Tensor) -> Tensor:
        return adaptive_pooling.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveLine):
    """Takes the maxima of `output_size` windows of x, shape (N, C, L), L a multiple of `output_size`.

    Args:
        output_size: The number of windows.
    """

    def construct(self, x: Tensor) -> Tensor:
        self._check(x)
        return adaptive_pooling.adaptive_max_pool1d(x, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """Takes the maxima of windows that cover x, shape (N, C, H, W) or (C, H, W), see `ops.adaptive_max_pool2d`.

    Args:
        output_size: The number of windows, an integer or (rows, columns); None keeps the size of the input.
        return_indices: Whether to return also the index of each maximum in the flattened image.
    """

    def __init__(self, output_size: int | tuple[int | None, ...], return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def construct(self, input: Tensor) -> Any:
        return adaptive_pooling.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_Adaptive):
    """Takes the maxima of windows that cover x, shape (N, C, D, H, W) or (C, D, H, W), see `ops.adaptive_max_pool3d`.

    Args:
        output_size: The number of windows, an integer or three.
        return_indices: Whether to return also the index of each maximum in the flattened volume.
    """

    def __init__(self, output_size: int | tuple[int | None, ...], return_indices: bool = False) -> None:
        self._size = (output_size,) * 3 if isinstance(output_size, int) else output_size
        super().__init__(self._size if None in self._size else Tensor(self._size, mstype.int32))
        self.return_indices = return_indices

    adaptive_max_pool3d = holds("AdaptiveMaxPool3D")

    def construct(self, input: Tensor) -> Any:
        return adaptive_pooling.adaptive_max_pool3d(input, self._size, self.return_indices)


class _LPPool(Cell):
    def __init__(
        self,
        norm_type: float,
        kernel_size: Any,
        stride: int | tuple[int, ...] | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode


class LPPool1d(_LPPool):
    """Takes (Σ x^p)^(1/p) of each window of x, shape (N, C, L) or (C, L), see `ops.lp_pool1d`.

    Args:
        norm_type: The power p, not 0.
        kernel_size: The window.
        stride: The step of the window; None: the window itself.
        ceil_mode: Whether a last window may reach over the end.
    """

    def construct(self, x: Tensor) -> Tensor:
        return pooling.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """Takes (Σ x^p)^(1/p) of each window of x, shape (N, C, H, W), see `ops.lp_pool2d`.

    Args:
        norm_type: The power p, not 0.
        kernel_size: The window, an integer or (rows, columns).
        stride: The step of the window; None: the window itself.
        ceil_mode: Whether a last window may reach over the end.
    """

    def construct(self, x: Tensor) -> Tensor:
        return pooling.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class _MaxUnpool(Cell):
    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding

    def _size(self, output_size: tuple[int, ...] | None) -> Any:
        if output_size is not None and (not isinstance(output_size, tuple) or not output_size):
            raise ValueError(
                f"{label(self)}: output_size must be a non-empty tuple or None, got {describe(output_size)}."
            )
        return output_size


class MaxUnpool1d(_MaxUnpool):
    """Puts values back where 1-D max pooling took them from, see `ops.max_unpool1d`.

    Args:
        kernel_size, stride, padding: Those of the pooling; stride None: `kernel_size`.
    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Tensor:
        return adaptive_pooling.max_unpool1d(
            x, indices, self.kernel_size, self.stride, self.padding, self._size(output_size)
        )


class MaxUnpool2d(_MaxUnpool):
    """Puts values back where 2-D max pooling took them from, see `ops.max_unpool2d`.

    Args:
        kernel_size, stride, padding: Those of the pooling; stride None: `kernel_size`.
    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Tensor:
        return adaptive_pooling.max_unpool2d(
            x, indices, self.kernel_size, self.stride, self.padding, self._size(output_size)
        )


class MaxUnpool3d(_MaxUnpool):
    """Puts values back where 3-D max pooling took them from, see `ops.max_unpool3d`.

    Args:
        kernel_size, stride, padding: Those of the pooling; stride None: `kernel_size`.
    """

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Tensor:
        return adaptive_pooling.max_unpool3d(
            x, indices, self.kernel_size, self.stride, self.padding, self._size(output_size)
        )
