"""Convolutions in one, two and three dimensions."""

from __future__ import annotations

import math
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import HeUniform, InitializerLike, Uniform
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import (
    bad_input,
    choice,
    flag,
    initial_shape,
    integer,
    is_int,
    label,
    parameter,
    positive,
    sizes,
)
from sporax._src.nn.parallel.marked_operators import cut_as, is_marked
from sporax._src.ops.nn import layer_kernels
from sporax._src.ops.nn.convolution import convolution

__all__ = ["Conv1d", "Conv2d", "Conv3d"]  # fmt: skip

_MODES = ("valid", "same", "pad")
PADDED = (
    own.pad_mode,
    own.padding,
    own.stride,
    own.dilation,
    own.group,
)  # the arguments of the Primitives of convolution


class ConvBase(Cell):
    """The base of convolutions: checked arguments, `weight` and `bias`."""

    _rank = 4

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        pad_mode: str,
        padding: int | tuple[int, ...],
        dilation: tuple[int, ...],
        group: int,
        has_bias: bool,
        weight_init: InitializerLike | None,
        bias_init: InitializerLike | None,
        data_format: str = "NCHW",
        transposed: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.in_channels = positive(self, "in_channels", in_channels)
        self.out_channels = positive(self, "out_channels", out_channels)
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.pad_mode = choice(self, "pad_mode", pad_mode, _MODES)
        self.data_format = choice(self, "data_format", data_format, ("NCHW", "NHWC", "NCDHW"))
        self.padding = _padding(self, padding, pad_mode)
        self.group = positive(self, "group", group)
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % group:
                raise ValueError(f"{label(self)}: group={group} must divide {name}={channels}.")
        self.has_bias = flag(self, "has_bias", has_bias)
        first, second = (in_channels, out_channels // group) if transposed else (out_channels, in_channels // group)
        shape = (first, *kernel_size, second) if data_format == "NHWC" else (first, second, *kernel_size)
        self._weights(shape, weight_init, bias_init, dtype)

    def _weights(
        self,
        shape: tuple[int, ...],
        weight_init: InitializerLike | None,
        bias_init: InitializerLike | None,
        dtype: mstype.TypeLike,
    ) -> None:
        initial_shape(self, "weight_init", weight_init, shape)
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = parameter(self.weight_init, shape, dtype, "weight")
        self.bias_init, self.bias = bias_init, None
        if self.has_bias:
            initial_shape(self, "bias_init", bias_init, (self.out_channels,))
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
            self.bias = parameter(self.bias_init, (self.out_channels,), dtype, "bias")

    def _check_input(self, x: Tensor) -> None:
        if len(x.shape) != self._rank:
            raise bad_input(self, f"x must have {self._rank} axes, got {len(x.shape)}.", x=x)
        axis = 3 if self.data_format == "NHWC" else 1
        if x.shape[axis] != self.in_channels:
            raise bad_input(self, f"axis {axis} of x must be in_channels={self.in_channels}, got {x.shape[axis]}.", x=x)

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


def _padding(cell: Cell, padding: object, pad_mode: str) -> Any:
    if not is_int(padding) and not isinstance(padding, tuple):
        raise TypeError(f"{label(cell)}: padding must be an integer or a tuple of integers, got {describe(padding)}.")
    values = padding if isinstance(padding, tuple) else (padding,)
    for value in values:
        integer(cell, "padding", value, 0)
    if any(values) and pad_mode != "pad":
        raise ValueError(
            f"{label(cell)}: padding must be 0 unless pad_mode is 'pad', got padding={padding}, pad_mode='{pad_mode}'."
        )
    return padding


def check_sides(cell: Cell, padding: int | tuple[int, ...], count: int) -> None:
    """ValueError unless padding is an integer or has `count` elements."""
    if isinstance(padding, tuple) and len(padding) != count:
        raise ValueError(f"{label(cell)}: padding must be an integer or a tuple of {count} integers, got {padding}.")


class Conv2d(ConvBase):
    """Computes the 2-D convolution (cross-correlation) of x with `weight`, plus `bias`.

    Args:
        in_channels: The channels of x.
        out_channels: The channels of the result.
        kernel_size: The size of the kernel, an integer or (height, width).
        stride: The step of the kernel, an integer or (down, right).
        pad_mode: `"same"`: ceil(size / stride) outputs. `"valid"`: no padding. `"pad"`: `padding` zeros. padding: Zeros
            around x: an integer or (top, bottom, left, right); 0 unless `pad_mode` is `"pad"`.
        dilation: The distance of neighbouring kernel elements, an integer or (down, right).
        group: The number of independent groups of channels.
        has_bias: Whether there is a bias.
        weight_init: Initial values of `weight`, shape (out_channels, in_channels / group, height, width): an
            Initializer, its name, a number or a Tensor. None: HeUniform(√5).
        bias_init: Initial values of `bias`, shape (out_channels,). None: U(±1/√fan_in).
        data_format: `"NCHW"` or `"NHWC"`.
        dtype: The dtype of the Parameters.

    Inputs:
        - **x** (Tensor) - Shape (N, in_channels, H, W).

    Outputs:
        A Tensor of shape (N, out_channels, H', W').

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range, `group` does not divide the channels, or `padding` does not fit.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> ms.nn.Conv2d(3, 8, 3)(ms.Tensor(np.ones((2, 3, 6, 6), np.float32))).shape
        (2, 8, 6, 6)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitializerLike | None = None,
        bias_init: InitializerLike | None = None,
        data_format: str = "NCHW",
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        pairs = (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation))
        kernel, steps, holes = (sizes("Conv2d", name, value, 2) for name, value in pairs)
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
            data_format,
            dtype=dtype,
        )
        check_sides(self, padding, 4)

    conv2d = holds("Conv2D", own.out_channels, own.kernel_size, 1, *PADDED, own.data_format)
    bias_add = holds("BiasAdd", own.data_format)

    def construct(self, x: Tensor) -> Tensor:
        self._check_input(x)
        settings = self.pad_mode, self.padding, self.stride, self.dilation, self.group, self.data_format
        if not is_marked(self, "conv2d", "bias_add"):
            return convolution(x, self.weight, self.bias, *settings)
        x = cut_as(self, "conv2d", lambda x, w: convolution(x, w, None, *settings), x, self.weight)
        return x if self.bias is None else self.bias_add(x, self.bias)


class Conv1d(ConvBase):
    """Computes the 1-D convolution (cross-correlation) of x with `weight`, plus `bias`.

    Args:
        in_channels: The channels of x.
        out_channels: The channels of the result.
        kernel_size, stride, padding, dilation: As for `Conv2d`, integers.
        pad_mode, group, has_bias, bias_init, dtype: As for `Conv2d`.
        weight_init: Initial values of `weight`, whose shape is (out_channels, in_channels / group, 1, kernel_size); a
            Tensor is given without the axis of size 1.

    Inputs:
        - **x** (Tensor) - Shape (N, in_channels, L).

    Outputs:
        A Tensor of shape (N, out_channels, L').

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range, `group` does not divide the channels, or `padding` does not fit.
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
        kernel, steps, holes = line("Conv1d", kernel_size, stride, dilation)
        integer("Conv1d", "padding", padding, 0)
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
            planar("Conv1d", weight_init),
            bias_init,
            dtype=dtype,
        )
        self.padding = (0, 0, padding, padding)

    conv2d = holds("Conv2D", own.out_channels, own.kernel_size, 1, *PADDED)
    bias_add, shape, expand_dims, squeeze = holds("BiasAdd"), holds("Shape"), holds("ExpandDims"), holds("Squeeze", 2)

    def construct(self, x: Tensor) -> Tensor:
        self._check_input(x)
        return layer_kernels.conv1d(
            x, self.weight, self.bias, self.pad_mode, self.padding[2:], self.stride[1], self.dilation[1], self.group
        )


def line(owner: str, kernel_size: int, stride: int, dilation: int) -> list[tuple[int, int]]:
    """Return 1-D sizes as the 2-D sizes of an image of height 1."""
    sizes = (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation))
    return [(1, positive(owner, name, value)) for name, value in sizes]


def planar(owner: str, weight_init: InitializerLike | None) -> Any:
    """Return a Tensor (A, B, K) as (A, B, 1, K), anything else unchanged."""
    if not isinstance(weight_init, Tensor):
        return weight_init
    if len(weight_init.shape) != 3:
        raise ValueError(f"{label(owner)}: weight_init must have 3 axes, got {describe(weight_init)}.")
    return Tensor(weight_init.asnumpy()[:, :, None], weight_init.dtype)


class Conv3d(ConvBase):
    """Computes the 3-D convolution (cross-correlation) of x with `weight`, plus `bias`.

    Args:
        in_channels: The channels of x.
        out_channels: The channels of the result.
        kernel_size, stride, dilation: As for `Conv2d`, an integer or three.
        pad_mode, group, has_bias, weight_init, bias_init, dtype: As for `Conv2d`.
        padding: Zeros around x: an integer or (head, tail, top, bottom, left, right).
        data_format: `"NCDHW"`.

    Inputs:
        - **x** (Tensor) - Shape (N, in_channels, D, H, W).

    Outputs:
        A Tensor of shape (N, out_channels, D', H', W').

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range, `group` does not divide the channels, or `padding` does not fit.
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
        has_bias: bool = False,
        weight_init: InitializerLike | None = None,
        bias_init: InitializerLike | None = None,
        data_format: str = "NCDHW",
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        triples = (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation))
        kernel, steps, holes = (sizes("Conv3d", name, value, 3) for name, value in triples)
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
            choice("Conv3d", "data_format", data_format, ["NCDHW"]),
            dtype=dtype,
        )
        check_sides(self, padding, 6)

    conv3d = holds("Conv3D", lambda self: self.out_channels // self.group, own.kernel_size, 1, *PADDED[:-1])
    bias_add, shape = holds("BiasAdd", own.data_format), holds("Shape")
    split_0, split_1, concat = holds("Split", 0, own.group), holds("Split", 1, own.group), holds("Concat", 1)

    def construct(self, x: Tensor) -> Tensor:
        self._check_input(x)
        return convolution(
            x, self.weight, self.bias, self.pad_mode, self.padding, self.stride, self.dilation, self.group
        )
