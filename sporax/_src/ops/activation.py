"""Smooth activation functions, element by element."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.ops.checks import wide
from sporax._src.ops.nn_checks import check_float
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import op

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
    ref="sporax._src.testing.nn_references.gelu",
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


@primitive("GeLU()", "Gelu()")
def _gelu_tanh(input: Any) -> Any:
    """Return gelu(input) in the tanh form."""
    return gelu(input, "tanh")


@op(ref="sporax._src.testing.nn_references.fast_gelu", cases=_ANY, errors=_INT, primitive=("FastGeLU()", "FastGelu()"))
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
