"""Arithmetic on two and more operands, with MindSpore's promotion."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Arrays
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops.callings import forms
from sporax._src.ops.checks import floats, inexact, known
from sporax._src.ops.methods import method
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, internal, op

_REF = "sporax._src.testing.math_references."

_PAIR = ("T(2, 3), T(2, 3)", "T(2, 3), T(3)", "T(3), 2", "T(3), 2.5", "I(3), T(3)", "T(0, 3), T(3)")
_DIV = ("T(2, 3), P(2, 3)", "T(2, 3), -P(3)", "P(3), 2", "I(4), D([1, 2, -3, 4], np.int32)", "T(0, 3), P(3)")
_SHAPES = (("T(2, 3), T(4)", "ops."),)


@op(
    ref="numpy.add",
    cases=_PAIR,
    errors=_SHAPES,
    aliases="tensor_add",
    method=("__add__", "__radd__"),
    primitive=("Add()", "TensorAdd()"),
)
def add(input: Array, other: Array) -> Array:
    """Return input + other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

    Examples:
        >>> ops.add(Tensor([1.0]), 2)
        Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00])
    """
    return jnp.add(*unify(input, other))


@op(ref="numpy.subtract", cases=_PAIR, errors=_SHAPES, aliases="tensor_sub", method="__sub__", primitive="Sub()")
def sub(input: Array, other: Array) -> Array:
    """Return input - other (of booleans: whether they differ)."""
    x, y = unify(input, other)
    return x ^ y if x.dtype == bool else x - y


@composite(ref=_REF + "subtract", cases=("T(2, 3), T(3)", "T(3), 2", "T(3), T(3), alpha=2"))
def subtract(input: Tensor, other: Tensor, *, alpha: float = 1) -> Tensor:
    """Return input - alpha · other."""
    return sub(input, scaled(other, alpha))


@op(
    ref="numpy.multiply",
    cases=_PAIR,
    errors=_SHAPES,
    aliases=("multiply", "tensor_mul"),
    method=("mul", "multiply", "__mul__", "__rmul__"),
    primitive="Mul()",
)
def mul(input: Array, other: Array) -> Array:
    """Return input · other, element by element."""
    return jnp.multiply(*unify(input, other))


def scaled(other: Tensor, alpha: float) -> Tensor:
    """Return other · alpha."""
    return other if isinstance(alpha, (int, float)) and alpha == 1 else mul(other, alpha)


method("add")(lambda self, other, *, alpha=1: add(self, scaled(other, alpha)))
method("sub", "subtract")(lambda self, other, *, alpha=1: sub(self, scaled(other, alpha)))
forms("add", "sub", "subtract", of=("other: Array", "other: Array, *, alpha: float = 1"))


def _numbers(*xs: Array) -> tuple[Array, ...]:
    xs = unify(*xs)
    if xs[0].dtype == bool:
        raise TypeError("operands must be numbers, got Bool and Bool; use logical operators or convert with .int().")
    return xs


# --- division -------------------------------------------------------------------------------------------------------


@op(
    ref="numpy.true_divide",
    cases=_DIV,
    errors=_SHAPES,
    aliases="tensor_div",
    method=("__truediv__", "true_divide"),
    primitive="Div()",
)
def true_divide(dividend: Array, divisor: Array) -> Array:
    """Return dividend / divisor; integers divide as float32."""
    return jnp.true_divide(*floats(dividend, divisor))


@op(
    ref="numpy.floor_divide",
    cases=_DIV,
    errors=(*_SHAPES, ("B(2), B(2)", "numbers")),
    aliases=("floor_divide", "floordiv", "tensor_floordiv"),
    method=("floor_divide", "__floordiv__"),
    primitive="FloorDiv()",
    grad=0,
)
def floor_div(x: Array, y: Array) -> Array:
    """Return the largest integer not above x / y, in the dtype in which they meet."""
    return jnp.floor_divide(*_numbers(x, y))


@op(ref=_REF + "truncate_div", cases=_DIV, errors=_SHAPES, primitive="TruncateDiv()", grad=0)
def truncate_div(x: Array, y: Array) -> Array:
    """Return x / y rounded towards zero, in the dtype in which they meet."""
    x, y = _numbers(x, y)
    return jnp.trunc(x / y) if x.dtype.kind not in "iu" else lax.div(*jnp.broadcast_arrays(x, y))


@primitive("RealDiv()")
@internal("RealDiv")
def _real_div(x: Array, y: Array) -> Array:
    """Return x / y; integers are rounded towards zero."""
    x, y = _numbers(x, y)
    return x / y if x.dtype.kind not in "iu" else lax.div(*jnp.broadcast_arrays(x, y))


@composite(
    ref="torch.div",
    cases=("T(2, 3), P(2, 3)", "T(2, 3), P(3), rounding_mode='floor'", "T(2, 3), P(3), rounding_mode='trunc'"),
    errors=(("T(2), T(2), rounding_mode='up'", "rounding_mode"),),
    aliases="divide",
    method=("div", "divide"),
)
def div(input: Tensor, other: Tensor, *, rounding_mode: str | None = None) -> Tensor:
    """Return input / other, rounded as asked.

    Args:
        input, other: Tensors or numbers.
        rounding_mode: None (integers divide as float32), `"floor"` or `"trunc"` (towards zero), which keep the dtype.

    Raises:
        ValueError: If `rounding_mode` is none of these.
    """
    if rounding_mode is None:
        return true_divide(input, other)
    if rounding_mode == "floor":
        return floor_div(input, other)
    if rounding_mode == "trunc":
        return truncate_div(input, other)
    raise ValueError(f"ops.div: rounding_mode must be None, 'floor' or 'trunc', got {rounding_mode!r}.")


forms("div", "divide", of=("other: Array", "other: Array, *, rounding_mode: str | None = None"))


@op(
    ref=_REF + "div_no_nan",
    cases=("T(2, 3), P(3)", "I(3), D([0, 1, 2], np.int32)"),
    errors=_SHAPES,
    primitive="DivNoNan()",
)
def div_no_nan(x1: Array, x2: Array) -> Array:
    """Return x1 / x2, and 0 where x2 is 0."""
    x1, x2 = floats(x1, x2)
    zero = x2 == 0
    return jnp.where(zero, jnp.zeros((), x1.dtype), x1 / jnp.where(zero, jnp.ones((), x2.dtype), x2))


@op(
    ref=_REF + "mul_no_nan",
    cases=("T(2, 3), T(3)", "D([np.nan, 1.0]), D([0.0, 2.0])"),
    errors=_SHAPES,
    primitive="MulNoNan()",
    grad=0,
)
def mul_no_nan(x: Array, y: Array) -> Array:
    """Return x · y, and 0 where y is 0 even if x is infinite or NaN."""
    x, y = unify(x, y)
    return jnp.where(y == 0, jnp.zeros((), x.dtype), x * y)


@op(
    ref="numpy.mod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "I(4), D([1, 2, -3, 4], np.int32)", "T(0, 3), P(3)"),
    errors=_SHAPES,
    aliases=("floormod", "tensor_mod", "remainder"),
    method=("__mod__", "remainder"),
    primitive="FloorMod()",
    tol=1e-4,
)
def floor_mod(x: Array, y: Array) -> Array:
    """Return x - y · floor(x / y): the remainder with the sign of y."""  # tol: float32 loses digits to the quotient
    return jnp.mod(*_numbers(x, y))


@op(
    ref="numpy.fmod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "I(4), D([1, 2, -3, 4], np.int32)"),
    errors=_SHAPES,
    aliases="truncate_mod",
    method="fmod",
    primitive=("Mod()", "TruncateMod()"),
    tol=1e-4,
)
def fmod(input: Array, other: Array) -> Array:
    """Return the remainder of input / other with the sign of input."""
    return jnp.fmod(*_numbers(input, other))


# --- powers ---------------------------------------------------------------------------------------------------------


@op(ref="numpy.square", cases=("T(2, 3)", "I(4)", "C(3)", "T(0, 3)"), method="square", primitive="Square()")
def square(input: Array) -> Array:
    """Return input², in the dtype of input."""
    return jnp.square(known(input))


@op(ref="numpy.sqrt", cases=("P(2, 3)", "D([1, 4], np.int32)", "P(0, 3)"), method="sqrt", primitive="Sqrt()")
def sqrt(x: Array) -> Array:
    """Return the square root; integers become float32."""
    return jnp.sqrt(*floats(x))


@op(ref=_REF + "rsqrt", cases=("P(2, 3)", "P(4)"), errors=(("I(3)", "float"),), method="rsqrt", primitive="Rsqrt()")
def rsqrt(input: Array) -> Array:
    """Return 1 / √input."""
    return lax.rsqrt(inexact(input))


@op(
    ref="numpy.power",
    cases=("P(2, 3), T(3)", "P(3), 2.5", "I(4), 2", "D([-1, 2, 1], np.int32), 3", "2, T(3)"),
    errors=_SHAPES,
    aliases="pows",
    primitive="Pow()",
)
def tensor_pow(input: Array, exponent: Array) -> Array:
    """Return input to the power of exponent; integers with negative exponents give 0 (or ±1 for ±1)."""
    x, e = _numbers(input, exponent)
    if x.dtype.kind not in "iu":
        return jnp.power(x, e)
    zero, one = jnp.zeros((), x.dtype), jnp.ones((), x.dtype)
    power = jnp.power(x, jnp.maximum(e, zero))
    if x.dtype.kind == "u":
        return power
    inverse = jnp.where(x == one, one, jnp.where(x == -one, jnp.where(e % (one + one) == zero, one, -one), zero))
    return jnp.where(e < zero, inverse, power)


@composite(
    ref="numpy.power",
    cases=("T(2, 3), 2", "P(3), 0.5", "P(3), T(3)", "I(4), 2", "2, T(3)", "T(0, 3), 2"),
    errors=_SHAPES,
    method=("pow", "__pow__"),
)
def pow(input: Tensor, exponent: Tensor) -> Tensor:
    """Return input to the power of exponent.

    Args:
        input, exponent: Tensors or numbers; shapes broadcast, dtypes meet.

    Examples:
        >>> ops.pow(Tensor([1.0, 2.0, 3.0]), 2).asnumpy()
        array([1., 4., 9.], dtype=float32)
    """
    if isinstance(input, Tensor) and type(exponent) in (int, float) and input._data.dtype.kind in "fVc":
        if exponent == 2:  # a product is 30 times cheaper than a power
            return square(input)
        if exponent == 0.5:
            return sqrt(input)
    return tensor_pow(input, exponent)


@op(ref="numpy.float_power", cases=("P(2, 3), T(3)", "P(3), 2", "I(4), 2"), errors=_SHAPES, method="float_power")
def float_power(input: Array, exponent: Array) -> Array:
    """Return input to the power of exponent, computed in float64 (complex128 for complex operands)."""
    x, e = unify(input, exponent)
    wide = jnp.complex128 if x.dtype.kind == "c" else jnp.float64
    return jnp.power(x.astype(wide), e.astype(wide))


@op(ref=_REF + "squared_difference", cases=_PAIR, errors=_SHAPES, primitive="SquaredDifference()")
def squared_difference(x: Array, y: Array) -> Array:
    """Return (x - y)²."""
    return jnp.square(jnp.subtract(*_numbers(x, y)))


# --- several operands -----------------------------------------------------------------------------------------------


@op(
    ref=_REF + "addn",
    cases=("[T(2, 3), T(2, 3)]", "[T(3)]", "[I(4), I(4), I(4)]"),
    errors=(("[]", "at least one"),),
    aliases="accumulate_n",
    primitive=("AddN()", "AccumulateNV2()"),
)
def addn(x: Arrays) -> Array:
    """Return the sum of a sequence of Tensors."""
    if not x:
        raise ValueError("x must hold at least one Tensor, got an empty sequence.")
    total, *rest = unify(*x)
    for term in rest:
        total = total + term
    return total


@op(
    ref=_REF + "addcmul",
    cases=("T(2, 3), T(3), T(2, 1)", "T(3), T(3), T(3), 2", "T(3), T(3), T(3), T(1)"),
    errors=(("T(2), T(2), T(3)", "ops."),),
    method="addcmul",
    primitive="Addcmul()",
)
def addcmul(input: Array, tensor1: Array, tensor2: Array, value: Array = 1) -> Array:
    """Return input + value · tensor1 · tensor2."""
    x, a, b, v = unify(input, tensor1, tensor2, value)
    return x + v * a * b


@op(
    ref=_REF + "addcdiv",
    cases=("T(2, 3), T(3), P(2, 1)", "T(3), T(3), P(3), 2", "T(3), T(3), P(3), T(1)"),
    errors=(("T(2), T(2), T(3)", "ops."),),
    method="addcdiv",
    primitive="Addcdiv()",
)
def addcdiv(input: Array, tensor1: Array, tensor2: Array, value: Array = 1) -> Array:
    """Return input + value · tensor1 / tensor2."""
    x, a, b, v = unify(input, tensor1, tensor2, value)
    return x + v * a / b


@op(
    ref=_REF + "lerp",
    cases=("T(2, 3), T(2, 3), 0.3", "T(2, 3), T(2, 3), U(3)", "T(3), T(3), 1"),
    errors=(("T(2), T(3), 0.5", "ops."), ("I(2), I(2), 0.5", "float")),
    method="lerp",
    primitive=("Lerp()", "LerpScalar()"),
)
def lerp(input: Array, end: Array, weight: Array) -> Array:
    """Return input + weight · (end - input)."""
    x, y, w = unify(inexact(input), end, weight)
    return x + w * (y - x)
