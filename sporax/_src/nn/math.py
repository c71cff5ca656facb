"""Layers that are plain mathematics: statistics, norms, matrices, special functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import PRIMITIVES, holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import bad_input, dtype_input, flag, label, of_type
from sporax._src.ops.array.creation import tril, triu
from sporax._src.ops.array.shape import roll, swapaxes
from sporax._src.ops.linalg import diagonals
from sporax._src.ops.linalg.diagonals import diag_embed, diagonal
from sporax._src.ops.linalg.linalg import det, inverse
from sporax._src.ops.linalg.products import matmul
from sporax._src.ops.math import norms, special, statistics
from sporax._src.ops.math.special import digamma, igamma, lgamma
from sporax._src.ops.math.statistics import logsumexp

__all__ = [
    "ClipByNorm", "DiGamma", "IGamma", "L1Regularizer", "LBeta", "LGamma", "MatDet", "MatInverse", "MatMul",
    "MatrixDiag", "MatrixDiagPart", "MatrixSetDiag", "Moments", "Norm", "Range", "ReduceLogSumExp", "Roll", "Tril",
    "Triu",
]  # fmt: skip

_HALVES = (mstype.float16, mstype.float32, mstype.bfloat16, mstype.float64)


class _Plain(Cell):
    """A layer without arguments."""

    def __init__(self) -> None:
        super().__init__()


# --- statistics and norms -------------------------------------------------------------------------------------------


class Moments(Cell):
    """Computes the mean and the (biased) variance of x.

    Args:
        axis: The axis, or a tuple of axes; None for all.
        keep_dims: Whether those axes stay, with size 1; None for False.

    Outputs:
        A tuple of two Tensors.
    """

    def __init__(self, axis: int | tuple[int, ...] | None = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        axis = () if axis is None else of_type(self, "axis", axis, (int, tuple))
        for item in axis if isinstance(axis, tuple) else ():
            of_type(self, "each element of axis", item, int)
        self.axis = axis
        self.keep_dims = False if keep_dims is None else flag(self, "keep_dims", keep_dims)

    cast, reduce_mean, square_diff = holds("Cast"), holds("ReduceMean", True), holds("SquaredDifference")
    squeeze = holds("Squeeze", own.axis)

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        dtype_input(self, _HALVES, x=x)
        return statistics.moments(x, self.axis, self.keep_dims)


class ReduceLogSumExp(Cell):
    """Computes ln Σ exp(x) over `axis`, see `ops.logsumexp`.

    Args:
        axis: An axis, or several; `()` for all.
        keep_dims: Whether those axes stay, with size 1.
    """

    def __init__(self, axis: int | tuple[int, ...], keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = of_type(self, "axis", axis, (int, list, tuple))
        self.keep_dims = flag(self, "keep_dims", keep_dims)

    exp, log = holds("Exp"), holds("Log")
    max, sum = holds("ReduceMax"), holds("ReduceSum", own.keep_dims)

    def construct(self, x: Tensor) -> Tensor:
        axis = tuple(range(len(x.shape))) if self.axis in ((), []) else self.axis
        return logsumexp(x, axis, self.keep_dims)


class Norm(Cell):
    """Computes √Σ x² over `axis`.

    Args:
        axis: An axis, or a tuple of axes; `()` for all.
        keep_dims: Whether those axes stay, with size 1.
    """

    def __init__(self, axis: int | tuple[int, ...] = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = flag(self, "keep_dims", keep_dims)

    reduce_sum, sqrt, squeeze = holds("ReduceSum", True), holds("Sqrt"), holds("Squeeze", own.axis)

    def construct(self, x: Tensor) -> Tensor:
        return norms.l2_norm(x, self.axis, self.keep_dims)

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class ClipByNorm(Cell):
    """Computes x · clip_norm / max(‖x‖, clip_norm).

    Args:
        axis: The axis, or axes, of the norm; None for all.

    Inputs:
        - **x** (Tensor) - Any shape.
        - **clip_norm** (Tensor) - A number, or a shape that broadcasts to x.
    """

    def __init__(self, axis: int | tuple[int, ...] | None = None) -> None:
        super().__init__()
        self.axis = None if axis is None else of_type(self, "axis", axis, (int, tuple, list))

    clip_by_norm = holds("ClipByNorm", own.axis)

    def construct(self, x: Tensor, clip_norm: Tensor) -> Tensor:
        return norms.clip_by_norm(x, clip_norm, self.axis)


class L1Regularizer(Cell):
    """Computes scale · Σ |weights|.

    Args:
        scale: The factor, positive and finite.
    """

    def __init__(self, scale: float) -> None:
        super().__init__()
        of_type(self, "scale", scale, (int, float))
        if not 0 < scale < math.inf:
            raise ValueError(f"{label(self)}: scale must be positive and finite, got {scale}.")
        self._scale, self.scale = float(scale), Tensor(scale, mstype.float32)

    abs, reduce_sum = holds("Abs"), holds("ReduceSum")

    def construct(self, weights: Tensor) -> Tensor:
        return norms.l1_norm(weights, self._scale)


# --- special functions ----------------------------------------------------------------------------------------------


class LGamma(_Plain):
    """Computes ln |Γ(x)|, see `ops.lgamma`."""

    def construct(self, x: Tensor) -> Tensor:
        dtype_input(self, _HALVES, x=x)
        return lgamma(x)


class DiGamma(_Plain):
    """Computes the derivative of ln Γ(x), see `ops.digamma`."""

    def construct(self, x: Tensor) -> Tensor:
        dtype_input(self, _HALVES, x=x)
        return digamma(x)


class IGamma(_Plain):
    """Computes the regularised lower incomplete gamma function P(a, x), see `ops.igamma`."""

    def construct(self, a: Tensor, x: Tensor) -> Tensor:
        dtype_input(self, (mstype.float32, mstype.float64), a=a, x=x)
        return igamma(a, x)


class LBeta(_Plain):
    """Computes ln |B(x, y)|, B the beta function."""

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        dtype_input(self, _HALVES, x=x, y=y)
        return special.lbeta(x, y)


class Range(Cell):
    """Returns the numbers start, start + delta, ... below limit.

    Args:
        start: The first number; if `limit` is None, the numbers run from 0 to it.
        limit: The end of the numbers.
        delta: The step, not 0.
    """

    def __init__(self, start: float, limit: float | None = None, delta: float = 1) -> None:
        super().__init__()
        if delta == 0:
            raise ValueError(f"{label(self)}: delta must not be 0.")
        values = np.arange(start, limit, delta) if limit is not None else np.arange(0, start, delta)
        self.ms_dtype = mstype.float32 if values.dtype.kind == "f" else mstype.int32
        self.result_tensor = Tensor(values, self.ms_dtype)

    def construct(self) -> Tensor:
        return self.result_tensor


# --- matrices -------------------------------------------------------------------------------------------------------


class MatMul(Cell):
    """Computes the matrix product of x1 and x2, leading axes broadcast.

    Args:
        transpose_x1, transpose_x2: Whether the last two axes of that input are exchanged first (if it has two).
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = flag(self, "transpose_x1", transpose_x1)
        self.transpose_x2 = flag(self, "transpose_x2", transpose_x2)

    shape_op, expand_op, reduce_sum_op = holds("Shape"), holds("ExpandDims"), holds("ReduceSum")
    squeeze_left_op, squeeze_right_op = holds("Squeeze", -2), holds("Squeeze", -1)

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        if not x1.shape or not x2.shape:
            raise bad_input(self, "x1 and x2 must have at least 1 axis.", x1=x1, x2=x2)
        x1 = swapaxes(x1, -1, -2) if self.transpose_x1 and len(x1.shape) > 1 else x1
        x2 = swapaxes(x2, -1, -2) if self.transpose_x2 and len(x2.shape) > 1 else x2
        return matmul(x1, x2)


class MatInverse(_Plain):
    """Computes the inverse of symmetric positive definite matrices, see `ops.inverse`."""

    dtype = holds("DType")

    def construct(self, a: Tensor) -> Tensor:
        dtype_input(self, _HALVES, a=a)
        return inverse(a)


class MatDet(_Plain):
    """Computes the determinant of symmetric positive definite matrices, see `ops.det`."""

    dtype, cholesky, square = holds("DType"), holds("Cholesky"), holds("Square")

    def construct(self, a: Tensor) -> Tensor:
        dtype_input(self, _HALVES, a=a)
        return det(a)


class MatrixDiag(_Plain):
    """Returns matrices with the last axis of x on their diagonals, zero elsewhere."""

    dtype = holds("DType")

    def construct(self, input_x: Tensor) -> Tensor:
        return diag_embed(input_x)


class MatrixDiagPart(_Plain):
    """Returns the diagonals of matrices, shape (*, M, N)."""

    dtype = holds("DType")

    def construct(self, input_x: Tensor) -> Tensor:
        return diagonal(input_x, 0, -2, -1)


class MatrixSetDiag(_Plain):
    """Returns matrices, shape (*, M, N), with other diagonals, shape (*, min(M, N))."""

    dtype = holds("DType")

    def construct(self, input_x: Tensor, diagonal: Tensor) -> Tensor:
        return diagonals.set_diagonal(input_x, diagonal)


class Tril(_Plain):
    """Returns matrices with zeros above diagonal number k, see `ops.tril`."""

    dtype, mul, cast = holds("DType"), holds("Mul"), holds("Cast")

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return tril(x, k)


class Triu(_Plain):
    """Returns matrices with zeros below diagonal number k, see `ops.triu`."""

    dtype, mul, cast = holds("DType"), holds("Mul"), holds("Cast")

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return triu(x, k)


class Roll(Cell):
    """Shifts elements along axes; those pushed out at the end come in at the front.

    Args:
        shift: The number of positions, one for each axis.
        axis: The axis, or axes.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If there are not as many shifts as axes.
    """

    def __init__(self, shift: int | Sequence[int], axis: int | Sequence[int]) -> None:
        super().__init__()
        self.shift = _listed(of_type(self, "shift", shift, (int, tuple, list)))
        self.axis = _listed(of_type(self, "axis", axis, (int, tuple, list)))
        if len(self.shift) != len(self.axis):
            raise ValueError(
                f"{label(self)}: there must be a shift for each axis, got {describe(shift)} and {describe(axis)}."
            )

    shape_op, gpu = holds("Shape"), False
    op_list = cached_property(
        lambda self: [(PRIMITIVES["Roll"](by, 0), axis) for by, axis in zip(self.shift, self.axis, strict=True)]
    )

    def construct(self, input_x: Tensor) -> Tensor:
        return roll(input_x, tuple(self.shift), tuple(self.axis))


def _listed(value: Any) -> list[int]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
