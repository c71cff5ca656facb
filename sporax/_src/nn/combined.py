"""Layers made of layers: convolution or affine map with normalisation and activation, and one layer applied to each time step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import Primitive, holds
from sporax._src.core.initializer import InitializerLike
from sporax._src.core.tensor import Tensor
from sporax._src.nn.activation import LeakyReLU
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import bad_input, flag, integer, label, tensor_input
from sporax._src.nn.convolution import Conv2d
from sporax._src.nn.linear import Dense, activation_layer
from sporax._src.nn.normalization import BatchNorm1d, BatchNorm2d
from sporax._src.ops.array.joining import stack, unstack
from sporax._src.ops.array.shape import reshape, transpose

__all__ = ["Conv2dBnAct", "DenseBnAct", "TimeDistributed"]  # fmt: skip


class _BnAct(Cell):
    """A linear layer, then optional batch normalisation, then an optional activation."""

    def _finish(self, has_bn: bool, norm: Callable[[int, float, float], Cell], channels: int, momentum: float, eps: float,
                activation: str | Cell | Primitive | None, alpha: float, after_fake: bool) -> None:  # fmt: skip
        self.has_bn = flag(self, "has_bn", has_bn)
        self.has_act = activation is not None
        self.after_fake = flag(self, "after_fake", after_fake)
        if has_bn:
            self.batchnorm = norm(channels, eps, momentum)
        self.activation = LeakyReLU(alpha) if activation == "leakyrelu" else activation_layer(self, activation)

    def _after(self, x: Tensor) -> Tensor:
        x = self.batchnorm(x) if self.has_bn else x
        return self.activation(x) if self.has_act else x


class Conv2dBnAct(_BnAct):
    """A 2-D convolution, then batch normalisation, then an activation.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group: As for `Conv2d`.
        has_bias, weight_init, bias_init: As for `Conv2d`.
        has_bn: Whether there is batch normalisation.
        momentum, eps: Those of `BatchNorm2d`.
        activation: A Cell, a Primitive or a name; None for none.
        alpha: The slope of `"leakyrelu"`.
        after_fake: Accepted for MindSpore programs.
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
        weight_init: InitializerLike = "normal",
        bias_init: InitializerLike = "zeros",
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: str | Cell | Primitive | None = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
                           weight_init, bias_init)  # fmt: skip
        self._finish(has_bn, BatchNorm2d, out_channels, momentum, eps, activation, alpha, after_fake)

    def construct(self, x: Tensor) -> Tensor:
        return self._after(self.conv(x))


class DenseBnAct(_BnAct):
    """An affine map, then batch normalisation, then an activation.

    Args:
        in_channels, out_channels, weight_init, bias_init, has_bias: As for `Dense`.
        has_bn: Whether there is batch normalisation.
        momentum, eps: Those of `BatchNorm1d`.
        activation: A Cell, a Primitive or a name; None for none.
        alpha: The slope of `"leakyrelu"`.
        after_fake: Accepted for MindSpore programs.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: InitializerLike = "normal",
        bias_init: InitializerLike = "zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: str | Cell | Primitive | None = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self._finish(has_bn, BatchNorm1d, out_channels, momentum, eps, activation, alpha, after_fake)

    def construct(self, x: Tensor) -> Tensor:
        return self._after(self.dense(x))


class TimeDistributed(Cell):
    """Applies one layer to every time step.

    Args:
        layer: A Cell or Primitive.
        time_axis: The axis of time.
        reshape_with_axis: The axis that time is joined with, so that the layer runs once; None: it runs step by step.

    Inputs:
        - **inputs** (Tensor) - Shape (N, T, *) or another with 3 axes or more.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If the layer changes the axis that time is joined with.
    """

    def __init__(self, layer: Cell | Callable[..., Any], time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not isinstance(layer, (Cell, Primitive)):
            raise TypeError(f"{label(self)}: layer must be a Cell or a Primitive, got {describe(layer)}.")
        self.layer = layer
        self.time_axis = integer(self, "time_axis", time_axis)
        self.reshape_with_axis = (
            None if reshape_with_axis is None else integer(self, "reshape_with_axis", reshape_with_axis)
        )

    transpose, reshape = holds("Transpose"), holds("Reshape")

    def construct(self, inputs: Tensor) -> Tensor:
        tensor_input(self, inputs=inputs)
        rank = len(inputs.shape)
        if rank < 3:
            raise bad_input(self, f"inputs must have at least 3 axes, got {rank}.", inputs=inputs)
        time = self.time_axis % rank
        if self.reshape_with_axis is None:
            return stack([self.layer(step) for step in unstack(inputs, time)], time)
        return self._joined(inputs, time, self.reshape_with_axis % rank)

    def _joined(self, inputs: Tensor, time: int, axis: int) -> Tensor:
        """Move time next to `axis`, join both, run the layer, and part them again."""
        rank = len(inputs.shape)
        beside = rank - 2 if axis == rank - 1 else axis + 1 if time > axis else axis - 1
        at = min(beside, axis)
        order = [a for a in range(rank) if a != time]
        order.insert(beside, time)
        moved = transpose(inputs, tuple(order))
        pair = moved.shape[at : at + 2]
        joined = reshape(moved, (*moved.shape[:at], pair[0] * pair[1], *moved.shape[at + 2 :]))
        out = self.layer(joined)
        if at >= len(out.shape) or out.shape[at] != joined.shape[at]:
            raise bad_input(
                self, f"the layer must keep axis {at} of {list(joined.shape)}, got {list(out.shape)}.", inputs=inputs
            )
        return reshape(out, (*out.shape[:at], *pair, *out.shape[at + 1 :]))
