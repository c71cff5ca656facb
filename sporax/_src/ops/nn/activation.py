"""Activation functions: smooth, along an axis, and linear in pieces."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Axis, Key, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.bindings.tensor_methods import method
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_float
from sporax._src.core.tensor import Tensor
from sporax._src.core.views import write_in_place
from sporax._src.engine.arguments import check_float, wide
from sporax._src.engine.table import composite, op

_ANY = ("T(2, 3)", "T(4)", "T(0, 3)")
_INT = (("I(3)", "float"),)


@op(ref="torch.nn.functional.elu", cases=(*_ANY, "T(2, 3), 0.5"), errors=_INT, primitive="Elu(alpha=1.0)")
def elu(input_x: Array, alpha: float = 1.0) -> Array:
    """Return input_x where it is positive, alpha · (exp(input_x) - 1) elsewhere.

    From Clevert et al. (2016), Fast and Accurate Deep Network Learning by Exponential Linear Units.

    Args:
        input_x: A Tensor of floats.
        alpha: The limit, -alpha, of the negative part.

    Raises:
        TypeError: If `input_x` holds integers or booleans.

    Examples:
        >>> ops.elu(Tensor([-100.0, 2.0])).asnumpy()
        array([-1.,  2.], dtype=float32)
    """
    check_float(input_x)
    return jax.nn.elu(input_x, alpha)


@op(
    ref="torch.nn.functional.celu",
    cases=(*_ANY, "T(2, 3), 0.5"),
    errors=(*_INT, ("T(2), 0.0", "alpha")),
    primitive="CeLU(alpha=1.0)",
)
def celu(x: Array, alpha: float = 1.0) -> Array:
    """Return max(0, x) + min(0, alpha · (exp(x / alpha) - 1)).

    From Barron (2017), Continuously Differentiable Exponential Linear Units.

    Args:
        x: A Tensor of floats.
        alpha: The limit, -alpha, of the negative part; not 0.

    Raises:
        TypeError: If `x` holds integers or booleans.
        ValueError: If `alpha` is 0.

    Examples:
        >>> ops.celu(Tensor([-100.0, 2.0])).asnumpy()
        array([-1.,  2.], dtype=float32)
    """
    check_float(x)
    if alpha == 0:
        raise ValueError("alpha must not be 0.")
    return jax.nn.celu(x, alpha)


@op(ref="torch.selu", cases=_ANY, errors=(("D([1], np.int64)", "float"),), primitive="SeLU()")
def selu(input_x: Array) -> Array:
    """Return scale · elu(input_x, alpha) with the self-normalising scale 1.0507 and alpha 1.67326.

    From Klambauer et al. (2017), Self-Normalizing Neural Networks.

    Args:
        input_x: A Tensor of floats, int8 or int32; for integers both constants and the result are truncated.

    Raises:
        TypeError: If `input_x` is of another dtype.

    Examples:
        >>> ops.selu(Tensor([0.0, 1.0])).asnumpy().round(4)
        array([0.    , 1.0507], dtype=float32)
    """
    if input_x.dtype in (jnp.int8, jnp.int32):
        return jnp.where(input_x >= 0, input_x, jnp.expm1(input_x.astype(jnp.float32)).astype(input_x.dtype))
    check_float(input_x)
    return jax.nn.selu(input_x)


@op(
    ref="references.nn.gelu",
    cases=(*_ANY, "T(2, 3), 'tanh'"),
    errors=(*_INT, ("T(2), 'erf'", "approximate")),
)
def gelu(input: Array, approximate: str = "none") -> Array:
    """Return input · Φ(input), with Φ the normal distribution function.

    From Hendrycks and Gimpel (2016), Gaussian Error Linear Units.

    Args:
        input: A Tensor of floats.
        approximate: "none" for the exact form, "tanh" for 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))).

    Raises:
        TypeError: If `input` holds integers or booleans.
        ValueError: If `approximate` is neither "none" nor "tanh".

    Examples:
        >>> ops.gelu(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3)
        array([-0.159,  0.   ,  0.841], dtype=float32)
    """
    check_float(input)
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate must be 'none' or 'tanh', got '{approximate}'.")
    return jax.nn.gelu(input, approximate=approximate == "tanh")


@op(ref="references.nn.fast_gelu", cases=_ANY, errors=_INT, primitive=("FastGeLU()", "FastGelu()"))
def fast_gelu(x: Array) -> Array:
    """Return x · exp(0.851 (x - |x|)) / (1 + exp(-1.702 |x|)), which is x · sigmoid(1.702 x).

    The approximation of Hendrycks and Gimpel (2016), Gaussian Error Linear Units.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.fast_gelu(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3)
        array([-0.154,  0.   ,  0.846], dtype=float32)
    """
    check_float(x)
    return x * jax.nn.sigmoid(1.702 * x)


@op(ref="torch.nn.functional.silu", cases=_ANY, errors=_INT)
def silu(input: Array) -> Array:
    """Return input · sigmoid(input).

    From Elfwing et al. (2018), Sigmoid-Weighted Linear Units for Neural Network Function Approximation.

    Args:
        input: A Tensor of floats.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.silu(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3)
        array([-0.269,  0.   ,  0.731], dtype=float32)
    """
    check_float(input)
    return jax.nn.silu(input)


@op(ref="torch.nn.functional.mish", cases=_ANY, errors=_INT, primitive="Mish()")
def mish(x: Array) -> Array:
    """Return x · tanh(ln(1 + exp(x))).

    From Misra (2020), Mish: A Self Regularized Non-Monotonic Activation Function.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.mish(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3)
        array([-0.303,  0.   ,  0.865], dtype=float32)
    """
    check_float(x)
    return jax.nn.mish(wide(x)).astype(x.dtype)


@op(
    ref="torch.nn.functional.softplus",
    cases=(*_ANY, "T(2, 3), 2, 1.5"),
    errors=(*_INT, ("T(2), 0", "beta")),
    primitive="Softplus()",
    amp="float32",
)
def softplus(input: Array, beta: float = 1, threshold: float = 20) -> Array:
    """Return ln(1 + exp(beta · input)) / beta, and input itself where beta · input > threshold.

    Args:
        input: A Tensor of floats.
        beta: The sharpness; not 0.
        threshold: Where the result is taken to be linear.

    Raises:
        TypeError: If `input` holds integers or booleans.
        ValueError: If `beta` is 0.

    Examples:
        >>> ops.softplus(Tensor([0.0, 30.0])).asnumpy().round(3)
        array([ 0.693, 30.   ], dtype=float32)
    """
    check_float(input)
    if beta == 0:
        raise ValueError("beta must not be 0.")
    scaled = input * beta
    return jnp.where(scaled > threshold, input, jax.nn.softplus(scaled) / beta)


@op(ref="torch.nn.functional.softsign", cases=_ANY, errors=_INT, primitive="Softsign()")
def softsign(x: Array) -> Array:
    """Return x / (1 + |x|).

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.softsign(Tensor([-1.0, 0.0, 3.0])).asnumpy()
        array([-0.5 ,  0.  ,  0.75], dtype=float32)
    """
    check_float(x)
    return jax.nn.soft_sign(x)


@op(ref="torch.nn.functional.logsigmoid", cases=_ANY, errors=_INT)
def logsigmoid(x: Array) -> Array:
    """Return ln(1 / (1 + exp(-x))).

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.logsigmoid(Tensor([-50.0, 0.0])).asnumpy().round(3)
        array([-50.   ,  -0.693], dtype=float32)
    """
    check_float(x)
    return jax.nn.log_sigmoid(x)


@op(ref="torch.nn.functional.tanhshrink", cases=_ANY, errors=(("None", "operands must be Tensors or numbers"),))
def tanhshrink(input: Array) -> Array:
    """Return input - tanh(input).

    Args:
        input: A Tensor of numbers; integers become float32.

    Examples:
        >>> ops.tanhshrink(Tensor([0.0, 10.0])).asnumpy()
        array([0., 9.], dtype=float32)
    """
    wide = mstype.to_float(input)
    return wide - jnp.tanh(wide)


# --- along an axis: softmax and gates -----------------------------------------------------------------------------------


def _dims(x: Array, axis: Axis) -> Axis:
    """Check an axis, or several, against the rank of x."""
    for a in axis if isinstance(axis, tuple) else (axis,):
        if isinstance(a, bool) or not isinstance(a, int):
            raise TypeError(f"axis must be an int, got {a!r}.")
        if not -max(x.ndim, 1) <= a < max(x.ndim, 1):
            raise ValueError(f"axis must be in [{-x.ndim}, {x.ndim}), got {a}.")
    return axis if x.ndim else ()


_AXIS = (("T(2, 3), 2", "axis must be in [-2, 2)"), ("I(3)", "float"))


@op(
    ref="references.nn.softmax",
    cases=("T(2, 3)", "T(2, 3), 0", "T(4)", "T(2, 3, 4), 1", "T(0, 3)"),
    errors=_AXIS,
    primitive="Softmax(axis=-1)",
    amp="float32",
)
def softmax(input: Array, axis: Axis = -1, *, dtype: Static = None) -> Array:
    """Return exp(input) / Σ exp(input), the sum taken along `axis`.

    Args:
        input: A Tensor of floats.
        axis: The axis (or axes) along which the result adds up to 1.
        dtype: The dtype to which the input is cast first.

    Raises:
        TypeError: If `input` holds integers or booleans.
        ValueError: If `axis` is not an axis of the input.

    Examples:
        >>> ops.softmax(Tensor([1.0, 1.0])).asnumpy()
        array([0.5, 0.5], dtype=float32)
    """
    x = input if dtype is None else input.astype(mstype.to_numpy(dtype))
    check_float(x)
    return jax.nn.softmax(x, _dims(x, axis))


@op(
    ref="references.nn.log_softmax",
    cases=("T(2, 3)", "T(2, 3), 0", "T(4)", "T(0, 3)"),
    errors=_AXIS,
    primitive="LogSoftmax(axis=-1)",
    amp="float32",
)
def log_softmax(logits: Array, axis: int = -1) -> Array:
    """Return logits - ln Σ exp(logits), the sum taken along `axis`.

    Args:
        logits: A Tensor of floats.
        axis: The axis along which the exponentials of the result add up to 1.

    Raises:
        TypeError: If `logits` holds integers or booleans.
        ValueError: If `axis` is not an axis of the input.

    Examples:
        >>> ops.log_softmax(Tensor([1.0, 1.0])).asnumpy().round(3)
        array([-0.693, -0.693], dtype=float32)
    """
    check_float(logits)
    return jax.nn.log_softmax(logits, _dims(logits, axis))


@op(ref="torch.nn.functional.softmin", cases=("T(2, 3), -1", "T(2, 3), 0"), errors=_AXIS)
def softmin(x: Array, axis: Axis = -1, *, dtype: Static = None) -> Array:
    """Return softmax(-x) along `axis`.

    Args:
        x: A Tensor of floats.
        axis: The axis (or axes) along which the result adds up to 1.
        dtype: The dtype to which x is cast first; None keeps its own.

    Raises:
        TypeError: If `x` holds integers or booleans.
        ValueError: If `axis` is not an axis of x.

    Examples:
        >>> ops.softmin(Tensor([1.0, 1.0])).asnumpy()
        array([0.5, 0.5], dtype=float32)
    """
    x = x if dtype is None else x.astype(mstype.to_numpy(dtype))
    check_float(x)
    return jax.nn.softmax(-x, _dims(x, axis))


@method("softmax")
def _tensor_softmax(self: Any, axis: Axis, dtype: mstype.TypeLike | None = None) -> Any:
    """Return exp(self) / Σ exp(self), the sum taken along `axis`.

    Args:
        axis: The axis (or axes) along which the result adds up to 1.
        dtype: The dtype to which the Tensor is cast first; None keeps its own.

    Raises:
        TypeError: If the Tensor holds integers or booleans.
        ValueError: If `axis` is not an axis of the Tensor.

    Examples:
        >>> Tensor([1.0, 1.0]).softmax(0).asnumpy()
        array([0.5, 0.5], dtype=float32)
    """
    return softmax(self, axis, dtype=dtype)


@primitive("LogSoftmaxExt()")
def _log_softmax_ext(input: Any, dim: int | None = None, dtype: mstype.TypeLike | None = None) -> Any:
    """Return log_softmax(input) along `dim`; None chooses axis 0 for ranks 0, 1 and 3, axis 1 otherwise."""
    axis = (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim
    return log_softmax(input if dtype is None else input.astype(dtype), axis)


def _halves(x: Array, axis: int) -> tuple[Array, Array]:
    _dims(x, axis)
    if x.ndim == 0 or x.shape[axis] % 2:
        raise ValueError(f"the size of x along axis {axis} must be even, got shape {list(x.shape)}.")
    half = x.shape[axis] // 2
    return lax.slice_in_dim(x, 0, half, axis=axis), lax.slice_in_dim(x, half, None, axis=axis)


@op(
    ref="torch.nn.functional.glu",
    cases=("T(2, 4)", "T(4, 3), 0", "T(6)"),
    errors=(("T(2, 3)", "must be even"),),
    primitive="GLU(axis=-1)",
)
def glu(x: Array, axis: int = -1) -> Array:
    """Return a · sigmoid(b), with a and b the halves of x along `axis`.

    From Dauphin et al. (2017), Language Modeling with Gated Convolutional Networks.

    Args:
        x: A Tensor of floats.
        axis: The axis to halve; its size is even.

    Raises:
        ValueError: If the axis is out of range, or its size odd.

    Examples:
        >>> ops.glu(Tensor([3.0, 5.0, 0.0, 0.0])).asnumpy()
        array([1.5, 2.5], dtype=float32)
    """
    a, b = _halves(x, axis)
    return a * jax.nn.sigmoid(b)


@op(
    ref="references.nn.swiglu",
    cases=("T(2, 4)", "T(4, 3), 0"),
    errors=(("T(2, 3)", "must be even"),),
)
def swiglu(input: Array, dim: int = -1) -> Array:
    """Return silu(a) · b, with a and b the halves of input along `dim`.

    From Shazeer (2020), GLU Variants Improve Transformer.

    Args:
        input: A Tensor of floats.
        dim: The axis to halve; its size is even.

    Raises:
        ValueError: If the axis is out of range, or its size odd.

    Examples:
        >>> ops.swiglu(Tensor([0.0, 20.0, 1.0, 2.0])).asnumpy()
        array([ 0., 40.], dtype=float32)
    """
    a, b = _halves(input, dim)
    return jax.nn.silu(a) * b


# --- linear in pieces ---------------------------------------------------------------------------------------------------


@op(ref="torch.relu", cases=_ANY, errors=(("None", "operands must be Tensors or numbers"),), name="_relu")
def _relu(input: Array) -> Array:
    """Return max(input, 0)."""
    return input if input.dtype == bool else jax.nn.relu(input)


@composite(
    ref="torch.relu",
    cases=(*_ANY, "I(4)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    primitive="ReLU()(input)",
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
    return write_in_place(input, out, "ops.relu") if inplace else out


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
    amp="half",
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
        value: What replaces the other elements.

    Examples:
        >>> ops.threshold(Tensor([-1.0, 0.25, 2.0]), 0.5, 9.0).asnumpy()
        array([9., 9., 2.], dtype=float32)
    """
    return jnp.where(to_float(input) > thr, input, jnp.asarray(value).astype(input.dtype))


primitives(
    """\
GeLU, Gelu()(input) -> gelu(input, "tanh")
    Return gelu(input) in the tanh form, 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))).
    >>> ops.GeLU()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3)
    array([-0.159,  0.   ,  0.841], dtype=float32)
""",
    globals(),
)
