"""Second moments of the inputs of layers, for the optimizer THOR."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Static
from sporax._src.engine.table import internal
from sporax._src.ops.nn.convolution import same_pads, unfold_windows


@internal("second_moment", amp="float32")
def second_moment(x: Array, count: int) -> Array:
    """Return XᵀX / count in float32, the rows of X those along the last axis of x; no gradient goes through it."""
    rows = lax.stop_gradient(x).astype(jnp.float32).reshape(-1, x.shape[-1])
    return rows.T @ rows / count


@internal("patch_moment", amp="float32")
def patch_moment(x: Array, kernel: Static, stride: Static, dilation: Static) -> Array:
    """Return the second moment of the patches under a kernel in the mean over the batch of x, as rows (C, kh, kw).

    The patches are those of `"same"` padding.
    """
    mean = jnp.mean(lax.stop_gradient(x).astype(jnp.float32), 0, keepdims=True)
    pads = same_pads(x.shape[2:], kernel, stride, dilation)
    sizes = [-(-size // step) for size, step in zip(x.shape[2:], stride, strict=True)]
    return second_moment.raw(
        _columns(unfold_windows(mean, kernel, stride, pads, dilation, sizes), sizes), math.prod(sizes)
    )


@internal("channel_moment", amp="float32")
def channel_moment(x: Array) -> Array:
    """Return the float32 second moment of the channels at each pixel of the mean of x (N, C, ...) over the batch."""
    mean = jnp.mean(x.astype(jnp.float32), 0)
    return second_moment.raw(_columns(mean, x.shape[2:]), math.prod(x.shape[2:]))


def _columns(x: Array, sizes: Any) -> Array:
    return x.reshape(-1, math.prod(sizes)).T


@internal("counts_of")
def counts_of(ids: Array, size: int) -> Array:
    """Return how often each of the numbers below `size` is among ids, in float32."""
    return jnp.zeros(size, jnp.float32).at[ids.reshape(-1)].add(1)
