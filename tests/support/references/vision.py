"""References for deformable convolution, pooling at drawn places, glimpses and resampling, one value at a time."""

from __future__ import annotations

import itertools

import numpy as np
import torch
import torch.nn.functional as F


def _pixel(plane, y, x):
    y0, x0 = int(np.floor(y)), int(np.floor(x))
    total = 0.0
    for j, i in itertools.product((0, 1), (0, 1)):
        if 0 <= y0 + j < plane.shape[0] and 0 <= x0 + i < plane.shape[1]:
            weight = (1 - abs(y - y0 - j)) * (1 - abs(x - x0 - i))
            total += weight * plane[y0 + j, x0 + i]
    return total


def deformable_offsets(x, offsets, strides, pads, kernel, dilations=(1, 1, 1, 1), deformable_groups=1):
    (n, c), (kh, kw), (oh, ow) = x.shape[:2], kernel, offsets.shape[2:]
    part = offsets.reshape(n, 3, deformable_groups, kh, kw, oh, ow)
    out = np.zeros((n, c, oh * kh, ow * kw), np.float32)
    for b, ch, i, j, u, v in itertools.product(*map(range, (n, c, oh, ow, kh, kw))):
        g = ch // (c // deformable_groups)
        dx, dy, m = part[b, :, g, u, v, i, j]
        y = i * strides[2] - pads[0] + u * dilations[2] + dy
        w = j * strides[3] - pads[2] + v * dilations[3] + dx
        out[b, ch, i * kh + u, j * kw + v] = _pixel(x[b, ch], y, w) * m
    return out


def deformable_conv2d(
    x, weight, offsets, kernel, strides, pads, bias=None, dilations=(1, 1, 1, 1), groups=1, deformable_groups=1
):
    seen = deformable_offsets(x, offsets, strides, pads, kernel, dilations, deformable_groups)
    bias = None if bias is None else torch.tensor(bias)
    return F.conv2d(torch.tensor(seen), torch.tensor(weight), bias, kernel, groups=groups).numpy()


def fractional_max_pool(x, samples, kernel, size):
    pool = F.fractional_max_pool2d if x.ndim == 4 else F.fractional_max_pool3d
    out = pool(torch.tensor(x), kernel, size, return_indices=True, _random_samples=torch.tensor(samples))
    return tuple(o.numpy() for o in out)


def fractional_max_pool3d(x, kernel, size, ratio, indices, samples):
    x = torch.tensor(x)
    pool = F.fractional_max_pool2d if samples.shape[-1] == 2 else F.fractional_max_pool3d
    out = pool(x, kernel, size, ratio, indices, torch.tensor(samples))
    return tuple(o.numpy() for o in out) if indices else out.numpy()


fractional_max_pool2d = fractional_max_pool3d


def _pair(value):
    return (value,) * 2 if isinstance(value, int) else tuple(value)[-2:]


def dilation2d(x, f, stride, dilation, pad_mode="SAME"):
    (sh, sw), (dh, dw) = _pair(stride), _pair(dilation)
    (n, c, h, w), (_, kh, kw) = x.shape, f.shape
    reach = ((kh - 1) * dh + 1, (kw - 1) * dw + 1)
    if pad_mode.lower() == "same":
        oh, ow = -(-h // sh), -(-w // sw)
        top, left = (max((o - 1) * s + r - d, 0) // 2 for o, s, r, d in ((oh, sh, reach[0], h), (ow, sw, reach[1], w)))
    else:
        oh, ow, top, left = (h - reach[0]) // sh + 1, (w - reach[1]) // sw + 1, 0, 0
    out = np.zeros((n, c, oh, ow), x.dtype)
    for b, ch, i, j in itertools.product(range(n), range(c), range(oh), range(ow)):
        values = []
        for u, v in itertools.product(range(kh), range(kw)):
            y, z = i * sh - top + u * dh, j * sw - left + v * dw
            if 0 <= y < h and 0 <= z < w:
                values.append(x[b, ch, y, z] + f[ch, u, v])
        out[b, ch, i, j] = max(values)
    return out


def volume_patches(x, kernel, strides, padding):
    k, s = ((v,) * 3 if isinstance(v, int) else tuple(v)[-3:] for v in (kernel, strides))
    if padding == "SAME":
        totals = [max((-(-d // b) - 1) * b + a - d, 0) for d, a, b in zip(x.shape[2:], k, s, strict=True)]
        x = np.pad(x, [(0, 0), (0, 0), *[(t // 2, t - t // 2) for t in totals]])
    counts = [(d - a) // b + 1 for d, a, b in zip(x.shape[2:], k, s, strict=True)]
    out = np.zeros((x.shape[0], x.shape[1] * k[0] * k[1] * k[2], *counts), x.dtype)
    for at in itertools.product(*map(range, counts)):
        window = x[(slice(None), slice(None), *[slice(p * b, p * b + a) for p, b, a in zip(at, s, k, strict=True)])]
        out[(slice(None), slice(None), *at)] = np.moveaxis(window, 1, -1).reshape(len(x), -1)
    return out


def glimpse(x, offsets, size, centered, normalized):
    out = np.zeros((x.shape[0], *size, x.shape[3]), x.dtype)
    for b, (oy, ox) in enumerate(offsets):
        y, z = (oy * x.shape[1], ox * x.shape[2]) if normalized else (oy, ox)
        if centered:
            y, z = y / 2 + x.shape[1] / 2, z / 2 + x.shape[2] / 2
        y, z = int(y - size[0] / 2), int(z - size[1] / 2)
        for i, j in itertools.product(*map(range, size)):
            if 0 <= y + i < x.shape[1] and 0 <= z + j < x.shape[2]:
                out[b, i, j] = x[b, y + i, z + j]
    return out


def _lanczos(r):
    return lambda x: np.sinc(x) * np.sinc(x / r) if x <= r else 0.0


def _mitchell(x):
    if x >= 2:
        return 0.0
    if x >= 1:
        return ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return (7 / 6 * x - 2) * x * x + 8 / 9


def _keys(x):
    if x >= 2:
        return 0.0
    return ((-0.5 * x + 2.5) * x - 4) * x + 2 if x >= 1 else (1.5 * x - 2.5) * x * x + 1


_KERNELS = {
    "lanczos1": (1, _lanczos(1)),
    "lanczos3": (3, _lanczos(3)),
    "lanczos5": (5, _lanczos(5)),
    "gaussian": (1.5, lambda x: np.exp(-2 * x * x) if x < 1.5 else 0.0),
    "box": (1, lambda x: 1.0 if x < 0.5 else 0.5 * (x == 0.5)),
    "triangle": (1, lambda x: max(1 - x, 0)),
    "keyscubic": (2, _keys),
    "mitchellcubic": (2, _mitchell),
}


def scale_and_translate(x, size, scale, shift, kernel="lanczos3", antialias=True):
    radius, value = _KERNELS[kernel]
    for axis in (0, 1):
        have = x.shape[axis + 1]
        rows = np.zeros((size[axis], have))
        spread = max(1 / scale[axis], 1) if antialias else 1
        for o in range(size[axis]):
            at = (o + 0.5 - shift[axis]) / scale[axis]
            if 0 <= at <= have:
                row = [
                    value(abs(i + 0.5 - at) / spread) if abs(i + 0.5 - at) <= radius * spread else 0
                    for i in range(have)
                ]
                rows[o] = np.asarray(row) / (sum(row) or 1)
        x = np.moveaxis(np.tensordot(rows, x, (1, axis + 1)), 0, axis + 1)
    return x.astype(np.float32)
