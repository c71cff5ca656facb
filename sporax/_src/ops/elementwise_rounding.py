"""Rounding, the sigmoid, parts of complex numbers, and what else acts element by element."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.core.dtype import from_numpy
from sporax._src.ops.checks import floating, inexact, integral, known
from sporax._src.ops.elementwise import _ANY, _NO_INT, _REF
from sporax._src.ops.methods import method
from sporax._src.ops.table import op

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
    primitive="Round()",
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


# --- complex numbers ------------------------------------------------------------------------------------------------


@op(
    ref="numpy.real",
    cases=("C(2, 3)", "T(3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="real",
    primitive="Real()",
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
        nan, posinf, neginf: What stands in the place of NaN, inf and -inf.

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
