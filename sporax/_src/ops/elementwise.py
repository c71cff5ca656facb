"""Functions of one operand, element by element: exponentials, logarithms, reciprocals, signs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy import special

from sporax._src.base.typing import Array
from sporax._src.ops.checks import floating, floats, inexact, known, magnitude
from sporax._src.ops.table import op

_REF = "sporax._src.testing.math_references."

_ANY = ("T(2, 3)", "T(4)", "T(0, 3)", "C(3)")
_REAL = ("T(2, 3)", "T(4)", "T(0, 3)")
_POSITIVE = ("P(2, 3)", "P(4)", "P(0, 3)")
_NO_INT = (("I(3)", "float"),)


# --- exponentials and logarithms ------------------------------------------------------------------------------------


@op(ref="numpy.exp", cases=_ANY, errors=_NO_INT, aliases="tensor_exp", method="exp", primitive="Exp()")
def exp(input: Array) -> Array:
    """Return e to the power of input.

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        TypeError: If `input` holds integers.

    Examples:
        >>> ops.exp(Tensor([0.0, 1.0])).asnumpy()
        array([1.       , 2.7182817], dtype=float32)
    """
    return jnp.exp(inexact(input))


@op(ref="numpy.exp2", cases=(*_REAL, "I(3)"), errors=(("None", "operands must be Tensors or numbers"),), method="exp2")
def exp2(input: Array) -> Array:
    """Return 2 to the power of input; integers become float32.

    Args:
        input: A Tensor of real numbers.

    Examples:
        >>> ops.exp2(Tensor([0.0, 3.0])).asnumpy()
        array([1., 8.], dtype=float32)
    """
    return jnp.exp2(*floats(input))


@op(ref="numpy.expm1", cases=_REAL, errors=_NO_INT, aliases="tensor_expm1", method="expm1", primitive="Expm1()")
def expm1(input: Array) -> Array:
    """Return e^input - 1, exact near 0.

    Args:
        input: A Tensor of floats.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.expm1(Tensor([0.0])).asnumpy()
        array([0.], dtype=float32)
    """
    return jnp.expm1(inexact(input))


@op(ref="numpy.log", cases=(*_POSITIVE, "C(3)"), errors=_NO_INT, method="log", primitive="Log()")
def log(input: Array) -> Array:
    """Return the natural logarithm: -inf at 0 and NaN below.

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        TypeError: If `input` holds integers.

    Examples:
        >>> ops.log(Tensor([0.0, 1.0])).asnumpy()
        array([-inf,   0.], dtype=float32)
    """
    return jnp.log(inexact(input))


@op(ref="numpy.log1p", cases=_POSITIVE, errors=_NO_INT, method="log1p", primitive="Log1p()")
def log1p(input: Array) -> Array:
    """Return ln(1 + input), exact near 0.

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.log1p(Tensor([-1.0, 0.0])).asnumpy()
        array([-inf,   0.], dtype=float32)
    """
    return jnp.log1p(inexact(input))


@op(ref="numpy.log2", cases=_POSITIVE, errors=_NO_INT, method="log2", primitive="Log2()")
def log2(input: Array) -> Array:
    """Return the logarithm to base 2.

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.log2(Tensor([1.0, 8.0])).asnumpy()
        array([0., 3.], dtype=float32)
    """
    return jnp.log2(inexact(input))


@op(ref="numpy.log10", cases=_POSITIVE, errors=_NO_INT, method="log10", primitive="Log10()")
def log10(input: Array) -> Array:
    """Return the logarithm to base 10.

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.log10(Tensor([1.0, 100.0])).asnumpy()
        array([0., 2.], dtype=float32)
    """
    return jnp.log10(inexact(input))


@op(
    ref=_REF + "logit",
    cases=("U(2, 3)", "U(4), 0.3", "D([0.0, 1.0]), 0.1"),
    errors=_NO_INT,
    method="logit",
    primitive="Logit(eps=-1.0)",
)
def logit(input: Array, eps: float | None = None) -> Array:
    """Return ln(x / (1 - x)) of x = input, moved into [eps, 1 - eps] if eps is given (and not negative).

    Args:
        input: A Tensor of floats.
        eps: The least distance to 0 and 1; None: outside of [0, 1] the result is NaN.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.logit(Tensor([0.0, 0.5, 1.0])).asnumpy()
        array([-inf,   0.,  inf], dtype=float32)
    """
    x = floating(input)
    if eps is not None and eps >= 0:
        x = jnp.where(x < eps, eps, jnp.where(x > 1 - eps, 1 - eps, x))
    else:
        x = x * jnp.where((x < 0) | (x > 1), jnp.nan, 1)  # the gradient is NaN there as well
    return special.logit(x)


# --- roots, reciprocals, signs --------------------------------------------------------------------------------------


@op(
    ref="numpy.reciprocal",
    cases=("P(2, 3)", "-P(4)", "P(0, 3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="reciprocal",
    primitive="Reciprocal()",
)
def reciprocal(input: Array) -> Array:
    """Return 1 / input; integers become float32.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.reciprocal(Tensor([2, 4])).asnumpy()
        array([0.5 , 0.25], dtype=float32)
    """
    return jnp.reciprocal(*floats(input))


@op(
    ref="numpy.reciprocal",
    cases=("P(2, 3)", "D([1, 2, -3], np.int32)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="inv",
    primitive="Inv()",
)
def inv(x: Array) -> Array:
    """Return 1 / x; integers are rounded towards zero.

    Args:
        x: A Tensor of numbers; the result has its dtype.

    Examples:
        >>> ops.inv(Tensor([2.0, 4.0])).asnumpy(), ops.inv(Tensor([1, 4])).asnumpy()
        (array([0.5 , 0.25], dtype=float32), array([1, 0]))
    """
    x = known(x)
    return jnp.reciprocal(x) if jnp.issubdtype(x.dtype, jnp.inexact) else jax.lax.div(jnp.ones_like(x), x)


@op(
    ref="numpy.negative",
    cases=(*_ANY, "I(4)"),
    errors=(("B(3)", "Bool"),),
    aliases="negative",
    method=("neg", "negative", "__neg__"),
    primitive="Neg()",
)
def neg(input: Array) -> Array:
    """Return -input.

    Args:
        input: A Tensor of numbers.

    Raises:
        TypeError: If `input` holds booleans.

    Examples:
        >>> ops.neg(Tensor([1, -2])).asnumpy()
        array([-1,  2])
    """
    if input.dtype == bool:
        raise TypeError("input must be a number, got Bool; use ops.logical_not.")
    return jnp.negative(known(input))


@op(
    ref="numpy.positive",
    cases=(*_ANY, "I(4)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method=("positive", "__pos__"),
)
def positive(input: Array) -> Array:
    """Return input.

    Args:
        input: A Tensor.

    Examples:
        >>> ops.positive(Tensor([1, -2])).asnumpy()
        array([ 1, -2])
    """
    return known(input)


@op(
    ref=_REF + "absolute",
    cases=(*_ANY, "I(4)", "B(3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    aliases="absolute",
    method=("abs", "absolute", "__abs__"),
    primitive="Abs()",
)
def abs(input: Array) -> Array:
    """Return the absolute value, in the dtype of input (also for complex numbers).

    Args:
        input: A Tensor.

    Examples:
        >>> ops.abs(Tensor([1, -2])).asnumpy()
        array([1, 2])
    """
    x = known(input)
    return x if x.dtype == bool else magnitude(x).astype(x.dtype)


@op(
    ref="numpy.abs",
    cases=("C(2, 3)", "C(4)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    primitive="ComplexAbs()",
    grad=0,
)
def complex_abs(x: Array) -> Array:
    """Return the magnitude of complex numbers as real numbers.

    Args:
        x: A Tensor of a complex dtype.

    Returns:
        A Tensor of float32, or of float64 for complex128.

    Examples:
        >>> ops.complex_abs(Tensor([3 + 4j])).asnumpy()
        array([5.])
    """
    return jnp.abs(x)


@op(
    ref=_REF + "sign",
    cases=(*_ANY, "I(4)", "D([np.nan, 0.0, -2.0])"),
    errors=(("None", "operands must be Tensors or numbers"),),
    aliases="sgn",
    method=("sign", "sgn"),
    primitive="Sign()",
    grad=0,
)
def sign(input: Array) -> Array:
    """Return -1, 0 or 1 by the sign of input (0 for NaN); x / |x| for complex x.

    Args:
        input: A Tensor.

    Examples:
        >>> ops.sign(Tensor([-2.0, 0.0, np.nan])).asnumpy()
        array([-1.,  0.,  0.], dtype=float32)
    """
    x = known(input)
    if x.dtype == bool:
        return x
    return jnp.sign(jnp.where(x == x, x, jnp.zeros((), x.dtype)))


@op(
    ref=_REF + "below_zero",
    cases=("T(2, 3)", "D([-0.0, 0.0])"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="signbit",
    grad=0,
)
def signbit(input: Array) -> Array:
    """Return whether input is below 0 (-0.0 is not).

    Args:
        input: A Tensor of real numbers.

    Returns:
        A bool Tensor.

    Examples:
        >>> ops.signbit(Tensor([-2.0, -0.0])).asnumpy()
        array([ True, False])
    """
    x = known(input)
    return x < jnp.zeros((), x.dtype)
