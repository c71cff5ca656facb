"""Transposed convolutions in one, two and three dimensions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import InitializerLike
from sporax._src.core.tensor import Tensor
from sporax._src.nn.checks import choice, integer, label, sizes
from sporax._src.nn.convolution import PADDED, ConvBase, check_sides, line, planar
from sporax._src.ops.nn import layer_kernels

__all__ = ["Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose"]  # fmt: skip


class _Transposed(ConvBase):
    """The base of transposed convolutions of lines and images: flags of the padding mode, and MindSpore's Primitives."""

    is_valid = cached_property(lambda self: self.pad_mode == "valid")
    is_same = cached_property(lambda self: self.pad_mode == "same")
    is_pad = cached_property(lambda self: self.pad_mode == "pad")
    bias_add, shape = holds("BiasAdd"), holds("Shape")


class Conv2dTranspose(_Transposed):
    """Computes the transposed 2-D convolution of x with `weight`, plus `bias`.

    Args:
        in_channels: The channels of x.
        out_channels: The channels of the result.
        kernel_size, stride, dilation: An integer or two.
        pad_mode: `"same"`: size · stride outputs. `"valid"`: all of them. `"pad"`: `padding` elements are cut off.
        padding: An integer or (top, bottom, left, right); 0 unless `pad_mode` is `"pad"`.
        output_padding: Zeros added at the bottom and the right, an integer or two; 0 unless `pad_mode` is `"pad"`.
        group, has_bias, bias_init, dtype: As for `Conv2d`.
        weight_init: Initial values of `weight`, shape (in_channels, out_channels / group, height, width).

    Inputs:
        - **x** (Tensor) - Shape (N, in_channels, H, W).

    Outputs:
        A Tensor of shape (N, out_channels, H', W').

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range, `group` does not divide the channels, or paddings do not fit `pad_mode`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitializerLike | None = None,
        bias_init: InitializerLike | None = None,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        pairs = (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation))
        kernel, steps, holes = (sizes("Conv2dTranspose", name, value, 2) for name, value in pairs)
        super().__init__(
            in_channels,
            out_channels,
            kernel,
            steps,
            pad_mode,
            padding,
            holes,
            group,
            has_bias,
            weight_init,
            bias_init,
            transposed=True,
            dtype=dtype,
        )
        check_sides(self, padding, 4)
        sides = padding if isinstance(padding, tuple) else (padding,) * 4
        self.padding_top, self.padding_bottom, self.padding_left, self.padding_right = sides
        self.output_padding = output_padding
        self._tail = _output_padding(self, output_padding, 2)

    conv2d_transpose = holds(
        "Conv2DTranspose", own.in_channels, own.kernel_size, own.pad_mode, own.padding, None, 1, *PADDED[2:]
    )

    def construct(self, x: Tensor) -> Tensor:
        self._check_input(x)
        return layer_kernels.conv_transpose(
            x, self.weight, self.bias, self.pad_mode, self.padding, self.stride, self.dilation, self.group, self._tail
        )


def _output_padding(cell: Any, value: object, count: int) -> tuple[int, ...]:
    tail = sizes(cell, "output_padding", value, count, 0)
    for extra, stride, dilation in zip(tail, cell.stride, cell.dilation, strict=True):
        if extra >= max(stride, dilation):
            raise ValueError(f"{label(cell)}: output_padding must be less than stride or dilation, got {value}.")
    if any(tail) and cell.pad_mode != "pad":
        raise ValueError(f"{label(cell)}: output_padding must be 0 unless pad_mode is 'pad', got {value}.")
    return tail


class Conv1dTranspose(_Transposed):
    """Computes the transposed 1-D convolution of x with `weight`, plus `bias`.

    Args:
        in_channels: The channels of x.
        out_channels: The channels of the result.
        kernel_size, stride, padding, dilation: As for `Conv2dTranspose`, integers.
        pad_mode, group, has_bias, bias_init, dtype: As for `Conv2dTranspose`.
        weight_init: Initial values of `weight`, whose shape is (in_channels, out_channels / group, 1, kernel_size); a
            Tensor is given without the axis of size 1.

    Inputs:
        - **x** (Tensor) - Shape (N, in_channels, L).

    Outputs:
        A Tensor of shape (N, out_channels, L').
    """

    _rank = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitializerLike | None = None,
        bias_init: InitializerLike | None = None,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        kernel, steps, holes = line("Conv1dTranspose", kernel_size, stride, dilation)
        integer("Conv1dTranspose", "padding", padding, 0)
        super().__init__(
            in_channels,
            out_channels,
            kernel,
            steps,
            pad_mode,
            padding,
            holes,
            group,
            has_bias,
            planar("Conv1dTranspose", weight_init),
            bias_init,
            transposed=True,
            dtype=dtype,
        )
        self.padding = (0, 0, padding, padding)

    conv2d_transpose = holds(
        "Conv2DBackpropInput", own.in_channels, own.kernel_size, own.pad_mode, own.padding, None, 1, *PADDED[2:]
    )
    expand_dims, squeeze = holds("ExpandDims"), holds("Squeeze", 2)

    def construct(self, x: Tensor) -> Tensor:
        self._check_input(x)
        return layer_kernels.conv_transpose(
            x,
            self.weight,
            self.bias,
            self.pad_mode,
            self.padding[2:],
            self.stride[1],
            self.dilation[1],
            self.group,
            (0,),
        )


class Conv3dTranspose(ConvBase):
    """Computes the transposed 3-D convolution of x with `weight`, plus `bias`.

    Args:
        in_channels: The channels of x.
        out_channels: The channels of the result.
        kernel_size, stride, dilation: An integer or three.
        pad_mode, group, has_bias, bias_init, dtype: As for `Conv2dTranspose`.
        padding: An integer or (head, tail, top, bottom, left, right); 0 unless `pad_mode` is `"pad"`.
        output_padding: Elements added at the end of each axis, an integer or three; 0 unless `pad_mode` is `"pad"`.
        weight_init: Initial values of `weight`, shape (in_channels, out_channels / group, depth, height, width).
        data_format: `"NCDHW"`.

    Inputs:
        - **x** (Tensor) - Shape (N, in_channels, D, H, W).

    Outputs:
        A Tensor of shape (N, out_channels, D', H', W').
    """

    _rank = 5

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int, int],
        stride: int | tuple[int, int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int, int] = 1,
        group: int = 1,
        output_padding: int | tuple[int, int, int] = 0,
        has_bias: bool = False,
        weight_init: InitializerLike | None = None,
        bias_init: InitializerLike | None = None,
        data_format: str = "NCDHW",
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        triples = (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation))
        kernel, steps, holes = (sizes("Conv3dTranspose", name, value, 3) for name, value in triples)
        super().__init__(
            in_channels,
            out_channels,
            kernel,
            steps,
            pad_mode,
            padding,
            holes,
            group,
            has_bias,
            weight_init,
            bias_init,
            choice("Conv3dTranspose", "data_format", data_format, ["NCDHW"]),
            True,
            dtype,
        )
        check_sides(self, padding, 6)
        self.output_padding = _output_padding(self, output_padding, 3)

    conv3d_transpose = holds(
        "Conv3DTranspose", own.in_channels, own.out_channels, own.kernel_size, 1, *PADDED, own.output_padding
    )
    bias_add, shape = holds("BiasAdd", own.data_format), holds("Shape")

    def construct(self, x: Tensor) -> Tensor:
        self._check_input(x)
        return layer_kernels.conv3d_transpose(
            x,
            self.weight,
            self.bias,
            self.pad_mode,
            self.padding,
            self.stride,
            self.dilation,
            self.group,
            self.output_padding,
        )
