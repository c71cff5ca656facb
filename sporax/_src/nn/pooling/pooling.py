"""Pooling in one, two and three dimensions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import PRIMITIVES, Primitive, holds
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import choice, integer, is_int, label, of_type, rank_input
from sporax._src.ops.array.cast import shape
from sporax._src.ops.nn import layer_kernels, pooling

__all__ = [
    "AvgPool1d", "AvgPool1dExt", "AvgPool2d", "AvgPool2dExt", "AvgPool3d", "AvgPool3dExt", "MaxPool1d", "MaxPool2d",
    "MaxPool2dExt", "MaxPool3d",
]  # fmt: skip

_MODES = ("VALID", "SAME", "PAD")


def _window(cell: Cell, name: str, value: Any) -> Any:
    """Return an integer or a tuple of positive integers; a tuple of one is that integer."""
    of_type(cell, name, value, (int, tuple))
    for size in value if isinstance(value, tuple) else (value,):
        if not is_int(size) or size <= 0:
            raise ValueError(
                f"{label(cell)}: {name} must be a positive integer or a tuple of them, got {describe(value)}."
            )
    return value[0] if isinstance(value, tuple) and len(value) == 1 else value


def _amounts(cell: Cell, name: str, value: Any, count: int) -> tuple[int, ...]:
    """Return `count` integers from an integer, a sequence of one, or a sequence of `count`."""
    of_type(cell, name, value, (int, tuple, list))
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    for v in values:
        integer(cell, name, v, 0)
    if len(values) not in (1, count):
        raise ValueError(
            f"{label(cell)}: {name} must be an integer or a sequence of 1 or {count}, got {describe(value)}."
        )
    return values * count if len(values) == 1 else values


class _Pool(Cell):
    """The base of pooling layers: a window, a stride and the padding of the input."""

    _n = 2

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...],
        pad_mode: str,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        self.pad_mode = choice(self, "pad_mode", of_type(self, "pad_mode", pad_mode, str).upper(), _MODES)
        self.format = choice(self, "data_format", data_format, ("NCHW", "NHWC"))
        self.kernel_size = self._kernel = _window(self, "kernel_size", kernel_size)
        self.stride = self._stride = _window(self, "stride", stride)
        for name, value in (("kernel_size", self.kernel_size), ("stride", self.stride)):
            if isinstance(value, tuple) and len(value) != self._n:
                raise ValueError(f"{label(self)}: {name} must be an integer or a tuple of {self._n}, got {value}.")

    def _of_volume(self, sizes: int | tuple[int, ...], fill: int = 1) -> tuple[int, ...]:
        """Return 1-D or 2-D sizes as 3-D sizes."""
        return (fill,) * (3 - self._n) + (sizes if isinstance(sizes, tuple) else (sizes,) * self._n)

    def _as_image(self, padded: bool) -> None:
        """Show the window of a 1-D layer as MindSpore does: as a 2-D window, or as a 3-D window if it is padded."""
        units = (1, 1) if padded else (1,)
        self.kernel_size, self.stride = (*units, self._kernel), (*units, self._stride)

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class _MaxPool(_Pool):
    """The maximum of each window."""

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...],
        pad_mode: str,
        padding: int | tuple[int, ...],
        dilation: int | tuple[int, ...],
        return_indices: bool,
        ceil_mode: bool,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, data_format)
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode
        self.use_pad = self.pad_mode == "PAD"
        plain = padding == 0 and dilation == 1 and not return_indices and not ceil_mode
        if not self.use_pad and not plain:
            raise ValueError(
                f"{label(self)}: padding, dilation, return_indices and ceil_mode need pad_mode='pad', "
                f"got pad_mode='{pad_mode}'."
            )
        self._padding = _amounts(self, "padding", padding, self._n)
        if not isinstance(dilation, (int, tuple)):
            raise ValueError(f"{label(self)}: dilation must be an integer or a tuple, got {describe(dilation)}.")
        self._dilation = dilation if is_int(dilation) else _amounts(self, "dilation", dilation, self._n)
        self.only_pad = dilation != 1 or return_indices
        if self.use_pad and self._n < 3:
            self.padding = self._of_volume(self._padding, 0)

    @cached_property
    def max_pool(self) -> Primitive:
        """MindSpore's operator for the layer; the 3-D operator if the window is padded."""
        mode, padded = self.pad_mode.lower(), self._padding
        if self._n == 3 and not self.only_pad:
            return PRIMITIVES["MaxPool3D"](self._kernel, self._stride, mode, padded, self.ceil_mode or None)
        if not self.use_pad:
            return PRIMITIVES["MaxPool"](self.kernel_size, self.stride, self.pad_mode, self.format)
        kernel, stride, padded = (*map(self._of_volume, (self._kernel, self._stride)), self._of_volume(padded, 0))
        dilation = self._dilation if is_int(self._dilation) else self._of_volume(self._dilation)
        return PRIMITIVES["MaxPool3DWithArgmax"](
            kernel, stride, padded, dilation, self.ceil_mode, argmax_type=mstype.int64
        )

    def construct(self, x: Tensor) -> Any:
        rank_input(self, (self._n + 1, self._n + 2), x=x)
        if self.format == "NHWC":
            return pooling.max_pool_mode(x, self._kernel, self._stride, self.pad_mode, data_format="NHWC")
        return layer_kernels.max_pool(
            x,
            self._n,
            self._kernel,
            self._stride,
            self.pad_mode.lower(),
            self._padding,
            self._dilation,
            self.ceil_mode,
            self.return_indices,
        )


class MaxPool2d(_MaxPool):
    """Takes the maximum of each window.

    Args:
        kernel_size: The window, an integer or (rows, columns).
        stride: The step of the window, an integer or (down, right).
        pad_mode: `"valid"`: windows lie inside. `"same"`: ceil(size / stride) outputs. `"pad"`: what `padding` says.
        padding: Elements of -inf on both sides, an integer or one per axis, at most half of the window.
        dilation: The distance of neighbouring elements of the window.
        return_indices: Whether to return also the index of each maximum in the flattened image.
        ceil_mode: Whether a last window may reach over the end.
        data_format: `"NCHW"` or `"NHWC"`.

    `padding`, `dilation`, `return_indices` and `ceil_mode` need `pad_mode="pad"`.

    Inputs:
        - **x** (Tensor) - Shape (N, C, H, W) or (C, H, W).

    Outputs:
        A Tensor of shape (N, C, H', W') or (C, H', W'); with `return_indices` also the int64 indices.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range or does not fit `pad_mode`.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> ms.nn.MaxPool2d(2, 2)(ms.Tensor(np.ones((1, 3, 4, 4), np.float32))).shape
        (1, 3, 2, 2)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, int] = 1,
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode, data_format)
        if self.use_pad and self.format == "NHWC":
            raise ValueError(f"{label(self)}: pad_mode='pad' needs data_format='NCHW'.")


class MaxPool1d(_MaxPool):
    """Takes the maximum of each window of x, shape (N, C, L) or (C, L).

    Args:
        kernel_size, stride: Integers.
        pad_mode, padding, dilation, return_indices, ceil_mode: As for `MaxPool2d`.
    """

    _n = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode)
        integer(self, "kernel_size", kernel_size, 1)
        integer(self, "stride", stride, 1)
        self._as_image(self.use_pad)

    shape = staticmethod(shape)
    reduce_mean, expand, squeeze = holds("ReduceMean", True), holds("ExpandDims"), holds("Squeeze", 2)


class MaxPool3d(_MaxPool):
    """Takes the maximum of each window of x, shape (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size, stride: An integer or three.
        pad_mode, padding, dilation, return_indices, ceil_mode: As for `MaxPool2d`; `ceil_mode` with any `pad_mode`.
    """

    _n = 3

    def __init__(
        self,
        kernel_size: int | tuple[int, int, int] = 1,
        stride: int | tuple[int, int, int] = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode)


class MaxPool2dExt(Cell):
    """Takes the maximum of each window, see `ops.max_pool2d`.

    Args:
        kernel_size: The window, an integer or (rows, columns).
        stride: The step of the window; None: the window itself.
        padding, dilation, return_indices, ceil_mode: As for `ops.max_pool2d`.

    Inputs:
        - **input** (Tensor) - shape (N, C, H, W) or (C, H, W).
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...] = 1,
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.return_indices, self.ceil_mode = padding, dilation, return_indices, ceil_mode

    def construct(self, input: Tensor) -> Any:
        options = (self.kernel_size, self.stride, self.padding, self.dilation, self.return_indices, self.ceil_mode)
        if input.ndim != 3:
            return pooling.max_pool2d(input, *options)
        out = pooling.max_pool2d(input[None], *options)
        return tuple(x[0] for x in out) if self.return_indices else out[0]


class _AvgPool(_Pool):
    """The mean of each window."""

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...],
        pad_mode: str,
        padding: int | tuple[int, ...],
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, data_format)
        if divisor_override is not None and divisor_override <= 0:
            raise ValueError(f"{label(self)}: divisor_override must be positive, got {divisor_override}.")
        each = _amounts(self, "padding", padding, self._n)
        if any(each) and not self.pad_mode == "PAD":
            raise ValueError(f"{label(self)}: padding must be 0 unless pad_mode is 'pad', got {padding}.")
        self._padding = (0, 0) * (3 - self._n) + tuple(p for p in each for _ in range(2))
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override
        self._plain = self.pad_mode != "PAD" and not ceil_mode and count_include_pad and divisor_override is None
        if not self._plain and self.format == "NHWC":
            raise ValueError(f"{label(self)}: pad_mode='pad' and the arguments after it need data_format='NCHW'.")

    @cached_property
    def avg_pool(self) -> Primitive:
        """MindSpore's operator for the layer; the 3-D operator if an argument beyond the window is given."""
        if self._plain and self._n < 3:
            return PRIMITIVES["AvgPool"](self.kernel_size, self.stride, self.pad_mode, self.format)
        kernel, stride = self._kernel, self._stride
        if self._n < 3:
            kernel, stride = self._of_volume(kernel), self._of_volume(stride)
        counts = self.ceil_mode, self.count_include_pad, self.divisor_override or 0
        return PRIMITIVES["AvgPool3D"](kernel, stride, self.pad_mode.lower(), self._padding, *counts)

    def _mode_of(self, x: Tensor) -> str:
        """Return how the ends of an input are padded."""
        return self.pad_mode.lower()

    def construct(self, x: Tensor) -> Tensor:
        rank_input(self, (self._n + 1, self._n + 2), x=x)
        mode = self._mode_of(x)
        if self.format == "NHWC":
            return pooling.avg_pool_mode(x, self._kernel, self._stride, mode, "NHWC")
        if self._plain and self._n < 3:
            return layer_kernels.avg_pool(x, self._n, self._kernel, self._stride, mode)
        return layer_kernels.avg_pool_padded(
            x,
            self._n,
            self._kernel,
            self._stride,
            mode,
            self._padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override or 0,
        )


class AvgPool2d(_AvgPool):
    """Takes the mean of each window.

    Args:
        kernel_size: The window, an integer or (rows, columns).
        stride: The step of the window, an integer or (down, right).
        pad_mode: `"valid"`: windows lie inside. `"same"`: ceil(size / stride) outputs. `"pad"`: what `padding` says.
        padding: Zeros on both sides, an integer or one per axis.
        ceil_mode: Whether a last window may reach over the end.
        count_include_pad: Whether the zeros of the padding count as elements.
        divisor_override: The divisor of the sums instead of the number of elements.
        data_format: `"NCHW"` or `"NHWC"`.

    Inputs:
        - **x** (Tensor) - Shape (N, C, H, W) or (C, H, W).

    Outputs:
        A Tensor of shape (N, C, H', W') or (C, H', W').

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range or does not fit `pad_mode`.
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, int] = 1,
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override, data_format
        )

    is_expand = cached_property(lambda self: not self._plain)
    ascend_910b_target = False


class AvgPool1d(_AvgPool):
    """Takes the mean of each window of x, shape (N, C, L) or (C, L).

    Args:
        kernel_size, stride: Integers.
        pad_mode, padding, ceil_mode, count_include_pad: As for `AvgPool2d`; if only one window fits, `"same"` takes
            only this window, as in MindSpore.
    """

    _n = 1

    def _mode_of(self, x: Tensor) -> str:
        length, kernel, stride = x.shape[-1], self._kernel, self._stride
        fits_once = self._plain and isinstance(length, int) and kernel <= length < kernel + stride
        return "valid" if fits_once else super()._mode_of(x)

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad)
        integer(self, "kernel_size", self.kernel_size, 1)
        integer(self, "stride", self.stride, 1)
        if self._plain:
            self._as_image(False)

    shape, slice = staticmethod(shape), holds("Slice")
    reduce_mean, expand, squeeze = holds("ReduceMean", True), holds("ExpandDims"), holds("Squeeze", 2)
    is_expand_3d = cached_property(lambda self: not self._plain)


class AvgPool3d(_AvgPool):
    """Takes the mean of each window of x, shape (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size, stride: An integer or three.
        pad_mode, padding, ceil_mode, count_include_pad, divisor_override: As for `AvgPool2d`.
    """

    _n = 3

    def __init__(
        self,
        kernel_size: int | tuple[int, int, int] = 1,
        stride: int | tuple[int, int, int] = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override)


# --- strides that default to the window ---------------------------------------------------------------------------------


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
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def construct(self, input: Tensor) -> Tensor:
        return pooling.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _DividedPool(Cell):
    """Average pooling of images and volumes."""

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
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
        divisor_override: The divisor of the sums instead of the number of elements.
    """

    def construct(self, input: Tensor) -> Tensor:
        return pooling.avg_pool2d(input, *self._options())


class AvgPool3dExt(_DividedPool):
    """Takes the mean of each window of input, shape (N, C, D, H, W), see `ops.avg_pool3d`.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad: As for `AvgPool1dExt`, an integer or three.
        divisor_override: The divisor of the sums instead of the number of elements.
    """

    def construct(self, input: Tensor) -> Tensor:
        return pooling.avg_pool3d(input, *self._options())
