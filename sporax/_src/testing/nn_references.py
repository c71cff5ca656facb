"""References for the neural-network operators: torch where it has the function, in MindSpore's argument lists."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F


def _convert(value: Any, to: Callable[[Any], Any], kind: type) -> Any:
    if isinstance(value, kind):
        return to(value)
    return tuple(_convert(v, to, kind) for v in value) if isinstance(value, (tuple, list)) else value


def _numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function over torch tensors take and give NumPy arrays."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple(_convert(a, torch.tensor, np.ndarray) for a in args)
        kwargs = {k: _convert(v, torch.tensor, np.ndarray) for k, v in kwargs.items()}
        return _convert(fn(*args, **kwargs), lambda t: t.detach().numpy(), torch.Tensor)

    return call


# --- activations ----------------------------------------------------------------------------------------------------


@_numpy
def gelu(x, approximate="none"):
    return F.gelu(x, approximate=approximate)


@_numpy
def fast_gelu(x):
    return x * torch.exp(0.851 * (x - x.abs())) / (1 + torch.exp(-1.702 * x.abs()))


@_numpy
def softmax(x, axis=-1):
    return F.softmax(x, axis)


@_numpy
def log_softmax(x, axis=-1):
    return F.log_softmax(x, axis)


@_numpy
def swiglu(x, dim=-1):
    a, b = x.chunk(2, dim)
    return F.silu(a) * b


# --- convolution ----------------------------------------------------------------------------------------------------


def _sides(pad, n):
    pad = (pad,) * n if isinstance(pad, int) else tuple(pad)
    return pad if len(pad) == 2 * n else tuple(p for p in pad for _ in range(2))


def _same(sizes, kernel, stride, dilation):
    sides = []
    for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        total = max((-(-size // s) - 1) * s + d * (k - 1) + 1 - size, 0)
        sides += [total // 2, total - total // 2]
    return tuple(sides)


def _torch_pad(sides):
    return tuple(v for i in range(len(sides) // 2 - 1, -1, -1) for v in sides[2 * i : 2 * i + 2])


def _many(value, n):
    return (value,) * n if isinstance(value, int) else tuple(value)[-n:]


def _convolution(x, w, bias, stride, pad_mode, pad, dilation, groups):
    n = x.ndim - 2
    stride, dilation = _many(stride, n), _many(dilation, n)
    sides = _same(x.shape[2:], w.shape[2:], stride, dilation) if pad_mode == "same" else _sides(pad, n)
    conv = (F.conv1d, F.conv2d, F.conv3d)[n - 1]
    return conv(F.pad(x, _torch_pad(sides)), w, bias, stride, 0, dilation, groups)


@_numpy
def conv2d(x, w, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    return _convolution(x, w, bias, stride, pad_mode, padding, dilation, groups)


conv1d = conv3d = conv2d


@_numpy
def convolution(x, w, bias=None, pad_mode="valid", pad=0, stride=1, dilation=1, group=1, data_format="NCHW"):
    if data_format == "NHWC":
        out = _convolution(x.movedim(-1, 1), w.movedim(-1, 1), bias, stride, pad_mode, pad, dilation, group)
        return out.movedim(1, -1)
    return _convolution(x, w, bias, stride, pad_mode, pad, dilation, group)


@_numpy
def conv_input_gradient(dout, w, input_size, pad_mode="valid", pad=0, stride=1, dilation=1, group=1):
    x = torch.zeros(input_size, dtype=dout.dtype, requires_grad=True)
    _convolution(x, w, None, stride, pad_mode, pad, dilation, group).backward(dout)
    return x.grad


@_numpy
def conv_transpose(x, w, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    conv = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[x.ndim - 3]
    return conv(x, w, bias, stride, padding, output_padding, groups, dilation)


@_numpy
def conv3d_transpose(x, w, pad_mode="valid", padding=0, stride=1, dilation=1, group=1, output_padding=0):
    return F.conv_transpose3d(x, w, None, stride, padding, output_padding, group, dilation)


# --- pooling --------------------------------------------------------------------------------------------------------


@_numpy
def max_pool2d(x, kernel, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
    return F.max_pool2d(x, kernel, stride, padding, dilation, ceil_mode, return_indices)


@_numpy
def max_pool3d(x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return F.max_pool3d(x, kernel, stride, padding, dilation, ceil_mode, return_indices)


def _mode_sides(x, pad_mode, pad, kernel, stride):
    n = x.ndim - 2
    return _same(x.shape[2:], kernel, stride, (1,) * n) if pad_mode == "same" else _sides(pad, n)


@_numpy
def max_pool_mode(x, kernel=1, strides=1, pad_mode="valid", pad_list=0, ceil_mode=False, data_format="NCHW"):
    x = x.movedim(-1, 1) if data_format == "NHWC" else x
    n = x.ndim - 2
    kernel, strides = _many(kernel, n), _many(strides, n)
    padded = F.pad(x, _torch_pad(_mode_sides(x, pad_mode, pad_list, kernel, strides)), value=-np.inf)
    out = (F.max_pool2d, F.max_pool3d)[n - 2](padded, kernel, strides, ceil_mode=bool(ceil_mode))
    return out.movedim(1, -1) if data_format == "NHWC" else out


@_numpy
def max_pool_argmax(x, kernel=1, strides=1, pad_mode="valid"):
    kernel, strides = _many(kernel, 2), _many(strides, 2)
    sides = _mode_sides(x, pad_mode, 0, kernel, strides)
    padded = F.pad(x, _torch_pad(sides), value=-np.inf)
    out, at = F.max_pool2d(padded, kernel, strides, return_indices=True)
    width = padded.shape[-1]
    return out, ((at // width - sides[0]) * x.shape[-1] + at % width - sides[2]).to(torch.int32)


@_numpy
def avg_pool1d(x, kernel=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True):
    return F.avg_pool1d(x, kernel, stride, padding, ceil_mode, count_include_pad)


@_numpy
def avg_pool2d(x, kernel=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor=0):
    return F.avg_pool2d(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor or None)


@_numpy
def avg_pool3d(x, kernel=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor=0):
    return F.avg_pool3d(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor or None)


def _padded_mean(x, kernel, strides, sides, count_pads):
    pool = (F.avg_pool2d, F.avg_pool3d)[x.ndim - 4]
    total = pool(F.pad(x, _torch_pad(sides)), kernel, strides, divisor_override=1)
    ones = torch.ones_like(x)
    count = pool(F.pad(ones, _torch_pad(sides), value=1.0 if count_pads else 0.0), kernel, strides, divisor_override=1)
    return total / count


@_numpy
def avg_pool_mode(x, kernel=1, strides=1, pad_mode="valid", data_format="NCHW"):
    x = x.movedim(-1, 1) if data_format == "NHWC" else x
    kernel, strides = _many(kernel, 2), _many(strides, 2)
    out = _padded_mean(x, kernel, strides, _mode_sides(x, pad_mode, 0, kernel, strides), False)
    return out.movedim(1, -1) if data_format == "NHWC" else out


@_numpy
def avg_pool3d_mode(x, kernel=1, strides=1, pad_mode="valid", pad=0):
    kernel, strides = _many(kernel, 3), _many(strides, 3)
    return _padded_mean(x, kernel, strides, _mode_sides(x, pad_mode, pad, kernel, strides), True)


@_numpy
def lp_pool1d(x, p, kernel, stride=None, ceil_mode=False):
    return F.lp_pool1d(x, float(p), kernel, stride, ceil_mode)


@_numpy
def lp_pool2d(x, p, kernel, stride=None, ceil_mode=False):
    return F.lp_pool2d(x, float(p), kernel, stride, ceil_mode)


@_numpy
def max_unpool1d(x, indices, kernel, stride=None, padding=0, output_size=None):
    return F.max_unpool1d(x, indices, kernel, stride, padding, output_size)


@_numpy
def max_unpool2d(x, indices, kernel, stride=None, padding=0, output_size=None):
    return F.max_unpool2d(x, indices, kernel, stride, padding, output_size)


@_numpy
def max_unpool3d(x, indices, kernel, stride=None, padding=0, output_size=None):
    return F.max_unpool3d(x, indices, kernel, stride, padding, output_size)


# --- normalisation --------------------------------------------------------------------------------------------------


@_numpy
def batch_norm_train(x, mean, var, weight=None, bias=None, momentum=0.1, eps=1e-5, data_format="NCHW"):
    x = x.movedim(-1, 1) if data_format == "NHWC" else x
    y = F.batch_norm(x, mean, var, weight, bias, True, momentum, eps)
    axes = [a for a in range(x.ndim) if a != 1]
    y = y.movedim(1, -1) if data_format == "NHWC" else y
    return y, mean, var, x.mean(axes), x.var(axes, unbiased=False)


@_numpy
def batch_norm_infer(x, mean, var, weight=None, bias=None, eps=1e-5, data_format="NCHW"):
    x = x.movedim(-1, 1) if data_format == "NHWC" else x
    y = F.batch_norm(x, mean, var, weight, bias, False, 0.1, eps)
    return y.movedim(1, -1) if data_format == "NHWC" else y


@_numpy
def batch_norm(x, mean, var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    return F.batch_norm(x, mean, var, weight, bias, training, momentum, eps)


@_numpy
def layer_norm_stats(x, gamma, beta, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    mean, var = x.mean(axes, keepdim=True), x.var(axes, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(var + epsilon) * gamma + beta, mean, var


@_numpy
def rms_norm(x, gamma, epsilon=1e-6):
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    factor = torch.rsqrt((x * x).mean(axes, keepdim=True) + epsilon)
    return x * factor * gamma, factor


def add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    return (*rms_norm(x1 + x2, gamma, epsilon), x1 + x2)


def add_layer_norm(x1, x2, gamma, beta, epsilon=1e-5, additional_output=False):
    y, mean, var = layer_norm_stats(x1 + x2, gamma, beta, -1, -1, epsilon)
    return y, mean, 1 / np.sqrt(var + epsilon), (x1 + x2) if additional_output else np.zeros_like(x1)


def l2_normalize(x, axis=0, epsilon=1e-4):
    return x / np.sqrt(np.maximum(np.sum(x * x, axis, keepdims=True), epsilon))


def local_response_norm(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    size = 2 * depth_radius + 1
    return F.local_response_norm(torch.tensor(x), size, alpha * size, beta, bias).numpy()


# --- losses ---------------------------------------------------------------------------------------------------------


@_numpy
def nll_loss(x, target, weight=None, ignore_index=-100, reduction="mean"):
    return F.nll_loss(x, target.long(), weight, ignore_index=ignore_index, reduction=reduction)


@_numpy
def nll_loss_total(x, target, weight, reduction="mean", ignore_index=-100):
    return F.nll_loss(x, target.long(), weight, ignore_index=ignore_index, reduction=reduction), weight[target.long()].sum()


@_numpy
def softmax_cross_entropy(x, y):
    return -(y * F.log_softmax(x, -1)).sum(-1), F.softmax(x, -1) - y


@_numpy
def sparse_softmax_cross_entropy(x, y, is_grad=False):
    x = x.requires_grad_()
    loss = F.cross_entropy(x, y.long())
    return torch.autograd.grad(loss, x)[0] if is_grad else loss


@_numpy
def binary_cross_entropy(x, y, weight=None, reduction="mean"):
    return F.binary_cross_entropy(x, y, weight, reduction=reduction)


@_numpy
def binary_cross_entropy_with_logits(x, y, weight=None, pos_weight=None, reduction="mean"):
    return F.binary_cross_entropy_with_logits(x, y, weight, reduction=reduction, pos_weight=pos_weight)


@_numpy
def sigmoid_cross_entropy(x, y):
    return F.binary_cross_entropy_with_logits(x, y, reduction="none")


@_numpy
def multilabel_margin_loss(x, target, reduction="mean"):
    loss = F.multilabel_margin_loss(x, target, reduction=reduction)
    mask = torch.zeros_like(target, dtype=torch.int32)
    for row, labels in zip(mask.reshape(-1, x.shape[-1]), target.reshape(-1, x.shape[-1]), strict=True):
        for label in labels.tolist():
            if label < 0:
                break
            row[label] = 1
    return loss, mask


@_numpy
def smooth_l1_loss(x, y, beta=1.0, reduction="none"):
    return F.smooth_l1_loss(x, y, reduction=reduction, beta=beta)


def l2_loss(x):
    return np.sum(x * x) / 2


@_numpy
def gaussian_nll_loss(x, target, var, full=False, eps=1e-6, reduction="mean"):
    return F.gaussian_nll_loss(x, target, var, full, eps, reduction)


@_numpy
def kl_div(x, y, reduction="mean"):
    loss = F.kl_div(x, y, reduction="none")
    return {"none": loss, "mean": loss.mean(), "sum": loss.sum(), "batchmean": loss.sum() / len(x)}[reduction]


@_numpy
def soft_margin_loss(x, y, reduction="mean"):
    return F.soft_margin_loss(x, y, reduction=reduction)


@_numpy
def triplet_margin_loss(a, p, n, margin=1.0, norm=2, eps=1e-6, swap=False, reduction="mean"):
    return F.triplet_margin_loss(a, p, n, margin, norm, eps, swap, reduction=reduction)


# --- embedding and affine maps --------------------------------------------------------------------------------------


@_numpy
def embedding(x, weight, padding_idx=None, max_norm=None):
    return F.embedding(x.long(), weight, padding_idx, max_norm)


@_numpy
def dense(x, w, b=None):
    return F.linear(x, w, b)


def bias_add(x, b, data_format="NCHW"):
    return x + b if data_format == "NHWC" else np.moveaxis(np.moveaxis(x, 1, -1) + b, -1, 1)


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
        at = {"half_pixel": (i + 0.5) * have / out - 0.5, "asymmetric": i * have / out, "align_corners": i * (have - 1) / (out - 1)}[rule]
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


@_numpy
def pad(x, padding, mode="constant", value=None):
    if mode == "constant" or not padding:
        return F.pad(x, padding, mode, value)
    lead = 3 - x.ndim if x.ndim < 3 else 0
    return F.pad(x[(None,) * lead], padding, mode)[(0,) * lead]


def mirror_pad(x, paddings, mode="REFLECT"):
    return np.pad(x, paddings, mode.lower())


def padding(x, size=8):
    return np.concatenate([x, np.zeros((*x.shape[:-1], size - 1), x.dtype)], -1)


@_numpy
def im2col(x, kernel):
    return F.unfold(x, kernel).reshape(*x.shape[:2], kernel * kernel, -1)


@_numpy
def col2im(x, size, kernel, dilation, pads, stride):
    return F.fold(x.flatten(1, 2), size, kernel, dilation, pads, stride)


@_numpy
def image_patches(x, kernel, strides, rates):
    n, c, h, w = x.shape
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
    parts = [x[(slice(None),) * lead + tuple(slice(o, None, b) for o, b in zip(at, block, strict=True))] for at in np.ndindex(*block)]
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
    area = lambda b: (b[2] - b[0] + 1) * (b[3] - b[1] + 1)  # noqa: E731
    for i, g in enumerate(gts):
        for j, a in enumerate(anchors):
            w, h = min(g[2], a[2]) - max(g[0], a[0]) + 1, min(g[3], a[3]) - max(g[1], a[1]) + 1
            shared = max(w, 0) * max(h, 0)
            out[i, j] = shared / (area(g) if mode == "iof" else area(g) + area(a) - shared)
    return out


def nms_with_mask(boxes, threshold=0.5):
    boxes = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    keep = np.ones(len(boxes), bool)
    area = lambda b: (b[2] - b[0]) * (b[3] - b[1])  # noqa: E731
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


# --- ctc, attention, recurrent --------------------------------------------------------------------------------------


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    t = [torch.tensor(a) for a in (log_probs, targets, input_lengths, target_lengths)]
    value = F.ctc_loss(*t, blank=blank, reduction=reduction, zero_infinity=zero_infinity).numpy()
    return value, _ctc_alphas(log_probs, targets, target_lengths, blank)


def _ctc_alphas(log_probs, targets, lengths, blank):
    time, batch, _ = log_probs.shape
    out = np.full((batch, time, 2 * targets.shape[1] + 1), -np.inf, np.float32)
    for n in range(batch):
        labels = np.full(out.shape[2], blank)
        labels[1::2] = targets[n]
        for t in range(time):
            for s, label in enumerate(labels):
                if t == 0:
                    out[n, 0, s] = log_probs[0, n, label] if s < 2 and s < 2 * lengths[n] + 1 else -np.inf
                    continue
                back = [out[n, t - 1, s]] + ([out[n, t - 1, s - 1]] if s else [])
                if s > 1 and label != blank and label != labels[s - 2]:
                    back.append(out[n, t - 1, s - 2])
                out[n, t, s] = np.logaddexp.reduce(back) + log_probs[t, n, label]
    return out


def ctc_sparse(x, indices, values, lengths):
    logits = torch.tensor(x, requires_grad=True)
    targets, counts = np.zeros((x.shape[1], len(values)), np.int64), np.zeros(x.shape[1], np.int64)
    for (row, place), v in zip(indices, values, strict=True):
        targets[row, place] = v
        counts[row] += 1
    loss = F.ctc_loss(
        F.log_softmax(logits, -1), torch.tensor(targets), torch.tensor(lengths), torch.tensor(counts), x.shape[2] - 1, "none"
    )
    loss.sum().backward()
    return loss.detach().numpy(), logits.grad.numpy()


def ctc_greedy_decoder(x, lengths, merge_repeated=True):
    rows = []
    for n, length in enumerate(lengths):
        row, last = [], None
        for label in x[:length, n].argmax(-1):
            if label != x.shape[2] - 1 and not (merge_repeated and label == last):
                row.append(label)
            last = label
        rows.append(row)
    indices = np.array([(n, i) for n, row in enumerate(rows) for i in range(len(row))], np.int64)
    shape = np.array([len(rows), max(map(len, rows))], np.int64)
    score = np.array([[-x[:length, n].max(-1).sum()] for n, length in enumerate(lengths)])
    return indices, np.concatenate(rows).astype(np.int64), shape, score


@_numpy
def attention(q, k, v, bias=None, hidden=None, scale=None):
    return F.scaled_dot_product_attention(q, k, v, bias, scale=scale)


@_numpy
def flash_attention_score(q, k, v, heads, attn_mask=None, scalar_value=1.0, input_layout="BSH", sparse_mode=0):
    def split(x):
        if input_layout == "BNSD":
            return x
        x = x.transpose(0, 1) if input_layout == "SBH" else x
        return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)

    mask = None if attn_mask is None else ~attn_mask.bool()
    out = F.scaled_dot_product_attention(
        split(q), split(k), split(v), mask, is_causal=sparse_mode == 2, scale=scalar_value, enable_gqa=input_layout == "BNSD"
    )
    if input_layout == "BNSD":
        return out
    out = out.transpose(1, 2).flatten(2)
    return out.transpose(0, 1) if input_layout == "SBH" else out


def rotary(x, cos, sin, mode=0):
    turned = np.empty_like(x)
    half = x.shape[-1] // 2
    if mode:
        turned[..., ::2], turned[..., 1::2] = -x[..., 1::2], x[..., ::2]
    else:
        turned[..., :half], turned[..., half:] = -x[..., half:], x[..., :half]
    return x * cos + turned * sin


def _recurrence(kind, x, states, w_ih, w_hh, b_ih, b_hh, lengths, reverse, nonlinearity="tanh"):
    """Run torch's layer over each sequence by itself, without its end."""
    options = {"nonlinearity": nonlinearity} if kind is torch.nn.RNN else {}
    layer = kind(x.shape[2], states[0].shape[1], bias=b_ih is not None, **options)
    given = [w_ih, w_hh] if b_ih is None else [w_ih, w_hh, b_ih, b_hh]
    for p, value in zip(layer.parameters(), given, strict=True):
        p.data = torch.tensor(value)
    out = np.zeros((*x.shape[:2], states[0].shape[1]), x.dtype)
    last = [s.copy() for s in states]
    for n in range(x.shape[1]):
        length = x.shape[0] if lengths is None else int(lengths[n])
        part = torch.tensor(x[:length, n : n + 1])
        start = tuple(torch.tensor(s[None, n : n + 1]) for s in states)
        y, end = layer(part.flip(0) if reverse else part, start if len(start) > 1 else start[0])
        out[:length, n] = (y.flip(0) if reverse else y).detach().numpy()[:, 0]
        for s, e in zip(last, end if len(start) > 1 else (end,), strict=True):
            s[n] = e.detach().numpy()[0, 0]
    return (out, *last)


def lstm_layer(x, h0, c0, w_ih, w_hh, b_ih=None, b_hh=None, lengths=None, reverse=False):
    return _recurrence(torch.nn.LSTM, x, (h0, c0), w_ih, w_hh, b_ih, b_hh, lengths, reverse)


def gru_layer(x, h0, w_ih, w_hh, b_ih=None, b_hh=None, lengths=None, reverse=False):
    return _recurrence(torch.nn.GRU, x, (h0,), w_ih, w_hh, b_ih, b_hh, lengths, reverse)


def rnn_layer(x, h0, w_ih, w_hh, b_ih=None, b_hh=None, lengths=None, reverse=False, nonlinearity="tanh"):
    return _recurrence(torch.nn.RNN, x, (h0,), w_ih, w_hh, b_ih, b_hh, lengths, reverse, nonlinearity)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def dynamic_rnn(x, w, b, h0, c0):
    h, c, steps = h0[0], c0[0], []
    for xt in x:
        i, j, f, o = np.split(np.concatenate([xt, h], 1) @ w + b, 4, 1)
        i, j, f, o = _sigmoid(i), np.tanh(j), _sigmoid(f), _sigmoid(o)
        c = f * c + i * j
        h = o * np.tanh(c)
        steps.append((h, h, c, i, j, f, o, np.tanh(c)))
    return tuple(np.stack(column) for column in zip(*steps, strict=True))


def dynamic_gru(x, w_ih, w_hh, h, b_ih=None, b_hh=None, gate_order="rzh", reset_after=True):
    size, steps = h.shape[1], []
    b_ih, b_hh = (np.zeros(3 * size, x.dtype) if b is None else b for b in (b_ih, b_hh))
    for xt in x:
        a = np.split(xt @ w_ih + b_ih, 3, 1)
        gates = [_sigmoid(a[k] + h @ w_hh[:, k * size : (k + 1) * size] + b_hh[k * size : (k + 1) * size]) for k in (0, 1)]
        r, z = gates if gate_order == "rzh" else gates[::-1]
        w, b = w_hh[:, 2 * size :], b_hh[2 * size :]
        own = h @ w + b if reset_after else (r * h) @ w + b
        n = np.tanh(a[2] + (r * own if reset_after else own))
        h = (1 - z) * n + z * h
        steps.append((h, h, z, r, n, own))
    return tuple(np.stack(column) for column in zip(*steps, strict=True))
