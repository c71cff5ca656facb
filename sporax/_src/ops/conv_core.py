"""Convolution over arrays: the padding rules, and which formulation XLA runs fastest.

On the CPU a convolution goes to Eigen (`base.config` keeps YNNPACK's away), which beats one matrix product per kernel tap
and unfolded windows (im2col), except for many channels on tiny images, where turning the kernel costs more than unfolding
the image: there it is a matrix product (ResNet-50's step of 4 images on two cores: 326 to 283 ms). In a graph, images
are stored channels last (`transform.layout`).

All forms are ordinary differentiable code, so derivatives of every order and mode follow the choice.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array

Pads = Sequence[tuple[int, int]]
_SPATIAL = "DHW"
_TINY_IMAGE = 16
_MANY_CHANNELS = 128


def same_pads(
    sizes: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the padding for which the output has ceil(size / stride) elements, the odd one at the end."""
    pads = []
    for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
        pads.append((total // 2, total - total // 2))
    return pads


def conv(x: Array, w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int], groups: int) -> Array:
    """Return the cross-correlation of x (N, C, ...) with w (O, C / groups, ...)."""
    n = x.ndim - 2
    if groups == 1 and jax.default_backend() == "cpu" and _is_product(x, w, stride, pads, dilation):
        return _as_product(x, w, stride, pads, dilation)
    axes = _SPATIAL[3 - n :]
    return lax.conv_general_dilated(
        x,
        w,
        stride,
        list(pads),
        rhs_dilation=dilation,
        feature_group_count=groups,
        dimension_numbers=("NC" + axes, "OI" + axes, "NC" + axes),
    )


def out_sizes(x: Array, w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int]) -> list[int]:
    """Return the spatial sizes of the result."""
    rows = zip(x.shape[2:], w.shape[2:], stride, pads, dilation, strict=True)
    return [(size + low + high - d * (k - 1) - 1) // s + 1 for size, k, s, (low, high), d in rows]


def _is_product(x: Array, w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int]) -> bool:
    positions = math.prod(out_sizes(x, w, stride, pads, dilation))
    return 0 < positions <= _TINY_IMAGE and min(w.shape[:2]) >= _MANY_CHANNELS


def _as_product(x: Array, w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int]) -> Array:
    sizes = out_sizes(x, w, stride, pads, dilation)
    windows = unfold_windows(x, w.shape[2:], stride, pads, dilation, sizes)
    columns = windows.reshape(x.shape[0], math.prod(w.shape[1:]), math.prod(sizes))
    return jnp.matmul(w.reshape(w.shape[0], columns.shape[1]), columns).reshape(x.shape[0], w.shape[0], *sizes)


def unfold_windows(
    x: Array, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int], sizes: Sequence[int]
) -> Array:
    """Return the windows of x (N, C, ...) as an array (N, C, kernel elements, *sizes)."""
    x = jnp.pad(x, ((0, 0), (0, 0), *pads)) if any(map(any, pads)) else x
    taps = []
    for at in itertools.product(*map(range, kernel)):
        start = [i * d for i, d in zip(at, dilation, strict=True)]
        stop = [b + (o - 1) * s + 1 for b, o, s in zip(start, sizes, stride, strict=True)]
        taps.append(lax.slice(x, (0, 0, *start), (*x.shape[:2], *stop), (1, 1, *stride)))
    return jnp.stack(taps, 2)


def conv_transpose(
    y: Array, w: Array, shape: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int], groups: int
) -> Array:
    """Return the gradient of `conv` for its input of the given shape: the transposed convolution of y with w."""
    back = jax.linear_transpose(
        lambda x: conv(x, w, stride, pads, dilation, groups), jax.ShapeDtypeStruct(tuple(shape), y.dtype)
    )
    return back(y)[0]
