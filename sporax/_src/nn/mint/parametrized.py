"""The layers of `mint.nn` with Parameters: convolutions, affine layers and normalisations, with torch's defaults."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sporax._src.api.mint.functional import FUNCTIONAL
from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import HeUniform, Uniform
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import bad_input, choice, integer, label, parameter, positive

_PADDING = {"reflect": "reflect", "replicate": "replicate", "circular": "circular"}


def _several(owner: Cell, name: str, value: Any, n: int, least: int | None = None) -> tuple[int, ...]:
    """Return a number for each of n axes; TypeError unless there are so many integers, ValueError if one is below `least`."""
    each = (value,) * n if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else value
    if not isinstance(each, (tuple, list)) or len(each) != n:
        raise TypeError(f"{label(owner)}: {name} must be an integer or a tuple of {n}, got {describe(value)}.")
    numbers = [int(number) if isinstance(number, np.integer) else number for number in each]
    return tuple([integer(owner, f"each element of {name}", number, least) for number in numbers])


class _Conv(Cell):
    """The base of convolutions: `weight` and `bias`, drawn from U(-1/√fan_in, 1/√fan_in)."""

    _n = 2
    _transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: object,
        stride: object = 1,
        padding: object = 0,
        dilation: object = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__()
        n = self._n
        self.in_channels = positive(self, "in_channels", in_channels)
        self.out_channels = positive(self, "out_channels", out_channels)
        self.groups = positive(self, "groups", groups)
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{label(self)}: groups={groups} must divide {name}={channels}.")
        self.kernel_size = _several(self, "kernel_size", kernel_size, n, 1)
        self.stride = _several(self, "stride", stride, n, 1)
        self.dilation = _several(self, "dilation", dilation, n, 1)
        if isinstance(padding, str):
            if self._transposed:
                raise ValueError(f"{label(self)}: padding must be an integer or a tuple of {n}, got {padding!r}.")
            self.padding = choice(self, "padding", padding, ("same", "valid"))
            if padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError(f"{label(self)}: padding='same' needs strides of 1, got {self.stride}.")
        else:
            self.padding = _several(self, "padding", padding, n)
        self.padding_mode = choice(self, "padding_mode", padding_mode, ("zeros", *_PADDING))
        self.transposed, self.output_padding = self._transposed, (0,) * n
        first, second = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        shape = (first, second // groups, *self.kernel_size)
        dtype = dtype or mstype.float32
        self.weight = parameter(HeUniform(math.sqrt(5)), shape, dtype, "weight")
        bound = 1 / math.sqrt(math.prod(shape[1:]))
        self.bias = parameter(Uniform(bound), (out_channels,), dtype, "bias") if bias else None

    def _sides(self) -> list[int]:
        """Return the padding of each axis, last one first, as (before, after) pairs."""
        if isinstance(self.padding, tuple):
            return [p for side in reversed(self.padding) for p in (side, side)]
        if self.padding == "valid":
            return [0] * (2 * self._n)
        totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        return [p for t in reversed(totals) for p in (t // 2, t - t // 2)]

    def construct(self, input: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = FUNCTIONAL["pad"](input, self._sides(), _PADDING[self.padding_mode])
            padding = 0
        return FUNCTIONAL[f"conv{self._n}d"](
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, groups={self.groups}, "
            f"bias={self.bias is not None}"
        )


class Conv1d(_Conv):
    """Computes the 1-D convolution of the input, shape (N, C, L) or (C, L), with `weight`, plus `bias`.

    Args:
        in_channels, out_channels: The channels of input and result.
        kernel_size, stride, padding, dilation: As for `nn.Conv2d`: numbers, or one for each axis. `padding` may be
            `"valid"` or `"same"`.
        groups: The number of independent groups of channels.
        bias: Whether there is a bias.
        padding_mode: `"zeros"`, `"reflect"`, `"replicate"` or `"circular"`.
        dtype: The dtype of the Parameters; float32 if None.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> ms.mint.nn.Conv1d(2, 4, 3)(ms.Tensor(np.ones((1, 2, 8), np.float32))).shape
        (1, 4, 6)
    """

    _n = 1


class Conv2d(_Conv):
    """Computes the 2-D convolution of the input, shape (N, C, H, W) or (C, H, W), with `weight`, plus `bias`.

    Arguments as for `Conv1d`.
    """


class Conv3d(_Conv):
    """Computes the 3-D convolution of the input, shape (N, C, D, H, W) or (C, D, H, W), with `weight`, plus `bias`.

    Arguments as for `Conv1d`.
    """

    _n = 3


class ConvTranspose2d(_Conv):
    """Computes the transpose of a 2-D convolution of the input, shape (N, C, H, W) or (C, H, W).

    Args:
        in_channels, out_channels: The channels of input and result.
        kernel_size, stride, padding, dilation: Those of the convolution whose transpose this is.
        output_padding: The additional length of the result at the end of each axis.
        groups: The number of independent groups of channels.
        bias: Whether there is a bias.
        padding_mode: `"zeros"`.
        dtype: The dtype of the Parameters; float32 if None.
    """

    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: object,
        stride: object = 1,
        padding: object = 0,
        output_padding: object = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: object = 1,
        padding_mode: str = "zeros",
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, dtype
        )
        if padding_mode != "zeros":
            raise ValueError(f"{label(self)}: padding_mode must be 'zeros', got {padding_mode!r}.")
        self.output_padding = _several(self, "output_padding", output_padding, 2)

    def construct(self, input: Tensor, output_size: Any = None) -> Tensor:
        longer = self.output_padding if output_size is None else self._longer(input, output_size)
        return FUNCTIONAL["conv_transpose2d"](
            input, self.weight, self.bias, self.stride, self.padding, longer, self.groups, self.dilation
        )

    def _longer(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """Return the `output_padding` with which the result has the sizes `output_size`."""
        sizes = tuple(output_size)[-2:] if len(output_size) == input.ndim else tuple(output_size)
        if len(sizes) != 2:
            raise ValueError(f"{label(self)}: output_size must have 2 or {input.ndim} sizes, got {output_size}.")
        padding: Any = self.padding
        geometry = zip(input.shape[-2:], self.stride, padding, self.kernel_size, self.dilation, strict=True)
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, k, d in geometry]
        longer = tuple([size - low for size, low in zip(sizes, least, strict=True)])
        if not all(0 <= more < step for more, step in zip(longer, self.stride, strict=True)):
            most = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
            raise ValueError(f"{label(self)}: output_size must be from {least} to {most}, got {list(sizes)}.")
        return longer


class Linear(Cell):
    """Computes input · weightᵀ + bias.

    Args:
        in_features, out_features: The sizes of the last axis of input and result.
        bias: Whether there is a bias.
        weight_init, bias_init: Initial values; U(-1/√in_features, 1/√in_features) if None.
        dtype: The dtype of the Parameters; float32 if None.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: object = None,
        bias_init: object = None,
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__()
        self.in_features = positive(self, "in_features", in_features)
        self.out_features = positive(self, "out_features", out_features)
        self.has_bias = bool(bias)
        dtype = dtype or mstype.float32
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        bias_init = Uniform(1 / math.sqrt(in_features)) if bias_init is None else bias_init
        self.weight = parameter(weight_init, (out_features, in_features), dtype, "weight")
        self.bias = parameter(bias_init, (out_features,), dtype, "bias") if bias else None

    dense = holds("Dense")

    def construct(self, x: Tensor) -> Tensor:
        return FUNCTIONAL["linear"](x, self.weight, self.bias)

    def extend_repr(self) -> str:
        return f"input_features={self.in_features}, output_features={self.out_features}, has_bias={self.has_bias}"


class GroupNorm(Cell):
    """Computes (input - E[input]) / √(Var[input] + eps) · weight + bias, mean and variance taken over groups of channels.

    Args:
        num_groups: The number of groups.
        num_channels: The number of channels, divisible by `num_groups`.
        eps: Added to the variance.
        affine: Whether `weight` and `bias` need gradients.
        dtype: The dtype of the Parameters; float32 if None.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__()
        self.num_groups = positive(self, "num_groups", num_groups)
        self.num_channels = positive(self, "num_channels", num_channels)
        if num_channels % num_groups:
            raise ValueError(f"{label(self)}: num_groups={num_groups} must divide num_channels={num_channels}.")
        self.eps, self.affine = eps, affine
        dtype = dtype or mstype.float32
        self.weight = parameter("ones", (num_channels,), dtype, "weight", affine)
        self.bias = parameter("zeros", (num_channels,), dtype, "bias", affine)

    def construct(self, input: Tensor) -> Tensor:
        return FUNCTIONAL["group_norm"](input, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}, affine={self.affine}"


class _BatchNorm(Cell):
    """The base of batch normalisations."""

    _ranks: tuple[int, ...] = (4,)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__()
        self.num_features = positive(self, "num_features", num_features)
        self.eps, self.momentum = eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        shape = (num_features,)
        self.dtype = dtype = dtype or mstype.float32
        self.weight = parameter("ones", shape, dtype, "weight") if affine else None
        self.bias = parameter("zeros", shape, dtype, "bias") if affine else None
        self.running_mean = self.running_var = None
        self.num_batches_tracked: Any = None
        if track_running_stats:
            self.running_mean = parameter("zeros", shape, dtype, "running_mean", False)
            self.running_var = parameter("ones", shape, dtype, "running_var", False)
            count = Tensor(np.zeros((), np.int64))
            self.num_batches_tracked = Parameter(count, name="num_batches_tracked", requires_grad=False)

    shape = holds("Shape")

    def reset_running_stats(self) -> None:
        """Reset the moving statistics: mean 0, variance 1, no batch counted."""
        _begin_anew((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0))

    def reset_parameters(self) -> None:
        """Reset the moving statistics, `weight` and `bias` to their first values."""
        self.reset_running_stats()
        _begin_anew((self.weight, 1), (self.bias, 0))

    def construct(self, input: Tensor) -> Tensor:
        if input.ndim not in self._ranks:
            raise bad_input(
                self, f"input must have {' or '.join(map(str, self._ranks))} axes, got {input.ndim}.", x=input
            )
        momentum = self.momentum or 0.0
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked += 1
            if self.momentum is None:  # the plain average over all batches so far
                momentum = 1.0 / float(self.num_batches_tracked)
        training = self.training or self.running_mean is None
        return FUNCTIONAL["batch_norm"](
            input, self.running_mean, self.running_var, self.weight, self.bias, training, momentum, self.eps
        )

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


def _begin_anew(*values: tuple[Parameter | None, int]) -> None:
    for param, value in values:
        if param is not None:
            param.set_data(value)


class BatchNorm1d(_BatchNorm):
    """Computes (input - E[input]) / √(Var[input] + eps) · weight + bias, mean and variance taken per channel.

    In training they are those of the batch, and `running_mean` and `running_var` are updated by `momentum`.

    Args:
        num_features: The number of channels C; the input has shape (N, C) or (N, C, L).
        eps: Added to the variance.
        momentum: The share of the batch in the new moving statistics; None: their plain average.
        affine: Whether there are `weight` and `bias`.
        track_running_stats: Whether there are moving statistics; without them those of the batch are always used.
        dtype: The dtype of the Parameters; float32 if None.
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Computes (input - E[input]) / √(Var[input] + eps) · weight + bias per channel of (N, C, H, W), see `BatchNorm1d`."""


class BatchNorm3d(_BatchNorm):
    """Computes (input - E[input]) / √(Var[input] + eps) · weight + bias per channel of (N, C, D, H, W), see `BatchNorm1d`."""

    _ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """Computes the batch normalisation over the batches of all devices of a process group, see `BatchNorm1d`.

    Args:
        num_features, eps, momentum, affine, track_running_stats, dtype: As for `BatchNorm1d`.
        process_group: The group; on one device it has no effect, and a compiled step over several devices holds the
            whole batch.
    """

    _ranks = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: str | None = None,
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        self.process_group = process_group
