"""Operators of layers that have no public name in `ops`."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.engine.arguments import ntuple
from sporax._src.engine.table import internal
from sporax._src.ops.math.statistics import in_float32
from sporax._src.ops.nn import convolution as conv
from sporax._src.ops.nn import convolution_transpose, normalization, pooling


@internal("layer_norm", amp="float32")
def layer_norm(
    x: Array, gamma: Array, beta: Array, begin_norm_axis: int, begin_params_axis: int, epsilon: float
) -> Array:
    """Return x normalised over the axes from `begin_norm_axis` on, times gamma plus beta, in the dtype of x."""
    return normalization.layer_norm_stats.raw(x, gamma, beta, begin_norm_axis, begin_params_axis, epsilon)[0]


@internal("batch_norm", amp="float32")
def batch_norm_train(
    x: Array, gamma: Array, beta: Array, mean: Array, variance: Array, momentum: float, eps: float, data_format: str
) -> tuple[Array, Array, Array]:
    """Return x normalised over its batch, and the new moving mean and variance."""
    return normalization.batch_norm_train.raw(x, mean, variance, gamma, beta, momentum, eps, data_format)[:3]


@internal("instance_norm")
def instance_norm(
    x: Array, gamma: Array, beta: Array, mean: Array, variance: Array, momentum: float, eps: float
) -> tuple[Array, Array, Array]:
    """Return x normalised over each image and channel, and the new moving mean and variance."""
    axes = tuple(range(2, x.ndim))
    wide = in_float32(x)
    own_mean = jnp.mean(wide, axes, keepdims=True)
    own_variance = jnp.mean(jnp.square(wide - own_mean), axes, keepdims=True)
    shape = (-1,) + (1,) * len(axes)
    y = (wide - own_mean) * lax.rsqrt(own_variance + eps) * gamma.astype(wide.dtype).reshape(shape)
    y = (y + beta.astype(wide.dtype).reshape(shape)).astype(x.dtype)
    count = math.prod(x.shape[2:])
    batch = [jnp.mean(v, 0).reshape(-1) for v in (own_mean, own_variance * (count / max(count - 1, 1)))]
    moved = [m * (1 - momentum) + b.astype(m.dtype) * momentum for m, b in zip((mean, variance), batch, strict=True)]
    return y, lax.stop_gradient(moved[0]), lax.stop_gradient(moved[1])


@internal("multi_field_embedding")
def merge_fields(rows: Array, values: Array, fields: Array, count: int, operator: str) -> Array:
    """Return the rows (N, S, D), times their values (N, S), merged by field into (N, count, D); empty fields are 0."""
    weighted = rows * values[..., None]
    member = fields[..., None] == jnp.arange(count, dtype=fields.dtype)
    if operator == "MAX":
        used = member & (values != 0)[..., None]
        best = jnp.max(jnp.where(used[..., None], weighted[:, :, None], -jnp.inf), 1, initial=-jnp.inf)
        return jnp.where(jnp.any(used, 1)[..., None], best, 0)
    total = jnp.einsum("nsd,nsf->nfd", weighted, member.astype(weighted.dtype))
    if operator == "SUM":
        return total
    size = jnp.einsum("ns,nsf->nf", values * lax.stop_gradient(jnp.sign(values)), member.astype(values.dtype))[
        ..., None
    ]
    return jnp.where(size == 0, 0, total / jnp.where(size == 0, 1, size))


# --- image quality --------------------------------------------------------------------------------------------------


# --- convolution ----------------------------------------------------------------------------------------------------


@internal("conv1d", amp="half", convolves=True)
def conv1d(
    x: Array, weight: Array, bias: OptArray, pad_mode: str, pad: Static, stride: int, dilation: int, group: int
) -> Array:
    """Return the 1-D convolution of x (N, C_in, L) with weight (C_out, C_in / group, 1, K), plus bias."""
    return conv.convolution.raw(x, jnp.squeeze(weight, 2), bias, pad_mode, pad, stride, dilation, group)


def _image(x: Array, bias: Array | None) -> Array:
    return x if bias is None else x + bias.astype(x.dtype).reshape((-1,) + (1,) * (x.ndim - 2))


@internal("conv_transpose", amp="half", convolves=True)
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


@internal("conv3d_transpose", amp="half", convolves=True)
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
) -> Array | tuple[Array, ...]:
    """Return the maximum of each window over the last n axes of x (N, C, ...) or (C, ...); and its index."""
    y = x.reshape((1,) * (n + 2 - x.ndim) + x.shape)
    if pad_mode == "pad":
        out = _padded_max(y, n, kernel, stride, pad, dilation, ceil_mode, indices)
    else:
        out = pooling.max_pool_mode.raw(y, kernel, stride, pad_mode)
    if isinstance(out, tuple):
        return tuple(o.reshape(x.shape[: x.ndim - n] + o.shape[2:]) for o in out)
    return out.reshape(x.shape[: x.ndim - n] + out.shape[2:])


def _padded_max(
    y: Array, n: int, kernel: object, stride: object, pad: object, dilation: object, ceil_mode: bool, indices: bool
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
    out = pooling.avg_pool_mode.raw(y, kernel, stride, pad_mode)
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
    out = pooling.avg_pool3d_mode.raw(y, *windows, pad_mode, pad, ceil_mode, count_pad, divisor)
    return out.reshape(x.shape[: x.ndim - n] + out.shape[2 + len(units) :])


# --- what the optimizer THOR asks of layers -----------------------------------------------------------------------------
