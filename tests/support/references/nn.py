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


def torch_reference(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function over torch tensors take and give NumPy arrays."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple(_convert(a, torch.tensor, np.ndarray) for a in args)
        kwargs = {k: _convert(v, torch.tensor, np.ndarray) for k, v in kwargs.items()}
        return _convert(fn(*args, **kwargs), lambda t: t.detach().numpy(), torch.Tensor)

    return call


# --- activations ----------------------------------------------------------------------------------------------------


@torch_reference
def gelu(x, approximate="none"):
    return F.gelu(x, approximate=approximate)


@torch_reference
def fast_gelu(x):
    return x * torch.exp(0.851 * (x - x.abs())) / (1 + torch.exp(-1.702 * x.abs()))


@torch_reference
def softmax(x, axis=-1):
    return F.softmax(x, axis)


@torch_reference
def log_softmax(x, axis=-1):
    return F.log_softmax(x, axis)


@torch_reference
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


@torch_reference
def conv2d(x, w, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    return _convolution(x, w, bias, stride, pad_mode, padding, dilation, groups)


conv1d = conv3d = conv2d


@torch_reference
def convolution(x, w, bias=None, pad_mode="valid", pad=0, stride=1, dilation=1, group=1, data_format="NCHW"):
    if data_format == "NHWC":
        out = _convolution(x.movedim(-1, 1), w.movedim(-1, 1), bias, stride, pad_mode, pad, dilation, group)
        return out.movedim(1, -1)
    return _convolution(x, w, bias, stride, pad_mode, pad, dilation, group)


@torch_reference
def conv_input_gradient(dout, w, input_size, pad_mode="valid", pad=0, stride=1, dilation=1, group=1):
    x = torch.zeros(input_size, dtype=dout.dtype, requires_grad=True)
    _convolution(x, w, None, stride, pad_mode, pad, dilation, group).backward(dout)
    return x.grad


@torch_reference
def conv_transpose(x, w, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    conv = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[x.ndim - 3]
    return conv(x, w, bias, stride, padding, output_padding, groups, dilation)


@torch_reference
def conv3d_transpose(x, w, pad_mode="valid", padding=0, stride=1, dilation=1, group=1, output_padding=0):
    return F.conv_transpose3d(x, w, None, stride, padding, output_padding, group, dilation)


# --- pooling --------------------------------------------------------------------------------------------------------


@torch_reference
def max_pool2d(x, kernel, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
    return F.max_pool2d(x, kernel, stride, padding, dilation, ceil_mode, return_indices)


@torch_reference
def max_pool3d(x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return F.max_pool3d(x, kernel, stride, padding, dilation, ceil_mode, return_indices)


def _mode_sides(x, pad_mode, pad, kernel, stride):
    n = x.ndim - 2
    return _same(x.shape[2:], kernel, stride, (1,) * n) if pad_mode == "same" else _sides(pad, n)


@torch_reference
def max_pool_mode(x, kernel=1, strides=1, pad_mode="valid", pad_list=0, ceil_mode=False, data_format="NCHW"):
    x = x.movedim(-1, 1) if data_format == "NHWC" else x
    n = x.ndim - 2
    kernel, strides = _many(kernel, n), _many(strides, n)
    padded = F.pad(x, _torch_pad(_mode_sides(x, pad_mode, pad_list, kernel, strides)), value=-np.inf)
    out = (F.max_pool2d, F.max_pool3d)[n - 2](padded, kernel, strides, ceil_mode=bool(ceil_mode))
    return out.movedim(1, -1) if data_format == "NHWC" else out


@torch_reference
def max_pool_argmax(x, kernel=1, strides=1, pad_mode="valid"):
    kernel, strides = _many(kernel, 2), _many(strides, 2)
    sides = _mode_sides(x, pad_mode, 0, kernel, strides)
    padded = F.pad(x, _torch_pad(sides), value=-np.inf)
    out, at = F.max_pool2d(padded, kernel, strides, return_indices=True)
    width = padded.shape[-1]
    channel = torch.arange(x.shape[1])[:, None, None] * x.shape[2] * x.shape[3]
    return out, (channel + (at // width - sides[0]) * x.shape[-1] + at % width - sides[2]).to(torch.int32)


@torch_reference
def avg_pool1d(x, kernel=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True):
    return F.avg_pool1d(x, kernel, stride, padding, ceil_mode, count_include_pad)


@torch_reference
def avg_pool2d(x, kernel=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor=0):
    return F.avg_pool2d(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor or None)


@torch_reference
def avg_pool3d(x, kernel=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor=0):
    return F.avg_pool3d(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor or None)


def _padded_mean(x, kernel, strides, sides, count_pads):
    pool = (F.avg_pool2d, F.avg_pool3d)[x.ndim - 4]
    total = pool(F.pad(x, _torch_pad(sides)), kernel, strides, divisor_override=1)
    ones = torch.ones_like(x)
    count = pool(F.pad(ones, _torch_pad(sides), value=1.0 if count_pads else 0.0), kernel, strides, divisor_override=1)
    return total / count


@torch_reference
def avg_pool_mode(x, kernel=1, strides=1, pad_mode="valid", data_format="NCHW"):
    x = x.movedim(-1, 1) if data_format == "NHWC" else x
    kernel, strides = _many(kernel, 2), _many(strides, 2)
    out = _padded_mean(x, kernel, strides, _mode_sides(x, pad_mode, 0, kernel, strides), False)
    return out.movedim(1, -1) if data_format == "NHWC" else out


@torch_reference
def avg_pool3d_mode(x, kernel=1, strides=1, pad_mode="valid", pad=0):
    kernel, strides = _many(kernel, 3), _many(strides, 3)
    return _padded_mean(x, kernel, strides, _mode_sides(x, pad_mode, pad, kernel, strides), True)


@torch_reference
def lp_pool1d(x, p, kernel, stride=None, ceil_mode=False):
    return F.lp_pool1d(x, float(p), kernel, stride, ceil_mode)


@torch_reference
def lp_pool2d(x, p, kernel, stride=None, ceil_mode=False):
    return F.lp_pool2d(x, float(p), kernel, stride, ceil_mode)


@torch_reference
def max_unpool1d(x, indices, kernel, stride=None, padding: Any = 0, output_size=None):
    return F.max_unpool1d(x, indices, kernel, stride, padding, output_size)


@torch_reference
def max_unpool2d(x, indices, kernel, stride=None, padding: Any = 0, output_size=None):
    return F.max_unpool2d(x, indices, kernel, stride, padding, output_size)


@torch_reference
def max_unpool3d(x, indices, kernel, stride=None, padding: Any = 0, output_size=None):
    return F.max_unpool3d(x, indices, kernel, stride, padding, output_size)


# --- normalisation --------------------------------------------------------------------------------------------------


@torch_reference
def batch_norm_train(x, mean, var, weight=None, bias=None, momentum=0.1, eps=1e-5, data_format="NCHW"):
    x = x.movedim(-1, 1) if data_format == "NHWC" else x
    y = F.batch_norm(x, mean, var, weight, bias, True, momentum, eps)
    axes = [a for a in range(x.ndim) if a != 1]
    y = y.movedim(1, -1) if data_format == "NHWC" else y
    return y, mean, var, x.mean(axes), x.var(axes, unbiased=False)


@torch_reference
def batch_norm_infer(x, mean, var, weight=None, bias=None, eps=1e-5, data_format="NCHW"):
    x = x.movedim(-1, 1) if data_format == "NHWC" else x
    y = F.batch_norm(x, mean, var, weight, bias, False, 0.1, eps)
    return y.movedim(1, -1) if data_format == "NHWC" else y


@torch_reference
def batch_norm(x, mean, var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    return F.batch_norm(x, mean, var, weight, bias, training, momentum, eps)


@torch_reference
def layer_norm_stats(x, gamma, beta, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    mean, var = x.mean(axes, keepdim=True), x.var(axes, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(var + epsilon) * gamma + beta, mean, var


@torch_reference
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
