"""Activation layers along an axis: softmax, its variants, and the gated linear unit."""

from __future__ import annotations

from typing import Any

from sporax._src.bindings.primitive import holds, own
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import of_type, rank_input
from sporax._src.nn.parallel.marked_operators import cut_as
from sporax._src.ops.nn import activation as ops
from sporax._src.ops.nn.normalization import lrn

__all__ = [
    "GLU", "LRN", "LogSoftmax", "LogSoftmaxExt", "Softmax", "Softmax2d", "Softmin",
]  # fmt: skip


class _AlongAxis(Cell):
    """A layer that works along one axis."""

    def __init__(self, axis: Any = -1) -> None:
        super().__init__()
        self.axis = axis


class Softmax(_AlongAxis):
    """Computes exp(x) / Σ exp(x) along `axis`, see `ops.softmax`.

    Args:
        axis: The axis, or axes, along which the result adds up to 1.
    """

    softmax = holds("Softmax", own.axis)

    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        super().__init__(of_type("Softmax", "axis", axis, (int, tuple)))

    def construct(self, input: Tensor) -> Tensor:
        return cut_as(self, "softmax", lambda x: ops.softmax(x, self.axis), input)


class LogSoftmax(_AlongAxis):
    """Computes x - ln Σ exp(x) along `axis`, see `ops.log_softmax`.

    Args:
        axis: The axis along which the probabilities add up to 1.
    """

    log_softmax = holds("LogSoftmax", own.axis)

    def __init__(self, axis: int = -1) -> None:
        super().__init__(of_type("LogSoftmax", "axis", axis, int))

    def construct(self, x: Tensor) -> Tensor:
        return cut_as(self, "log_softmax", lambda x: ops.log_softmax(x, self.axis), x)


class LogSoftmaxExt(Cell):
    """Computes x - ln Σ exp(x) along `dim`.

    Args:
        dim: The axis; None takes axis 0 for inputs of 0, 1 or 3 axes, and axis 1 otherwise.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    log_softmax = holds("LogSoftmaxExt")

    def construct(self, x: Tensor) -> Tensor:
        default = 0 if x.ndim in (0, 1, 3) else 1
        return ops.log_softmax(x, default if self.dim is None else self.dim)


class Softmin(_AlongAxis):
    """Computes exp(-x) / Σ exp(-x) along `axis`, see `ops.softmin`.

    Args:
        axis: The axis, or axes, along which the result adds up to 1.
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.softmin(x, self.axis)


class Softmax2d(Cell):
    """Computes softmax over the channels of x, shape (N, C, H, W) or (C, H, W)."""

    def __init__(self) -> None:
        super().__init__()

    softmax, shape = holds("Softmax", -3), holds("Shape")

    def construct(self, x: Tensor) -> Tensor:
        rank_input(self, (3, 4), x=x)
        return ops.softmax(x, -3)


class LRN(Cell):
    """Normalises each value by its neighbours in other channels, see `ops.lrn`.

    Args:
        depth_radius: How many channels to each side count.
        bias, alpha, beta: The constants of x / (bias + alpha · Σ x²)^beta.
        norm_region: `"ACROSS_CHANNELS"`.
    """

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        of_type(self, "depth_radius", depth_radius, int)
        for name, value in (("bias", bias), ("alpha", alpha), ("beta", beta)):
            of_type(self, name, value, (float, int))
        self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region = (
            depth_radius,
            bias,
            alpha,
            beta,
            norm_region,
        )

    lrn_op = holds("LRN", own.depth_radius, own.bias, own.alpha, own.beta, own.norm_region)

    def construct(self, input_x: Tensor) -> Tensor:
        return lrn(input_x, self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region)


class GLU(Cell):
    """Computes a · sigmoid(b), a and b the halves of x along `axis`, see `ops.glu`.

    Args:
        axis: The axis to split.
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.dim = of_type(self, "axis", axis, int)

    spilt, sigmoid = holds("Split", own.dim, 2), holds("Sigmoid")

    def construct(self, x: Tensor) -> Tensor:
        return ops.glu(x, self.dim)
