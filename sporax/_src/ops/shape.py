"""Operators that rearrange axes: reshape, transpose, expand_dims, squeeze, flatten, ..."""

from __future__ import annotations

import math

import jax.numpy as jnp

from sporax._src.base.typing import Array, Axis, Shape
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.table import composite, op

# --- sizes and order of the axes ------------------------------------------------------------------------------------


@op(
    ref="numpy.reshape",
    cases=("T(2, 3), (3, 2)", "T(2, 3), (-1,)", "I(2, 3, 4), (4, -1)", "T(0, 3), (3, 0)", "T(1), ()"),
    errors=(
        ("T(2, 3), (4,)", "6 elements"),
        ("T(2, 3), (-1, 4)", "6 elements"),
        ("T(2, 3), (-1, -1)", "at most one -1"),
    ),
    primitive=("Reshape()",),
)
def reshape(input: Array, shape: Shape) -> Array:
    """Return the elements in row-major order under another shape.

    Args:
        input: A Tensor.
        shape: The sizes; one of them may be -1 and follows from the rest.

    Raises:
        ValueError: If the number of elements does not fit, or more than one size is -1.

    Examples:
        >>> ops.reshape(Tensor([[1, 2], [3, 4]]), (4,)).asnumpy()
        array([1, 2, 3, 4])
    """
    shape = axes.sizes(shape)
    if shape.count(-1) > 1 or any(d < -1 for d in shape):
        raise ValueError(f"shape must have at most one -1 and no other negative size, got {shape}.")
    known = math.prod(d for d in shape if d != -1)
    fits = (known and input.size % known == 0) if -1 in shape else known == input.size
    if not fits:
        raise ValueError(f"input has {input.size} elements, which do not fit the shape {shape}.")
    if -1 in shape:
        shape = tuple(input.size // known if d == -1 else d for d in shape)
    return jnp.reshape(input, shape)


@op(
    ref="numpy.transpose",
    cases=("T(2, 3, 4), (2, 0, 1)", "T(2, 3), (-1, 0)", "I(3), (0,)", "T(0, 3), (1, 0)"),
    errors=(("T(2, 3), (0,)", "2 axes"), ("T(2, 3), (0, 0)", "twice"), ("T(2, 3), (0, 2)", "[-2, 2)")),
    primitive=("Transpose()", "TransposeView()"),
)
def transpose(input: Array, input_perm: Shape) -> Array:
    """Return the input with its axes in another order.

    Args:
        input: A Tensor.
        input_perm: The axis of the input that becomes axis 0, 1, ... of the result.

    Raises:
        ValueError: If `input_perm` does not name each axis once.

    Examples:
        >>> ops.transpose(ops.ones((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    perm = axes.several(input_perm, input.ndim, "input_perm")
    if len(perm) != input.ndim:
        raise ValueError(f"input_perm must name all {input.ndim} axes, got {input_perm}.")
    return jnp.transpose(input, perm)


@composite(
    ref="numpy.transpose",
    cases=("T(2, 3, 4), (2, 0, 1)", "T(2, 3), (1, 0)"),
    errors=(("T(), (2, 0, 1)", "input_perm must be in [0, 0)"),),
)
def permute(input: Tensor, axis: Shape) -> Tensor:
    """Return the input with its axes in the order `axis`.

    Args:
        input: A Tensor.
        axis: The axis of the input that becomes axis 0, 1, ... of the result.

    Raises:
        ValueError: If `axis` does not name each axis once.

    Examples:
        >>> ops.permute(ops.ones((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    return transpose(input, axis)


@op(
    ref="numpy.swapaxes",
    cases=("T(2, 3, 4), 0, 2", "T(2, 3), -1, -2", "T(3), 0, 0"),
    errors=(("T(2, 3), 0, 2", "axis1"),),
    method="swapaxes",
)
def swapaxes(input: Array, axis0: int, axis1: int) -> Array:
    """Return the input with two axes exchanged.

    Args:
        input: A Tensor.
        axis0: The one axis.
        axis1: The other axis.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.swapaxes(ops.ones((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    return jnp.swapaxes(input, axes.one(axis0, input.ndim, "axis0"), axes.one(axis1, input.ndim, "axis1"))


@op(
    ref="numpy.swapaxes",
    cases=("T(2, 3, 4), 0, 2",),
    errors=(("T(2, 3, 4), 99, 2", "axis0 must be in [-3, 3)"),),
    method="swapdims",
    primitive="TransposeExtView()",
)
def swapdims(input: Array, dim0: int, dim1: int) -> Array:
    """Return the input with two axes exchanged.

    Args:
        input: A Tensor.
        dim0: The one axis.
        dim1: The other axis.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.swapdims(ops.ones((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    return swapaxes.raw(input, dim0, dim1)


@op(
    ref="numpy.moveaxis",
    cases=("T(2, 3, 4), 0, 2", "T(2, 3, 4), (0, 1), (-1, -2)"),
    errors=(("T(2, 3), (0, 1), 0", "equal numbers"),),
    aliases="moveaxis",
    method=("movedim", "moveaxis"),
)
def movedim(x: Array, source: Axis, destination: Axis) -> Array:
    """Return the input with the axes `source` moved to the places `destination`.

    Args:
        x: A Tensor.
        source: An axis or several.
        destination: As many axes: where they go in the result.

    Raises:
        ValueError: If an axis is out of range, or the numbers of axes differ.

    Examples:
        >>> ops.movedim(ops.ones((2, 3, 4)), 0, 2).shape
        (3, 4, 2)
    """
    where, to = axes.several(source, x.ndim, "source"), axes.several(destination, x.ndim, "destination")
    if len(where) != len(to):
        raise ValueError(f"source and destination must have equal numbers of axes, got {source} and {destination}.")
    return jnp.moveaxis(x, where, to)


@op(ref="numpy.transpose", cases=("T(2, 3)", "T(3)"), errors=(("T(2, 3, 4)", "at most 2"),), method="t")
def t(input: Array) -> Array:
    """Return the transpose of a matrix; a vector stays as it is.

    Args:
        input: A Tensor with at most 2 axes.

    Raises:
        ValueError: If it has more.

    Examples:
        >>> ops.t(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([[1, 3],
               [2, 4]])
    """
    if input.ndim > 2:
        raise ValueError(f"input must have at most 2 axes, got {input.ndim}.")
    return jnp.transpose(input)


@op(
    ref="sporax._src.testing.array_references.adjoint",
    cases=("C(2, 3)", "T(4, 2, 3)"),
    errors=(("T(3)", "at least 2"),),
    method=("adjoint",),
)
def adjoint(x: Array) -> Array:
    """Return the conjugate of the input with its last two axes exchanged.

    Args:
        x: A Tensor of shape (..., M, N).

    Returns:
        A Tensor of shape (..., N, M).

    Raises:
        ValueError: If `x` has fewer than 2 axes.

    Examples:
        >>> ops.adjoint(Tensor([[1 + 2j, 3]])).asnumpy()
        array([[1.-2.j],
               [3.-0.j]])
    """
    if x.ndim < 2:
        raise ValueError(f"x must have at least 2 axes, got {x.ndim}.")
    return jnp.conj(jnp.swapaxes(x, -1, -2))


# --- adding and removing axes ---------------------------------------------------------------------------------------


@op(
    ref="numpy.expand_dims",
    cases=("T(2, 3), 0", "T(2, 3), -1", "T(2, 3), 2", "T(), 0"),
    errors=(("T(2), 5", "[-2, 2)"),),
    method="expand_dims",
    primitive="ExpandDims()",
)
def expand_dims(input_x: Array, axis: int) -> Array:
    """Return the input with an axis of size 1 at position `axis` of the result.

    Args:
        input_x: A Tensor.
        axis: A place in the result, from -n - 1 to n for an input of n axes.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.expand_dims(ops.ones((2, 3)), -1).shape
        (2, 3, 1)
    """
    return jnp.expand_dims(input_x, axes.one(axis, input_x.ndim + 1))


@op(
    ref="numpy.expand_dims",
    cases=("T(2, 3), 0", "T(2, 3), -1"),
    errors=(("T(2, 3), 99", "dim must be in [-3, 3)"),),
    method="unsqueeze",
)
def unsqueeze(input: Array, dim: int) -> Array:
    """Return the input with an axis of size 1 at position `dim` of the result.

    Args:
        input: A Tensor.
        dim: A place in the result, from -n - 1 to n for an input of n axes.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.unsqueeze(ops.ones((2, 3)), 0).shape
        (1, 2, 3)
    """
    return jnp.expand_dims(input, axes.one(dim, input.ndim + 1, "dim"))


@op(
    ref="numpy.squeeze",
    cases=("T(2, 1, 3)", "T(2, 1, 3), 1", "T(1, 2, 1), (0, 2)", "T(2)"),
    errors=(("T(2, 1), 0", "size 1"), ("T(2, 1), 5", "[-2, 2)")),
    method="squeeze",
    primitive="Squeeze(axis=())",
)
def squeeze(input: Array, axis: Axis = None) -> Array:
    """Return the input without its axes of size 1, or without those that `axis` names.

    Args:
        input: A Tensor.
        axis: An axis or several, each of size 1; None or () takes all of size 1.

    Raises:
        ValueError: If an axis is out of range or has another size.

    Examples:
        >>> ops.squeeze(ops.ones((1, 2, 1))).shape
        (2,)
    """
    chosen = axes.several(axis, input.ndim) if axis is not None and axis != () else None
    for a in chosen or ():
        if input.shape[a] != 1:
            raise ValueError(f"axis must name axes of size 1, axis {a} has size {input.shape[a]}.")
    return jnp.squeeze(input, chosen)


@op(
    cases=("T(2, 3, 4)", "T(2, 3, 4), start_dim=0", "T(3)", "T(2, 3), 'F'", "T()"),
    ref="sporax._src.testing.array_references.flatten",
    errors=(("T(2, 3), 'X'", "order"), ("T(2, 3, 4), start_dim=2, end_dim=1", "start_dim")),
)
def flatten(input: Array, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Array:
    """Return the input with the axes from `start_dim` to `end_dim` merged into one.

    Args:
        input: A Tensor.
        order: `"C"` row-major, `"F"` column-major.
        start_dim, end_dim: The first and the last axis that is merged.

    Raises:
        ValueError: If `order` is unknown, an axis is out of range, or `start_dim` comes after `end_dim`.

    Examples:
        >>> ops.flatten(ops.ones((2, 3, 4))).shape
        (2, 12)
    """
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}.")
    if input.ndim < 2 and start_dim in (0, 1):
        return jnp.reshape(input, (-1,))
    if order == "F":
        input = jnp.transpose(input)
    first, last = axes.one(start_dim, input.ndim, "start_dim"), axes.one(end_dim, input.ndim, "end_dim")
    if first > last:
        raise ValueError(f"start_dim must not come after end_dim, got {start_dim} and {end_dim}.")
    merged = math.prod(input.shape[first : last + 1])
    return jnp.reshape(input, (*input.shape[:first], merged, *input.shape[last + 1 :]))


@op(
    cases=("T(2, 3, 4)", "T(3)", "T(0, 3)"),
    ref="sporax._src.testing.array_references.flatten_rest",
    errors=(("T()", "at least 1 axis"),),
    name="_flatten",
    primitive="Flatten()",
)
def _flatten(input_x: Array) -> Array:
    """Return the input as a matrix: the first axis stays, the others become one.

    Args:
        input_x: A Tensor of at least 1 axis.

    Raises:
        ValueError: If `input_x` has no axis.

    Examples:
        >>> ops.Flatten()(ops.ones((2, 3, 4))).shape
        (2, 12)
    """
    if not input_x.ndim:
        raise ValueError("input_x must have at least 1 axis, got a Tensor of none.")
    return jnp.reshape(input_x, (input_x.shape[0], math.prod(input_x.shape[1:])))


@op(
    ref="numpy.ravel",
    cases=("T(2, 3)", "T()"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="ravel",
)
def ravel(input: Array) -> Array:
    """Return all elements in row-major order as a vector.

    Args:
        input: A Tensor.

    Examples:
        >>> ops.ravel(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([1, 2, 3, 4])
    """
    return jnp.reshape(input, (-1,))
