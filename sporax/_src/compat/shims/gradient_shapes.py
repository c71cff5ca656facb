"""What gradients of operators on arrays ask of axes, and those of Fourier transforms of shapes."""

from __future__ import annotations

import math

_Shape = tuple[int, ...]


def _fft_rank_offset(norm_shape: _Shape, rank: int) -> int:
    """Return how many elements the last `rank` axes have."""
    return math.prod(norm_shape[-rank:])


def _rfft_reshape(shape_a: _Shape, shape_b: _Shape) -> _Shape:
    """Return `shape_b` behind as many sizes 1 as `shape_a` has axes, but two."""
    return (1,) * (len(shape_a) - 2) + tuple(shape_b)


def _rfft_tile_reshape(shape_a: _Shape) -> _Shape:
    """Return `shape_a` with 1 for the last two sizes."""
    return (*shape_a[:-2], 1, 1)


def _rfft_last_term_shape(shape_a: _Shape, shape_b: _Shape) -> _Shape:
    """Return `shape_b` behind as many sizes 1 as `shape_a` has axes, but one."""
    return (1,) * (len(shape_a) - 1) + tuple(shape_b)


def _generate_inverse_index(x_shape: tuple[int, ...], axis: int, batch_dims: int = 0) -> tuple[int, ...]:
    """Return the order of axes that moves the axis `batch_dims` back to `axis`.

    Args:
        x_shape: The shape of the Tensor.
        axis: Where the axis came from; negative ones count from the end.
        batch_dims: Where it is.
    """
    order = [n for n in range(len(x_shape)) if n != batch_dims]
    order.insert(axis % len(x_shape), batch_dims)
    return tuple(order)
