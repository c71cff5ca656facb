"""Operators that rearrange, reverse, shift and repeat along axes: reshape, transpose, flip, roll, tile, ..."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import MOST_ELEMENTS
from sporax._src.base.typing import Array, Axis, Shape, Static
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.lenses import Lens
from sporax._src.engine.table import composite, op

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
    view=True,
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
    view=True,
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
    view=True,
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
    view=True,
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
    view=True,
)
def movedim(x: Array, source: Axis, destination: Axis) -> Array:
    """Return the input with the axes `source` moved to the positions `destination`.

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


@op(
    ref="numpy.transpose",
    cases=("T(2, 3)", "T(3)"),
    errors=(("None", "operands must be Tensors"),),
    method="t",
    view=True,
)
def t(input: Array) -> Array:
    """Return the transpose of a matrix; a Tensor with another number of axes stays as it is, as in MindSpore.

    Args:
        input: A Tensor.

    Examples:
        >>> ops.t(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([[1, 3],
               [2, 4]])
    """
    return jnp.transpose(input) if input.ndim == 2 else input


@op(
    ref="references.array.adjoint",
    cases=("C(2, 3)", "T(4, 2, 3)"),
    errors=(("T(3)", "at least 2"),),
    method=("adjoint",),
    view=True,
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
    view=True,
)
def expand_dims(input_x: Array, axis: int) -> Array:
    """Return the input with an axis of size 1 at position `axis` of the result.

    Args:
        input_x: A Tensor.
        axis: A position in the result, from -n - 1 to n for an input of n axes.

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
    view=True,
)
def unsqueeze(input: Array, dim: int) -> Array:
    """Return the input with an axis of size 1 at position `dim` of the result.

    Args:
        input: A Tensor.
        dim: A position in the result, from -n - 1 to n for an input of n axes.

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
    errors=(("T(2, 1), 5", "[-2, 2)"),),
    method="squeeze",
    primitive="Squeeze(axis=())",
    view=True,
)
def squeeze(input: Array, axis: Axis = None) -> Array:
    """Return the input without its axes of size 1, or without those that `axis` names.

    Args:
        input: A Tensor.
        axis: An axis or several, of which those of another size stay; None or () takes all of size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.squeeze(ops.ones((1, 2, 1))).shape
        (2,)
    """
    chosen = axes.several(axis, input.ndim) if axis is not None and axis != () else None
    return jnp.squeeze(input, chosen and tuple(a for a in chosen if input.shape[a] == 1))


@op(
    cases=("T(2, 3, 4)", "T(2, 3, 4), start_dim=0", "T(3)", "T(2, 3), 'F'", "T()"),
    ref="references.array.flatten",
    errors=(("T(2, 3), 'X'", "order"), ("T(2, 3, 4), start_dim=2, end_dim=1", "start_dim")),
    view=True,
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
    ref="references.array.flatten_rest",
    errors=(("T()", "at least 1 axis"),),
    name="_flatten",
    primitive="Flatten()",
    view=True,
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


def _raveled_memory(memory: np.ndarray) -> np.ndarray | None:
    """Return memory as a vector, or None if it has gaps: then `ravel` copies, unlike `reshape`, as in PyTorch."""
    return memory.reshape(-1) if memory.flags.c_contiguous else None


@op(
    ref="numpy.ravel",
    cases=("T(2, 3)", "T()"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="ravel",
    view=Lens(lambda value, input: value.reshape(input.shape), _raveled_memory),
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


# --- elements reversed or shifted along axes ----------------------------------------------------------------------------


@op(
    ref="numpy.flip",
    cases=("T(2, 3), (0,)", "T(2, 3), (0, -1)", "T(0, 3), (1,)"),
    errors=(("T(2), (1,)", "[-1, 1)"),),
    method="flip",
)
def flip(input: Array, dims: Axis) -> Array:
    """Return the input with the order of elements reversed along `dims`.

    Args:
        input: A Tensor.
        dims: An axis or several.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.flip(Tensor([[1, 2], [3, 4]]), (1,)).asnumpy()
        array([[2, 1],
               [4, 3]])
    """
    return jnp.flip(input, axes.several(dims, input.ndim, "dims"))


@op(
    ref="numpy.flip",
    cases=("T(2, 3), (0,)",),
    errors=(("T(), (0,)", "axis must be in [0, 0)"),),
    method="reverse",
    primitive="ReverseV2(axis)(input)",
)
def reverse(x: Array, axis: Axis) -> Array:
    """Return the input with the order of elements reversed along `axis`.

    Args:
        x: A Tensor.
        axis: An axis or several.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.reverse(Tensor([[1, 2], [3, 4]]), (0,)).asnumpy()
        array([[3, 4],
               [1, 2]])
    """
    return jnp.flip(x, axes.several(axis, x.ndim))


@op(ref="numpy.fliplr", cases=("T(2, 3)",), errors=(("T(2)", "2 axes"),), method="fliplr")
def fliplr(input: Array) -> Array:
    """Return the input reversed along axis 1.

    Args:
        input: A Tensor with at least 2 axes.

    Raises:
        ValueError: If it has fewer.

    Examples:
        >>> ops.fliplr(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([[2, 1],
               [4, 3]])
    """
    if input.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got {input.ndim}.")
    return jnp.flip(input, 1)


@op(
    ref="numpy.flipud",
    cases=("T(2, 3)",),
    errors=(("T()", "axis 0 is out of bounds for array of dimension 0"),),
    method="flipud",
)
def flipud(input: Array) -> Array:
    """Return the input reversed along axis 0.

    Args:
        input: A Tensor with at least one axis.

    Examples:
        >>> ops.flipud(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([[3, 4],
               [1, 2]])
    """
    return jnp.flip(input, 0)


@op(
    ref="numpy.roll",
    cases=("T(2, 3), 1", "T(2, 3), 1, 0", "T(2, 3), (1, -1), (0, 1)"),
    errors=(("T(2, 3), (1, 2), (0,)", "equal numbers"),),
    primitive="Roll(shifts, dims=None)",
)
def roll(input: Array, shifts: Axis, dims: Axis = None) -> Array:
    """Return the input shifted along `dims`; elements that leave at one end enter at the other.

    Args:
        input: A Tensor; shifted as one vector if `dims` is None.
        shifts: Places to shift by, one per axis.
        dims: The axes.

    Raises:
        ValueError: If an axis is out of range, or `shifts` and `dims` differ in length.

    Examples:
        >>> ops.roll(Tensor([1, 2, 3]), 1).asnumpy()
        array([3, 1, 2])
    """
    moves = axes.sizes(shifts, "shifts")
    where = None if dims is None else axes.several(dims, input.ndim, "dims")
    if where is not None and len(where) != len(moves):
        raise ValueError(f"shifts and dims must have equal numbers of elements, got {shifts} and {dims}.")
    return jnp.roll(input, sum(moves) if where is None else moves, where)


@op(
    ref="numpy.rot90",
    cases=("T(2, 3), 1, (0, 1)", "T(2, 3), -1, (1, 0)"),
    errors=(("T(2, 3), 1, (0,)", "2 different"),),
    method="rot90",
)
def rot90(input: Array, k: int, dims: Shape) -> Array:
    """Return the input turned k times by 90 degrees in the plane of two axes.

    Args:
        input: A Tensor with at least 2 axes.
        k: How often; the turn goes from the first axis towards the second, a negative k the other way.
        dims: The two axes.

    Raises:
        ValueError: If `dims` is not two different axes.

    Examples:
        >>> ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)).asnumpy()
        array([[2, 4],
               [1, 3]])
    """
    plane = axes.several(dims, input.ndim, "dims")
    if len(plane) != 2:
        raise ValueError(f"dims must be 2 different axes, got {dims}.")
    return jnp.rot90(input, k, plane)


@op(
    ref="references.array.reverse_sequence",
    cases=("T(2, 3), D([1, 3], np.int64), 1", "T(3, 2), D([2, 3], np.int32), 0, 1"),
    errors=(("T(2, 3), D([1, 3], np.int64), 99", "seq_dim must be in [-2, 2)"),),
    method=(),
    primitive="ReverseSequence(seq_dim, batch_dim=0)",
)
def reverse_sequence(x: Array, seq_lengths: Array, seq_dim: int, batch_dim: int = 0) -> Array:
    """Return x with the first `seq_lengths[b]` elements along `seq_dim` reversed for each b along `batch_dim`.

    Args:
        x: A Tensor.
        seq_lengths: A 1-D Tensor of integers, one per element along `batch_dim`.
        seq_dim: The axis of the sequences.
        batch_dim: The axis of the batch.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1).asnumpy()
        array([[2, 1, 3],
               [6, 5, 4]])
    """
    along, batch = axes.one(seq_dim, x.ndim, "seq_dim"), axes.one(batch_dim, x.ndim, "batch_dim")
    position = jnp.arange(x.shape[along], dtype=seq_lengths.dtype).reshape(
        [-1 if d == along else 1 for d in range(x.ndim)]
    )
    length = seq_lengths.reshape([-1 if d == batch else 1 for d in range(x.ndim)])
    index = jnp.where(position < length, length - 1 - position, position)
    return jnp.take_along_axis(x, jnp.broadcast_to(index, x.shape), along)


@op(
    ref="references.array.shift",
    cases=("T(3, 4), 1.5", "T(3, 4), 0.0, -2, 0", "T(5), 2.0, 9", "T(2, 3), 1.0, 0, 1"),
    errors=(("T(3), 1.0, 1, 1", "axis"), ("T(3), 1.0, 1.5", "periods must be an int, got float: 1.5")),
    name="_shift",
    primitive="Shift(periods=1, axis=-1)",
)
def shift(x: Array, fill_value: Array, periods: int = 1, axis: int = -1) -> Array:
    """Return x with its elements moved `periods` positions along an axis; the free positions hold `fill_value`.

    Args:
        x: A Tensor.
        fill_value: A number, or a Tensor of one.
        periods: How many positions: towards the end, or if negative towards the start.
        axis: The axis.

    Raises:
        TypeError: If `periods` is not an int.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.Shift(1)(Tensor([1, 2, 3]), 0).asnumpy()
        array([0, 1, 2])
    """
    axis = axes.one(axis, x.ndim)
    size = x.shape[axis]
    move = max(-size, min(size, axes.whole(periods, "periods")))
    remaining = jax.lax.slice_in_dim(x, max(-move, 0), size - max(move, 0), axis=axis)
    free = x.shape[:axis] + (abs(move),) + x.shape[axis + 1 :]
    filled = jnp.broadcast_to(jnp.asarray(fill_value).astype(x.dtype), free)
    return jnp.concatenate([filled, remaining] if move > 0 else [remaining, filled], axis)


# --- elements repeated --------------------------------------------------------------------------------------------------


@op(
    ref="numpy.broadcast_to",
    cases=("T(3), (2, 3)", "T(2, 1), (2, 4)", "T(), (2,)"),
    errors=(("T(3), (2, 4)", "does not broadcast"), ("T(3), (-1, 3)", "-1")),
    primitive="BroadcastTo(shape)",
    view=True,
)
def broadcast_to(input: Array, shape: Shape) -> Array:
    """Return the input repeated along axes of size 1, and new leading axes, to `shape`.

    Args:
        input: A Tensor.
        shape: The sizes; -1 keeps the size of the input's axis.

    Raises:
        ValueError: If the input does not broadcast to `shape`.

    Examples:
        >>> ops.broadcast_to(Tensor([1, 2]), (2, -1)).asnumpy()
        array([[1, 2],
               [1, 2]])
    """
    shape = axes.sizes(shape)
    lead = len(shape) - input.ndim
    if lead < 0 or any(d == -1 for d in shape[:lead]):
        raise ValueError(f"shape must have at least {input.ndim} axes and no -1 at new ones, got {shape}.")
    full = tuple(input.shape[i - lead] if d == -1 else d for i, d in enumerate(shape))
    if any(have not in (1, want) for have, want in zip(input.shape, full[lead:], strict=True)):
        raise ValueError(f"input of shape {input.shape} does not broadcast to {full}.")
    return jnp.broadcast_to(input, full)


@op(
    ref="numpy.tile",
    cases=("T(2, 3), (2, 1)", "T(3), (2, 2)", "T(2, 3), (2,)", "T(2), 3"),
    errors=(
        ("T(2), (-1,)", "negative"),
        ("T(2), (2**62,)", "dims make more axes or elements than can be counted, got (4611686018427387904)"),
        ("T(2), (1,) * 65", "dims make more axes"),
    ),
    primitive="Tile()",
)
def tile(input: Array, dims: Shape) -> Array:
    """Return the input repeated `dims[i]` times along axis i; the shorter of shape and `dims` gets leading ones.

    Args:
        input: A Tensor.
        dims: How often along each axis, an int or several, not negative.

    Raises:
        ValueError: If a number is negative.

    Examples:
        >>> ops.tile(Tensor([1, 2]), (2, 2)).asnumpy()
        array([[1, 2, 1, 2],
               [1, 2, 1, 2]])
    """
    times = axes.fixed_sizes(dims, "dims")
    known = [size for size in (*times, *input.shape) if isinstance(size, int)]  # an exported graph has others
    if len(times) > 64 or math.prod(known) >= MOST_ELEMENTS:
        raise ValueError(f"dims make more axes or elements than can be counted, got {describe(times)}.")
    return jnp.tile(input, times)


@op(
    ref="numpy.repeat",
    cases=("T(2, 3), 2, 1", "T(2, 3), 3, 0"),
    errors=(
        ("T(2), 0", "positive"),
        ("T(2), 1.5", "rep must be an int, got 1.5"),
        ("T(2), 2, 3", "axis"),
        ("T(1, 1, 1, 1, 1, 1, 1, 1), 2", "the rank of x should be less than or equal to 7, but got 8"),
    ),
    primitive=(),
)
def repeat_elements(x: Array, rep: int, axis: int = 0) -> Array:
    """Return x with every element repeated `rep` times in a row along `axis`.

    Args:
        x: A Tensor of at most 7 axes.
        rep: How often, a positive int.
        axis: The axis, counted from the end where it is negative.

    Raises:
        TypeError: If `rep` is not an int.
        ValueError: If `rep` is not positive, `x` has more axes, or the axis is out of range.

    Examples:
        >>> ops.repeat_elements(Tensor([1, 2]), 2).asnumpy()
        array([1, 1, 2, 2])
    """
    if not isinstance(rep, int):
        raise TypeError(f"rep must be an int, got {rep!r}.")
    if rep < 1:
        raise ValueError(f"rep must be positive, got {rep}.")
    if x.ndim > 7:
        raise ValueError(f"For repeat_elements, the rank of x should be less than or equal to 7, but got {x.ndim}.")
    return jnp.repeat(x, rep, axes.one(axis, x.ndim))


@op(
    ref="numpy.repeat",
    cases=("T(2, 3), 2", "T(2, 3), 2, 1", "T(2, 3), (1, 2), 0", "T(2), (0, 3)"),
    errors=(("T(2), (1, 2, 3), 0", "repeats"), ("T(2), -1", "negative")),
)
def repeat_interleave(input: Array, repeats: Static, axis: int | None = None) -> Array:
    """Return the input with each element repeated in a row.

    Args:
        input: A Tensor; flattened first if `axis` is None.
        repeats: How often: an int, or one int per element along the axis.
        axis: The axis.

    Raises:
        ValueError: If a number is negative, or there are neither one nor one per element.

    Examples:
        >>> ops.repeat_interleave(Tensor([1, 2]), [1, 2], 0).asnumpy()
        array([1, 2, 2])
    """
    if axis is None:
        input, axis = jnp.ravel(input), 0
    axis = axes.one(axis, input.ndim)
    counts = np.atleast_1d(np.asarray(axes.fixed_sizes(repeats, "repeats")))
    if counts.size not in (1, input.shape[axis]):
        raise ValueError(f"repeats must be one int or one per element ({input.shape[axis]}), got {counts.size}.")
    counts = np.broadcast_to(counts, (input.shape[axis],))
    return jnp.repeat(input, counts, axis, total_repeat_length=int(counts.sum()))


@op(
    ref="references.encoding.data_format_vec_permute",
    cases=("D([1, 2, 3, 4], np.int64)", "I(4, 2), 'NCHW', 'NHWC'", "I(4), 'NHWC', 'NHWC'"),
    errors=(("I(2)", "shape"), ("I(4), 'NHWC', 'HWNC'", "dst_format")),
    grad=0,
    name="_data_format_vec_permute",
    primitive="DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')",
)
def data_format_vec_permute(x: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Array:
    """Return x (4,) or (4, 2), an entry for each axis of one layout, in the axis order of another layout.

    Args:
        x: A Tensor (4,) or (4, 2).
        src_format, dst_format: "NHWC" or "NCHW".

    Raises:
        ValueError: If a layout or the shape of x is another.

    Examples:
        >>> ops.DataFormatVecPermute()(Tensor([1, 2, 3, 4])).asnumpy()
        array([1, 4, 2, 3])
    """
    for name, value in (("src_format", src_format), ("dst_format", dst_format)):
        if value not in ("NHWC", "NCHW"):
            raise ValueError(f"{name} must be 'NHWC' or 'NCHW', got {value!r}.")
    if x.shape not in ((4,), (4, 2)):
        raise ValueError(f"x must have shape [4] or [4, 2], got {list(x.shape)}.")
    return x[np.array([src_format.index(axis) for axis in dst_format])]
