"""Functions of one operand, element by element: exponentials, logarithms, rounding, signs, parts of complex numbers."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy import special

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.tensor_methods import method
from sporax._src.core.dtype import from_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.core.views import write_in_place
from sporax._src.engine.arguments import floating, floats, inexact, integral, known, magnitude
from sporax._src.engine.table import composite, op

_REF = "references.math."

_ANY = ("T(2, 3)", "T(4)", "T(0, 3)", "C(3)")
_REAL = ("T(2, 3)", "T(4)", "T(0, 3)")
_POSITIVE = ("P(2, 3)", "P(4)", "P(0, 3)")
_NO_INT = (("I(3)", "float"),)


# --- exponentials and logarithms ------------------------------------------------------------------------------------


@op(ref="numpy.exp", cases=_ANY, errors=_NO_INT, aliases="tensor_exp", method="exp", primitive="Exp()", amp="float32")
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


@op(
    ref="numpy.expm1",
    cases=_REAL,
    errors=_NO_INT,
    aliases="tensor_expm1",
    method="expm1",
    primitive="Expm1()",
    amp="float32",
)
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


@op(ref="numpy.log", cases=(*_POSITIVE, "C(3)"), errors=_NO_INT, method="log", primitive="Log()", amp="float32")
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


@op(ref="numpy.log1p", cases=_POSITIVE, errors=_NO_INT, method="log1p", primitive="Log1p()", amp="float32")
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


@op(ref="numpy.log2", cases=_POSITIVE, errors=_NO_INT, method="log2", primitive="Log2()", amp="float32")
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


@op(ref="numpy.log10", cases=_POSITIVE, errors=_NO_INT, method="log10", primitive="Log10()", amp="float32")
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
    amp="float32",
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


# --- rounding -------------------------------------------------------------------------------------------------------


@op(
    ref="numpy.floor",
    cases=("T(2, 3) * 3", "T(4)", "T(0, 3)"),
    errors=_NO_INT,
    method="floor",
    primitive="Floor()",
    grad=0,
)
def floor(input: Array) -> Array:
    """Return the largest integer not above input.

    Args:
        input: A Tensor of floats; the result has its dtype.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.floor(Tensor([-1.5, 1.5])).asnumpy()
        array([-2.,  1.], dtype=float32)
    """
    return jnp.floor(floating(input))


@op(
    ref="numpy.ceil",
    cases=("T(2, 3) * 3", "T(4)", "T(0, 3)"),
    errors=_NO_INT,
    method="ceil",
    primitive="Ceil()",
    grad=0,
)
def ceil(input: Array) -> Array:
    """Return the smallest integer not below input.

    Args:
        input: A Tensor of floats; the result has its dtype.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.ceil(Tensor([-1.5, 1.5])).asnumpy()
        array([-1.,  2.], dtype=float32)
    """
    return jnp.ceil(floating(input))


@op(
    ref="numpy.round",
    cases=("T(2, 3) * 3", "D([0.5, 1.5, 2.5])", "I(4)", "T(4), decimals=1", "I(4), decimals=-1"),
    errors=(("'x'", "operands must be Tensors or numbers"),),
    primitive="Round()(input, decimals=0)",
    grad=0,
)
def round(input: Array, *, decimals: int = 0) -> Array:
    """Return input rounded to `decimals` places, halves to even.

    Args:
        input: A Tensor of numbers; the result has its dtype.
        decimals: The number of places; negative: before the point.

    Examples:
        >>> ops.round(Tensor([0.5, 1.5, 2.5])).asnumpy()
        array([0., 2., 2.], dtype=float32)
    """
    x = known(input)
    if x.dtype.kind in "iu":
        return x if decimals >= 0 else jnp.round(x.astype(jnp.float64), decimals).astype(x.dtype)
    return jnp.round(x, decimals)


method("round", "__round__")(lambda self, decimals=0: round(self, decimals=decimals or 0))


@op(
    ref="numpy.rint",
    cases=("T(2, 3) * 3", "D([0.5, 1.5, 2.5])"),
    errors=(("'x'", "operands must be Tensors or numbers"),),
    primitive="Rint()",
    grad=0,
)
def rint(x: Array) -> Array:
    """Return the nearest integer, halves to even.

    Args:
        x: A Tensor of floats; the result has its dtype.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.rint(Tensor([0.5, 1.5, 2.5])).asnumpy()
        array([0., 2., 2.], dtype=float32)
    """
    return jnp.rint(floating(x))


@op(
    ref="torch.trunc",
    cases=("T(2, 3) * 3", "I(4)", "T(0, 3)"),
    errors=(("'x'", "operands must be Tensors or numbers"),),
    method="trunc",
    primitive="Trunc()",
    grad=0,
)
def trunc(input: Array) -> Array:
    """Return input rounded towards zero; integers stay.

    Args:
        input: A Tensor of real numbers.

    Examples:
        >>> ops.trunc(Tensor([-1.5, 1.5])).asnumpy()
        array([-1.,  1.], dtype=float32)
    """
    x = known(input)
    return jnp.trunc(x) if jnp.issubdtype(x.dtype, jnp.inexact) else x


@op(ref="torch.frac", cases=("T(2, 3) * 3", "T(4)"), errors=_NO_INT, method="frac")
def frac(x: Array) -> Array:
    """Return the fractional part x - trunc(x).

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.frac(Tensor([-1.5, 1.25])).asnumpy()
        array([-0.5 ,  0.25], dtype=float32)
    """
    x = floating(x)
    return x - jnp.trunc(x)


@op(
    ref="scipy.special.expit",
    cases=(*_ANY[:3], "D([-100.0, 100.0])"),
    errors=_NO_INT,
    method="sigmoid",
    primitive="Sigmoid()",
)
def sigmoid(input: Array) -> Array:
    """Return 1 / (1 + e^-input).

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.sigmoid(Tensor([-100.0, 0.0, 100.0])).asnumpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    return jax.nn.sigmoid(inexact(input))


@composite(
    cases=_ANY[:2], errors=_NO_INT, grad=0, jit=False
)  # the laws call twice with the same operand, which changes
def inplace_sigmoid(input: Tensor) -> Tensor:
    """Write 1 / (1 + e^-input) into the input and return it.

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        RuntimeError: If the Tensor may not be written in place.
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> x = Tensor([-100.0, 0.0])
        >>> ops.inplace_sigmoid(x) is x, x.tolist()
        (True, [0.0, 0.5])
    """
    return write_in_place(input, sigmoid(input), "ops.inplace_sigmoid")


# --- complex numbers ------------------------------------------------------------------------------------------------


@op(
    ref="numpy.real",
    cases=("C(2, 3)", "T(3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="real",
    primitive="Real()",
    view=True,
)
def real(input: Array) -> Array:
    """Return the real part.

    Args:
        input: A Tensor of numbers.

    Returns:
        A Tensor of float32, or of float64 for complex128; real numbers stay as they are.

    Examples:
        >>> ops.real(Tensor([3 + 4j])).asnumpy()
        array([3.])
    """
    return jnp.real(known(input))


@op(
    ref="numpy.imag",
    cases=("C(2, 3)", "T(3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="imag",
    primitive="Imag()",
    grad=0,
    view=True,
)
def imag(input: Array) -> Array:
    """Return the imaginary part (zeros for real numbers).

    Args:
        input: A Tensor of numbers.

    Returns:
        A Tensor of float32, or of float64 for complex128.

    Examples:
        >>> ops.imag(Tensor([3 + 4j])).asnumpy()
        array([4.])
    """
    return jnp.imag(known(input))


@op(
    ref="numpy.conj",
    cases=("C(2, 3)", "T(3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="conj",
    primitive="Conj()",
)
def conj(input: Array) -> Array:
    """Return the complex conjugate.

    Args:
        input: A Tensor of numbers; real ones stay as they are.

    Examples:
        >>> ops.conj(Tensor([3 + 4j])).asnumpy()
        array([3.-4.j])
    """
    return jnp.conj(known(input))


@op(
    ref="numpy.angle",
    cases=("C(2, 3)", "C(4)"),
    errors=(("B(2, 3)", "input must have a float or complex dtype"),),
    method="angle",
    primitive="Angle()",
    grad=0,
)
def angle(input: Array) -> Array:
    """Return the angle of complex numbers in radians.

    Args:
        input: A Tensor of a float or complex dtype.

    Raises:
        TypeError: If `input` holds integers or booleans.

    Examples:
        >>> ops.angle(Tensor([1j, -1])).asnumpy().round(4)
        array([1.5708, 3.1416])
    """
    return jnp.angle(inexact(input))


@op(ref=_REF + "view_as_real", cases=("C(2, 3)", "C(4)"), errors=(("T(3)", "complex"),), grad=0)
def view_as_real(input: Array) -> Array:
    """Return real and imaginary parts along a new last axis.

    Args:
        input: A Tensor of a complex dtype, of any shape s.

    Returns:
        A Tensor of shape (*s, 2).

    Raises:
        TypeError: If `input` is not complex.

    Examples:
        >>> ops.view_as_real(Tensor([3 + 4j])).asnumpy()
        array([[3., 4.]])
    """
    if input.dtype.kind != "c":
        raise TypeError(f"input must be complex, got {from_numpy(input.dtype)}.")
    return jnp.stack([jnp.real(input), jnp.imag(input)], -1)


# --- the rest -------------------------------------------------------------------------------------------------------


@op(
    ref=_REF + "nan_to_num",
    cases=("T(2, 3)", "D([np.nan, np.inf, -np.inf, 1.0])", "D([np.nan, np.inf, -np.inf]), 1.0, 2.0, -3.0"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="nan_to_num",
    primitive="NanToNum(nan=None, posinf=None, neginf=None)",
    grad=0,
)
def nan_to_num(input: Array, nan: Static = None, posinf: Static = None, neginf: Static = None) -> Array:
    """Return input with NaN and infinities replaced (None: by 0 and the largest and smallest numbers of the dtype).

    Args:
        input: A Tensor of numbers.
        nan, posinf, neginf: What replaces NaN, inf and -inf.

    Examples:
        >>> ops.nan_to_num(Tensor([np.nan, np.inf, 1.0]), posinf=9.0).asnumpy()
        array([0., 9., 1.], dtype=float32)
    """
    return jnp.nan_to_num(known(input), nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@op(
    ref=_REF + "population_count",
    cases=("I(2, 3)", "D([255, 7], np.uint8)"),
    errors=(("T(3)", "integer"),),
    primitive="PopulationCount()",
)
def population_count(input_x: Array) -> Array:
    """Return the number of set bits as uint8.

    Args:
        input_x: A Tensor of integers.

    Raises:
        TypeError: If `input_x` holds something else.

    Examples:
        >>> ops.population_count(Tensor([0, 7])).asnumpy()
        array([0, 3], dtype=uint8)
    """
    return jax.lax.population_count(integral(input_x, "input_x", boolean=False)).astype(jnp.uint8)


@op(ref=_REF + "eps", cases=("T(2, 3)",), errors=_NO_INT, primitive="Eps()", grad=0)
def eps(x: Array) -> Array:
    """Return the distance from 1 to the next number of the dtype, in the shape of x.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.eps(Tensor([3.0])).asnumpy() == 2.0**-23
        array([ True])
    """
    return jnp.full_like(x, jnp.finfo(floating(x, "x").dtype).eps)
