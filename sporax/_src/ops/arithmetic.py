"""Sums, products and powers of two and more operands, with MindSpore's promotion."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Arrays, number
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops.callings import forms
from sporax._src.ops.checks import floats, inexact, known
from sporax._src.ops.methods import method
from sporax._src.ops.table import composite, op

_REF = "sporax._src.testing.math_references."

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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.
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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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


@op(ref=_REF + "rsqrt", cases=("P(2, 3)", "P(4)"), errors=(("I(3)", "float"),), method="rsqrt", primitive="Rsqrt()")
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
    primitive="Pow()",
)
def tensor_pow(input: Array, exponent: Array) -> Array:
    """Return input to the power of exponent; integers with negative exponents give 0 (or ±1 for ±1).

    Args:
        input, exponent: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.tensor_pow(Tensor([2, 1]), -1).asnumpy()
        array([0, 1])
    """
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
    x, e = unify(input, exponent)
    wide = jnp.complex128 if x.dtype.kind == "c" else jnp.float64
    return jnp.power(x.astype(wide), e.astype(wide))


@op(ref=_REF + "squared_difference", cases=_PAIR, errors=_SHAPES, primitive="SquaredDifference()")
def squared_difference(x: Array, y: Array) -> Array:
    """Return (x - y)².

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes meet.

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
        x: A sequence of at least one Tensor; shapes broadcast, dtypes meet.

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
    primitive="Addcmul()",
)
def addcmul(input: Array, tensor1: Array, tensor2: Array, value: Array = number(1)) -> Array:
    """Return input + value · tensor1 · tensor2.

    Args:
        input, tensor1, tensor2: Tensors or numbers; shapes broadcast, dtypes meet.
        value: A number or Tensor; it scales the product.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.addcmul(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), 0.5).asnumpy()
        array([4.], dtype=float32)
    """
    x, a, b, v = unify(input, tensor1, tensor2, value)
    return x + v * a * b


@op(
    ref=_REF + "addcdiv",
    cases=("T(2, 3), T(3), P(2, 1)", "T(3), T(3), P(3), 2", "T(3), T(3), P(3), T(1)"),
    errors=(("T(2), T(2), T(3)", "ops."),),
    method="addcdiv",
    primitive="Addcdiv()",
)
def addcdiv(input: Array, tensor1: Array, tensor2: Array, value: Array = number(1)) -> Array:
    """Return input + value · tensor1 / tensor2.

    Args:
        input, tensor1, tensor2: Tensors or numbers; shapes broadcast, dtypes meet.
        value: A number or Tensor; it scales the quotient.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.addcdiv(Tensor([1.0]), Tensor([3.0]), Tensor([2.0]), 2).asnumpy()
        array([4.], dtype=float32)
    """
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
    """Return input + weight · (end - input).

    Args:
        input, end: Tensors of floats; shapes broadcast.
        weight: A number or Tensor: 0 gives input, 1 gives end.

    Raises:
        TypeError: If `input` holds integers or booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.lerp(Tensor([1.0, 2.0]), Tensor([3.0, 6.0]), 0.5).asnumpy()
        array([2., 4.], dtype=float32)
    """
    x, y, w = unify(inexact(input), end, weight)
    return x + w * (y - x)
