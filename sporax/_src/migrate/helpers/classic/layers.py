"""Layers without Parameters and functions of layers, in place of those of `mint.nn`."""

import sporax as mindspore
from sporax import nn, ops


def _mint_nn_functional_log_softmax(input, dim=None, *, dtype=None):
    """Return the logarithm of the softmax."""
    return ops.log_softmax(input if dtype is None else input.astype(dtype), _softmax_axis(input, dim))


def _softmax_axis(input, dim):
    """Return the default axis of a softmax."""
    return dim if dim is not None else 0 if input.ndim in (0, 1, 3) else 1


class _mint_nn_LogSoftmax(nn.Cell):
    """The logarithm of the softmax."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def construct(self, input):
        return _mint_nn_functional_log_softmax(input, self.dim)


def _mint_nn_functional_kl_div(input, target, reduction="mean", log_target=False):
    """Return the Kullback-Leibler divergence; the first distribution is given by its logarithms."""
    if log_target:
        loss = ops.exp(target) * (target - input)
    else:
        loss = ops.where(target > 0, target * (ops.log(ops.where(target > 0, target, 1.0)) - input), 0.0 * input)
    if reduction == "none":
        return loss
    return {"mean": loss.mean, "sum": loss.sum, "batchmean": lambda: loss.sum() / loss.shape[0]}[reduction]()


class _mint_nn_KLDivLoss(nn.Cell):
    """The Kullback-Leibler divergence as a layer."""

    def __init__(self, reduction="mean", log_target=False):
        super().__init__()
        self.reduction, self.log_target = reduction, log_target

    def construct(self, input, target):
        return _mint_nn_functional_kl_div(input, target, self.reduction, self.log_target)


def _mint_nn_functional_batch_norm(
    input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5
):
    """Normalize each channel to mean 0 and variance 1; the running statistics are updated in place."""
    shape, channels = input.shape, input.shape[1]
    zeros, ones = ops.zeros((channels,), input.dtype), ops.ones((channels,), input.dtype)
    weight, bias = ones if weight is None else weight, zeros if bias is None else bias
    if running_mean is None:
        running_mean, running_var = mindspore.Parameter(zeros, name="mean"), mindspore.Parameter(ones, name="variance")
    x = input.reshape((shape[0], channels, -1, 1))
    return ops.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps).reshape(shape)


def _mint_nn_functional_group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalize each group of channels to mean 0 and variance 1."""
    shape = input.shape
    x = input.reshape((shape[0], num_groups, -1))
    centered = x - x.mean(2, keep_dims=True)
    x = (centered * ops.rsqrt((centered * centered).mean(2, keep_dims=True) + eps)).reshape(shape)
    by_channel = (1, -1) + (1,) * (input.ndim - 2)
    x = x if weight is None else x * weight.reshape(by_channel)
    return x if bias is None else x + bias.reshape(by_channel)


def _mint_nn_functional_avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """Return means over windows of a sequence."""
    kernel, step, pad = (v if isinstance(v, int) else v[0] for v in (kernel_size, stride or kernel_size, padding))
    x = _mint_nn_functional_avg_pool2d(
        ops.expand_dims(input, -2), (1, kernel), (1, step), (0, pad), ceil_mode, count_include_pad
    )
    return ops.squeeze(x, -2)


def _mint_nn_functional_avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """Return means over windows of an image."""
    return ops.avg_pool2d(
        input, kernel_size, stride or kernel_size, padding, ceil_mode, count_include_pad, divisor_override or 0
    )


def _mint_nn_functional_max_pool2d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """Return maxima over windows of an image."""
    return ops.max_pool2d(
        input, kernel_size, stride or kernel_size, padding, dilation, ceil_mode=ceil_mode, return_indices=return_indices
    )


def _mint_nn_functional_relu(input, inplace=False):
    """Return max(x, 0)."""
    return input.copy_(ops.relu(input.copy())) if inplace else ops.relu(input)


def _mint_nn_functional_relu_(input):
    """Replace x by max(x, 0) in place."""
    return input.copy_(ops.relu(input.copy()))
