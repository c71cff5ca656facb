"""Normalisation layers without moving statistics: over a layer, and over groups of channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import InitializerLike
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import bad_input, flag, label, of_type, parameter, positive
from sporax._src.nn.parallel.marked_operators import cut_as
from sporax._src.ops.nn import layer_kernels
from sporax._src.ops.nn.normalization import group_norm, layer_norm

__all__ = ["GroupNorm", "LayerNorm", "LayerNormExt"]  # fmt: skip


class LayerNorm(Cell):
    """Computes (x - E[x]) / √(Var[x] + epsilon) · gamma + beta, mean and variance taken over the last axes.

    Args:
        normalized_shape: The shape of `gamma` and `beta`, a tuple or list.
        begin_norm_axis: The first axis to normalise over.
        begin_params_axis: The axis of x that the first axis of `gamma` and `beta` stands for.
        gamma_init, beta_init: Initial values of the Parameters.
        epsilon: Added to the variance.
        dtype: The dtype of the Parameters.

    Inputs:
        - **x** (Tensor) - Any shape that ends in `normalized_shape`.

    Outputs:
        A Tensor of the same shape and dtype.

    Raises:
        TypeError: If `normalized_shape` is not a tuple or list.
        ValueError: If it is empty.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> ms.nn.LayerNorm((4,))(ms.Tensor(np.ones((2, 4), np.float32))).asnumpy()[0]
        array([0., 0., 0., 0.], dtype=float32)
    """

    def __init__(
        self,
        normalized_shape: tuple[int, ...] | list[int],
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: InitializerLike = "ones",
        beta_init: InitializerLike = "zeros",
        epsilon: float = 1e-7,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(self, normalized_shape)
        self.begin_norm_axis = begin_norm_axis
        self.begin_params_axis = begin_params_axis
        self.epsilon = epsilon
        self.gamma = parameter(gamma_init, normalized_shape, dtype, "gamma")
        self.beta = parameter(beta_init, normalized_shape, dtype, "beta")

    layer_norm = holds("LayerNorm", own.begin_norm_axis, own.begin_params_axis, own.epsilon)

    def construct(self, input_x: Tensor) -> Tensor:
        def normalized(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
            return layer_kernels.layer_norm(x, gamma, beta, self.begin_norm_axis, self.begin_params_axis, self.epsilon)

        return cut_as(self, "layer_norm", normalized, input_x, self.gamma, self.beta)

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


def _shape(cell: Cell, shape: object) -> Any:
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"{label(cell)}: normalized_shape must be a tuple or list of integers, got {describe(shape)}.")
    if not shape:
        raise ValueError(f"{label(cell)}: normalized_shape must not be empty.")
    return shape


class LayerNormExt(Cell):
    """Computes (x - E[x]) / √(Var[x] + eps) · weight + bias, mean and variance taken over the last axes.

    Args:
        normalized_shape: The sizes of those axes, an integer, tuple or list.
        eps: Added to the variance.
        elementwise_affine: Whether there are `weight` and `bias`.
        bias: Whether there is `bias`.
        dtype: The dtype of the Parameters; float32 if None.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(_shape(self, shape))
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        dtype = dtype or mstype.float32
        self.weight = parameter("ones", self.normalized_shape, dtype, "weight") if elementwise_affine else None
        self.bias = parameter("zeros", self.normalized_shape, dtype, "bias") if elementwise_affine and bias else None

    def construct(self, input: Tensor) -> Tensor:
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"normalized_shape={self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Cell):
    """Computes (x - E[x]) / √(Var[x] + eps) · gamma + beta, mean and variance taken over groups of channels.

    Args:
        num_groups: The number of groups.
        num_channels: The number of channels C, divisible by `num_groups`.
        eps: Added to the variance.
        affine: Whether `gamma` and `beta` need gradients.
        gamma_init, beta_init: Initial values of the Parameters, shape (C,).
        dtype: The dtype of the Parameters.

    Inputs:
        - **x** (Tensor) - Shape (N, C, *).

    Outputs:
        A Tensor of the same shape and dtype.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a number is not positive, or `num_groups` does not divide `num_channels`.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: InitializerLike = "ones",
        beta_init: InitializerLike = "zeros",
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.num_groups = positive(self, "num_groups", num_groups)
        self.num_channels = positive(self, "num_channels", num_channels)
        if num_channels % num_groups:
            raise ValueError(f"{label(self)}: num_groups={num_groups} must divide num_channels={num_channels}.")
        self.eps = of_type(self, "eps", eps, float)
        self.affine = flag(self, "affine", affine)
        self.gamma = parameter(gamma_init, (num_channels,), dtype, "gamma", affine)
        self.beta = parameter(beta_init, (num_channels,), dtype, "beta", affine)

    def construct(self, x: Tensor) -> Tensor:
        if x.shape[1:2] != (self.num_channels,):
            raise bad_input(
                self, f"axis 1 of x must be num_channels={self.num_channels}, got {list(x.shape[1:2])}.", x=x
            )
        return self._cal_output(x)

    def _cal_output(self, x: Tensor) -> Tensor:
        """Return x normalised, as subclasses call it that prepare x."""
        return group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"
