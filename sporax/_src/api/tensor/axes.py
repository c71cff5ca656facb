"""Tensor methods on axes whose signatures are their own: views, orders, pieces, repetition, shifts."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.tensor_methods import method, methods, prop
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal
from sporax._src.ops.array import shape
from sporax._src.ops.math import elementwise


def sizes_of(args: tuple[Any, ...]) -> Any:
    """Return sizes or axes that were given one by one or as one sequence."""
    return args[0] if len(args) == 1 and isinstance(args[0], (tuple, list, Tensor)) else args


def reversed_axes(x: Tensor) -> tuple[int, ...]:
    """Return the axes of a Tensor, the last one first."""
    return tuple(range(len(x._data.shape) - 1, -1, -1))


@internal("Tensor.resize")
def resized(x: Array, sizes: Static) -> Array:
    """Return the elements under a shape that may be larger (filled with zeros) or smaller.

    Args:
        x: A Tensor.
        sizes: The sizes, ints or a tuple.

    Examples:
        >>> Tensor([1, 2]).resize(3).asnumpy()
        array([1, 2, 0])
    """
    wanted = math.prod(sizes)
    flat = jnp.ravel(x)[:wanted]
    return jnp.concatenate([flat, jnp.zeros(wanted - flat.size, x.dtype)]).reshape(sizes)


@internal("Tensor.sum_to_size")
def summed_to(x: Array, size: Static) -> Array:
    """Return the Tensor summed down to a shape that broadcasts to its own.

    Args:
        x: A Tensor.
        size: The sizes, ints or a tuple.

    Raises:
        ValueError: If that shape does not broadcast to the Tensor's.

    Examples:
        >>> ops.ones((2, 3)).sum_to_size(1, 3).asnumpy()
        array([[2., 2., 2.]], dtype=float32)
    """
    lead = x.ndim - len(size)
    if lead < 0 or any(want not in (1, have) for want, have in zip(size, x.shape[max(lead, 0) :], strict=True)):
        raise ValueError(f"size must broadcast to the Tensor's shape {x.shape}, got {size}.")
    x = jnp.sum(x, tuple(range(lead)), dtype=x.dtype)
    return jnp.sum(x, tuple(d for d, n in enumerate(size) if n == 1), keepdims=True, dtype=x.dtype)


methods(
    """
reshape(*shape_, shape=None) -> reshape(self, sizes_of(shape_) if shape is None else shape)
    shape_, shape: The sizes, ints or a tuple; one of them may be -1 and follows from the rest.
    (*shape: int)
    (shape: Shape)
reshape_as, view_as(other: Tensor) -> reshape(self, other.shape)
    Return the elements in row-major order under the shape of another Tensor.
    other: A Tensor with as many elements.
    ValueError: If the number of elements differs.
resize(*new_shape) -> resized(self, tuple(sizes_of(new_shape)))
permute(*axis) -> transpose(self, tuple(sizes_of(axis)) or reversed_axes(self))
    Return the Tensor with its axes in another order, or reversed if none is given.
    axis: The axis that becomes axis 0, 1, ... of the result: ints or a tuple.
    ValueError: If not each axis is named once.
T -> transpose(self, reversed_axes(self))
    The Tensor with its axes in reverse order.
mT -> swapaxes(self, -1, -2)
    The Tensor with its last two axes exchanged.
mH -> adjoint(self)
    The conjugate of the Tensor with its last two axes exchanged.
split(split_size=None, dim=0, *, split_size_or_sections=None, axis=None) -> \
split(self, split_size if split_size_or_sections is None else split_size_or_sections, dim if axis is None else axis)
chunk(chunks, dim=0, *, axis=None) -> chunk(self, chunks, dim if axis is None else axis)
broadcast_to(*size, shape: Any = None) -> broadcast_to(self, sizes_of(size) if shape is None else shape)
    Return the Tensor repeated along axes of size 1 and new leading axes.
    size, shape: The sizes, ints or a tuple; -1 keeps a size.
expand(*sizes, size: Any = None) -> broadcast_to(self, sizes_of(sizes) if size is None else size)
    Return the Tensor repeated along axes of size 1 and new leading axes.
    sizes, size: The sizes, ints or a tuple; -1 keeps a size.
expand_as(other=None, *, x=None) -> broadcast_to(self, (other if x is None else x).shape)
    Return the Tensor repeated along axes of size 1, and new leading axes, to the shape of another.
    other, x: A Tensor.
    ValueError: If the Tensor does not broadcast to its shape.
    (other: TensorArray)
    (x: TensorArray)
tile(*dims_, reps: Any = None, dims: Any = None) -> \
tile(self, dims if dims is not None else sizes_of(dims_) if reps is None else reps)
    Return the Tensor repeated along each axis; the shorter of its shape and `dims` is led by ones.
    dims_, dims, reps: How often along each axis, ints or a tuple.
repeat_interleave(repeats, dim=None, *, axis=None, output_size=None) -> \
repeat_interleave(self, repeats, dim if axis is None else axis)
    dim, axis: The axis; None flattens the Tensor first.
    output_size: Accepted: it follows from `repeats`.
roll(shifts: int | Shape, dims=None) -> roll(self, shifts, dims)
    dims: The axes; None shifts all elements as one vector.
reverse_sequence(seq_lengths: Tensor, seq_dim=0, batch_dim=0) -> reverse_sequence(self, seq_lengths, seq_dim, batch_dim)
    Return the Tensor with the first `seq_lengths[b]` elements along `seq_dim` reversed, for each b along `batch_dim`.
sum_to_size(*size) -> summed_to(self, tuple(sizes_of(size)))
""",
    {"resized": resized, "summed_to": summed_to},
    sizes_of=sizes_of,
    reversed_axes=reversed_axes,
)


@method("transpose")
def _transpose(self: Tensor, *axes: Any) -> Tensor:
    """Return the Tensor with two axes exchanged (two ints), or with its axes in another order, or reversed.

    Args:
        axes: Two axes, or all of them in their new order (ints or a tuple), or none.

    Raises:
        ValueError: If an axis is out of range, or not each is named once.

    Examples:
        >>> ops.ones((2, 3, 4)).transpose(2, 0, 1).shape
        (4, 2, 3)
    """
    order = sizes_of(axes)
    if len(axes) == 2:
        return shape.swapaxes(self, *axes)
    return shape.transpose(self, tuple(order) if len(order) and order[0] is not None else reversed_axes(self))


@prop("H")
def _hermitian(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix.

    Raises:
        ValueError: If there are more than 2 axes, or one.

    Examples:
        >>> Tensor([[1 + 2j, 3]]).H.shape
        (2, 1)
    """
    if self.ndim not in (0, 2):
        raise ValueError(f"Tensor.H: the Tensor must be a matrix, got {self.ndim} axes.")
    return shape.adjoint(self) if self.ndim else elementwise.conj(self)


@method("flatten")
def _flatten(self: Tensor, *args: Any, order: str = "C", start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return the Tensor with the axes from `start_dim` to `end_dim` merged into one.

    Args:
        args: In place of the keywords: `order`, `start_dim`, `end_dim`.
        order: "C" row-major, "F" column-major.
        start_dim, end_dim: The first and the last axis that is merged.

    Raises:
        ValueError: If `order` is unknown, an axis is out of range, or `start_dim` comes after `end_dim`.

    Examples:
        >>> ops.ones((2, 3, 4)).flatten(start_dim=1).shape
        (2, 12)
    """
    if args and isinstance(args[0], str):
        order, args = args[0], args[1:]
    start_dim, end_dim = (*args, *(start_dim, end_dim)[len(args) :])
    return shape.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


@method("repeat")
def _repeat(self: Tensor, *repeats: object, axis: int | None = None) -> Tensor:
    """Return the Tensor repeated along each axis: `x.repeat(2, 1)` as `tile`.

    The older form with `axis`, or with one int on a Tensor of several axes, repeats each element in a row.

    Args:
        repeats: How often along each axis, ints or a tuple; with `axis` how often each element.
        axis: The axis of the older form.

    Raises:
        ValueError: If there are fewer numbers than axes.

    Examples:
        >>> Tensor([1, 2]).repeat(2, 1).asnumpy()
        array([[1, 2],
               [1, 2]])
    """
    counts = sizes_of(repeats)
    if axis is not None or (len(repeats) == 1 and isinstance(counts, tuple) and len(counts) < self.ndim):
        return shape.repeat_interleave(self, counts[0] if len(counts) == 1 else counts, axis)
    if len(counts) < self.ndim:
        raise ValueError(f"Tensor.repeat: give at least one number per axis ({self.ndim}), got {tuple(counts)}.")
    return shape.tile(self, tuple(counts))
