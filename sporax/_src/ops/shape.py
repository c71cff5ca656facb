"""Operators that rearrange elements or change their dtype: reshape, transpose, squeeze, tile, flip, roll, cast, ..."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Axis, Shape, Static
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
    """
    perm = axes.several(input_perm, input.ndim, "input_perm")
    if len(perm) != input.ndim:
        raise ValueError(f"input_perm must name all {input.ndim} axes, got {input_perm}.")
    return jnp.transpose(input, perm)


@composite(ref="numpy.transpose", cases=("T(2, 3, 4), (2, 0, 1)", "T(2, 3), (1, 0)"))
def permute(input: Tensor, axis: Shape) -> Tensor:
    """Return the input with its axes in the order `axis`."""
    return transpose(input, axis)


@op(
    ref="numpy.swapaxes",
    cases=("T(2, 3, 4), 0, 2", "T(2, 3), -1, -2", "T(3), 0, 0"),
    errors=(("T(2, 3), 0, 2", "axis1"),),
    method="swapaxes",
)
def swapaxes(input: Array, axis0: int, axis1: int) -> Array:
    """Return the input with two axes exchanged."""
    return jnp.swapaxes(input, axes.one(axis0, input.ndim, "axis0"), axes.one(axis1, input.ndim, "axis1"))


@op(ref="numpy.swapaxes", cases=("T(2, 3, 4), 0, 2",), method="swapdims", primitive="TransposeExtView()")
def swapdims(input: Array, dim0: int, dim1: int) -> Array:
    """Return the input with two axes exchanged."""
    return swapaxes.raw(input, dim0, dim1)


@op(
    ref="numpy.moveaxis",
    cases=("T(2, 3, 4), 0, 2", "T(2, 3, 4), (0, 1), (-1, -2)"),
    errors=(("T(2, 3), (0, 1), 0", "equal numbers"),),
    aliases="moveaxis",
    method=("movedim", "moveaxis"),
)
def movedim(x: Array, source: Axis, destination: Axis) -> Array:
    """Return the input with the axes `source` moved to the places `destination`."""
    where, to = axes.several(source, x.ndim, "source"), axes.several(destination, x.ndim, "destination")
    if len(where) != len(to):
        raise ValueError(f"source and destination must have equal numbers of axes, got {source} and {destination}.")
    return jnp.moveaxis(x, where, to)


@op(ref="numpy.transpose", cases=("T(2, 3)", "T(3)"), errors=(("T(2, 3, 4)", "at most 2"),), method="t")
def t(input: Array) -> Array:
    """Return the transpose of a matrix; a vector stays as it is."""
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
    """Return the conjugate of the input with its last two axes exchanged."""
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
    """Return the input with an axis of size 1 at position `axis` of the result."""
    return jnp.expand_dims(input_x, axes.one(axis, input_x.ndim + 1))


@op(ref="numpy.expand_dims", cases=("T(2, 3), 0", "T(2, 3), -1"), method="unsqueeze")
def unsqueeze(input: Array, dim: int) -> Array:
    """Return the input with an axis of size 1 at position `dim` of the result."""
    return jnp.expand_dims(input, axes.one(dim, input.ndim + 1, "dim"))


@op(
    ref="numpy.squeeze",
    cases=("T(2, 1, 3)", "T(2, 1, 3), 1", "T(1, 2, 1), (0, 2)", "T(2)"),
    errors=(("T(2, 1), 0", "size 1"), ("T(2, 1), 5", "[-2, 2)")),
    method="squeeze",
    primitive="Squeeze(axis=())",
)
def squeeze(input: Array, axis: Axis = None) -> Array:
    """Return the input without its axes of size 1, or without those that `axis` names."""
    chosen = axes.several(axis, input.ndim) if axis is not None and axis != () else None
    for a in chosen or ():
        if input.shape[a] != 1:
            raise ValueError(f"axis must name axes of size 1, axis {a} has size {input.shape[a]}.")
    return jnp.squeeze(input, chosen)


@op(
    cases=("T(2, 3, 4)", "T(2, 3, 4), start_dim=0", "T(3)", "T(2, 3), 'F'", "T()"),
    ref="sporax._src.testing.array_references.flatten",
    errors=(("T(2, 3), 'X'", "order"), ("T(2, 3, 4), start_dim=2, end_dim=1", "start_dim")),
    primitive="Flatten()",
)
def flatten(input: Array, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Array:
    """Return the input with the axes from `start_dim` to `end_dim` merged into one.

    Args:
        input: A Tensor.
        order: `"C"` row-major, `"F"` column-major.
        start_dim, end_dim: The first and the last axis that is merged.
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


@op(ref="numpy.ravel", cases=("T(2, 3)", "T()"), method="ravel")
def ravel(input: Array) -> Array:
    """Return all elements in row-major order as a vector."""
    return jnp.reshape(input, (-1,))


# --- repeating ------------------------------------------------------------------------------------------------------


@op(
    ref="numpy.broadcast_to",
    cases=("T(3), (2, 3)", "T(2, 1), (2, 4)", "T(), (2,)"),
    errors=(("T(3), (2, 4)", "does not broadcast"), ("T(3), (-1, 3)", "-1")),
    primitive="BroadcastTo(shape)",
)
def broadcast_to(input: Array, shape: Shape) -> Array:
    """Return the input repeated along axes of size 1, and new leading axes, to `shape`.

    Args:
        input: A Tensor.
        shape: The sizes; -1 keeps the size of the input's axis.
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
    errors=(("T(2), (-1,)", "negative"),),
    primitive="Tile()",
)
def tile(input: Array, dims: Shape) -> Array:
    """Return the input repeated `dims[i]` times along axis i; the shorter of shape and `dims` is led by ones."""
    return jnp.tile(input, axes.fixed_sizes(dims, "dims"))


@op(
    ref="numpy.repeat",
    cases=("T(2, 3), 2, 1", "T(2, 3), 3, 0"),
    errors=(("T(2), 0", "positive"), ("T(2), 2, 3", "axis")),
    primitive=(),
)
def repeat_elements(x: Array, rep: int, axis: int = 0) -> Array:
    """Return x with every element repeated `rep` times in a row along `axis`."""
    if not isinstance(rep, int) or rep < 1:
        raise ValueError(f"rep must be a positive int, got {rep!r}.")
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
    """
    if axis is None:
        input, axis = jnp.ravel(input), 0
    axis = axes.one(axis, input.ndim)
    counts = np.atleast_1d(np.asarray(axes.fixed_sizes(repeats, "repeats")))
    if counts.size not in (1, input.shape[axis]):
        raise ValueError(f"repeats must be one int or one per element ({input.shape[axis]}), got {counts.size}.")
    counts = np.broadcast_to(counts, (input.shape[axis],))
    return jnp.repeat(input, counts, axis, total_repeat_length=int(counts.sum()))


# --- reversing and shifting -----------------------------------------------------------------------------------------


@op(
    ref="numpy.flip",
    cases=("T(2, 3), (0,)", "T(2, 3), (0, -1)", "T(0, 3), (1,)"),
    errors=(("T(2), (1,)", "[-1, 1)"),),
    method="flip",
)
def flip(input: Array, dims: Axis) -> Array:
    """Return the input with the order of elements reversed along `dims`."""
    return jnp.flip(input, axes.several(dims, input.ndim, "dims"))


@op(ref="numpy.flip", cases=("T(2, 3), (0,)",), method="reverse", primitive="ReverseV2(axis)")
def reverse(x: Array, axis: Axis) -> Array:
    """Return the input with the order of elements reversed along `axis`."""
    return jnp.flip(x, axes.several(axis, x.ndim))


@op(ref="numpy.fliplr", cases=("T(2, 3)",), errors=(("T(2)", "2 axes"),), method="fliplr")
def fliplr(input: Array) -> Array:
    """Return the input reversed along axis 1."""
    if input.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got {input.ndim}.")
    return jnp.flip(input, 1)


@op(ref="numpy.flipud", cases=("T(2, 3)",), method="flipud")
def flipud(input: Array) -> Array:
    """Return the input reversed along axis 0."""
    return jnp.flip(input, 0)


@op(
    ref="numpy.roll",
    cases=("T(2, 3), 1", "T(2, 3), 1, 0", "T(2, 3), (1, -1), (0, 1)"),
    errors=(("T(2, 3), (1, 2), (0,)", "equal numbers"),),
    primitive="Roll(shifts, dims=None)",
)
def roll(input: Array, shifts: Axis, dims: Axis = None) -> Array:
    """Return the input shifted along `dims`, what leaves at one end entering at the other.

    Args:
        input: A Tensor; shifted as one vector if `dims` is None.
        shifts: Places to shift by, one per axis.
        dims: The axes.
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
    """Return the input turned k times by 90 degrees in the plane of two axes."""
    plane = axes.several(dims, input.ndim, "dims")
    if len(plane) != 2:
        raise ValueError(f"dims must be 2 different axes, got {dims}.")
    return jnp.rot90(input, k, plane)


@op(
    ref="sporax._src.testing.array_references.reverse_sequence",
    cases=("T(2, 3), D([1, 3], np.int64), 1", "T(3, 2), D([2, 3], np.int32), 0, 1"),
    method=(),
    primitive="ReverseSequence(seq_dim, batch_dim=0)",
)
def reverse_sequence(x: Array, seq_lengths: Array, seq_dim: int, batch_dim: int = 0) -> Array:
    """Return x with the first `seq_lengths[b]` elements along `seq_dim` reversed for each b along `batch_dim`."""
    along, batch = axes.one(seq_dim, x.ndim, "seq_dim"), axes.one(batch_dim, x.ndim, "batch_dim")
    place = jnp.arange(x.shape[along], dtype=seq_lengths.dtype).reshape(
        [-1 if d == along else 1 for d in range(x.ndim)]
    )
    length = seq_lengths.reshape([-1 if d == batch else 1 for d in range(x.ndim)])
    index = jnp.where(place < length, length - 1 - place, place)
    return jnp.take_along_axis(x, jnp.broadcast_to(index, x.shape), along)
