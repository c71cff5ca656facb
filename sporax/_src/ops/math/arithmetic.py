"""Sums, products, quotients, powers and extremes of two and more operands, with MindSpore's promotion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Arrays, number
from sporax._src.bindings.call_errors import forms
from sporax._src.bindings.tensor_methods import method
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import floats, inexact, known, wide
from sporax._src.engine.table import composite, internal, op
from sporax._src.ops.math import whole_numbers as whole

_REF = "references.math."

_PAIR = ("T(2, 3), T(2, 3)", "T(2, 3), T(3)", "T(3), 2", "T(3), 2.5", "I(3), T(3)", "T(0, 3), T(3)")
_DIV = ("T(2, 3), P(2, 3)", "T(2, 3), -P(3)", "P(3), 2", "I(4), D([1, 2, -3, 4], np.int32)", "T(0, 3), P(3)")
_SHAPES = (("T(2, 3), T(4)", "ops."),)


@op(
    ref="numpy.add",
    cases=_PAIR,
    errors=_SHAPES,
    aliases="tensor_add",
    method="__radd__",
    primitive=("Add()", "TensorAdd()"),
)
def add(input: Array, other: Array) -> Array:
    """Return input + other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.add(Tensor([1.0]), 2)
        Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00])
    """
    return jnp.add(*unify(input, other))


@op(ref="numpy.subtract", cases=_PAIR, errors=_SHAPES, aliases="tensor_sub", primitive="Sub()")
def sub(input: Array, other: Array) -> Array:
    """Return input - other (of booleans: whether they differ).

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.sub(Tensor([3.0, 1.0]), 2).asnumpy()
        array([ 1., -1.], dtype=float32)
    """
    x, y = unify(input, other)
    return x ^ y if x.dtype == bool else x - y


@composite(
    ref=_REF + "subtract",
    cases=("T(2, 3), T(3)", "T(3), 2", "T(3), T(3), alpha=2"),
    errors=(("T(2, 3), T(7, 11)", "sub got incompatible shapes for broadcasting"),),
)
def subtract(input: Tensor, other: Tensor, *, alpha: float = 1) -> Tensor:
    """Return input - alpha · other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.
        alpha: The factor of `other`.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.subtract(Tensor([3.0, 1.0]), Tensor([1.0, 1.0]), alpha=2).asnumpy()
        array([ 1., -1.], dtype=float32)
    """
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
    """Return input · other, element by element.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.mul(Tensor([3.0, 1.0]), 2).asnumpy()
        array([6., 2.], dtype=float32)
    """
    return jnp.multiply(*unify(input, other))


def scaled(other: Tensor, alpha: float) -> Tensor:
    """Return other · alpha."""
    return other if isinstance(alpha, (int, float)) and alpha == 1 else mul(other, alpha)


method("add", "__add__", "__iadd__")(lambda self, other, *, alpha=1: add(self, scaled(other, alpha)))
method("sub", "subtract", "__sub__", "__isub__")(lambda self, other, *, alpha=1: sub(self, scaled(other, alpha)))
forms("add", "sub", "subtract", of=("other: float, *, alpha: float = 1", "other: Array, *, alpha: float = 1"))


def _numbers(*xs: Array) -> tuple[Array, ...]:
    xs = unify(*xs)
    if xs[0].dtype == bool:
        raise TypeError("operands must be numbers, got Bool and Bool; use logical operators or convert with .int().")
    return xs


# --- powers ---------------------------------------------------------------------------------------------------------


@op(
    ref="numpy.square",
    cases=("T(2, 3)", "I(4)", "C(3)", "T(0, 3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="square",
    primitive="Square()",
)
def square(input: Array) -> Array:
    """Return input², in the dtype of input.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.square(Tensor([-3, 2])).asnumpy()
        array([9, 4])
    """
    return jnp.square(known(input))


@op(
    ref="numpy.sqrt",
    cases=("P(2, 3)", "D([1, 4], np.int32)", "P(0, 3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="sqrt",
    primitive="Sqrt()",
)
def sqrt(x: Array) -> Array:
    """Return the square root, NaN for negative numbers; integers become float32.

    Args:
        x: A Tensor of numbers.

    Examples:
        >>> ops.sqrt(Tensor([4.0, 9.0])).asnumpy()
        array([2., 3.], dtype=float32)
    """
    return jnp.sqrt(*floats(x))


@op(
    ref=_REF + "rsqrt",
    cases=("P(2, 3)", "P(4)"),
    errors=(("I(3)", "float"),),
    method="rsqrt",
    primitive="Rsqrt()",
    amp="float32",
)
def rsqrt(input: Array) -> Array:
    """Return 1 / √input.

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.rsqrt(Tensor([4.0, 16.0])).asnumpy()
        array([0.5 , 0.25], dtype=float32)
    """
    return lax.rsqrt(inexact(input))


@op(
    ref="numpy.power",
    cases=("P(2, 3), T(3)", "P(3), 2.5", "I(4), 2", "D([-1, 2, 1], np.int32), 3", "2, T(3)"),
    errors=_SHAPES,
    aliases="pows",
    amp="float32",
    primitive="Pow()",
)
def tensor_pow(input: Array, exponent: Array) -> Array:
    """Return input to the power of exponent; integers with negative exponents give 0 (or ±1 for ±1).

    A power that is too large for an integer dtype is what float64 is converted to: the lowest int32 or int64.

    Args:
        input, exponent: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.tensor_pow(Tensor([2, 1]), -1).asnumpy()
        array([0, 1])
    """
    x, e = _numbers(input, exponent)
    return whole.power(x, e) if whole.is_whole(x) else jnp.power(x, e)


@composite(
    ref="numpy.power",
    cases=("T(2, 3), 2", "P(3), 0.5", "P(3), T(3)", "I(4), 2", "2, T(3)", "T(0, 3), 2"),
    errors=_SHAPES,
    method=("pow", "__pow__"),
)
def pow(input: Tensor, exponent: Tensor) -> Tensor:
    """Return input to the power of exponent.

    Args:
        input, exponent: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

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
    """Return input to the power of exponent, computed in float64 (complex128 for complex operands).

    Args:
        input, exponent: Tensors or numbers; shapes broadcast.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.float_power(Tensor([2, 4]), 0.5).dtype
        mindspore.float64
    """
    wide = jnp.complex128 if unify(input, exponent)[0].dtype.kind == "c" else jnp.float64
    return jnp.power(jnp.asarray(input).astype(wide), jnp.asarray(exponent).astype(wide))


@op(ref=_REF + "squared_difference", cases=_PAIR, errors=_SHAPES, primitive="SquaredDifference()")
def squared_difference(x: Array, y: Array) -> Array:
    """Return (x - y)².

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.squared_difference(Tensor([3.0, 1.0]), 2).asnumpy()
        array([1., 1.], dtype=float32)
    """
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
    """Return the sum of a sequence of Tensors.

    Args:
        x: A sequence of at least one Tensor; shapes broadcast, dtypes are promoted.

    Raises:
        ValueError: If the sequence is empty.

    Examples:
        >>> ops.addn([Tensor([1.0]), Tensor([2.0]), Tensor([3.0])]).asnumpy()
        array([6.], dtype=float32)
    """
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
    primitive="Addcmul()(input, tensor1, tensor2, value)",
)
def addcmul(input: Array, tensor1: Array, tensor2: Array, value: Array = number(1)) -> Array:
    """Return input + value · tensor1 · tensor2.

    Args:
        input, tensor1, tensor2: Tensors or numbers; shapes broadcast, dtypes are promoted.
        value: A number or Tensor; it scales the product, and is converted to the dtype of the others.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.addcmul(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), 0.5).asnumpy()
        array([4.], dtype=float32)
    """
    x, a, b = unify(input, tensor1, tensor2)
    return x + jnp.asarray(value).astype(x.dtype) * (a * b)


@op(
    ref=_REF + "addcdiv",
    cases=("T(2, 3), T(3), P(2, 1)", "T(3), T(3), P(3), 2", "T(3), T(3), P(3), T(1)"),
    errors=(("T(2), T(2), T(3)", "ops."),),
    method="addcdiv",
    primitive="Addcdiv()(input, tensor1, tensor2, value)",
)
def addcdiv(input: Array, tensor1: Array, tensor2: Array, value: Array = number(1)) -> Array:
    """Return input + value · tensor1 / tensor2.

    Args:
        input, tensor1, tensor2: Tensors or numbers; shapes broadcast, dtypes are promoted.
        value: A number or Tensor; it scales the quotient.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.addcdiv(Tensor([1.0]), Tensor([3.0]), Tensor([2.0]), 2).asnumpy()
        array([4.], dtype=float32)
    """
    x, a, b = unify(input, tensor1, tensor2)
    v = jnp.asarray(value).astype(x.dtype) if jnp.issubdtype(x.dtype, jnp.inexact) else unify(value)[0]
    return x + v * a / b


@op(
    ref=_REF + "lerp",
    cases=("T(2, 3), T(2, 3), 0.3", "T(2, 3), T(2, 3), U(3)", "T(3), T(3), 1"),
    errors=(("T(2), T(3), 0.5", "ops."), ("I(2), I(2), 0.5", "float")),
    method="lerp",
    primitive=("Lerp()", "LerpScalar()"),
)
def lerp(input: Array, end: Array, weight: Array) -> Array:
    """Return input + weight · (end - input).

    Args:
        input, end: Tensors of floats; shapes broadcast.
        weight: A number or Tensor: 0 gives input, 1 gives end. Its dtype does not change the result's.

    Raises:
        TypeError: If `input` holds integers or booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.lerp(Tensor([1.0, 2.0]), Tensor([3.0, 6.0]), 0.5).asnumpy()
        array([2., 4.], dtype=float32)
    """
    x, y = unify(inexact(input), end)
    a, b = wide(x), wide(y)
    return (a + jnp.asarray(weight).astype(a.dtype) * (b - a)).astype(x.dtype)


# --- quotients and remainders -------------------------------------------------------------------------------------------


@op(
    ref="numpy.true_divide",
    cases=_DIV,
    errors=_SHAPES,
    method="__truediv__",
    primitive="Div()(input, other)",
)
def true_divide(dividend: Array, divisor: Array) -> Array:
    """Return dividend / divisor; integers divide as float32.

    Args:
        dividend, divisor: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.true_divide(Tensor([3, 1]), 2).asnumpy()
        array([1.5, 0.5], dtype=float32)
    """
    return jnp.true_divide(*floats(dividend, divisor))


@op(
    ref="numpy.floor_divide",
    cases=_DIV,
    errors=(*_SHAPES, ("B(2), B(2)", "numbers")),
    aliases=("floor_divide(input, other)", "floordiv(input, other)", "tensor_floordiv(input, other)"),
    method=("floor_divide", "__floordiv__"),
    primitive="FloorDiv()(input, other)",
    grad=0,
)
def floor_div(x: Array, y: Array) -> Array:
    """Return the largest integer not above x / y, in their promoted dtype; of integers by 0, the nearest to ±inf.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.floor_div(Tensor([-3, 3]), 2).asnumpy()
        array([-2,  1])
    """
    x, y = _numbers(x, y)
    return whole.floored(x, y) if whole.is_whole(x) else jnp.floor_divide(x, y)


@op(ref=_REF + "truncate_div", cases=_DIV, errors=_SHAPES, primitive="TruncateDiv()", grad=0)
def truncate_div(x: Array, y: Array) -> Array:
    """Return x / y rounded towards zero, in their promoted dtype; of integers by 0, the nearest to ±inf.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.truncate_div(Tensor([-3, 3]), 2).asnumpy()
        array([-1,  1])
    """
    x, y = _numbers(x, y)
    return whole.truncated(x, y) if whole.is_whole(x) else jnp.trunc(x / y)


@op(ref=_REF + "truncate_integers", cases=_DIV, errors=_SHAPES, primitive="RealDiv()")
def tensor_div(x: Array, y: Array) -> Array:
    """Return x / y; integers are rounded towards zero and keep their dtype.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.tensor_div(Tensor([-3, 3]), 2).asnumpy()
        array([-1,  1])
    """
    x, y = _numbers(x, y)
    return whole.truncated(x, y) if whole.is_whole(x) else x / y


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
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.
        rounding_mode: None (integers divide as float32), `"floor"` or `"trunc"` (towards zero), which keep the dtype.

    Raises:
        ValueError: If `rounding_mode` is none of these.

    Examples:
        >>> ops.div(Tensor([-3.0, 3.0]), 2, rounding_mode="floor").asnumpy()
        array([-2.,  1.], dtype=float32)
    """
    if rounding_mode is None:
        return true_divide(input, other)
    if rounding_mode == "floor":
        return floor_div(input, other)
    if rounding_mode == "trunc":
        return _cut(input, other)
    raise ValueError(f"ops.div: rounding_mode must be None, 'floor' or 'trunc', got {rounding_mode!r}.")


@internal("div")
def _cut(input: Array, other: Array) -> Array:
    """Return the quotient cut towards zero; floats are converted as in MindSpore, also the infinite ones."""
    x, y = _numbers(input, other)
    return whole.truncated(x, y, whole.no_number) if whole.is_whole(x) else jnp.trunc(x / y)


forms("div", "divide", of=("other: Array", "other: Array, *, rounding_mode: str | None = None"))


@op(
    ref=_REF + "div_no_nan",
    cases=("T(2, 3), P(3)", "I(3), D([0, 1, 2], np.int32)"),
    errors=_SHAPES,
    primitive="DivNoNan()",
)
def div_no_nan(x1: Array, x2: Array) -> Array:
    """Return x1 / x2, and 0 where x2 is 0.

    Args:
        x1, x2: Tensors or numbers; shapes broadcast, dtypes are promoted, integers divide as float32.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.div_no_nan(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])).asnumpy()
        array([0. , 0.5], dtype=float32)
    """
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
    """Return x · y, and 0 where y is 0 even if x is infinite or NaN.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.mul_no_nan(Tensor([np.inf, 2.0]), Tensor([0.0, 4.0])).asnumpy()
        array([0., 8.], dtype=float32)
    """
    x, y = unify(x, y)
    return jnp.where(y == 0, jnp.zeros((), x.dtype), x * y)


@op(
    ref="numpy.mod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "I(4), D([1, 2, -3, 4], np.int32)", "T(0, 3), P(3)"),
    errors=_SHAPES,
    aliases=("floormod", "tensor_mod"),
    method="__mod__",
    primitive="FloorMod()",
    tol=1e-4,
)
def floor_mod(x: Array, y: Array) -> Array:
    """Return x - y · floor(x / y): the remainder with the sign of y; of integers by 0, the lowest int32 or int64, else 0.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.floor_mod(Tensor([-3, 3]), 2).asnumpy()
        array([1, 1])
    """  # tol: float32 loses digits to the quotient
    return _floor_mod(x, y, whole.no_number)


def _floor_mod(x: Array, y: Array, by_zero: whole.ByZero) -> Array:
    x, y = _numbers(x, y)
    return whole.floor_remainder(x, y, by_zero) if whole.is_whole(x) else jnp.mod(x, y)


def _truncate_mod(x: Array, y: Array, by_zero: whole.ByZero) -> Array:
    x, y = _numbers(x, y)
    return whole.remainder(x, y, by_zero) if whole.is_whole(x) else jnp.fmod(*jnp.broadcast_arrays(x, y))


@op(ref="numpy.mod", name="_floor_mod_or_zero", cases=("T(3), P(3)", "I(4), D([1, 2, -3, 0], np.int32)"), tol=1e-4)
def floor_mod_or_zero(x: Array, y: Array) -> Array:
    """Return x - y · floor(x / y): the remainder with the sign of y; of integers by 0 it is 0.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ms.numpy.mod([-3, 3], 0).asnumpy()
        array([0, 0], dtype=int32)
    """
    return _floor_mod(x, y, jnp.zeros_like)


@composite(
    ref="numpy.mod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "2.5, P(3)", "I(4), D([1, 2, -3, 4], np.int32)"),
    errors=_SHAPES,
    tol=1e-4,
)
def remainder(input: object, other: object) -> Tensor:
    """Return input - other · floor(input / other): the remainder with the sign of other; of an integer by 0 it is input.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.remainder(Tensor([-3, 3]), 2).asnumpy()
        array([1, 1])
    """  # tol: float32 loses digits to the quotient
    return _floor_mod_or_input(input, other)


@internal("remainder")
def _floor_mod_or_input(input: Array, other: Array) -> Array:
    return _floor_mod(input, other, jnp.asarray)


@method("remainder")
def _remainder(self: Tensor, other: object = None, *, divisor: object = None) -> Tensor:
    return remainder(self, divisor if other is None else other)


forms("remainder", of=("other: Tensor", "other: float", "divisor: Array"))


@op(
    ref="numpy.fmod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "I(4), D([1, 2, -3, 4], np.int32)"),
    errors=_SHAPES,
    method="fmod",
    tol=1e-4,
)
def fmod(input: Array, other: Array) -> Array:
    """Return the remainder of input / other with the sign of input; of an integer by 0 it is input.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.fmod(Tensor([-3, 3]), 2).asnumpy()
        array([-1,  1])
    """
    return _truncate_mod(input, other, jnp.asarray)


@op(
    ref="numpy.fmod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "I(4), D([1, 2, -3, 4], np.int32)"),
    errors=_SHAPES,
    primitive="TruncateMod()",
    tol=1e-4,
)
def truncate_mod(x: Array, y: Array) -> Array:
    """Return the remainder of x / y with the sign of x; of integers by 0 it is 0.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.truncate_mod(Tensor([-3, 3]), 2).asnumpy()
        array([-1,  1])
    """
    return _truncate_mod(x, y, jnp.zeros_like)


@op(
    ref="numpy.fmod",
    name="_mod",
    cases=("T(2, 3), P(2, 3)", "I(4), D([1, 2, -3, 4], np.int32)"),
    errors=_SHAPES,
    primitive="Mod()",
    tol=1e-4,
)
def mod(x: Array, y: Array) -> Array:
    """Return the remainder of x / y with the sign of x; of integers by 0 that of `floor_mod`, and of 0 by 0 it is 0.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Raises:
        TypeError: If both hold booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.Mod()(Tensor([-3, 3]), Tensor([2, 2])).asnumpy()
        array([-1,  1])
    """
    return _truncate_mod(x, y, whole.no_number_but_zero)


# --- the larger and the smaller of two operands -------------------------------------------------------------------------


_EXTREMES = ("T(2, 3), T(2, 3)", "T(2, 3), T(3)", "T(3), 2", "I(3), 2", "T(0, 3), T(3)")


def choice(first: Callable[..., Array], value: Callable[..., Array] | None = None) -> Callable[[Array, Array], Array]:
    """Return the choice of x where `first(x, y)`, else y, whose gradient is shared as MindSpore shares it.

    Where both are equal each gets half; where neither comes first, because one is NaN, each gets all of it. With `value`
    that function chooses.
    """
    value = value or (lambda x, y: jnp.where(first(x, y) | (x == y), x, y))

    @jax.custom_jvp
    def choose(x: Array, y: Array) -> Array:
        return value(x, y)

    @choose.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        x, y = primals
        half = jnp.where(x == y, 0.5, 1.0).astype(x.dtype)
        to_x, to_y = (jnp.where(first(b, a), 0, half).astype(x.dtype) for a, b in ((x, y), (y, x)))
        return choose(x, y), to_x * tangents[0] + to_y * tangents[1]

    def chosen(input: Array, other: Array) -> Array:
        x, y = jnp.broadcast_arrays(*unify(input, other))
        if jnp.issubdtype(x.dtype, jnp.floating):
            return choose(x, y)
        return value(x, y)

    return chosen


_larger, _smaller = choice(jnp.greater), choice(jnp.less)


@op(
    ref=_REF + "maximum",
    cases=_EXTREMES,
    errors=_SHAPES,
    method="maximum",
    primitive="Maximum()",
)
def maximum(input: Array, other: Array) -> Array:
    """Return the larger of two elements; where one is NaN, `other` (`fmax` passes NaN over).

    Where they are equal, each gets half of the gradient.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`; the result has the promoted dtype.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.maximum(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])).asnumpy()
        array([3., 5.], dtype=float32)
    """
    return _larger(input, other)


@op(
    ref="numpy.fmax",
    cases=("T(2, 3), T(3)", "I(3), 2", "D([np.nan, 1.0]), D([0.5, np.nan])"),
    errors=_SHAPES,
    method="fmax",
    primitive="Fmax()",
)
def fmax(input: Array, other: Array) -> Array:
    """Return the larger of two elements; where one is NaN, the other element.

    Where they are equal the gradient goes to `input`.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`; the result has the promoted dtype.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.fmax(Tensor([1.0, np.nan]), Tensor([3.0, 2.0])).asnumpy()
        array([3., 2.], dtype=float32)
    """
    x, y = unify(input, other)
    return jnp.where((x >= y) | (y != y), x, y)


@op(
    ref=_REF + "minimum",
    cases=_EXTREMES,
    errors=_SHAPES,
    method="minimum",
    primitive="Minimum()",
)
def minimum(input: Array, other: Array) -> Array:
    """Return the smaller of two elements; where one is NaN, `other` (`fmin` passes NaN over).

    Where they are equal, each gets half of the gradient.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`; the result has the promoted dtype.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.minimum(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])).asnumpy()
        array([1., 2.], dtype=float32)
    """
    return _smaller(input, other)


@op(
    ref="numpy.fmin",
    cases=("T(2, 3), T(3)", "I(3), 2", "D([np.nan, 1.0]), D([0.5, np.nan])"),
    errors=_SHAPES,
    method="fmin",
    primitive="Fmin()",
)
def fmin(input: Array, other: Array) -> Array:
    """Return the smaller of two elements; where one is NaN, the other element.

    Where they are equal the gradient goes to `input`.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`; the result has the promoted dtype.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.fmin(Tensor([1.0, np.nan]), Tensor([3.0, 2.0])).asnumpy()
        array([1., 2.], dtype=float32)
    """
    x, y = unify(input, other)
    return jnp.where((x <= y) | (y != y), x, y)
