"""Further functions of two operands: number theory, logarithms of sums."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy import special

from sporax._src.base.typing import Array
from sporax._src.core.derivative import instead
from sporax._src.core.dtype import to_float, unify
from sporax._src.engine.arguments import floating, floats, integral, is_number, magnitude, wide
from sporax._src.engine.table import op
from sporax._src.ops.math import whole_numbers

_REF = "references.math."

_FLOAT = ("T(2, 3), T(2, 3)", "T(2, 3), T(3)", "T(3), 2.5", "T(0, 3), T(3)")
_SHAPES = (("T(2, 3), T(4)", "ops."),)


@op(ref="numpy.hypot", cases=_FLOAT, errors=(*_SHAPES, ("I(2), I(2)", "float")), method="hypot", primitive="Hypot()")
def hypot(input: Array, other: Array) -> Array:
    """Return √(input² + other²).

    Args:
        input: A Tensor of floats.
        other: A Tensor of floats that broadcasts with `input`.

    Raises:
        TypeError: If neither operand is of a float dtype.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.hypot(Tensor([3.0]), Tensor([4.0])).asnumpy()
        array([5.], dtype=float32)
    """
    x, y = unify(input, other)
    return jnp.hypot(floating(x), floating(y))


@op(ref="numpy.copysign", cases=("T(2, 3), T(3)", "T(3), -1", "I(3), T(3)"), errors=_SHAPES, method="copysign")
def copysign(x: Array, other: Array) -> Array:
    """Return |x| with the sign of other; integers become float32.

    Args:
        x: A Tensor of real numbers.
        other: A Tensor or number that broadcasts with `x`.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.copysign(Tensor([1.0, -2.0]), Tensor(-1.0)).asnumpy()
        array([-1., -2.], dtype=float32)
    """
    x, other = floats(x, other)
    size = magnitude(x)
    return jnp.where(jnp.signbit(other), -size, size)


@op(ref=_REF + "ldexp", cases=("T(2, 3), I(3)", "T(3), 2", "T(3), T(3)"), errors=_SHAPES, method="ldexp")
def ldexp(x: Array, other: Array) -> Array:
    """Return x · 2^other; integers become float32.

    Args:
        x: A Tensor of numbers.
        other: A Tensor or number that broadcasts with `x`.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.ldexp(Tensor([1.0, 3.0]), Tensor([2, 1])).asnumpy()
        array([4., 6.], dtype=float32)
    """
    x, power = unify(x, jnp.exp2(*floats(other)))
    return x * power


@op(ref="numpy.logaddexp", cases=_FLOAT, errors=(*_SHAPES, ("I(2), I(2)", "float")), method="logaddexp")
def logaddexp(input: Array, other: Array) -> Array:
    """Return log(e^input + e^other).

    Args:
        input: A Tensor of floats.
        other: A Tensor of floats that broadcasts with `input`.

    Raises:
        TypeError: If neither operand is of a float dtype.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.logaddexp(Tensor([0.0]), Tensor([0.0])).asnumpy().round(3)
        array([0.693], dtype=float32)
    """
    x, y = unify(input, other)
    return jnp.logaddexp(floating(x), floating(y))


@op(ref="numpy.logaddexp2", cases=_FLOAT, errors=(*_SHAPES, ("I(2), I(2)", "float")), method="logaddexp2")
def logaddexp2(input: Array, other: Array) -> Array:
    """Return log2(2^input + 2^other).

    Args:
        input: A Tensor of floats.
        other: A Tensor of floats that broadcasts with `input`.

    Raises:
        TypeError: If neither operand is of a float dtype.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.logaddexp2(Tensor([2.0]), Tensor([2.0])).asnumpy()
        array([3.], dtype=float32)
    """
    x, y = unify(input, other)
    return jnp.logaddexp2(floating(x), floating(y))


@op(
    ref="numpy.arctan2",
    cases=("T(2, 3), T(3)", "T(3), 2.0", "I(3), I(3)"),
    errors=_SHAPES,
    aliases="arctan2",
    method=("atan2", "arctan2"),
    primitive="Atan2()",
)
def atan2(input: Array, other: Array) -> Array:
    """Return the angle of the point (other, input) in (-π, π]; integers become float32.

    Args:
        input: A Tensor or number: the y of points.
        other: A Tensor or number that broadcasts with `input`: the x of points.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.atan2(Tensor([1.0]), Tensor([1.0])).asnumpy().round(3)
        array([0.785], dtype=float32)
    """
    return jnp.arctan2(*floats(input, other))


@op(
    ref="scipy.special.xlogy",
    cases=("T(2, 3), P(3)", "T(3), 2", "I(3), P(3)", "D([0.0]), D([0.0])"),
    errors=_SHAPES,
    method="xlogy",
    primitive="Xlogy()",
)
def xlogy(input: Array, other: Array) -> Array:
    """Return input · log(other), and 0 where input is 0; integers become float32.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.xlogy(Tensor([0.0, 2.0]), Tensor([0.0, np.e])).asnumpy().round(3)
        array([0., 2.], dtype=float32)
    """
    if is_number(input) != is_number(other):  # MindSpore converts integers before they meet a number
        input, other = (x if is_number(x) else to_float(jnp.asarray(x)) for x in (input, other))
    return special.xlogy(*floats(input, other))


@op(
    ref=_REF + "xdivy",
    cases=("T(2, 3), P(3)", "T(3), 2", "D([0], np.int32), D([0], np.int32)"),
    errors=_SHAPES,
    method="xdivy",
    primitive="Xdivy()",
)
def xdivy(x: Array, y: Array) -> Array:
    """Return x / y, and 0 where x is 0; integers become float32.

    Args:
        x: A Tensor or number.
        y: A Tensor or number that broadcasts with `x`.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.xdivy(Tensor([0.0, 2.0]), Tensor([0.0, 4.0])).asnumpy()
        array([0. , 0.5], dtype=float32)
    """
    x, y = floats(x, y)
    return jnp.where(x == 0, x, x / jnp.where((x == 0) & (y == 0), jnp.ones((), y.dtype), y))


@op(
    ref="numpy.heaviside",
    cases=("D([-1.0, 0.0, 2.0]), D([0.5])", "T(2, 3), T(3)"),
    errors=_SHAPES,
    method="heaviside",
    primitive="Heaviside()",
    grad=0,
)
def heaviside(input: Array, values: Array) -> Array:
    """Return 0 where input is negative, 1 where it is positive, values where it is 0.

    Args:
        input: A Tensor of real numbers.
        values: A Tensor that broadcasts with `input`.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.heaviside(Tensor([-1.0, 0.0, 2.0]), Tensor([0.5])).asnumpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    x, v = unify(input, values)
    zero, one = jnp.zeros((), x.dtype), jnp.ones((), x.dtype)
    return jnp.where(x < zero, zero, jnp.where(x == zero, v, one))


@op(
    ref="numpy.nextafter",
    cases=("T(2, 3), T(3)", "T(3), T(3)"),
    errors=(*_SHAPES, ("I(2), I(2)", "float")),
    method="nextafter",
    primitive="NextAfter()",
)
def nextafter(input: Array, other: Array) -> Array:
    """Return the next float after input in the direction of other; all of the gradient goes to `input`.

    Args:
        input: A Tensor of floats.
        other: A Tensor of floats that broadcasts with `input`.

    Raises:
        TypeError: If neither operand is of a float dtype.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> bool(ops.nextafter(Tensor([1.0]), Tensor([2.0])) > 1)
        True
    """
    x, y = jnp.broadcast_arrays(*unify(input, other))
    return instead(jnp.nextafter(*map(jax.lax.stop_gradient, (floating(x), floating(y)))), x)


@op(
    ref="numpy.gcd",
    cases=("I(2, 3), I(3)", "I(4), 6"),
    errors=(("T(2), T(2)", "integer"),),
    method="gcd",
    primitive="Gcd()",
)
def gcd(input: Array, other: Array) -> Array:
    """Return the greatest common divisor.

    Args:
        input: A Tensor of integers.
        other: A Tensor of integers, or an int, that broadcasts with `input`.

    Raises:
        TypeError: If the promoted dtype is not an integer dtype.

    Examples:
        >>> ops.gcd(Tensor([12, 7]), Tensor([8, 21])).asnumpy()
        array([4, 7])
    """
    x, y = unify(input, other)
    return whole_numbers.common_divisor(integral(x, boolean=False), y)


@op(
    ref="numpy.lcm",
    cases=("I(2, 3), I(3)", "I(4), 6"),
    errors=(("T(2), T(2)", "integer"),),
    method="lcm",
    primitive="Lcm()",
)
def lcm(input: Array, other: Array) -> Array:
    """Return the least common multiple.

    Args:
        input: A Tensor of integers.
        other: A Tensor of integers, or an int, that broadcasts with `input`.

    Raises:
        TypeError: If the promoted dtype is not an integer dtype.

    Examples:
        >>> ops.lcm(Tensor([4, 7]), Tensor([6, 21])).asnumpy()
        array([12, 21])
    """
    x, y = unify(input, other)
    return whole_numbers.common_multiple(integral(x, boolean=False), y)


@op(
    ref=_REF + "polar",
    cases=("P(2, 3), T(2, 3)", "P(3), T(3)"),
    errors=(("T(2), T(3)", "ops."),),
    primitive="Polar()",
    grad=0,
)
def polar(abs: Array, angle: Array) -> Array:
    """Return the complex numbers abs · (cos(angle) + i · sin(angle)).

    Args:
        abs: A Tensor of floats: the magnitudes.
        angle: A Tensor of floats that broadcasts with `abs`: the angles in radians.

    Raises:
        TypeError: If an operand is not of a float dtype, or the shapes do not broadcast.

    Examples:
        >>> ops.polar(Tensor([1.0]), Tensor([0.0])).asnumpy()
        array([1.+0.j], dtype=complex64)
    """
    r, phi = map(wide, unify(floating(abs, "abs"), floating(angle, "angle")))
    return jax.lax.complex(*jnp.broadcast_arrays(r * jnp.cos(phi), r * jnp.sin(phi)))


@op(
    ref=_REF + "complex_",
    cases=("T(2, 3), T(2, 3)", "T(3), T(1)"),
    errors=(("C(2, 3), T(2, 3)", "real must have a float dtype"),),
    primitive="Complex()",
    grad=0,
    name="complex",
)
def complex_(real: Array, imag: Array) -> Array:
    """Return real + i · imag.

    Args:
        real: A Tensor of floats.
        imag: A Tensor of floats that broadcasts with `real`.

    Raises:
        TypeError: If an operand is not of a float dtype.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.complex(Tensor([1.0]), Tensor([2.0])).asnumpy()
        array([1.+2.j], dtype=complex64)
    """
    r, i = map(wide, unify(floating(real, "real"), floating(imag, "imag")))
    return jax.lax.complex(*jnp.broadcast_arrays(r, i))
