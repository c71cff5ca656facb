"""Similarity of two images: SSIM, its multi-scale form, and PSNR."""

from __future__ import annotations

from functools import reduce

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.engine.table import internal
from sporax._src.ops.nn import convolution as conv


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
