"""How the places of largest and least elements are lowered for the CPU: as two reductions that XLA makes fast.

XLA's CPU backend compares pairs of a value and its place one after the other: of 4,096 rows of 512 elements, 4.7 ms. The
extremum, and then the first place where it is, take 0.5 (MindSpore's largest element with its place, and its gradient, 3.4; here
4.9 before and 1.9 after). Where fewer elements are compared, pairs are as fast.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.jax_compat import lower_on_cpu
from sporax._src.base.typing import Array

_FEW = 64


def lower_places() -> None:
    """Let places of extrema be lowered as this module does it, on the CPU."""
    for primitive, extremum in ((lax.argmax_p, lax.reduce_max), (lax.argmin_p, lax.reduce_min)):
        lower_on_cpu(primitive, _compares_many, functools.partial(_first_place, extremum))


def _compares_many(x: Any, *, axes: Sequence[int], **_: Any) -> bool:
    return len(axes) == 1 and x.shape[axes[0]] >= _FEW and x.dtype != bool


def _first_place(
    extremum: Callable[..., Array], x: Array, *, axes: tuple[int, ...], index_dtype: Any, **_: Any
) -> Array:
    """Return where the extremum is first, or the first NaN."""
    is_there = (x == lax.expand_dims(extremum(x, axes), axes)) | (x != x)
    places = lax.broadcasted_iota(index_dtype, x.shape, axes[0])
    return lax.reduce_min(jnp.where(is_there, places, jnp.asarray(x.shape[axes[0]], index_dtype)), axes)
