"""References for operators on images: resizing, padding, sampling and boxes."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from references.nn import torch_reference

# --- resizing -------------------------------------------------------------------------------------------------------

_NAMES = {3: "linear", 4: "bilinear", 5: "trilinear"}


def _gather_axis(x, axis, at):
    return np.take(x, np.clip(at, 0, x.shape[axis] - 1).astype(int), axis)


def resize_nearest(x, size, rule="asymmetric"):
    for axis, out in enumerate(size, 2):
        i, have = np.arange(out), x.shape[axis]
        at = {
            "asymmetric": np.floor(i * have / out),
            "half_pixel": np.floor((i + 0.5) * have / out),
            "align_corners": np.floor(i * (have - 1) / (out - 1) + 0.5),
        }[rule]
        x = _gather_axis(x, axis, at)
    return x


def resize_linear(x, size, rule="half_pixel"):
    return F.interpolate(torch.tensor(x), size, mode=_NAMES[x.ndim], align_corners=rule == "align_corners").numpy()


def _keys(d, a):
    d = np.abs(d)
    return np.where(d <= 1, (a + 2) * d**3 - (a + 3) * d**2 + 1, np.where(d < 2, a * (d**3 - 5 * d**2 + 8 * d - 4), 0))


def resize_cubic(x, size, rule="half_pixel"):
    """Keys' kernel at positions rounded to 1/1024; a = -0.5 and weights of inputs inside only, for half pixels."""
    for axis, out in enumerate(size, 2):
        have, i = x.shape[axis], np.arange(out)
        at = {
            "half_pixel": (i + 0.5) * have / out - 0.5,
            "asymmetric": i * have / out,
            "align_corners": i * (have - 1) / (out - 1),
        }[rule]
        base = np.floor(at)
        t = np.round((at - base) * 1024) / 1024
        total, norm = 0, 0
        for k in (-1, 0, 1, 2):
            w = _keys(t - k, -0.5 if rule == "half_pixel" else -0.75)
            if rule == "half_pixel":
                w = w * ((base + k >= 0) & (base + k < have))
            shape = [-1 if a == axis else 1 for a in range(x.ndim)]
            total, norm = total + _gather_axis(x, axis, base + k) * w.reshape(shape), norm + w.reshape(shape)
        x = (total / (norm if rule == "half_pixel" else 1)).astype(np.float32)
    return x


def resize_area(x, size):
    out = np.zeros((x.shape[0], *size, x.shape[3]), np.float32)
    steps = [x.shape[1] / size[0], x.shape[2] / size[1]]
    for i in range(size[0]):
        for j in range(size[1]):
            total = 0
            for r in range(x.shape[1]):
                for c in range(x.shape[2]):
                    h = max(0, min(r + 1, (i + 1) * steps[0]) - max(r, i * steps[0]))
                    w = max(0, min(c + 1, (j + 1) * steps[1]) - max(c, j * steps[1]))
                    total = total + x[:, r, c] * h * w
            out[:, i, j] = total / steps[0] / steps[1]
    return out


def interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
    return F.interpolate(torch.tensor(x), size, scale_factor, mode, align_corners, recompute_scale_factor).numpy()


# --- padding and rearrangement --------------------------------------------------------------------------------------


@torch_reference
def pad(x, padding, mode="constant", value=None):
    if mode == "constant" or not padding:
        return F.pad(x, padding, mode, value)
    lead = 3 - x.ndim if x.ndim < 3 else 0
    return F.pad(x[(None,) * lead], padding, mode)[(0,) * lead]


def mirror_pad(x, paddings, mode: Any = "REFLECT"):
    return np.pad(x, paddings, mode=mode.lower())


def padding(x, size=8):
    return np.concatenate([x, np.zeros((*x.shape[:-1], size - 1), x.dtype)], -1)


@torch_reference
def im2col(x, kernel):
    return F.unfold(x, kernel).reshape(*x.shape[:2], kernel * kernel, -1)


@torch_reference
def col2im(x, size, kernel, dilation, pads, stride):
    return F.fold(x.flatten(1, 2), size, kernel, dilation, pads, stride)


@torch_reference
def image_patches(x, kernel, strides, rates):
    n, c, h, _ = x.shape
    out = F.unfold(x, kernel[2:], rates[2:], 0, strides[2:]).reshape(n, c, kernel[2] * kernel[3], -1)
    rows = (h - kernel[2]) // strides[2] + 1
    return out.transpose(1, 2).reshape(n, -1, rows, out.shape[-1] // rows)


def depth_to_space(x, b):
    n, c, h, w = x.shape
    out = np.zeros((n, c // b // b, h * b, w * b), x.dtype)
    for i in range(b):
        for j in range(b):
            part = (i * b + j) * (c // b // b)
            out[:, :, i::b, j::b] = x[:, part : part + c // b // b]
    return out


def space_to_depth(x, b):
    return np.concatenate([x[:, :, i::b, j::b] for i in range(b) for j in range(b)], 1)


def space_to_batch_nd(x, block, paddings):
    lead = x.ndim - len(block)
    x = np.pad(x, [(0, 0)] * lead + list(paddings))
    parts = [
        x[(slice(None),) * lead + tuple(slice(o, None, b) for o, b in zip(at, block, strict=True))]
        for at in np.ndindex(*block)
    ]
    return np.concatenate(parts)


def batch_to_space_nd(x, block, crops):
    lead, n = x.ndim - len(block), x.shape[0] // int(np.prod(block))
    sizes = [s * b for s, b in zip(x.shape[lead:], block, strict=True)]
    out = np.zeros((n, *x.shape[1:lead], *sizes), x.dtype)
    for part, at in enumerate(np.ndindex(*block)):
        where = (slice(None),) * lead + tuple(slice(o, None, b) for o, b in zip(at, block, strict=True))
        out[where] = x[part * n : (part + 1) * n]
    return out[(slice(None),) * lead + tuple(slice(a, s - b) for s, (a, b) in zip(sizes, crops, strict=True))]


# --- sampling and boxes ---------------------------------------------------------------------------------------------


def _bilinear(image, y, x):
    """Value of image (H, W, C) at (y, x), both inside."""
    h, w = image.shape[:2]
    y0, x0 = int(np.floor(y)), int(np.floor(x))
    y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1)
    a, b = y - y0, x - x0
    top = image[y0, x0] * (1 - b) + image[y0, x1] * b
    return top * (1 - a) + (image[y1, x0] * (1 - b) + image[y1, x1] * b) * a


def crop_and_resize(image, boxes, index, size, method="bilinear", fill=0.0):
    h, w = image.shape[1:3]
    out = np.full((len(boxes), *size, image.shape[3]), fill, np.float32)
    for m, (y1, x1, y2, x2) in enumerate(boxes):
        for i in range(size[0]):
            for j in range(size[1]):
                y = (y1 + (y2 - y1) * i / (size[0] - 1)) * (h - 1) if size[0] > 1 else (y1 + y2) / 2 * (h - 1)
                x = (x1 + (x2 - x1) * j / (size[1] - 1)) * (w - 1) if size[1] > 1 else (x1 + x2) / 2 * (w - 1)
                if not (0 <= y <= h - 1 and 0 <= x <= w - 1):
                    continue
                source = image[index[m]]
                nearest = method == "nearest"
                out[m, i, j] = source[int(y + 0.5), int(x + 0.5)] if nearest else _bilinear(source, y, x)
    return out


def roi_align(features, rois, ph, pw, scale, samples=2, end_mode=1):
    h, w = features.shape[2:]
    out = np.zeros((len(rois), features.shape[1], ph, pw), np.float32)
    for r, (b, x1, y1, x2, y2) in enumerate(rois):
        x1, y1, x2, y2 = x1 * scale, y1 * scale, (x2 + end_mode) * scale, (y2 + end_mode) * scale
        bh, bw = max(y2 - y1, 1) / ph, max(x2 - x1, 1) / pw
        image = features[int(b)].transpose(1, 2, 0)
        for i in range(ph):
            for j in range(pw):
                for sy in range(samples):
                    for sx in range(samples):
                        y, x = y1 + i * bh + (sy + 0.5) * bh / samples, x1 + j * bw + (sx + 0.5) * bw / samples
                        if -1 <= y <= h and -1 <= x <= w:
                            y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
                            out[r, :, i, j] += _bilinear(image, y, x) / samples**2
    return out


def iou(anchors, gts, mode="iou"):
    out = np.zeros((len(gts), len(anchors)), np.float32)
    area = lambda b: (b[2] - b[0] + 1) * (b[3] - b[1] + 1)
    for i, g in enumerate(gts):
        for j, a in enumerate(anchors):
            w, h = min(g[2], a[2]) - max(g[0], a[0]) + 1, min(g[3], a[3]) - max(g[1], a[1]) + 1
            shared = max(w, 0) * max(h, 0)
            out[i, j] = shared / (area(g) if mode == "iof" else area(g) + area(a) - shared)
    return out


def nms_with_mask(boxes, threshold=0.5):
    boxes = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    keep = np.ones(len(boxes), bool)
    area = lambda b: (b[2] - b[0]) * (b[3] - b[1])
    for i, a in enumerate(boxes):
        for j in range(i + 1, len(boxes)):
            b = boxes[j]
            shared = max(min(a[2], b[2]) - max(a[0], b[0]), 0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0)
            if keep[i] and shared / (area(a) + area(b) - shared) > threshold:
                keep[j] = False
    return boxes, np.arange(len(boxes), dtype=np.int32), keep


def bounding_box_encode(anchors, gts, means, stds):
    p, pw = (anchors[:, :2] + anchors[:, 2:]) / 2, anchors[:, 2:] - anchors[:, :2] + 1
    g, gw = (gts[:, :2] + gts[:, 2:]) / 2, gts[:, 2:] - gts[:, :2] + 1
    return (np.concatenate([(g - p) / pw, np.log(gw / pw)], 1) - means) / stds


def bounding_box_decode(anchors, deltas, max_shape, means, stds, clip):
    deltas = deltas * stds + means
    p, pw = (anchors[:, :2] + anchors[:, 2:]) / 2, anchors[:, 2:] - anchors[:, :2] + 1
    g, gw = p + pw * deltas[:, :2], pw * np.exp(np.clip(deltas[:, 2:], np.log(clip), -np.log(clip)))
    limits = np.array([max_shape[1], max_shape[0]] * 2) - 1
    return np.clip(np.concatenate([g - gw / 2 + 0.5, g + gw / 2 - 0.5], 1), 0, limits)


def check_valid(boxes, meta):
    h, w, ratio = meta
    return np.array([x1 >= 0 and y1 >= 0 and x2 <= w * ratio - 1 and y2 <= h * ratio - 1 for x1, y1, x2, y2 in boxes])


# --- colours --------------------------------------------------------------------------------------------------------


def _pixels(fn, x):
    return np.array([fn(*map(float, p)) for p in x.reshape(-1, 3)], x.dtype).reshape(x.shape)


def rgb_to_hsv(x):
    return _pixels(colorsys.rgb_to_hsv, x)


def hsv_to_rgb(x):
    return _pixels(colorsys.hsv_to_rgb, x)


def adjust_hue(x, delta):
    return hsv_to_rgb((rgb_to_hsv(x) + np.array([delta, 0, 0], x.dtype)) % [1, 2, 2]).astype(x.dtype)


def adjust_saturation(x, scale):
    hsv = rgb_to_hsv(x)
    return hsv_to_rgb(np.stack([hsv[..., 0], np.minimum(hsv[..., 1] * scale, 1), hsv[..., 2]], -1)).astype(x.dtype)
