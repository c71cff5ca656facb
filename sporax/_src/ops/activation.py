"""Activation functions, element by element and along an axis."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Axis, Key, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops.methods import method
from sporax._src.ops.nn_checks import check_float
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, op

_ANY = ("T(2, 3)", "T(4)", "T(0, 3)")
_INT = (("I(3)", "float"),)


# --- piecewise linear -----------------------------------------------------------------------------------------------


@op(ref="torch.relu", cases=_ANY, name="_relu")
def _relu(input: Array) -> Array:
    """Return max(input, 0)."""
    return jax.nn.relu(input)


@composite(ref="torch.relu", cases=(*_ANY, "I(4)"), primitive="ReLU()")
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
    """Return min(max(x, 0), 6)."""
    check_float(x)
    return jnp.where(x > 6, 6, jax.nn.relu(x))


@op(ref="torch.nn.functional.leaky_relu", cases=("T(2, 3), 0.2", "T(4), 0.01", "T(0, 3), 0.2"))
def leaky_relu(input: Array, alpha: float = 0.2) -> Array:
    """Return input where it is positive, alpha · input elsewhere.

    Args:
        input: A Tensor.
        alpha: The slope of the negative part.
    """
    choose = jnp.maximum if alpha <= 1 else jnp.minimum
    return choose(input, (input * alpha).astype(input.dtype))


@op(
    ref="torch.nn.functional.prelu",
    cases=("T(2, 3, 4), T(3)", "T(2, 3), T(1)", "T(1, 4, 2, 2), T(4)"),
    errors=(("T(2, 3), T(2)", "channels"),),
    primitive="PReLU()",
)
def prelu(input: Array, weight: Array) -> Array:
    """Return input where it is positive, weight · input elsewhere, with one weight for all channels or one for each.

    Args:
        input: A Tensor; its second axis holds the channels.
        weight: A Tensor of shape (1,) or (C,).
    """
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.ndim != 1 or weight.shape[0] not in (1, channels):
        raise ValueError(f"weight must have shape (1,) or the input's {channels} channels, got {list(weight.shape)}.")
    slope = weight.reshape(() if weight.size == 1 else (-1,) + (1,) * (input.ndim - 2))
    return jnp.where(input > 0, input, slope.astype(input.dtype) * input)


@op(ref="numpy.positive", cases=("P(2, 3)", "P(4)"), errors=(("T(2), 0.5, 0.1", "upper"),), grad=0)
def rrelu(key: Key, input: Array, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> Array:
    """Return input where it is positive, slope · input elsewhere, each slope drawn from the uniform [lower, upper).

    Args:
        input: A Tensor of floats.
        lower, upper: The bounds of the slopes.

    Raises:
        ValueError: If lower > upper.
    """
    if lower > upper:
        raise ValueError(f"upper must be at least lower, got lower={lower}, upper={upper}.")
    slope = jax.random.uniform(key, input.shape, input.dtype, lower, upper)
    return jnp.where(input > 0, input, slope * input)


@op(ref="torch.nn.functional.hardtanh", cases=(*_ANY, "T(2, 3), -0.5, 0.25"), errors=(("T(2), 1.0, 0.0", "max_val"),))
def hardtanh(input: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """Return input clipped to [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError(f"max_val must be at least min_val, got min_val={min_val}, max_val={max_val}.")
    return jnp.minimum(jnp.maximum(input, jnp.asarray(min_val, input.dtype)), jnp.asarray(max_val, input.dtype))


@op(ref="torch.nn.functional.hardsigmoid", cases=(*_ANY, "T(3) * 5"), primitive="HSigmoid()")
def hardsigmoid(input: Array) -> Array:
    """Return max(0, min(1, (input + 3) / 6))."""
    wide = input if input.dtype.kind != "i" else input.astype(jnp.float32)
    return jnp.where(wide <= -3, 0, jnp.where(wide >= 3, 1, wide / 6 + 0.5)).astype(input.dtype)


@op(ref="torch.nn.functional.hardswish", cases=(*_ANY, "T(3) * 5"), primitive="HSwish()")
def hardswish(input: Array) -> Array:
    """Return input · relu6(input + 3) / 6."""
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
    """Return input where |input| > lambd, 0 elsewhere."""
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
    """Return input moved by lambd towards 0, and 0 where |input| ≤ lambd."""
    check_float(input)
    return jnp.where(input > lambd, input - lambd, jnp.where(input < -lambd, input + lambd, 0))


@op(ref="torch.threshold", cases=("T(2, 3), 0.1, 20.0", "T(4), 0, -1", "T(0, 3), 0.1, 20.0"))
def threshold(input: Array, thr: float, value: float) -> Array:
    """Return input where it exceeds thr, `value` elsewhere."""
    return jnp.where(input > thr, input, jnp.asarray(value, input.dtype))


# --- smooth ---------------------------------------------------------------------------------------------------------


@op(ref="torch.nn.functional.elu", cases=(*_ANY, "T(2, 3), 0.5"), errors=_INT, primitive="Elu(alpha=1.0)")
def elu(input_x: Array, alpha: float = 1.0) -> Array:
    """Return input_x where it is positive, alpha · (exp(input_x) - 1) elsewhere."""
    check_float(input_x)
    return jax.nn.elu(input_x, alpha)


@op(
    ref="torch.nn.functional.celu",
    cases=(*_ANY, "T(2, 3), 0.5"),
    errors=(*_INT, ("T(2), 0.0", "alpha")),
    primitive="CeLU(alpha=1.0)",
)
def celu(x: Array, alpha: float = 1.0) -> Array:
    """Return max(0, x) + min(0, alpha · (exp(x / alpha) - 1))."""
    check_float(x)
    if alpha == 0:
        raise ValueError("alpha must not be 0.")
    return jax.nn.celu(x, alpha)


@op(ref="torch.selu", cases=_ANY, errors=_INT, primitive="SeLU()")
def selu(input_x: Array) -> Array:
    """Return scale · elu(input_x, alpha) with the self-normalising scale 1.0507 and alpha 1.67326."""
    check_float(input_x)
    return jax.nn.selu(input_x)


@op(
    ref="sporax._src.testing.nn_references.gelu",
    cases=(*_ANY, "T(2, 3), 'tanh'"),
    errors=(*_INT, ("T(2), 'erf'", "approximate")),
)
def gelu(input: Array, approximate: str = "none") -> Array:
    """Return input · Φ(input), with Φ the normal distribution function.

    Args:
        input: A Tensor of floats.
        approximate: "none" for the exact form, "tanh" for 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))).

    Raises:
        ValueError: If `approximate` is neither "none" nor "tanh".
    """
    check_float(input)
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate must be 'none' or 'tanh', got '{approximate}'.")
    return jax.nn.gelu(input, approximate=approximate == "tanh")


@primitive("GeLU()", "Gelu()")
def _gelu_tanh(input: Any) -> Any:
    """Return gelu(input) in the tanh form."""
    return gelu(input, "tanh")


@op(ref="sporax._src.testing.nn_references.fast_gelu", cases=_ANY, errors=_INT, primitive=("FastGeLU()", "FastGelu()"))
def fast_gelu(x: Array) -> Array:
    """Return x · exp(0.851 (x - |x|)) / (1 + exp(-1.702 |x|)), which is x · sigmoid(1.702 x)."""
    check_float(x)
    return x * jax.nn.sigmoid(1.702 * x)


@op(ref="torch.nn.functional.silu", cases=_ANY, errors=_INT)
def silu(input: Array) -> Array:
    """Return input · sigmoid(input)."""
    check_float(input)
    return jax.nn.silu(input)


@op(ref="torch.nn.functional.mish", cases=_ANY, errors=_INT, primitive="Mish()")
def mish(x: Array) -> Array:
    """Return x · tanh(ln(1 + exp(x)))."""
    check_float(x)
    return jax.nn.mish(x)


@op(
    ref="torch.nn.functional.softplus",
    cases=(*_ANY, "T(2, 3), 2, 1.5"),
    errors=(*_INT, ("T(2), 0", "beta")),
    primitive="Softplus()",
)
def softplus(input: Array, beta: float = 1, threshold: float = 20) -> Array:
    """Return ln(1 + exp(beta · input)) / beta, and input itself where beta · input > threshold."""
    check_float(input)
    if beta == 0:
        raise ValueError("beta must not be 0.")
    scaled = input * beta
    return jnp.where(scaled > threshold, input, jax.nn.softplus(scaled) / beta)


@op(ref="torch.nn.functional.softsign", cases=_ANY, errors=_INT, primitive="Softsign()")
def softsign(x: Array) -> Array:
    """Return x / (1 + |x|)."""
    check_float(x)
    return jax.nn.soft_sign(x)


@op(ref="torch.nn.functional.logsigmoid", cases=_ANY, errors=_INT)
def logsigmoid(x: Array) -> Array:
    """Return ln(1 / (1 + exp(-x)))."""
    check_float(x)
    return jax.nn.log_sigmoid(x)


@op(ref="torch.nn.functional.tanhshrink", cases=_ANY)
def tanhshrink(input: Array) -> Array:
    """Return input - tanh(input)."""
    wide = mstype.to_float(input)
    return wide - jnp.tanh(wide)


# --- along an axis --------------------------------------------------------------------------------------------------


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
    ref="sporax._src.testing.nn_references.softmax",
    cases=("T(2, 3)", "T(2, 3), 0", "T(4)", "T(2, 3, 4), 1", "T(0, 3)"),
    errors=_AXIS,
    primitive="Softmax(axis=-1)",
)
def softmax(input: Array, axis: Axis = -1, *, dtype: Static = None) -> Array:
    """Return exp(input) / Σ exp(input), the sum taken along `axis`.

    Args:
        input: A Tensor of floats.
        axis: The axis (or axes) along which the result adds up to 1.
        dtype: The dtype to which the input is cast first.

    Raises:
        ValueError: If `axis` is not an axis of the input.

    Examples:
        >>> ops.softmax(Tensor([1.0, 1.0])).asnumpy()
        array([0.5, 0.5], dtype=float32)
    """
    x = input if dtype is None else input.astype(mstype.to_numpy(dtype))
    check_float(x)
    return jax.nn.softmax(x, _dims(x, axis))


@op(
    ref="sporax._src.testing.nn_references.log_softmax",
    cases=("T(2, 3)", "T(2, 3), 0", "T(4)", "T(0, 3)"),
    errors=_AXIS,
    primitive="LogSoftmax(axis=-1)",
)
def log_softmax(logits: Array, axis: int = -1) -> Array:
    """Return logits - ln Σ exp(logits), the sum taken along `axis`."""
    check_float(logits)
    return jax.nn.log_softmax(logits, _dims(logits, axis))


@op(ref="torch.nn.functional.softmin", cases=("T(2, 3), -1", "T(2, 3), 0"), errors=_AXIS)
def softmin(x: Array, axis: Axis = -1, *, dtype: Static = None) -> Array:
    """Return softmax(-x) along `axis`."""
    x = x if dtype is None else x.astype(mstype.to_numpy(dtype))
    check_float(x)
    return jax.nn.softmax(-x, _dims(x, axis))


@method("softmax")
def _tensor_softmax(self: Any, axis: Axis, dtype: Any = None) -> Any:
    """Return softmax(self) along `axis`."""
    return softmax(self, axis, dtype=dtype)


@primitive("LogSoftmaxExt()")
def _log_softmax_ext(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
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
    """Return a · sigmoid(b), with a and b the halves of x along `axis`."""
    a, b = _halves(x, axis)
    return a * jax.nn.sigmoid(b)


@op(
    ref="sporax._src.testing.nn_references.swiglu",
    cases=("T(2, 4)", "T(4, 3), 0"),
    errors=(("T(2, 3)", "must be even"),),
)
def swiglu(input: Array, dim: int = -1) -> Array:
    """Return silu(a) · b, with a and b the halves of input along `dim`."""
    a, b = _halves(input, dim)
    return jax.nn.silu(a) * b
