"""Trigonometric and hyperbolic functions."""

from __future__ import annotations

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.engine.arguments import floating, floats, inexact
from sporax._src.engine.table import op

_ANY = ("T(2, 3)", "T(4)", "T(0, 3)", "C(3)")
_REAL = _ANY[:3]
_UNIT = ("U(2, 3)", "-U(4)", "U(0, 3)")
_NO_INT = (("I(3)", "float"),)


@op(ref="numpy.sin", cases=_ANY, errors=_NO_INT, method="sin", primitive="Sin()")
def sin(input: Array) -> Array:
    """Return the sine of angles in radians.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.sin(Tensor([0.0, np.pi / 2])).asnumpy()
        array([0., 1.], dtype=float32)
    """
    return jnp.sin(inexact(input))


@op(ref="numpy.cos", cases=_ANY, errors=_NO_INT, method="cos", primitive="Cos()")
def cos(input: Array) -> Array:
    """Return the cosine of angles in radians.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> float(ops.cos(Tensor([0.0])))
        1.0
    """
    return jnp.cos(inexact(input))


@op(
    ref="numpy.tan",
    cases=("U(2, 3)", "-U(4)", "U(0, 3)"),
    errors=_NO_INT,
    method="tan",
    primitive="Tan()",
    amp="float32",
)
def tan(input: Array) -> Array:
    """Return the tangent of angles in radians.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.tan(Tensor([0.0, np.pi / 4])).asnumpy().round(3)
        array([0., 1.], dtype=float32)
    """
    return jnp.tan(inexact(input))


@op(
    ref="numpy.arcsin",
    cases=_UNIT,
    errors=_NO_INT,
    aliases="arcsin(x)",
    method=("asin", "arcsin"),
    primitive="Asin()",
    amp="float32",
)
def asin(input: Array) -> Array:
    """Return the inverse sine, in radians: of a real number in [-1, 1] an angle in [-π/2, π/2], of others NaN.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.asin(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([0.   , 1.571], dtype=float32)
    """
    return jnp.arcsin(inexact(input))


@op(
    ref="numpy.arccos",
    cases=_UNIT,
    errors=_NO_INT,
    aliases="arccos",
    method=("acos", "arccos"),
    primitive="ACos()",
    amp="float32",
)
def acos(input: Array) -> Array:
    """Return the inverse cosine, in radians: of a real number in [-1, 1] an angle in [0, π], of others NaN.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.acos(Tensor([1.0, -1.0])).asnumpy().round(3)
        array([0.   , 3.142], dtype=float32)
    """
    return jnp.arccos(inexact(input))


@op(ref="numpy.arctan", cases=_REAL, errors=_NO_INT, aliases="arctan", method=("atan", "arctan"), primitive="Atan()")
def atan(input: Array) -> Array:
    """Return the inverse tangent, in radians: of a real number an angle in (-π/2, π/2).

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.atan(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([0.   , 0.785], dtype=float32)
    """
    return jnp.arctan(inexact(input))


@op(ref="numpy.sinh", cases=_REAL, errors=_NO_INT, method="sinh", primitive="Sinh()", amp="float32")
def sinh(input: Array) -> Array:
    """Return the hyperbolic sine (e^x - e^-x) / 2.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.sinh(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([0.   , 1.175], dtype=float32)
    """
    return jnp.sinh(inexact(input))


@op(ref="numpy.cosh", cases=_REAL, errors=_NO_INT, method="cosh", primitive="Cosh()", amp="float32")
def cosh(input: Array) -> Array:
    """Return the hyperbolic cosine (e^x + e^-x) / 2.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.cosh(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([1.   , 1.543], dtype=float32)
    """
    return jnp.cosh(inexact(input))


@op(ref="numpy.tanh", cases=_ANY, errors=_NO_INT, method="tanh", primitive="Tanh()")
def tanh(input: Array) -> Array:
    """Return the hyperbolic tangent sinh(x) / cosh(x), a number in (-1, 1).

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.tanh(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([0.   , 0.762], dtype=float32)
    """
    return jnp.tanh(inexact(input))


@op(
    ref="numpy.arcsinh",
    cases=_REAL,
    errors=_NO_INT,
    aliases="arcsinh",
    method=("asinh", "arcsinh"),
    primitive="Asinh()",
)
def asinh(input: Array) -> Array:
    """Return the inverse hyperbolic sine.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.asinh(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([0.   , 0.881], dtype=float32)
    """
    return jnp.arcsinh(inexact(input))


@op(
    ref="numpy.arccosh",
    cases=("P(2, 3) + np.float32(1)", "P(4) + np.float32(1)"),
    errors=_NO_INT,
    aliases="arccosh",
    method=("acosh", "arccosh"),
    primitive="Acosh()",
)
def acosh(input: Array) -> Array:
    """Return the inverse hyperbolic cosine; of real numbers below 1 NaN.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.acosh(Tensor([1.0, 2.0])).asnumpy().round(3)
        array([0.   , 1.317], dtype=float32)
    """
    return jnp.arccosh(inexact(input))


@op(
    ref="numpy.arctanh",
    cases=_UNIT,
    errors=_NO_INT,
    aliases="arctanh",
    method=("atanh", "arctanh"),
    primitive="Atanh()",
)
def atanh(input: Array) -> Array:
    """Return the inverse hyperbolic tangent: ±∞ at ±1, and NaN of real numbers beyond.

    Args:
        input: A Tensor of floats or complex numbers.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.

    Examples:
        >>> ops.atanh(Tensor([0.0, 0.5])).asnumpy().round(3)
        array([0.   , 0.549], dtype=float32)
    """
    return jnp.arctanh(inexact(input))


@op(
    ref="numpy.sinc",
    cases=(*_REAL, "D([0.0, 1.0, 0.5])"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="sinc",
    primitive="Sinc()",
)
def sinc(input: Array) -> Array:
    """Return sin(πx) / (πx), 1 at 0; integers become float32.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.sinc(Tensor([0.0, 0.5])).asnumpy().round(3)
        array([1.   , 0.637], dtype=float32)
    """
    return jnp.sinc(*floats(input))


@op(ref="numpy.deg2rad", cases=_REAL, errors=_NO_INT, method="deg2rad")
def deg2rad(x: Array) -> Array:
    """Return degrees as radians: x · π / 180.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` is not of a float dtype.

    Examples:
        >>> ops.deg2rad(Tensor([90.0, 180.0])).asnumpy().round(3)
        array([1.571, 3.142], dtype=float32)
    """
    return jnp.deg2rad(floating(x, "x"))


@op(ref="numpy.rad2deg", cases=_REAL, errors=_NO_INT, method="rad2deg")
def rad2deg(x: Array) -> Array:
    """Return radians as degrees: x · 180 / π.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` is not of a float dtype.

    Examples:
        >>> ops.rad2deg(Tensor([0.0, np.pi])).asnumpy()
        array([  0., 180.], dtype=float32)
    """
    return jnp.rad2deg(floating(x, "x"))
