"""Norms and kinds of dropout that MindSpore lacks."""

import sporax as mindspore
from sporax import nn, ops


def _batch_norm_layer(layer, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
    """Return MindSpore's batch norm, whose momentum is one minus torch's."""
    statistics = None if track_running_stats else True
    return layer(num_features, eps, 1 - momentum, affine, use_batch_statistics=statistics)


def _layer_norm_layer(normalized_shape, eps=1e-5):
    """Return MindSpore's layer norm over the last dimensions."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    return nn.LayerNorm(shape, epsilon=eps) if len(shape) == 1 else _LayerNormOverSeveral(shape, epsilon=eps)


class _LayerNormOverSeveral(nn.LayerNorm):
    """MindSpore's layer norm over a number of last dimensions."""

    def construct(self, input):
        return _layer_norm(input, self.normalized_shape, self.gamma, self.beta, self.epsilon)


def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalize the input to mean 0 and variance 1 over the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    centered = input - input.mean(axes, keep_dims=True)
    result = centered * ops.rsqrt((centered * centered).mean(axes, keep_dims=True) + eps)
    result = result if weight is None else result * weight
    return result if bias is None else result + bias


class _LayerNorm(nn.Cell):
    """Layer norm with torch's Parameters."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, dtype = eps, dtype or mindspore.float32
        ones, zeros = ops.ones(self.normalized_shape, dtype), ops.zeros(self.normalized_shape, dtype)
        self.weight = mindspore.Parameter(ones, name="weight") if elementwise_affine else None
        self.bias = mindspore.Parameter(zeros, name="bias") if elementwise_affine and bias else None

    def construct(self, input):
        return _layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


def _instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5
):
    """Normalize each channel of each sample to mean 0 and variance 1; the running statistics are updated in place."""
    axes = tuple(range(2, input.ndim))
    shape = (1, -1) + (1,) * len(axes)
    if use_input_stats:
        mean = input.mean(axes, keep_dims=True)
        var = ((input - mean) ** 2).mean(axes, keep_dims=True)
        if running_mean is not None:
            count = input[0, 0].size
            batch = mean.mean(0).reshape(-1), var.mean(0).reshape(-1) * (count / (count - 1))
            running_mean.copy_(ops.stop_gradient((1 - momentum) * running_mean + momentum * batch[0]))
            running_var.copy_(ops.stop_gradient((1 - momentum) * running_var + momentum * batch[1]))
    else:
        mean, var = running_mean.reshape(shape), running_var.reshape(shape)
    result = (input - mean) / ops.sqrt(var + eps)
    result = result if weight is None else result * weight.reshape(shape)
    return result if bias is None else result + bias.reshape(shape)


class _InstanceNorm(nn.Cell):
    """Instance norm with torch's Parameters."""

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        bias=True,
        dtype=None,
    ):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        shape, dtype = (num_features,), dtype or mindspore.float32
        ones, zeros = ops.ones(shape, dtype), ops.zeros(shape, dtype)
        self.weight = mindspore.Parameter(ones, name="weight") if affine else None
        self.bias = mindspore.Parameter(zeros, name="bias") if affine and bias else None
        self.running_mean = self.running_var = None
        if track_running_stats:
            self.running_mean = mindspore.Parameter(zeros, name="running_mean", requires_grad=False)
            self.running_var = mindspore.Parameter(ones, name="running_var", requires_grad=False)

    def construct(self, input):
        own = self.training or not self.track_running_stats
        statistics = (self.running_mean, self.running_var) if self.track_running_stats else (None, None)
        return _instance_norm(input, *statistics, self.weight, self.bias, own, self.momentum, self.eps)


class _FrozenBatchNorm2d(nn.Cell):
    """Batch norm with fixed statistics and weights."""

    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps
        for name, value in (("weight", 1.0), ("bias", 0.0), ("running_mean", 0.0), ("running_var", 1.0)):
            self.register_buffer(name, ops.full((num_features,), value, dtype=mindspore.float32))

    def construct(self, x):
        scale = self.weight * ops.rsqrt(self.running_var + self.eps)
        shift = self.bias - self.running_mean * scale
        return x * scale.reshape(1, -1, 1, 1) + shift.reshape(1, -1, 1, 1)


def _rms_norm(input, normalized_shape, weight=None, eps=None):
    """Return the input divided by the root of its mean square over the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    if eps is None:
        eps = {"Float16": 2.0**-10, "BFloat16": 2.0**-7, "Float64": 2.0**-52}.get(str(input.dtype), 2.0**-23)
    result = input * ops.rsqrt((input * input).mean(axes, keep_dims=True) + eps)
    return result if weight is None else result * weight


class _RMSNorm(nn.Cell):
    """RMS norm with torch's Parameter."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        ones = ops.ones(self.normalized_shape, dtype or mindspore.float32)
        self.weight = mindspore.Parameter(ones, name="weight") if elementwise_affine else None

    def construct(self, input):
        return _rms_norm(input, self.normalized_shape, self.weight, self.eps)


def _local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """Return the input divided by a power of the mean square of the neighbouring channels."""
    squares = input * input
    sides = (0, 0) * (input.ndim - 2) + (size // 2, (size - 1) // 2)
    padded = ops.pad(squares, sides)
    parts = [ops.split(padded, [i, input.shape[1], size - 1 - i], 1)[1] for i in range(size)]
    return input / (sum(parts) * (alpha / size) + k) ** beta


def _alpha_dropout(input, p=0.5, training=False, features=False):
    """Set random elements, or whole channels, to SELU's lowest value, and keep mean and variance."""
    if not training or p == 0:
        return input
    low = -1.7580993408473766
    scale = (1 - p + low * low * p * (1 - p)) ** -0.5 if p < 1 else 0.0
    shape = (*input.shape[:2], *(1 for _ in input.shape[2:])) if features else input.shape
    mask = (ops.rand(*shape) >= p).to(input.dtype)
    return (input * mask + low * (1 - mask)) * scale - scale * low * p


class _AlphaDropout(nn.Cell):
    """Dropout to SELU's lowest value."""

    def __init__(self, p=0.5, inplace=False, features=False):
        super().__init__()
        self.p, self.inplace, self.features = p, inplace, features

    def construct(self, input):
        result = _alpha_dropout(input, self.p, self.training, self.features)
        return input.copy_(result) if self.inplace else result
