"""Convolutions and pooling in one operator, as the layers need them: with bias, any number of axes, unbatched input."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.ops import convolution as conv
from sporax._src.ops import convolution_transpose, pooling, pooling_average
from sporax._src.ops.nn_checks import ntuple
from sporax._src.ops.table import internal

# --- convolution ----------------------------------------------------------------------------------------------------


@internal("conv1d")
def conv1d(
    x: Array, weight: Array, bias: OptArray, pad_mode: str, pad: Static, stride: int, dilation: int, group: int
) -> Array:
    """Return the 1-D convolution of x (N, C_in, L) with weight (C_out, C_in / group, 1, K), plus bias."""
    return conv.convolution.raw(x, jnp.squeeze(weight, 2), bias, pad_mode, pad, stride, dilation, group)


def _image(x: Array, bias: Array | None) -> Array:
    return x if bias is None else x + bias.astype(x.dtype).reshape((-1,) + (1,) * (x.ndim - 2))


@internal("conv_transpose")
def conv_transpose(
    x: Array,
    weight: Array,
    bias: OptArray,
    pad_mode: str,
    pad: Static,
    stride: Static,
    dilation: Static,
    group: int,
    tail: Static,
) -> Array:
    """Return the transposed convolution of x with weight (C_in, C_out / group, ...), plus bias, then `tail` zeros.

    Axes of the weight that x lacks have size 1 and are dropped.
    """
    n = x.ndim - 2
    weight = weight.reshape(*weight.shape[:2], *weight.shape[weight.ndim - n :])
    steps, holes = ntuple(stride, n, "stride"), ntuple(dilation, n, "dilation")
    pads = (pad,) * (2 * n) if isinstance(pad, int) else tuple(pad)
    sizes = [
        _grown(pad_mode, size, (k - 1) * d + 1, s, sum(pads[2 * i : 2 * i + 2]))
        for i, (size, k, s, d) in enumerate(zip(x.shape[2:], weight.shape[2:], steps, holes, strict=True))
    ]
    shape = (x.shape[0], weight.shape[1] * group, *sizes)
    out = _image(
        convolution_transpose.conv_input_gradient.raw(x, weight, shape, pad_mode, pads, steps, holes, group), bias
    )
    # Zeros, not the values a larger output would have: what MindSpore computes.
    return (
        lax.pad(out, jnp.zeros((), out.dtype), [(0, 0, 0), (0, 0, 0), *((0, t, 0) for t in tail)]) if any(tail) else out
    )


def _grown(pad_mode: str, size: int, kernel: int, stride: int, padding: int) -> int:
    if pad_mode == "same":
        return size * stride
    if pad_mode == "valid":
        return size * stride + max(kernel - stride, 0)
    return size * stride - padding + kernel - stride


@internal("conv3d_transpose")
def conv3d_transpose(
    x: Array,
    weight: Array,
    bias: OptArray,
    pad_mode: str,
    pad: Static,
    stride: Static,
    dilation: Static,
    group: int,
    extra: Static,
) -> Array:
    """Return the transposed convolution of x (N, C_in, D, H, W) with weight (C_in, C_out / group, ...), plus bias."""
    return _image(
        convolution_transpose.conv3d_transpose.raw(x, weight, pad_mode, pad, stride, dilation, group, extra), bias
    )


# --- pooling --------------------------------------------------------------------------------------------------------


@internal("max_pool")
def max_pool(
    x: Array,
    n: int,
    kernel: Static,
    stride: Static,
    pad_mode: str,
    pad: Static,
    dilation: Static,
    ceil_mode: bool,
    indices: bool,
) -> Any:
    """Return the maximum of each window over the last n axes of x (N, C, ...) or (C, ...); with `indices` its place."""
    y = x.reshape((1,) * (n + 2 - x.ndim) + x.shape)
    if pad_mode == "pad":
        out = _padded_max(y, n, kernel, stride, pad, dilation, ceil_mode, indices)
    else:
        out = pooling.max_pool_mode.raw(y, kernel, stride, pad_mode)
    if isinstance(out, tuple):
        return tuple(o.reshape(x.shape[: x.ndim - n] + o.shape[2:]) for o in out)
    return out.reshape(x.shape[: x.ndim - n] + out.shape[2:])


def _padded_max(
    y: Array, n: int, kernel: Any, stride: Any, pad: Any, dilation: Any, ceil_mode: bool, indices: bool
) -> Any:
    if n == 3:
        if dilation == 1 and not indices:
            return pooling.max_pool_mode.raw(y, kernel, stride, "pad", pad, ceil_mode)
        return pooling.max_pool3d.raw(y, kernel, stride, pad, dilation, ceil_mode, indices)
    if n == 2:
        return pooling.max_pool2d.raw(y, kernel, stride, pad, dilation, indices, ceil_mode)
    flat = lambda v, unit: (unit, *ntuple(v, 1, "window", 0))
    out = pooling.max_pool2d.raw(
        y[:, :, None], flat(kernel, 1), flat(stride, 1), flat(pad, 0), flat(dilation, 1), indices, ceil_mode
    )
    return tuple(o[:, :, 0] for o in out) if indices else out[:, :, 0]


@internal("avg_pool")
def avg_pool(x: Array, n: int, kernel: Static, stride: Static, pad_mode: str) -> Array:
    """Return the mean of each window over the last n axes of x, (N, C, ...) or (C, ...); padding never counts."""
    y = x.reshape((1,) * (n + 2 - x.ndim) + x.shape)
    out = pooling_average.avg_pool_mode.raw(y, kernel, stride, pad_mode)
    return out.reshape(x.shape[: x.ndim - n] + out.shape[2:])


@internal("avg_pool")
def avg_pool_padded(
    x: Array,
    n: int,
    kernel: Static,
    stride: Static,
    pad_mode: str,
    pad: Static,
    ceil_mode: bool,
    count_pad: bool,
    divisor: int,
) -> Array:
    """Return the mean of each window over the last n axes of x; the padding counts if `count_pad`."""
    units = (1,) * (3 - n)
    y = x.reshape((1,) * (n + 2 - x.ndim) + x.shape[: x.ndim - n] + units + x.shape[x.ndim - n :])
    windows = [(*units, *ntuple(v, n, "window")) for v in (kernel, stride)]
    out = pooling_average.avg_pool3d_mode.raw(y, *windows, pad_mode, pad, ceil_mode, count_pad, divisor)
    return out.reshape(x.shape[: x.ndim - n] + out.shape[2 + len(units) :])
