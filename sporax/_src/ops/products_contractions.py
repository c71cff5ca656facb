"""Sums of products over chosen axes: inner, cross, Einstein's and Kronecker's products."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, Static
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.primitive import primitive
from sporax._src.ops.products import REF
from sporax._src.ops.table import composite, internal, op


@op(
    ref="numpy.inner",
    cases=("T(3), T(3)", "T(2, 3), T(4, 3)", "T(2), T()"),
    errors=(("T(2), T(3)", "last axes"),),
    method="inner",
)
def inner(input: Array, other: Array) -> Array:
    """Return the sums of products over the last axes of both operands.

    Args:
        input: A Tensor of shape (..., K), or of no axes.
        other: A Tensor of shape (..., K), or of no axes.

    Returns:
        A Tensor with the leading axes of input, then those of other.

    Raises:
        ValueError: If the sizes K differ.

    Examples:
        >>> ops.inner(Tensor([1.0, 2.0]), Tensor([[3.0, 4.0], [5.0, 6.0]])).asnumpy()
        array([11., 17.], dtype=float32)
    """
    if input.ndim and other.ndim and input.shape[-1] != other.shape[-1]:
        raise ValueError(f"last axes must agree, got {input.shape[-1]} and {other.shape[-1]}.")
    return jnp.inner(*unify(input, other))


@op(ref=REF + "vecdot", cases=("T(2, 3), T(2, 3)", "T(2, 3), T(3)"), errors=(("T(2), T(2), axis=1", "[-1, 1)"),))
def vecdot(x: Array, y: Array, *, axis: int = -1) -> Array:
    """Return the sums of conj(x)·y along an axis.

    Args:
        x: A Tensor.
        y: A Tensor that broadcasts with `x`.
        axis: The axis that is summed over, counted from the end in both.

    Raises:
        ValueError: If the axis is out of range.
        TypeError: If the shapes do not broadcast.

    Examples:
        >>> ops.vecdot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])).asnumpy()
        array([3., 7.], dtype=float32)
    """
    axis = axes.one(axis, min(x.ndim, y.ndim))
    x, y = unify(x, y)
    dtype = np.int64 if x.dtype.kind in "biu" else x.dtype
    return jnp.sum(jnp.conj(x) * y, axis - min(x.ndim, y.ndim), dtype=dtype)


@op(
    ref=REF + "cross",
    cases=("T(2, 3), T(2, 3)", "T(3, 2), T(3, 2), 0", "T(3), T(3)"),
    errors=(("T(2), T(2)", "size 3"), ("T(2, 3), T(2, 3), 0", "size 3")),
    method="cross",
)
def cross(input: Array, other: Array, dim: int | None = None) -> Array:
    """Return the vector products along an axis of size 3 (the first such if `dim` is None).

    Args:
        input: A Tensor.
        other: A Tensor of the shape of `input`.
        dim: The axis of the vectors.

    Raises:
        ValueError: If the axis is out of range or has not size 3.

    Examples:
        >>> ops.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])).asnumpy()
        array([0., 0., 1.], dtype=float32)
    """
    sizes = input.shape
    axis = next((d for d, n in enumerate(sizes) if n == 3), None) if dim is None else axes.one(dim, input.ndim, "dim")
    if axis is None or sizes[axis] != 3:
        raise ValueError(f"dim must be an axis of size 3, got {dim} for the shape {sizes}.")
    return jnp.cross(*unify(input, other), axis=axis)


@primitive("Cross(dim=-65530)")
def _cross(x1: Tensor, x2: Tensor, dim: int = -65530) -> Tensor:
    """Return the vector products along an axis of size 3.

    Args:
        x1: A Tensor.
        x2: A Tensor of its shape.
        dim: The axis; -65530 means the first of size 3.

    Raises:
        ValueError: If the axis has not size 3.

    Examples:
        >>> ops.Cross()(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])).asnumpy()
        array([0., 0., 1.], dtype=float32)
    """
    return cross(x1, x2, None if dim == -65530 else dim)


# --- any axes -------------------------------------------------------------------------------------------------------


@internal("einsum")
def _einsum(operands: Arrays, equation: Static) -> Array:
    return jnp.einsum(equation, *unify(*operands))


@composite(
    ref="numpy.einsum",
    cases=(
        "'ij,jk->ik', T(2, 3), T(3, 4)",
        "'ii->i', T(3, 3)",
        "'bij,bjk', T(2, 2, 3), T(2, 3, 2)",
        "'i,j->ij', T(2), T(3)",
        "'...ij->...ji', T(2, 3, 4)",
    ),
    errors=(("'ij,jk', T(2, 3), T(2, 3)", "ops.einsum"), ("3, T(2)", "equation")),
)
def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Return the sum of products that Einstein's notation describes.

    Args:
        equation: Such as `"ij,jk->ik"`: the axes of each operand, and those of the result.
        *operands: The Tensors, or a tuple of them.

    Raises:
        TypeError: If the equation is no str.
        ValueError: If it does not fit the operands.

    Examples:
        >>> ops.einsum("ij,jk->ik", ops.ones((2, 3)), ops.ones((3, 4))).shape
        (2, 4)
    """
    if not isinstance(equation, str):
        raise TypeError(f"ops.einsum: equation must be a string, got {type(equation).__name__}.")
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    return _einsum(given, equation)


@primitive("Einsum(equation)")
def _einsum_primitive(inputs: Any, equation: str) -> Tensor:
    """Return the sum of products that Einstein's notation describes.

    Args:
        inputs: A tuple of Tensors.
        equation: Such as "ij,jk->ik".

    Raises:
        ValueError: If it does not fit the operands.

    Examples:
        >>> ops.Einsum("ij,jk->ik")((ops.ones((2, 3)), ops.ones((3, 4)))).shape
        (2, 4)
    """
    return einsum(equation, *inputs)


@op(
    ref="numpy.tensordot",
    cases=("T(2, 3), T(3, 4), 1", "T(2, 3, 4), T(4, 3), ((1, 2), (1, 0))", "T(2), T(3), 0"),
    errors=(("T(2, 3), T(4, 2), 1", "agree"),),
)
def tensor_dot(x1: Array, x2: Array, axes: Static) -> Array:
    """Return the sums of products over given axes.

    Args:
        x1, x2: Tensors.
        axes: n: the last n axes of x1 and the first n of x2; or a pair of axes or of sequences of axes.

    Raises:
        ValueError: If the sizes of the axes do not agree.

    Examples:
        >>> ops.tensor_dot(ops.ones((2, 3, 4)), ops.ones((3, 4, 5)), 2).shape
        (2, 5)
    """
    if isinstance(axes, int):
        first, second = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        first, second = ((a,) if isinstance(a, int) else tuple(a) for a in axes)
    if [x1.shape[a] for a in first] != [x2.shape[a] for a in second]:
        raise ValueError(f"the axes {first} of x1 {x1.shape} and {second} of x2 {x2.shape} must agree in size.")
    return jnp.tensordot(*unify(x1, x2), axes=(first, second))


@op(
    ref=REF + "batch_dot",
    cases=("T(2, 3), T(2, 3)", "T(2, 3, 4), T(2, 4, 5)", "T(2, 3, 4), T(2, 3), (1, 1)"),
    errors=(("T(2, 3), T(3, 3)", "batch"),),
)
def batch_dot(x1: Array, x2: Array, axes: Static = None) -> Array:
    """Return the sums of products over one axis of each operand, for each element of the batch along axis 0.

    Args:
        x1, x2: Tensors with at least 2 axes and one size of axis 0.
        axes: The axis of each; None: the last of x1 and the second-to-last of x2 (of a matrix the last).

    Raises:
        ValueError: If an operand has fewer than 2 axes, or the batch sizes differ.

    Examples:
        >>> ops.batch_dot(ops.ones((2, 3, 4)), ops.ones((2, 4, 5))).shape
        (2, 3, 5)
    """
    if x1.ndim < 2 or x2.ndim < 2 or x1.shape[0] != x2.shape[0]:
        raise ValueError(f"operands must have at least 2 axes and one batch size, got {x1.shape} and {x2.shape}.")
    pair = (-1, max(x2.ndim - 2, 1)) if axes is None else (axes, axes) if isinstance(axes, int) else axes
    a, b = jnp.moveaxis(x1, pair[0], -1), jnp.moveaxis(x2, pair[1], -1)
    left, right = (x.reshape(x.shape[0], math.prod(x.shape[1:-1]), x.shape[-1]) for x in (a, b))
    out = jnp.einsum("bik,bjk->bij", *unify(left, right)).reshape(*a.shape[:-1], *b.shape[1:-1])
    return out[:, None] if out.ndim == 1 else out


@op(
    ref="numpy.kron",
    cases=("T(2, 3), T(3, 2)", "T(2), T(3)"),
    errors=(("None, T(3, 2)", "operands must be Tensors or numbers"),),
)
def kron(input: Array, other: Array) -> Array:
    """Return the Kronecker product: every element of input times all of other.

    Args:
        input: A Tensor.
        other: A Tensor; the one with fewer axes is led by axes of size 1.

    Returns:
        A Tensor whose sizes are the products of those of the operands.

    Examples:
        >>> ops.kron(Tensor([1, 2]), Tensor([1, 10])).asnumpy()
        array([ 1, 10,  2, 20])
    """
    x, y = unify(input, other)
    return jnp.kron(x.astype(np.uint8), y.astype(np.uint8)).astype(bool) if x.dtype == bool else jnp.kron(x, y)
