"""Dropout layers: in training they zero values at random and scale up the rest; in inference they do nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.core.views import write_in_place
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import of_type, within
from sporax._src.nn.parallel.marked_operators import cut_as
from sporax._src.ops.nn import dropout as ops

__all__ = [
    "Dropout", "Dropout1d", "Dropout2d", "Dropout2dExt", "Dropout3d", "DropoutExt",
]  # fmt: skip


class Dropout(Cell):
    """Zeroes each value with probability p and divides the rest by 1 - p, while training.

    Args:
        keep_prob: The probability to keep a value, in (0, 1]; used if `p` is None.
        p: The probability to zero a value, in [0, 1).
        dtype: Accepted for MindSpore programs; the result has the dtype of the input.

    Inputs:
        - **x** (Tensor) - Any shape.

    Outputs:
        A Tensor of the same shape and dtype.

    Raises:
        TypeError: If a probability is no number.
        ValueError: If it is out of range.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.Dropout(p=0.5)(ms.Tensor([1.0, 2.0])).asnumpy()  # a fresh Cell is in inference mode
        array([1., 2.], dtype=float32)
    """

    dropout = holds("Dropout", lambda self: 1.0 - self._rate)

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: mstype.TypeLike = mstype.float32) -> None:
        super().__init__()
        if p is None:
            of_type(self, "keep_prob", keep_prob, float)
            within(self, "keep_prob", keep_prob, 0, 1, "(]")
        else:
            of_type(self, "p", p, (float, int))
            within(self, "p", p, 0, 1, "[)")
        self.p = p
        self.keep_prob = keep_prob
        self._rate = 1.0 - keep_prob if p is None else float(p)

    def construct(self, x: Tensor) -> Tensor:
        if not self.training or self.keep_prob == 1 or self.p == 0:  # a program may set them later
            return x
        return cut_as(self, "dropout", lambda x: ops.dropout(x, self._rate), x)

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _InPlaceDropout(Cell):
    """Writes its result into the input, if it is told to."""

    _row: ClassVar[Callable[..., Tensor]]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p = within(self, "p", of_type(self, "p", p, (float, int)), 0, 1)
        self.inplace = inplace

    def construct(self, input: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return input
        out = input * 0.0 if self.p == 1 else self._row(input, self.p)
        return write_in_place(input, out, type(self).__name__) if self.inplace else out


class DropoutExt(_InPlaceDropout):
    """Zeroes each value with probability p and divides the rest by 1 - p, while training.

    Args:
        p: The probability to zero a value, in [0, 1].
        inplace: Whether to write the result into the input.
    """

    _row = staticmethod(ops.dropout)


class Dropout2dExt(_InPlaceDropout):
    """Zeroes whole channels of the input, shape (N, C, H, W) or (C, H, W), with probability p, while training; the rest is
    divided by 1 - p.

    Args:
        p: The probability to zero a channel, in [0, 1].
        inplace: Whether to write the result into the input.
    """

    _row = staticmethod(ops.dropout2d)


class _ChannelDropout(Cell):
    """Zeroes whole channels."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        of_type(self, "p", p, float)
        self._rate = within(self, "p", p, 0, 1)


class Dropout1d(_ChannelDropout):
    """Zeroes whole channels of x, shape (N, C, L) or (C, L), with probability p, while training.

    Args:
        p: The probability, in [0, 1].
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)
        self.prob = p

    def construct(self, x: Tensor) -> Tensor:
        return x if not self.training or self._rate == 0 else ops.dropout1d(x, self._rate)


class Dropout2d(_ChannelDropout):
    """Zeroes whole channels of x, shape (N, C, H, W), with probability p, while training.

    Args:
        p: The probability, in [0, 1].
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)
        self.keep_prob = 1.0 - p

    dropout2d = holds("Dropout2D", own.keep_prob)

    def construct(self, x: Tensor) -> Tensor:
        return x if not self.training or self._rate == 0 else ops.dropout2d(x, self._rate)

    def extend_repr(self) -> str:
        return f"p={self.keep_prob}"


class Dropout3d(_ChannelDropout):
    """Zeroes whole channels of x, shape (N, C, D, H, W), with probability p, while training.

    Args:
        p: The probability, in [0, 1].
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)
        self.keep_prob = 1.0 - p

    dropout3d = holds("Dropout3D", own.keep_prob)

    def construct(self, x: Tensor) -> Tensor:
        return x if not self.training or self._rate == 0 else ops.dropout3d(x, self._rate)

    def extend_repr(self) -> str:
        return f"p={self.keep_prob}"
