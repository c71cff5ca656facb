"""What layers compute in one operator and `ops` has no public name for."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.core.dtype import to_float, unify
from sporax._src.engine.arguments import magnitude, ntuple
from sporax._src.engine.table import internal
from sporax._src.ops.nn import convolution as conv
from sporax._src.ops.nn import convolution_transpose, normalization, pooling
from sporax._src.ops.nn.convolution import same_pads, unfold_windows


def _axes(axis: int | tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    if axis is None or axis == ():
        return tuple(range(rank))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for a in axes:
        if not -rank <= a < rank:
            raise ValueError(f"axis must be in [{-rank}, {rank}), got {a}.")
    return axes


def _wide(x: Array) -> Array:
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


@internal("pad_axes")
def pad_axes(x: Array, value: Array, pads: Static, mode: str) -> Array:
    """Return x with its last axes extended by `pads` (a pair for each of them), or cut where negative."""
    if x.ndim < len(pads):
        raise ValueError(f"x must have at least {len(pads)} axes for these paddings, got {x.ndim}.")
    full = ((0, 0),) * (x.ndim - len(pads)) + tuple(pads)
    for axis, (size, (before, after)) in enumerate(zip(x.shape, full, strict=True)):
        limit = {"reflect": size, "symmetric": size + 1}.get(mode)
        if limit is not None and max(before, after) >= limit:
            raise ValueError(
                f"paddings of axis {axis} must be less than {limit} in mode '{mode}', got {(before, after)}."
            )
        if size and size + before + after <= 0:
            raise ValueError(f"axis {axis} must keep a positive size, got {size} padded by {(before, after)}.")
    if mode == "constant":
        fill = jnp.asarray(value).astype(x.dtype)
        return lax.pad(x, fill, [(before, after, 0) for before, after in full])
    grown = jnp.pad(x, [(max(b, 0), max(a, 0)) for b, a in full], mode=mode)
    return lax.slice(
        grown, [max(-b, 0) for b, _ in full], [d - max(-a, 0) for d, (_, a) in zip(grown.shape, full, strict=True)]
    )


@internal("clip_by_norm")
def clip_by_norm(x: Array, clip_norm: Array, axis: Static = None) -> Array:
    """Return x · clip_norm / max(‖x‖, clip_norm), the norm ‖x‖ taken over `axis` (None: all axes)."""
    x, clip = unify(x, clip_norm)
    square = jnp.sum(jnp.square(x), _axes(axis, x.ndim), keepdims=True)
    longer = square > clip * clip
    return x * jnp.where(longer, clip * lax.rsqrt(jnp.where(longer, square, 1)), 1).astype(x.dtype)


@internal("l2_norm")
def l2_norm(x: Array, axis: Static = (), keep_dims: bool = False) -> Array:
    """Return √Σ x² over `axis` (`()`: all axes)."""
    return jnp.sqrt(jnp.sum(jnp.square(x), _axes(axis, x.ndim), keepdims=keep_dims))


@internal("l1_norm")
def l1_norm(x: Array, scale: float) -> Array:
    """Return scale · Σ |x|, integers as float32."""
    return jnp.sum(magnitude(to_float(x))) * scale


@internal("moments")
def moments(x: Array, axis: Static = (), keep_dims: bool = False) -> tuple[Array, Array]:
    """Return the mean and the (biased) variance over `axis` (`()`: all axes)."""
    wide, axes = _wide(x), _axes(axis, x.ndim)
    mean = jnp.mean(wide, axes, keepdims=True)
    variance = jnp.mean(jnp.square(wide - mean), axes, keepdims=True)
    if not keep_dims:
        mean, variance = jnp.squeeze(mean, axes), jnp.squeeze(variance, axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)


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
    wide = _wide(x)
    own_mean = jnp.mean(wide, axes, keepdims=True)
    own_variance = jnp.mean(jnp.square(wide - own_mean), axes, keepdims=True)
    shape = (-1,) + (1,) * len(axes)
    y = (wide - own_mean) * lax.rsqrt(own_variance + eps) * gamma.astype(wide.dtype).reshape(shape)
    y = (y + beta.astype(wide.dtype).reshape(shape)).astype(x.dtype)
    count = math.prod(x.shape[2:])
    batch = [jnp.mean(v, 0).reshape(-1) for v in (own_mean, own_variance * (count / max(count - 1, 1)))]
    moved = [m * (1 - momentum) + b.astype(m.dtype) * momentum for m, b in zip((mean, variance), batch, strict=True)]
    return y, lax.stop_gradient(moved[0]), lax.stop_gradient(moved[1])


@internal("lbeta")
def lbeta(x: Array, y: Array) -> Array:
    """Return ln |B(x, y)|, B the beta function."""
    return jax.scipy.special.betaln(*unify(x, y))


@internal("set_diagonal")
def set_diagonal(x: Array, diagonal: Array) -> Array:
    """Return the matrices x with `diagonal` in their main diagonals."""
    shape = (*x.shape[:-2], min(x.shape[-2:])) if x.ndim >= 2 else None
    if diagonal.shape != shape:
        raise ValueError(f"diagonal must have shape {list(shape or ())}, got {list(diagonal.shape)}.")
    index = jnp.arange(diagonal.shape[-1])
    return x.at[..., index, index].set(diagonal.astype(x.dtype))


@internal("image_gradients")
def image_gradients(images: Array) -> tuple[Array, Array]:
    """Return the differences (dy, dx) between each pixel and the next, zero at the end of each axis."""
    dy = jnp.diff(images, axis=2)
    dx = jnp.diff(images, axis=3)
    return jnp.pad(dy, ((0, 0), (0, 0), (0, 1), (0, 0))), jnp.pad(dx, ((0, 0), (0, 0), (0, 0), (0, 1)))


@internal("extract_image_patches")
def patches(x: Array, kernel: Static, stride: Static, rate: Static, padding: str) -> Array:
    """Return the patches of x (N, C, H, W), their values along axis 1: channels fastest, then columns, then rows."""
    spans = [(k - 1) * r + 1 for k, r in zip(kernel, rate, strict=True)]
    pads = same_pads(x.shape[2:], kernel, stride, rate) if padding == "same" else [(0, 0), (0, 0)]
    if padding == "valid" and any(span > size for span, size in zip(spans, x.shape[2:], strict=True)):
        raise ValueError(f"patches of {spans} pixels do not fit images of {list(x.shape[2:])}.")
    sizes = [(d + a + b - span) // s + 1 for d, (a, b), span, s in zip(x.shape[2:], pads, spans, stride, strict=True)]
    taken = unfold_windows(x, kernel, stride, pads, rate, sizes)
    return jnp.swapaxes(taken, 1, 2).reshape(x.shape[0], x.shape[1] * math.prod(kernel), *sizes)


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


def _similarity(a: Array, b: Array, window: Array, c1: float, c2: float) -> tuple[Array, Array]:
    """Return the structural similarity and its contrast part, means over the pixels of each channel."""
    channels = a.shape[1]
    kernel = jnp.broadcast_to(window, (channels, 1, *window.shape[2:]))

    def blur(x: Array) -> Array:
        return conv.conv(x, kernel, (1, 1), ((0, 0), (0, 0)), (1, 1), channels)

    mean_a, mean_b = blur(a), blur(b)
    var_a, var_b = blur(a * a) - mean_a * mean_a, blur(b * b) - mean_b * mean_b
    covariance = blur(a * b) - mean_a * mean_b
    contrast = (2 * covariance + c2) / (var_a + var_b + c2)
    luminance = (2 * mean_a * mean_b + c1) / (mean_a * mean_a + mean_b * mean_b + c1)
    return jnp.mean(luminance * contrast, (2, 3)), jnp.mean(contrast, (2, 3))


def _images(img1: Array, img2: Array) -> tuple[Array, Array, float]:
    """Return both images as floats, in [0, 1] if they are integers, and the factor that scaled them."""
    scale = 1.0 / float(jnp.iinfo(img1.dtype).max) if img1.dtype.kind in "iu" else 1.0
    wide = img1.dtype if img1.dtype == jnp.float64 else jnp.float32
    return img1.astype(wide) * scale, img2.astype(wide) * scale, scale


@internal("ssim")
def ssim(img1: Array, img2: Array, window: Array, max_val: float, k1: float, k2: float) -> Array:
    """Return the structural similarity of each pair of images, shape (N,), with a blur by `window`."""
    a, b, scale = _images(img1, img2)
    top = max_val * scale
    value, _ = _similarity(a, b, window.astype(a.dtype), (k1 * top) ** 2, (k2 * top) ** 2)
    return jnp.mean(value, -1)


@internal("msssim")
def msssim(
    img1: Array, img2: Array, window: Array, max_val: float, power_factors: Static, k1: float, k2: float
) -> Array:
    """Return the multi-scale structural similarity of each pair of images, shape (N,)."""
    a, b, scale = _images(img1, img2)
    top = max_val * scale
    levels = []
    for level in range(len(power_factors)):
        value, contrast = _similarity(a, b, window.astype(a.dtype), (k1 * top) ** 2, (k2 * top) ** 2)
        levels.append(jax.nn.relu(contrast if level + 1 < len(power_factors) else value))
        a, b = (_halve(x) for x in (a, b))
    product = reduce(jnp.multiply, [value**power for value, power in zip(levels, power_factors, strict=True)])
    return jnp.mean(product, -1)


def _halve(x: Array) -> Array:
    """Return the means of blocks of 2 × 2 pixels."""
    n, c, height, width = x.shape
    even = x[:, :, : height // 2 * 2, : width // 2 * 2]
    return jnp.mean(even.reshape(n, c, height // 2, 2, width // 2, 2), (3, 5))


@internal("psnr")
def psnr(img1: Array, img2: Array, max_val: float) -> Array:
    """Return the peak signal-to-noise ratio of each pair of images in decibels, shape (N,)."""
    a, b, scale = _images(img1, img2)
    error = jnp.mean(jnp.square(a - b), (-3, -2, -1))
    return 10 * jnp.log10((max_val * scale) ** 2 / error)


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


@internal("second_moment", amp="float32")
def second_moment(x: Array, count: int) -> Array:
    """Return XᵀX / count in float32, the rows of X those along the last axis of x; no gradient goes through it."""
    rows = lax.stop_gradient(x).astype(jnp.float32).reshape(-1, x.shape[-1])
    return rows.T @ rows / count


@internal("patch_moment", amp="float32")
def patch_moment(x: Array, kernel: Static, stride: Static, dilation: Static) -> Array:
    """Return the second moment of the patches that a kernel meets in the mean over the batch of x, as rows (C, kh, kw).

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
    """Return the second moment of the channels at each place of the mean over the batch of x (N, C, ...), in float32."""
    mean = jnp.mean(x.astype(jnp.float32), 0)
    return second_moment.raw(_columns(mean, x.shape[2:]), math.prod(x.shape[2:]))


def _columns(x: Array, sizes: Any) -> Array:
    return x.reshape(-1, math.prod(sizes)).T


@internal("counts_of")
def counts_of(ids: Array, size: int) -> Array:
    """Return how often each of the numbers below `size` is among ids, in float32."""
    return jnp.zeros(size, jnp.float32).at[ids.reshape(-1)].add(1)
