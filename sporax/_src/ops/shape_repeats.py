"""Operators that repeat elements: broadcast_to, tile, repeat_interleave, ..."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.ops import axes
from sporax._src.ops.table import op


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
    errors=(("T(2), (-1,)", "negative"),),
    primitive="Tile()",
)
def tile(input: Array, dims: Shape) -> Array:
    """Return the input repeated `dims[i]` times along axis i; the shorter of shape and `dims` is led by ones.

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
    return jnp.tile(input, axes.fixed_sizes(dims, "dims"))


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
        TypeError: If `rep` is no int.
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
