"""Functions of one operand, element by element."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy import special

from sporax._src.base.typing import Array, Static
from sporax._src.core.dtype import from_numpy
from sporax._src.ops.checks import floating, floats, inexact, integral, known
from sporax._src.ops.methods import method, prop
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


@op(ref="numpy.exp2", cases=(*_REAL, "I(3)"), method="exp2")
def exp2(input: Array) -> Array:
    """Return 2 to the power of input; integers become float32."""
    return jnp.exp2(*floats(input))


@op(ref="numpy.expm1", cases=_REAL, errors=_NO_INT, aliases="tensor_expm1", method="expm1", primitive="Expm1()")
def expm1(input: Array) -> Array:
    """Return e^input - 1, exact near 0."""
    return jnp.expm1(inexact(input))


@op(ref="numpy.log", cases=(*_POSITIVE, "C(3)"), errors=_NO_INT, method="log", primitive="Log()")
def log(input: Array) -> Array:
    """Return the natural logarithm.

    Raises:
        TypeError: If `input` holds integers.
    """
    return jnp.log(inexact(input))


@op(ref="numpy.log1p", cases=_POSITIVE, errors=_NO_INT, method="log1p", primitive="Log1p()")
def log1p(input: Array) -> Array:
    """Return log(1 + input), exact near 0."""
    return jnp.log1p(inexact(input))


@op(ref="numpy.log2", cases=_POSITIVE, errors=_NO_INT, method="log2", primitive="Log2()")
def log2(input: Array) -> Array:
    """Return the logarithm to base 2."""
    return jnp.log2(inexact(input))


@op(ref="numpy.log10", cases=_POSITIVE, errors=_NO_INT, method="log10", primitive="Log10()")
def log10(input: Array) -> Array:
    """Return the logarithm to base 10."""
    return jnp.log10(inexact(input))


@op(
    ref=_REF + "logit",
    cases=("U(2, 3)", "U(4), 0.3", "D([0.0, 1.0]), 0.1"),
    errors=_NO_INT,
    method="logit",
    primitive="Logit(eps=-1.0)",
)
def logit(input: Array, eps: float | None = None) -> Array:
    """Return log(x / (1 - x)) of x = input, moved into [eps, 1 - eps] if eps is given (and not negative)."""
    x = floating(input)
    if eps is not None and eps >= 0:
        x = jnp.clip(x, eps, 1 - eps)
    return special.logit(x)


# --- roots, reciprocals, signs --------------------------------------------------------------------------------------


@op(ref="numpy.reciprocal", cases=("P(2, 3)", "-P(4)", "P(0, 3)"), method="reciprocal", primitive="Reciprocal()")
def reciprocal(input: Array) -> Array:
    """Return 1 / input; integers become float32."""
    return jnp.reciprocal(*floats(input))


@op(ref="numpy.reciprocal", cases=("P(2, 3)", "D([1, 2, -3], np.int32)"), method="inv", primitive="Inv()")
def inv(x: Array) -> Array:
    """Return 1 / x; integers are rounded towards zero."""
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
    """Return -input."""
    if input.dtype == bool:
        raise TypeError("input must be a number, got Bool; use ops.logical_not.")
    return jnp.negative(known(input))


@op(ref="numpy.positive", cases=(*_ANY, "I(4)"), method=("positive", "__pos__"))
def positive(input: Array) -> Array:
    """Return input."""
    return known(input)


@op(
    ref=_REF + "absolute",
    cases=(*_ANY, "I(4)", "B(3)"),
    aliases="absolute",
    method=("abs", "absolute", "__abs__"),
    primitive="Abs()",
)
def abs(input: Array) -> Array:
    """Return the absolute value, in the dtype of input (also for complex numbers)."""
    x = known(input)
    return x if x.dtype == bool else jnp.abs(x).astype(x.dtype)


@op(ref="numpy.abs", cases=("C(2, 3)", "C(4)"), primitive="ComplexAbs()", grad=0)
def complex_abs(x: Array) -> Array:
    """Return the magnitude of complex numbers as real numbers."""
    return jnp.abs(x)


@op(
    ref=_REF + "sign",
    cases=(*_ANY, "I(4)", "D([np.nan, 0.0, -2.0])"),
    aliases="sgn",
    method=("sign", "sgn"),
    primitive="Sign()",
    grad=0,
)
def sign(input: Array) -> Array:
    """Return -1, 0 or 1 by the sign of input (0 for NaN); x / |x| for complex x."""
    x = known(input)
    if x.dtype == bool:
        return x
    return jnp.sign(jnp.where(x == x, x, jnp.zeros((), x.dtype)))


@op(ref="numpy.signbit", cases=("T(2, 3)", "D([-0.0, 0.0])"), method="signbit", grad=0)
def signbit(input: Array) -> Array:
    """Return whether the sign bit is set (for -0.0 too)."""
    return (
        jnp.signbit(known(input)) if jnp.issubdtype(input.dtype, jnp.floating) else input < jnp.zeros((), input.dtype)
    )


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
    """Return the largest integer not above input."""
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
    """Return the smallest integer not below input."""
    return jnp.ceil(floating(input))


@op(
    ref="numpy.round",
    cases=("T(2, 3) * 3", "D([0.5, 1.5, 2.5])", "I(4)", "T(4), decimals=1", "I(4), decimals=-1"),
    primitive="Round()",
    grad=0,
)
def round(input: Array, *, decimals: int = 0) -> Array:
    """Return input rounded to `decimals` places, halves to even."""
    x = known(input)
    if x.dtype.kind in "iu":
        return x if decimals >= 0 else jnp.round(x.astype(jnp.float64), decimals).astype(x.dtype)
    return jnp.round(x, decimals)


method("round", "__round__")(lambda self, decimals=0: round(self, decimals=decimals or 0))


@op(ref="numpy.rint", cases=("T(2, 3) * 3", "D([0.5, 1.5, 2.5])"), primitive="Rint()", grad=0)
def rint(x: Array) -> Array:
    """Return the nearest integer, halves to even."""
    return jnp.rint(floating(x))


@op(ref="torch.trunc", cases=("T(2, 3) * 3", "I(4)", "T(0, 3)"), method="trunc", primitive="Trunc()", grad=0)
def trunc(input: Array) -> Array:
    """Return input rounded towards zero; integers stay."""
    x = known(input)
    return jnp.trunc(x) if jnp.issubdtype(x.dtype, jnp.inexact) else x


@op(ref="torch.frac", cases=("T(2, 3) * 3", "T(4)"), errors=_NO_INT, method="frac")
def frac(x: Array) -> Array:
    """Return the fractional part x - trunc(x)."""
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
    """Return 1 / (1 + e^-input)."""
    return jax.nn.sigmoid(inexact(input))


# --- complex numbers ------------------------------------------------------------------------------------------------


@op(ref="numpy.real", cases=("C(2, 3)", "T(3)"), primitive="Real()")
def real(input: Array) -> Array:
    """Return the real part."""
    return jnp.real(known(input))


@op(ref="numpy.imag", cases=("C(2, 3)", "T(3)"), primitive="Imag()", grad=0)
def imag(input: Array) -> Array:
    """Return the imaginary part (zeros for real numbers)."""
    return jnp.imag(known(input))


@op(ref="numpy.conj", cases=("C(2, 3)", "T(3)"), method="conj", primitive="Conj()")
def conj(input: Array) -> Array:
    """Return the complex conjugate."""
    return jnp.conj(known(input))


@op(ref="numpy.angle", cases=("C(2, 3)", "C(4)"), method="angle", primitive="Angle()", grad=0)
def angle(input: Array) -> Array:
    """Return the angle of complex numbers in radians."""
    return jnp.angle(inexact(input))


@op(ref=_REF + "view_as_real", cases=("C(2, 3)", "C(4)"), errors=(("T(3)", "complex"),), grad=0)
def view_as_real(input: Array) -> Array:
    """Return real and imaginary parts along a new last axis."""
    if input.dtype.kind != "c":
        raise TypeError(f"input must be complex, got {from_numpy(input.dtype)}.")
    return jnp.stack([jnp.real(input), jnp.imag(input)], -1)


prop("real")(lambda self: real(self))
prop("imag")(lambda self: imag(self))


# --- the rest -------------------------------------------------------------------------------------------------------


@op(
    ref=_REF + "nan_to_num",
    cases=("T(2, 3)", "D([np.nan, np.inf, -np.inf, 1.0])", "D([np.nan, np.inf, -np.inf]), 1.0, 2.0, -3.0"),
    method="nan_to_num",
    primitive="NanToNum(nan=None, posinf=None, neginf=None)",
    grad=0,
)
def nan_to_num(input: Array, nan: Static = None, posinf: Static = None, neginf: Static = None) -> Array:
    """Return input with NaN and infinities replaced (None: by 0 and the largest and smallest numbers of the dtype)."""
    return jnp.nan_to_num(known(input), nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@op(
    ref=_REF + "population_count",
    cases=("I(2, 3)", "D([255, 7], np.uint8)"),
    errors=(("T(3)", "integer"),),
    primitive="PopulationCount()",
)
def population_count(input_x: Array) -> Array:
    """Return the number of set bits as uint8."""
    return jax.lax.population_count(integral(input_x, "input_x", boolean=False)).astype(jnp.uint8)


@op(ref=_REF + "eps", cases=("T(2, 3)",), errors=_NO_INT, primitive="Eps()", grad=0)
def eps(x: Array) -> Array:
    """Return the distance from 1 to the next number of the dtype, in the shape of x."""
    return jnp.full_like(x, jnp.finfo(floating(x, "x").dtype).eps)
