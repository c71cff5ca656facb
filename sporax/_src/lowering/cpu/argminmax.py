"""argmax and argmin on the CPU as two reductions, which XLA vectorizes, instead of one that compares pairs.

XLA's CPU backend reduces pairs of a value and its index one after the other: 4.7 ms for 4,096 rows of 512 elements. Computing the
extremum, and then its first index, takes 0.5 ms. Below 64 elements pairs are as fast.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array
from sporax._src.lowering.lowering import Lowering

_FEW = 64


def _compares_many(x: Any, *, axes: Sequence[int], **_: object) -> bool:
    return len(axes) == 1 and x.shape[axes[0]] >= _FEW and x.dtype != bool


def _first_index(
    extremum: Callable[..., Array], x: Array, *, axes: tuple[int, ...], index_dtype: Any, **_: object
) -> Array:
    """Return the first index of the extremum, or of a NaN."""
    is_extremum = (x == lax.expand_dims(extremum(x, axes), axes)) | (x != x)
    indices = lax.broadcasted_iota(index_dtype, x.shape, axes[0])
    return lax.reduce_min(jnp.where(is_extremum, indices, jnp.asarray(x.shape[axes[0]], index_dtype)), axes)


LOWERINGS = [
    Lowering(primitive, _compares_many, functools.partial(_first_index, extremum))
    for primitive, extremum in ((lax.argmax_p, lax.reduce_max), (lax.argmin_p, lax.reduce_min))
]
