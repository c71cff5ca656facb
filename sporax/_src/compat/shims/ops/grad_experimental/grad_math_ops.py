"""What gradients of Fourier transforms ask of shapes, in `mindspore.ops._grad_experimental.grad_math_ops`.

MindSpore's own tests use it.
"""

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
