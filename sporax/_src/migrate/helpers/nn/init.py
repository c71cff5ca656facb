"""Initial values in place, as `torch.nn.init` gives them."""

import math

import sporax as mindspore
from sporax import mint, ops


def _filled(tensor, initial):
    """Fill a Tensor with the values of an initializer, and return it."""
    tensor.copy_(mindspore.common.initializer.initializer(initial, tensor.shape, tensor.dtype).init_data())
    return tensor


def _filled_evenly(tensor, a=0.0, b=1.0, generator=None):
    """Fill a Tensor with uniform numbers from [a, b), and return it."""
    shape = tensor.shape
    numbers = ops.rand(*shape) if generator is None else mint.rand(*shape, generator=generator)
    tensor.copy_((numbers * (b - a) + a).to(tensor.dtype))
    return tensor


def _fan_in_and_fan_out(tensor):
    """Return fan-in and fan-out of a weight: how many inputs and outputs each unit has."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _calculate_gain(nonlinearity, param=None):
    """Return the gain that keeps the variance through an activation."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    gains = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75, "sigmoid": 1}
    if nonlinearity not in gains and not nonlinearity.startswith(("linear", "conv")):
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains.get(nonlinearity, 1)
