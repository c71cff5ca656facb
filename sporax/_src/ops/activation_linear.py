"""Activation functions that are linear in pieces."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Key
from sporax._src.core.dtype import to_float
from sporax._src.core.tensor import Tensor
from sporax._src.ops.activation import _ANY, _INT
from sporax._src.ops.nn_checks import check_float
from sporax._src.ops.table import composite, op


@op(ref="torch.relu", cases=_ANY, errors=(("None", "operands must be Tensors or numbers"),), name="_relu")
def _relu(input: Array) -> Array:
    """Return max(input, 0)."""
    return input if input.dtype == bool else jax.nn.relu(input)


@composite(
    ref="torch.relu",
    cases=(*_ANY, "I(4)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    primitive="ReLU()",
)
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0), element by element.

    Args:
        input: A Tensor of numbers.
        inplace: Whether `input` itself takes over the result.

    Examples:
        >>> ops.relu(Tensor([-1.0, 2.0])).asnumpy()
        array([0., 2.], dtype=float32)
    """
    out = _relu(input)
    return input._rebind(out) if inplace else out


@op(ref="torch.nn.functional.relu6", cases=_ANY, errors=_INT, primitive="ReLU6()")
def relu6(x: Array) -> Array:
    """Return min(max(x, 0), 6).

    From Krizhevsky (2010), Convolutional Deep Belief Networks on CIFAR-10.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.relu6(Tensor([-1.0, 3.0, 8.0])).asnumpy()
        array([0., 3., 6.], dtype=float32)
    """
    check_float(x)
    return jnp.where(x > 6, 6, jax.nn.relu(x))


@op(
    ref="torch.nn.functional.leaky_relu",
    cases=("T(2, 3), 0.2", "T(4), 0.01", "T(0, 3), 0.2"),
    errors=(("None, 0.2", "operands must be Tensors or numbers"),),
)
def leaky_relu(input: Array, alpha: float = 0.2) -> Array:
    """Return input where it is positive, alpha · input elsewhere.

    From Maas et al. (2013), Rectifier Nonlinearities Improve Neural Network Acoustic Models.

    Args:
        input: A Tensor of numbers; the result has its dtype.
        alpha: The slope of the negative part.

    Examples:
        >>> ops.leaky_relu(Tensor([-4.0, 2.0]), 0.25).asnumpy()
        array([-1.,  2.], dtype=float32)
    """
    choose = jnp.maximum if alpha <= 1 else jnp.minimum
    return choose(input, (to_float(input) * alpha).astype(input.dtype))


@op(
    ref="torch.nn.functional.prelu",
    cases=("T(2, 3, 4), T(3)", "T(2, 3), T(1)", "T(1, 4, 2, 2), T(4)"),
    errors=(("T(2, 3), T(2)", "channels"),),
    primitive="PReLU()",
)
def prelu(input: Array, weight: Array) -> Array:
    """Return input where it is positive, weight · input elsewhere, with one weight for all channels or one for each.

    From He et al. (2015), Delving Deep into Rectifiers.

    Args:
        input: A Tensor; its second axis holds the channels.
        weight: A Tensor of shape (1,) or (C,).

    Raises:
        ValueError: If `weight` has neither one element nor one for each channel.

    Examples:
        >>> ops.prelu(Tensor([[-4.0, -4.0]]), Tensor([0.25, 0.5])).asnumpy()
        array([[-1., -2.]], dtype=float32)
    """
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.ndim != 1 or weight.shape[0] not in (1, channels):
        raise ValueError(f"weight must have shape (1,) or the input's {channels} channels, got {list(weight.shape)}.")
    slope = weight.reshape(() if weight.size == 1 else (-1,) + (1,) * (input.ndim - 2))
    return jnp.where(input > 0, input, slope.astype(input.dtype) * input)


@op(ref="numpy.positive", cases=("P(2, 3)", "P(4)"), errors=(("T(2), 0.5, 0.1", "upper"),), grad=0)
def rrelu(key: Key, input: Array, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> Array:
    """Return input where it is positive, slope · input elsewhere, each slope drawn from the uniform [lower, upper).

    From Xu et al. (2015), Empirical Evaluation of Rectified Activations in Convolutional Network.

    Args:
        input: A Tensor of floats.
        lower, upper: The bounds of the slopes.

    Raises:
        ValueError: If lower > upper.

    Examples:
        >>> ops.rrelu(Tensor([-4.0, 2.0]), 0.5, 0.5).asnumpy()
        array([-2.,  2.], dtype=float32)
    """
    if lower > upper:
        raise ValueError(f"upper must be at least lower, got lower={lower}, upper={upper}.")
    slope = jax.random.uniform(key, input.shape, input.dtype, lower, upper)
    return jnp.where(input > 0, input, slope * input)


@op(ref="torch.nn.functional.hardtanh", cases=(*_ANY, "T(2, 3), -0.5, 0.25"), errors=(("T(2), 1.0, 0.0", "max_val"),))
def hardtanh(input: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """Return input clipped to [min_val, max_val].

    Args:
        input: A Tensor of numbers; the result has its dtype.
        min_val, max_val: The bounds.

    Raises:
        ValueError: If min_val > max_val.

    Examples:
        >>> ops.hardtanh(Tensor([-3.0, 0.5, 3.0])).asnumpy()
        array([-1. ,  0.5,  1. ], dtype=float32)
    """
    if min_val > max_val:
        raise ValueError(f"max_val must be at least min_val, got min_val={min_val}, max_val={max_val}.")
    return jnp.minimum(jnp.maximum(to_float(input), min_val), max_val).astype(input.dtype)


@op(
    ref="torch.nn.functional.hardsigmoid",
    cases=(*_ANY, "T(3) * 5"),
    errors=(("None", "operands must be Tensors or numbers"),),
    primitive="HSigmoid()",
)
def hardsigmoid(input: Array) -> Array:
    """Return max(0, min(1, (input + 3) / 6)).

    From Courbariaux et al. (2015), BinaryConnect, with the slope 1/6 that mobile networks use.

    Args:
        input: A Tensor of numbers; the result has its dtype.

    Examples:
        >>> ops.hardsigmoid(Tensor([-4.0, 0.0, 1.5])).asnumpy()
        array([0.  , 0.5 , 0.75], dtype=float32)
    """
    wide = input if input.dtype.kind != "i" else input.astype(jnp.float32)
    return jnp.where(wide <= -3, 0, jnp.where(wide >= 3, 1, wide / 6 + 0.5)).astype(input.dtype)


@op(
    ref="torch.nn.functional.hardswish",
    cases=(*_ANY, "T(3) * 5"),
    errors=(("None", "operands must be Tensors or numbers"),),
    primitive="HSwish()",
)
def hardswish(input: Array) -> Array:
    """Return input · relu6(input + 3) / 6.

    From Howard et al. (2019), Searching for MobileNetV3.

    Args:
        input: A Tensor of numbers; the result has its dtype.

    Examples:
        >>> ops.hardswish(Tensor([-4.0, 3.0, 4.0])).asnumpy()
        array([0., 3., 4.], dtype=float32)
    """
    wide = input if input.dtype.kind != "i" else input.astype(jnp.float32)
    return jnp.where(wide < -3, 0, jnp.where(wide > 3, wide, wide * (wide + 3) / 6)).astype(input.dtype)


@op(
    ref="torch.nn.functional.hardshrink",
    cases=(*_ANY, "T(5), 1.0"),
    errors=_INT,
    method="hardshrink",
    primitive="HShrink(lambd=0.5)",
)
def hardshrink(input: Array, lambd: float = 0.5) -> Array:
    """Return input where |input| > lambd, 0 elsewhere.

    Args:
        input: A Tensor of floats.
        lambd: The threshold.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.hardshrink(Tensor([-1.0, 0.25, 2.0])).asnumpy()
        array([-1.,  0.,  2.], dtype=float32)
    """
    check_float(input)
    return jnp.where(jnp.abs(input) > lambd, input, 0)


@op(
    ref="torch.nn.functional.softshrink",
    cases=(*_ANY, "T(5), 1.0"),
    errors=_INT,
    aliases="soft_shrink",
    method="soft_shrink",
    primitive="SoftShrink(lambd=0.5)",
)
def softshrink(input: Array, lambd: float = 0.5) -> Array:
    """Return input moved by lambd towards 0, and 0 where |input| ≤ lambd.

    Args:
        input: A Tensor of floats.
        lambd: How far elements move.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.softshrink(Tensor([-1.0, 0.25, 2.0])).asnumpy()
        array([-0.5,  0. ,  1.5], dtype=float32)
    """
    check_float(input)
    return jnp.where(input > lambd, input - lambd, jnp.where(input < -lambd, input + lambd, 0))


@op(
    ref="torch.threshold",
    cases=("T(2, 3), 0.1, 20.0", "T(4), 0, -1", "T(0, 3), 0.1, 20.0"),
    errors=(("None, 0.1, 20.0", "operands must be Tensors or numbers"),),
)
def threshold(input: Array, thr: float, value: float) -> Array:
    """Return input where it exceeds thr, `value` elsewhere.

    Args:
        input: A Tensor of numbers; the result has its dtype.
        thr: The number to exceed.
        value: What stands in the place of the other elements.

    Examples:
        >>> ops.threshold(Tensor([-1.0, 0.25, 2.0]), 0.5, 9.0).asnumpy()
        array([9., 9., 2.], dtype=float32)
    """
    return jnp.where(to_float(input) > thr, input, jnp.asarray(value).astype(input.dtype))
