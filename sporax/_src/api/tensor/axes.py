"""Tensor methods on axes whose signatures are their own: views, orders, pieces, repetition, shifts."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Axis, Shape, Static
from sporax._src.core.tensor import Tensor
from sporax._src.engine.call_errors import forms
from sporax._src.engine.table import internal
from sporax._src.engine.tensor_methods import method, prop
from sporax._src.ops.array import joining
from sporax._src.ops.array import shape as _shape
from sporax._src.ops.math import elementwise


def sizes_of(args: tuple[Any, ...]) -> Any:
    """Return sizes or axes that were given one by one or as one sequence."""
    return args[0] if len(args) == 1 and isinstance(args[0], (tuple, list, Tensor)) else args


# --- shape ----------------------------------------------------------------------------------------------------------


@method("reshape")
def _reshape(self: Tensor, *shape_: Any, shape: Any = None) -> Tensor:
    """Return the elements in row-major order under another shape, given as ints or as a tuple.

    Args:
        shape_, shape: The sizes; one may be -1 and follows from the rest.

    Raises:
        ValueError: If the number of elements does not fit, or more than one size is -1.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).reshape(4).asnumpy()
        array([1, 2, 3, 4])
    """
    return _shape.reshape(self, sizes_of(shape_) if shape is None else shape)


forms("reshape", of=("*shape: int", "shape: Shape"))


@method("view")
def _view(self: Tensor, *shape: Any) -> Tensor:
    """Return the elements in row-major order under another shape, given as ints or as a tuple.

    Args:
        shape: The sizes; one may be -1 and follows from the rest.

    Raises:
        ValueError: If the number of elements does not fit, or more than one size is -1.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).view(-1).asnumpy()
        array([1, 2, 3, 4])
    """
    return _shape.reshape(self, sizes_of(shape))


@method("reshape_as", "view_as")
def _reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the elements under the shape of another Tensor.

    Args:
        other: A Tensor with as many elements.

    Raises:
        ValueError: If the number of elements differs.

    Examples:
        >>> Tensor([1, 2, 3, 4]).reshape_as(ops.ones((2, 2))).asnumpy()
        array([[1, 2],
               [3, 4]])
    """
    return _shape.reshape(self, other.shape)


@internal("Tensor.resize")
def _resized(x: Array, sizes: Static) -> Array:
    wanted = math.prod(sizes)
    flat = jnp.ravel(x)[:wanted]
    return jnp.concatenate([flat, jnp.zeros(wanted - flat.size, x.dtype)]).reshape(sizes)


@method("resize")
def _resize(self: Tensor, *new_shape: Any) -> Tensor:
    """Return the elements under a shape that may be larger (filled with zeros) or smaller.

    Args:
        new_shape: The sizes, ints or a tuple.

    Examples:
        >>> Tensor([1, 2]).resize(3).asnumpy()
        array([1, 2, 0])
    """
    return _resized(self, tuple(sizes_of(new_shape)))


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
    given = sizes_of(axes)
    if len(axes) == 2:
        return _shape.swapaxes(self, *axes)
    return _shape.transpose(
        self, tuple(given) if len(given) and given[0] is not None else tuple(reversed(range(self.ndim)))
    )


@method("permute")
def _permute(self: Tensor, *axis: Any) -> Tensor:
    """Return the Tensor with its axes in another order, or reversed if none is given.

    Args:
        axis: The axis that becomes axis 0, 1, ... of the result: ints or a tuple.

    Raises:
        ValueError: If not each axis is named once.

    Examples:
        >>> ops.ones((2, 3, 4)).permute(2, 0, 1).shape
        (4, 2, 3)
    """
    return _shape.transpose(self, tuple(sizes_of(axis)) or tuple(reversed(range(self.ndim))))


@prop("T")
def _reverse_axes(self: Tensor) -> Tensor:
    """The Tensor with its axes in reverse order.

    Examples:
        >>> ops.ones((2, 3, 4)).T.shape
        (4, 3, 2)
    """
    return _permute(self)


@prop("mT")
def _matrix_transpose(self: Tensor) -> Tensor:
    """The Tensor with its last two axes exchanged.

    Examples:
        >>> ops.ones((2, 3, 4)).mT.shape
        (2, 4, 3)
    """
    return _shape.swapaxes(self, -1, -2)


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
    return _shape.adjoint(self) if self.ndim else elementwise.conj(self)


@prop("mH")
def _matrix_hermitian(self: Tensor) -> Tensor:
    """The conjugate of the Tensor with its last two axes exchanged.

    Raises:
        ValueError: If there are fewer than 2 axes.

    Examples:
        >>> ops.ones((2, 3, 4)).mH.shape
        (2, 4, 3)
    """
    return _shape.adjoint(self)


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
    return _shape.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


@method("split")
def _split(
    self: Tensor, split_size: Any = None, dim: int = 0, *, split_size_or_sections: Any = None, axis: int | None = None
) -> Any:
    """Return the Tensor cut along an axis into pieces of one size, or of a sequence of sizes.

    Args:
        split_size, split_size_or_sections: The size of the pieces, or a sequence of sizes.
        dim, axis: The axis.

    Examples:
        >>> [t.tolist() for t in Tensor([1, 2, 3]).split(2)]
        [[1, 2], [3]]
    """
    size = split_size if split_size_or_sections is None else split_size_or_sections
    return joining.split(self, size, dim if axis is None else axis)


@method("chunk")
def _chunk(self: Tensor, chunks: int, dim: int = 0, *, axis: int | None = None) -> Any:
    """Return the Tensor cut along an axis into at most `chunks` pieces.

    Args:
        chunks: The number of pieces.
        dim, axis: The axis.

    Examples:
        >>> [t.tolist() for t in Tensor([1, 2, 3]).chunk(2)]
        [[1, 2], [3]]
    """
    return joining.chunk(self, chunks, dim if axis is None else axis)


# --- repetition, shifts and sums along axes -----------------------------------------------------------------------------


@method("broadcast_to", "expand")
def _expand(self: Tensor, *size: Any, shape: Any = None) -> Tensor:
    """Return the Tensor repeated along axes of size 1 and new leading axes; -1 keeps a size.

    Args:
        size, shape: The sizes, ints or a tuple; -1 keeps a size.

    Raises:
        ValueError: If the Tensor does not broadcast to the shape.

    Examples:
        >>> Tensor([1, 2]).broadcast_to((2, 2)).asnumpy()
        array([[1, 2],
               [1, 2]])
    """
    return _shape.broadcast_to(self, sizes_of(size) if shape is None else shape)


@method("expand_as")
def _expand_as(self: Tensor, other: Any = None, *, x: Any = None) -> Tensor:
    """Return the Tensor broadcast to the shape of another.

    Args:
        other, x: A Tensor.

    Raises:
        TypeError: If no Tensor is given.
        ValueError: If the Tensor does not broadcast to its shape.

    Examples:
        >>> Tensor([1, 2]).expand_as(ops.ones((3, 2))).shape
        (3, 2)
    """
    return _shape.broadcast_to(self, (other if x is None else x).shape)


forms("expand_as", of=("other: TensorArray", "x: TensorArray"))


@method("tile")
def _tile(self: Tensor, *dims: Any, reps: Any = None) -> Tensor:
    """Return the Tensor repeated along each axis.

    Args:
        dims, reps: How often along each axis, ints or a tuple.

    Raises:
        ValueError: If a number is negative.

    Examples:
        >>> Tensor([1, 2]).tile((2, 2)).asnumpy()
        array([[1, 2, 1, 2],
               [1, 2, 1, 2]])
    """
    return _shape.tile(self, sizes_of(dims) if reps is None else reps)


@method("repeat")
def _repeat(self: Tensor, *repeats: Any, axis: int | None = None) -> Tensor:
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
    given = sizes_of(repeats)
    if axis is not None or (len(repeats) == 1 and isinstance(given, tuple) and len(given) < self.ndim):
        return _shape.repeat_interleave(self, given[0] if len(given) == 1 else given, axis)
    if len(given) < self.ndim:
        raise ValueError(f"Tensor.repeat: give at least one number per axis ({self.ndim}), got {tuple(given)}.")
    return _shape.tile(self, tuple(given))


@method("repeat_interleave")
def _repeat_interleave(
    self: Tensor, repeats: Any, dim: int | None = None, *, axis: int | None = None, output_size: Any = None
) -> Tensor:
    """Return the Tensor with each element repeated in a row; `output_size` is accepted, it follows from `repeats`.

    Args:
        repeats: How often: an int, or one int per element along the axis.
        dim, axis: The axis; None flattens.
        output_size: Accepted.

    Raises:
        ValueError: If a number is negative, or there are neither one nor one per element.

    Examples:
        >>> Tensor([1, 2]).repeat_interleave(2).asnumpy()
        array([1, 1, 2, 2])
    """
    return _shape.repeat_interleave(self, repeats, dim if axis is None else axis)


@method("roll")
def _roll(self: Tensor, shifts: int | Shape, dims: Axis = None) -> Tensor:
    """Return the Tensor shifted along axes, what leaves at one end entering at the other.

    Args:
        shifts: Places to shift by, an int or one per axis.
        dims: The axes; None shifts all elements as one vector.

    Raises:
        ValueError: If an axis is out of range, or `shifts` and `dims` differ in length.

    Examples:
        >>> Tensor([1, 2, 3]).roll(1).asnumpy()
        array([3, 1, 2])
    """
    return _shape.roll(self, shifts, dims)


@method("reverse_sequence")
def _reverse_sequence(self: Tensor, seq_lengths: Tensor, seq_dim: int = 0, batch_dim: int = 0) -> Tensor:
    """Return the Tensor with the first `seq_lengths[b]` elements along `seq_dim` reversed, for each b along
    `batch_dim`.

    Args:
        seq_lengths: A 1-D Tensor of integers, one per element along `batch_dim`.
        seq_dim: The axis of the sequences.
        batch_dim: The axis of the batch.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> Tensor([[1, 2, 3], [4, 5, 6]]).reverse_sequence(Tensor([2, 3]), 1).asnumpy()
        array([[2, 1, 3],
               [6, 5, 4]])
    """
    return _shape.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)


@method("sum_to_size")
def _sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Return the Tensor summed down to a shape that broadcasts to its own.

    Args:
        size: The sizes, ints or a tuple.

    Raises:
        ValueError: If that shape does not broadcast to the Tensor's.

    Examples:
        >>> ops.ones((2, 3)).sum_to_size(1, 3).asnumpy()
        array([[2., 2., 2.]], dtype=float32)
    """
    return _summed(self, tuple(sizes_of(size)))


@internal("Tensor.sum_to_size")
def _summed(x: Array, size: Static) -> Array:
    lead = x.ndim - len(size)
    if lead < 0 or any(want not in (1, have) for want, have in zip(size, x.shape[max(lead, 0) :], strict=True)):
        raise ValueError(f"size must broadcast to the Tensor's shape {x.shape}, got {size}.")
    x = jnp.sum(x, tuple(range(lead)), dtype=x.dtype)
    return jnp.sum(x, tuple(d for d, n in enumerate(size) if n == 1), keepdims=True, dtype=x.dtype)
