"""Functions of `mint` that are no view of one row; see also `mint_extra_order` and `mint_extra_batch`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import PUBLIC, axes
from sporax._src.ops.conversion import cast
from sporax._src.ops.table import internal


def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether any element, over all axes or along `dim`, is true.

    Args:
        input: A Tensor; numbers other than 0 are true.
        dim: An axis or several; None means all.
        keepdim: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> mint.any(Tensor([[True, False], [False, False]]), 1).asnumpy()
        array([ True, False])
    """
    return PUBLIC["any"](cast(input, mstype.bool_), dim, keepdim)


def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether all elements, over all axes or along `dim`, are true.

    Args:
        input: A Tensor; numbers other than 0 are true.
        dim: An axis or several; None means all.
        keepdim: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> mint.all(Tensor([[True, False], [True, True]]), 1).asnumpy()
        array([False,  True])
    """
    return PUBLIC["all"](cast(input, mstype.bool_), dim, keepdim)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean over all axes or along `dim`, computed in `dtype` if it is given.

    Args:
        input: A Tensor of numbers.
        dim: An axis or several; None means all.
        keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If `input` is boolean and no dtype is given.
        ValueError: If an axis is out of range.

    Examples:
        >>> mint.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
        array([1.5, 3.5], dtype=float32)
    """
    return PUBLIC["mean"](input if dtype is None else cast(input, dtype), dim, keepdim)


def meshgrid(*tensors: Tensor, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Return the coordinates of a grid, one Tensor for each vector of coordinates.

    Args:
        tensors: Vectors of coordinates, or one sequence of them.
        indexing: "ij" (the first vector runs along axis 0) or "xy" (along axis 1).

    Raises:
        ValueError: If `indexing` is unknown.

    Examples:
        >>> [t.tolist() for t in mint.meshgrid(Tensor([1, 2]), Tensor([3]))]
        [[[1], [2]], [[3], [3]]]
    """
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    return PUBLIC["meshgrid"](*given, indexing=indexing)


def permute(input: Tensor, *dims: Any) -> Tensor:
    """Return the Tensor with its axes in the given order.

    Args:
        input: A Tensor.
        dims: The axis of the input that becomes axis 0, 1, ... of the result: ints, or one sequence.

    Raises:
        ValueError: If `dims` does not name each axis once.

    Examples:
        >>> mint.permute(mint.ones((2, 3, 4)), 2, 0, 1).shape
        (4, 2, 3)
    """
    return PUBLIC["permute"](input, dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the p-norm of all elements or along `dim`; `"fro"` is the 2-norm, `"nuc"` the sum of singular values.

    Args:
        input: A Tensor of floats or complex numbers.
        p: A number, "fro" or "nuc".
        dim: An axis or several; None means all (for "nuc" the last two).
        keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If `input` is not of a float or complex dtype, and no dtype is given.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(mint.norm(Tensor([3.0, 4.0])))
        5.0
    """
    if p == "nuc":
        return PUBLIC["matrix_norm"](input, p, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return PUBLIC["vector_norm"](input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """Return input + value · tensor1 / tensor2.

    Args:
        input: A Tensor.
        tensor1: A Tensor.
        tensor2: A Tensor; the three broadcast.
        value: A number.

    Examples:
        >>> mint.addcdiv(Tensor([1.0]), Tensor([6.0]), Tensor([3.0]), value=2).asnumpy()
        array([5.], dtype=float32)
    """
    return PUBLIC["addcdiv"](input, tensor1, tensor2, value)


@internal("mint.select")
def _select(input: Array, index: Array, dim: int) -> Array:
    dim = axes.one(dim, input.ndim, "dim")
    return jax.lax.dynamic_index_in_dim(input, jnp.asarray(index).astype(np.int64), dim, keepdims=False)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return the slice number `index` along `dim`.

    Args:
        input: A Tensor.
        dim: The axis, counted from the end where it is negative.
        index: An int or Tensor; counted from the end where it is negative.

    Returns:
        A Tensor without the axis.

    Raises:
        IndexError: If there is no such slice.
        ValueError: If the axis is out of range.

    Examples:
        >>> mint.select(Tensor([[1, 2], [3, 4]]), 0, 1).asnumpy()
        array([3, 4])
    """
    size = input.shape[axes.one(dim, input.ndim, "dim")]
    if isinstance(index, int) and not -size <= index < size:
        raise IndexError(f"mint.select: index must be in [{-size}, {size}), got {index}.")
    return _select(input, index, dim)


@internal("mint.index_add", bounds=lambda input, index, dim, **_: [("index", index, input.shape[dim])])
def _index_add(input: Array, index: Array, source: Array, alpha: Array, dim: int) -> Array:
    dim = axes.one(dim, input.ndim, "dim")
    place = (slice(None),) * dim + (index,)
    return input.at[place].add(source.astype(input.dtype) * jnp.asarray(alpha).astype(input.dtype))


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """Return input with alpha · source added to its slices number `index` along `dim`.

    Args:
        input: A Tensor.
        dim: The axis, counted from the end where it is negative.
        index: A 1-D integer Tensor: where each slice of `source` goes.
        source: A Tensor of the shape of `input` but for len(index) along `dim`.
        alpha: A factor of the slices.

    Raises:
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> mint.index_add(Tensor([1, 2, 3]), 0, Tensor([0, 2]), Tensor([10, 20])).asnumpy()
        array([11,  2, 23])
    """
    return _index_add(input, index, source, alpha, dim)


@internal("mint.triangular_solve")
def _triangular_solve(b: Array, A: Array, upper: bool, transpose: bool, unitriangular: bool) -> tuple[Array, Array]:
    shape = jnp.broadcast_shapes(b.shape[:-2], A.shape[:-2])
    b, a = jnp.broadcast_to(b, shape + b.shape[-2:]), jnp.broadcast_to(A, shape + A.shape[-2:])
    x = jax.lax.linalg.triangular_solve(
        a, b, left_side=True, lower=not upper, transpose_a=transpose, unit_diagonal=unitriangular
    )
    return x, a


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Return X with A · X = b for triangular matrices A, and A.

    Args:
        b: A Tensor of shape (..., M, K).
        A: A Tensor of shape (..., M, M), of which one triangle is read.
        upper: Whether that is the upper one.
        transpose: Whether the transpose of A is meant.
        unitriangular: Whether the diagonal counts as ones.

    Returns:
        X of shape (..., M, K), and A.

    Examples:
        >>> mint.triangular_solve(Tensor([[4.0], [2.0]]), Tensor([[2.0, 1.0], [0.0, 1.0]]))[0].asnumpy()
        array([[1.],
               [2.]], dtype=float32)
    """
    return _triangular_solve(b, A, upper, transpose, unitriangular)


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two Tensors have the same shape and the same elements.

    Args:
        input: A Tensor.
        other: A Tensor.

    Raises:
        TypeError: If one is none.

    Examples:
        >>> mint.equal(Tensor([1, 2]), Tensor([1, 2]))
        True
    """
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        raise TypeError(f"mint.equal: expected two Tensors, got {type(input).__name__} and {type(other).__name__}.")
    return input.shape == other.shape and bool(PUBLIC["equal"](input, other).asnumpy().all())


# --- without values -------------------------------------------------------------------------------------------------


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Return a Tensor of one value, in the dtype of the value: int64, float32 or bool for Python's numbers.

    Args:
        size: An int or several.
        fill_value: A number or a Tensor of one element.
        dtype: The dtype.

    Examples:
        >>> mint.full((2,), 7).asnumpy()
        array([7, 7])
    """
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, Tensor) else mstype.as_type(type(fill_value))
    return PUBLIC["full"](size, fill_value, dtype=dtype)


def empty(*size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a Tensor of zeros: there is no uninitialised memory here, and one device (`device` has no effect).

    Args:
        size: The sizes, or one tuple of them.
        dtype: The dtype; float32 if None.
        device: Accepted.

    Examples:
        >>> mint.empty(2, 3).shape
        (2, 3)
    """
    return PUBLIC["zeros"](size[0] if len(size) == 1 else size, dtype)


def empty_like(input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return zeros of the shape and, unless given, dtype of the input; `device` has no effect.

    Args:
        input: A Tensor.
        dtype: The dtype; that of `input` if None.
        device: Accepted.

    Examples:
        >>> mint.empty_like(Tensor([1, 2])).shape
        (2,)
    """
    return PUBLIC["zeros_like"](input, dtype=dtype)


def clone(input: Tensor) -> Tensor:
    """Return a new Tensor with the same values, through which gradients flow.

    Args:
        input: A Tensor.

    Examples:
        >>> mint.clone(Tensor([1, 2])).asnumpy()
        array([1, 2])
    """
    return input.copy()


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Return whether |input - other| <= atol + rtol · |other| holds for all elements.

    Args:
        input: A Tensor.
        other: A Tensor that broadcasts with `input`.
        rtol: The relative tolerance.
        atol: The absolute tolerance.
        equal_nan: Whether NaN equals NaN.

    Examples:
        >>> mint.allclose(Tensor([1.0]), Tensor([1.0 + 1e-6]))
        True
    """
    return bool(PUBLIC["isclose"](input, other, rtol, atol, equal_nan).asnumpy().all())
