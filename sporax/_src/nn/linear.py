"""Affine layers, and layers that only change the shape."""

from __future__ import annotations

import math
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import Primitive, holds
from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import HeUniform, InitializerLike, Uniform
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.activation import get_activation
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import (
    bad_input,
    flag,
    initial_shape,
    integer,
    label,
    of_type,
    parameter,
    positive,
    tensor_input,
)
from sporax._src.nn.parallel.marked_operators import is_marked
from sporax._src.ops.array.shape import flatten, reshape
from sporax._src.ops.nn.linear import bidense, dense

__all__ = [
    "BiDense", "Dense", "Flatten", "Identity", "Linear", "Unflatten",
]  # fmt: skip


class Dense(Cell):
    """Computes activation(x · weightᵀ + bias).

    Args:
        in_channels: The size of the last axis of x.
        out_channels: The size of the last axis of the result.
        weight_init: Initial values of `weight`, shape (out_channels, in_channels): an Initializer, its name, a number
            or a Tensor. None: HeUniform(√5), which is U(-1/√in_channels, 1/√in_channels).
        bias_init: Initial values of `bias`, shape (out_channels,). None: U(-1/√in_channels, 1/√in_channels).
        has_bias: Whether there is a bias.
        activation: A Cell, a Primitive or the name of an activation; None for none.
        dtype: The dtype of the Parameters.

    Inputs:
        - **x** (Tensor) - Shape (*, in_channels).

    Outputs:
        A Tensor of shape (*, out_channels).

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a number of channels is not positive, or an initial Tensor has another shape.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> ms.nn.Dense(3, 4)(ms.Tensor(np.ones((2, 3), np.float32))).shape
        (2, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: InitializerLike | None = None,
        bias_init: InitializerLike | None = None,
        has_bias: bool = True,
        activation: str | Cell | Primitive | None = None,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.in_channels = positive(self, "in_channels", in_channels)
        self.out_channels = positive(self, "out_channels", out_channels)
        self.has_bias = flag(self, "has_bias", has_bias)
        _affine_parameters(self, in_channels, out_channels, weight_init, bias_init, dtype)
        self.activation = activation_layer(self, activation)
        self.activation_flag = self.activation is not None

    weight: Parameter
    bias: Parameter | None
    matmul = holds("MatMul", transpose_b=True)
    bias_add, shape_op, reshape = holds("BiasAdd"), holds("Shape"), holds("Reshape")

    def construct(self, x: Tensor) -> Tensor:
        x = self._affine(x)
        return self.activation(x) if self.activation_flag else x

    def _affine(self, x: Tensor) -> Tensor:
        _check_last(self, x, self.in_channels, "in_channels")
        marked = is_marked(self, "matmul", "bias_add")
        return self._by_operators(x) if marked else dense(x, self.weight, self.bias)

    def _by_operators(self, x: Tensor) -> Tensor:
        """Return the product and the sum with the operators that have strategies, on flattened rows as in MindSpore."""
        rows = self.matmul(x if x.ndim == 2 else x.reshape(-1, self.in_channels), self.weight)
        rows = rows if self.bias is None else self.bias_add(rows, self.bias)
        return rows if x.ndim == 2 else rows.reshape(*x.shape[:-1], self.out_channels)

    def extend_repr(self) -> str:
        shown = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            shown += f", has_bias={self.has_bias}"
        if self.activation_flag:
            shown += f", activation={self.activation}"
        return shown


def _affine_parameters(
    cell: Any,
    inputs: int,
    outputs: int,
    weight_init: InitializerLike | None,
    bias_init: InitializerLike | None,
    dtype: mstype.TypeLike,
) -> None:
    initial_shape(cell, "weight_init", weight_init, (outputs, inputs))
    weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
    cell.weight = parameter(weight_init, (outputs, inputs), dtype, "weight")
    cell.bias = None
    if cell.has_bias:
        initial_shape(cell, "bias_init", bias_init, (outputs,))
        bias_init = Uniform(1 / math.sqrt(inputs)) if bias_init is None else bias_init
        cell.bias = parameter(bias_init, (outputs,), dtype, "bias")


def activation_layer(owner: Cell, activation: object) -> Any:
    """Return the layer for an `activation` argument: a name, a Cell, a Primitive or None."""
    layer = get_activation(activation, type(owner).__name__) if isinstance(activation, str) else activation
    if layer is not None and not isinstance(layer, (Cell, Primitive)):
        raise TypeError(
            f"{label(owner)}: activation must be a name, a Cell or a Primitive, got {describe(activation)}."
        )
    return layer


def _check_last(cell: Cell, x: Tensor, size: int, name: str) -> None:
    shape = x.shape
    if not shape or shape[-1] != size:
        got = shape[-1] if shape else "a Tensor without axes"
        raise bad_input(cell, f"last axis of x must be {name}={size}, got {got}.", x=x)


class Linear(Cell):
    """Computes x · weightᵀ + bias.

    Args:
        in_features: The size of the last axis of x.
        out_features: The size of the last axis of the result.
        bias: Whether there is a bias.
        weight_init, bias_init: Initial values, as for `Dense`.
        dtype: The dtype of the Parameters; float32 if None.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: InitializerLike | None = None,
        bias_init: InitializerLike | None = None,
        dtype: mstype.TypeLike | None = None,
    ) -> None:
        super().__init__()
        self.in_features = positive(self, "in_features", in_features)
        self.out_features = positive(self, "out_features", out_features)
        self.has_bias = flag(self, "bias", bias)
        _affine_parameters(self, in_features, out_features, weight_init, bias_init, dtype or mstype.float32)

    dense = holds("Dense")

    def construct(self, x: Tensor) -> Tensor:
        _check_last(self, x, self.in_features, "in_features")
        return dense(x, self.weight, self.bias)

    def extend_repr(self) -> str:
        shown = f"input_features={self.in_features}, output_features={self.out_features}"
        return f"{shown}, has_bias={self.has_bias}" if self.has_bias else shown


class BiDense(Cell):
    """Computes input1ᵀ · weight[k] · input2 + bias[k] for each output k.

    Args:
        in1_channels, in2_channels: The sizes of the last axes of the inputs.
        out_channels: The size of the last axis of the result.
        weight_init: Initial values of `weight`, shape (out_channels, in1_channels, in2_channels);
            None: U(±1/√in1_channels).
        bias_init: Initial values of `bias`, shape (out_channels,); None: U(±1/√in1_channels).
        has_bias: Whether there is a bias.
        dtype: The dtype of the Parameters.

    Inputs:
        - **input1** (Tensor) - Shape (*, in1_channels).
        - **input2** (Tensor) - Shape (*, in2_channels).

    Outputs:
        A Tensor of shape (*, out_channels).
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: InitializerLike | None = None,
        bias_init: InitializerLike | None = None,
        has_bias: bool = True,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.in1_channels = positive(self, "in1_channels", in1_channels)
        self.in2_channels = self.in_channels = positive(self, "in2_channels", in2_channels)
        self.out_channels = positive(self, "out_channels", out_channels)
        self.has_bias = flag(self, "has_bias", has_bias)
        bound = Uniform(1 / math.sqrt(in1_channels))
        shape = (out_channels, in1_channels, in2_channels)
        initial_shape(self, "weight_init", weight_init, shape)
        self.weight = parameter(bound if weight_init is None else weight_init, shape, dtype, "weight")
        self.bias = None
        if has_bias:
            initial_shape(self, "bias_init", bias_init, (out_channels,))
            self.bias = parameter(bound if bias_init is None else bias_init, (out_channels,), dtype, "bias")

    matmul, bias_add = holds("MatMul"), holds("BiasAdd")

    def construct(self, input1: Tensor, input2: Tensor) -> Tensor:
        tensor_input(self, input1=input1, input2=input2)
        for name, x, size in (("1", input1, self.in1_channels), ("2", input2, self.in2_channels)):
            if x.shape[-1:] != (size,):
                message = f"last axis of input{name} must be in{name}_channels={size}, got {list(x.shape[-1:])}."
                raise bad_input(self, message, input1=input1, input2=input2)
        if input1.shape[:-1] != input2.shape[:-1]:
            raise bad_input(self, "all axes but the last must be equal.", input1=input1, input2=input2)
        return bidense(input1, input2, self.weight, self.bias)

    def extend_repr(self) -> str:
        shown = (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, output_channels={self.out_channels}"
        )
        return f"{shown}, has_bias={self.has_bias}" if self.has_bias else shown


class Identity(Cell):
    """Returns its input.

    Args:
        args, kwargs: Accepted and ignored, so that the layer can replace any other.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


class Flatten(Cell):
    """Joins the axes `start_dim` to `end_dim` into one.

    Args:
        start_dim: The first axis to join.
        end_dim: The last axis to join.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> ms.nn.Flatten()(ms.Tensor(np.ones((2, 3, 4), np.float32))).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Tensor) -> Tensor:
        rank = max(len(x.shape), 1)
        for name, dim in (("start_dim", self.start_dim), ("end_dim", self.end_dim)):
            if not -rank <= dim < rank:
                raise bad_input(self, f"{name} must be in [{-rank}, {rank}), got {dim}.", x=x)
        return flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Unflatten(Cell):
    """Splits an axis into several.

    Args:
        axis: The axis to split.
        unflattened_size: The sizes it becomes, a tuple or list.

    Raises:
        TypeError: If an argument has another type.
    """

    def __init__(self, axis: int, unflattened_size: tuple[int, ...] | list[int]) -> None:
        super().__init__()
        self.axis = integer(self, "axis", axis)
        self.unflattened_size = tuple(of_type(self, "unflattened_size", unflattened_size, (list, tuple)))

    shape, reshape = holds("Shape"), holds("Reshape")

    def construct(self, input_x: Tensor) -> Tensor:
        shape = tuple(input_x.shape)
        rest = () if self.axis == -1 else shape[self.axis + 1 :]
        return reshape(input_x, (*shape[: self.axis], *self.unflattened_size, *rest))
