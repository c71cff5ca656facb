"""Reference functions in NumPy for the operators of `ops.nn.layer_kernels` (arrays in, arrays out)."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


def pad_axes(x: Array, value: float, pads: Any, mode: str) -> Array:
    """NumPy's pad of the last axes; negative numbers cut."""
    full = [(0, 0)] * (x.ndim - len(pads)) + [tuple(p) for p in pads]
    grown = [(max(b, 0), max(a, 0)) for b, a in full]
    out = np.pad(x, grown, mode=mode, **({"constant_values": value} if mode == "constant" else {}))  # type: ignore[call-overload]
    return out[tuple(slice(max(-b, 0), d - max(-a, 0)) for d, (b, a) in zip(out.shape, full, strict=True))]


def _axes(axis: Any) -> Any:
    return None if axis is None or axis == () else axis


def clip_by_norm(x: Array, clip_norm: Any, axis: Any = None) -> Array:
    """x · clip_norm / max(‖x‖, clip_norm)."""
    norm = np.sqrt(np.sum(x * x, axis=_axes(axis), keepdims=True))
    return (x * clip_norm / np.maximum(norm, clip_norm)).astype(x.dtype)


def l2_norm(x: Array, axis: Any = (), keep_dims: bool = False) -> Array:
    """√Σ x²."""
    return np.sqrt(np.sum(x * x, axis=_axes(axis), keepdims=keep_dims))


def moments(x: Array, axis: Any = (), keep_dims: bool = False) -> tuple[Array, Array]:
    """Mean and variance."""
    return np.mean(x, axis=_axes(axis), keepdims=keep_dims), np.var(x, axis=_axes(axis), keepdims=keep_dims)


def set_diagonal(x: Array, diagonal: Array) -> Array:
    """Matrices with new main diagonals."""
    out = x.copy()
    for i in range(diagonal.shape[-1]):
        out[..., i, i] = diagonal[..., i]
    return out


def image_gradients(images: Array) -> tuple[Array, Array]:
    """Differences to the next pixel."""
    dy, dx = np.zeros_like(images), np.zeros_like(images)
    dy[:, :, :-1] = images[:, :, 1:] - images[:, :, :-1]
    dx[..., :-1] = images[..., 1:] - images[..., :-1]
    return dy, dx


def channel_shuffle(x: Array, groups: int) -> Array:
    """Channels c = g · member + group."""
    members = x.shape[1] // groups
    order = [group * members + member for member in range(members) for group in range(groups)]
    return x[:, order]


def ssim(img1: Array, img2: Array, window: Array, max_val: float, k1: float, k2: float) -> Array:
    """Structural similarity with explicit loops over the windows."""
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    kernel = window[0, 0].astype(np.float64)
    size = kernel.shape[0]
    height, width = img1.shape[2] - size + 1, img1.shape[3] - size + 1
    values = np.zeros((*img1.shape[:2], height, width))
    for y in range(height):
        for x in range(width):
            a = img1[:, :, y : y + size, x : x + size].astype(np.float64)
            b = img2[:, :, y : y + size, x : x + size].astype(np.float64)
            blur = lambda v: np.sum(v * kernel, (2, 3))
            ma, mb = blur(a), blur(b)
            va, vb, cov = blur(a * a) - ma * ma, blur(b * b) - mb * mb, blur(a * b) - ma * mb
            values[:, :, y, x] = (2 * ma * mb + c1) * (2 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2))
    return values.mean((1, 2, 3)).astype(np.float32)


def psnr(img1: Array, img2: Array, max_val: float) -> Array:
    """Peak signal-to-noise ratio in decibels."""
    return 10 * np.log10(max_val**2 / np.mean((img1 - img2) ** 2, axis=(1, 2, 3)))


def weighted_loss(x: Array, weights: Any, reduction: str) -> Array:
    """The weighted loss, reduced."""
    loss = (x.astype(np.float32) * weights).astype(np.float32)
    return {"mean": np.mean, "sum": np.sum, "none": np.asarray}[reduction](loss).astype(x.dtype)
