"""Activations that can run in place, and activations that MindSpore defines otherwise."""

from sporax import mint, nn, ops


def _inplace(function, input, *args, inplace=True, **kwargs):
    """Apply a function, in place if asked; the gradient uses the input as it was before."""
    return input.copy_(function(input.copy(), *args, **kwargs)) if inplace else function(input, *args, **kwargs)


def _implicit_softmax(input, dtype=None):
    """Return the softmax, by default along torch's default dimension."""
    return ops.softmax(input, axis=0 if input.ndim in (0, 1, 3) else 1, dtype=dtype)


def _elu(input, alpha=1.0):
    """Return x where it is positive, and alpha (exp(x) - 1) elsewhere."""
    return ops.where(input > 0, input, alpha * ops.expm1(input))


def _threshold(input, threshold, value):
    """Return x where it is above a threshold, and a value elsewhere."""
    return ops.where(input > threshold, input, ops.full_like(input, value))


def _normalize(input, p=2.0, dim=1, eps=1e-12):
    """Return the input divided by its p-norm along a dimension; a norm below eps counts as eps."""
    norm = (
        (input * input).sum(dim, keepdim=True).sqrt()
        if p == 2
        else (input.abs() ** p).sum(dim, keepdim=True) ** (1 / p)
    )
    return input / norm.clamp(min=eps)


def _rrelu(input, lower=1 / 8, upper=1 / 3, training=False):
    """Return a leaky ReLU; in training, its slopes are drawn uniformly from [lower, upper]."""
    if training:
        slope = (ops.rand(*input.shape) * (upper - lower) + lower).to(input.dtype)
    else:
        slope = (lower + upper) / 2
    return ops.where(input >= 0, input, input * slope)


class _InPlace(nn.Cell):
    """A layer that can run in place."""

    def __init__(self, *args, inplace=False, **kwargs):
        super().__init__(*args, **kwargs)
        self.inplace = inplace

    def construct(self, input):
        return input.copy_(super().construct(input.copy())) if self.inplace else super().construct(input)


class _ReLU(mint.nn.ReLU):
    """ReLU, in place if asked."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def construct(self, input):
        return mint.nn.functional.relu(input, self.inplace)


class _ReLU6(_InPlace, nn.ReLU6):
    """ReLU6, in place if asked."""


class _CELU(_InPlace, nn.CELU):
    """CELU, in place if asked."""


class _SELU(_InPlace, mint.nn.SELU):
    """SELU, in place if asked."""


class _SiLU(_InPlace, nn.SiLU):
    """SiLU, in place if asked."""


class _Mish(_InPlace, mint.nn.Mish):
    """Mish, in place if asked."""


class _Hardsigmoid(_InPlace, mint.nn.Hardsigmoid):
    """Hardsigmoid, in place if asked."""


class _Hardswish(_InPlace, mint.nn.Hardswish):
    """Hardswish, in place if asked."""


class _LeakyReLU(_InPlace, nn.LeakyReLU):
    """LeakyReLU, in place if asked."""

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__(negative_slope, inplace=inplace)


class _RReLU(nn.Cell):
    """RReLU: a leaky ReLU with slopes drawn in training."""

    def __init__(self, lower=1 / 8, upper=1 / 3, inplace=False):
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def construct(self, input):
        result = _rrelu(input, self.lower, self.upper, self.training)
        return input.copy_(result) if self.inplace else result


class _Softplus(nn.Cell):
    """Softplus: log(1 + exp(beta x)) / beta."""

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def construct(self, input):
        return ops.softplus(input, self.beta, self.threshold)


class _Softmin(nn.Cell):
    """Softmin, by default along torch's default dimension."""

    def construct(self, input):
        return ops.softmax(-input, axis=0 if input.ndim in (0, 1, 3) else 1)


def _dropout_of_channels(input, p=0.5, training=True, axes=2):
    """Drop whole channels; an input without a batch may have fewer axes, as in torch."""
    if not training or p == 0:
        return input
    if p == 1:
        return input * 0
    is_single = axes != 2 and input.ndim != axes + 2  # torch takes an input of Dropout2d for a batch in any case
    kept = input.shape[: 1 if is_single else 2]
    mask = ops.rand(*kept, *[1] * (input.ndim - len(kept))) >= p
    return input * mask.astype(input.dtype) / (1 - p)


class _DropoutOfChannels(nn.Cell):
    """Dropout of channels, whose result may take the place of its input."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input):
        result = _dropout_of_channels(input, self.p, self.training, self.axes)
        return input.copy_(result) if self.inplace else result


class _Dropout1d(_DropoutOfChannels):
    """Dropout of channels with one axis."""

    axes = 1


class _Dropout2d(_DropoutOfChannels):
    """Dropout of channels with two axes."""

    axes = 2


class _Dropout3d(_DropoutOfChannels):
    """Dropout of channels with three axes."""

    axes = 3


def _softmax_backward(grad_output, output, dim, input_dtype):
    """Return the gradient of softmax's input."""
    product = grad_output * output
    return (product - output * mint.sum(product, dim, keepdim=True)).to(input_dtype)
