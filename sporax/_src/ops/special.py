"""Special functions: error, gamma, zeta and Bessel functions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy import special

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.ops.checks import floating, floats
from sporax._src.ops.table import op

_REAL = ("T(2, 3)", "T(4)", "T(0, 3)")
_POSITIVE = ("P(2, 3)", "P(4) * 3", "P(0, 3)")
_NO_INT = (("I(3)", "float"),)


@op(ref="scipy.special.erf", cases=_REAL, errors=_NO_INT, method="erf", primitive="Erf()")
def erf(input: Array) -> Array:
    """Return the error function 2/√π ∫₀ˣ e^(-t²) dt.

    Args:
        input: A Tensor of floats.

    Raises:
        TypeError: If `input` is not of a float dtype.

    Examples:
        >>> ops.erf(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([0.   , 0.843], dtype=float32)
    """
    return special.erf(floating(input))


@op(ref="scipy.special.erfc", cases=_REAL, errors=_NO_INT, method="erfc", primitive="Erfc()")
def erfc(input: Array) -> Array:
    """Return 1 - erf(input), exact for large input.

    Args:
        input: A Tensor of floats.

    Raises:
        TypeError: If `input` is not of a float dtype.

    Examples:
        >>> ops.erfc(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([1.   , 0.157], dtype=float32)
    """
    return special.erfc(floating(input))


@op(ref="scipy.special.erfinv", cases=("U(2, 3)", "-U(4)"), errors=_NO_INT, method="erfinv", primitive="Erfinv()")
def erfinv(input: Array) -> Array:
    """Return the inverse of erf on (-1, 1); ±∞ at the ends, NaN outside.

    Args:
        input: A Tensor of floats.

    Raises:
        TypeError: If `input` is not of a float dtype.

    Examples:
        >>> ops.erfinv(Tensor([0.0, 0.5])).asnumpy().round(3)
        array([0.   , 0.477], dtype=float32)
    """
    return special.erfinv(floating(input))


@op(
    ref="scipy.special.gammaln",
    cases=(*_POSITIVE, "D([3, 4], np.int32)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="lgamma",
    primitive="Lgamma()",
    tol=3e-5,
)
def lgamma(input: Array) -> Array:
    """Return log |Γ(input)|; integers become float32.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.lgamma(Tensor([1.0, 5.0])).asnumpy().round(3)
        array([0.   , 3.178], dtype=float32)
    """
    return special.gammaln(*floats(input))


@op(ref="scipy.special.digamma", cases=_POSITIVE, errors=_NO_INT, method="digamma", primitive="Digamma()", tol=3e-5)
def digamma(input: Array) -> Array:
    """Return the derivative of log Γ.

    Args:
        input: A Tensor of floats.

    Raises:
        TypeError: If `input` is not of a float dtype.

    Examples:
        >>> ops.digamma(Tensor([1.0, 2.0])).asnumpy().round(3)
        array([-0.577,  0.423], dtype=float32)
    """
    return special.digamma(floating(input))


@op(
    ref="scipy.special.polygamma",
    cases=("D(1, np.int32), P(2, 3)", "D(2, np.int64), P(4)", "D(0, np.int64), P(4)"),
    errors=(("None, P(2, 3)", "operands must be Tensors or numbers"),),
    primitive="Polygamma()",
    grad=0,
    tol=3e-5,
)
def polygamma(n: Array, input: Array) -> Array:
    """Return the n-th derivative of digamma; for n = 0 digamma itself.

    Args:
        n: A Tensor of integers, not negative; it broadcasts with `input`.
        input: A Tensor of floats.

    Raises:
        TypeError: If `input` is not of a float dtype.

    Examples:
        >>> ops.polygamma(Tensor(1, ms.int32), Tensor([1.0, 2.0])).asnumpy().round(3)
        array([1.645, 0.645], dtype=float32)
    """
    x = floating(input)
    n = jnp.asarray(n).astype(x.dtype)
    order = n + 1
    order = jnp.where(n == 0, 2, order)  # ζ(1, x) is infinite, and so would be its derivative
    value = (1 - 2 * (order % 2)) * jnp.exp(special.gammaln(order)) * special.zeta(order, x)
    return jnp.where(n == 0, special.digamma(x), value)


@op(
    ref="scipy.special.multigammaln",
    cases=("P(2, 3) + np.float32(2), 2", "P(4) + np.float32(3), 1"),
    errors=(("'x', 2", "operands must be Tensors or numbers"),),
    primitive="Mvlgamma(p)",
    method="mvlgamma",
)
def mvlgamma(input: Array, p: int) -> Array:
    """Return the logarithm of the multivariate gamma function: p(p - 1)/4 · log π + Σ log Γ(input - i/2) over i = 0 … p
    - 1.

    Args:
        input: A Tensor of floats, each greater than (p - 1) / 2.
        p: The dimension, at least 1.

    Raises:
        TypeError: If `input` is not of a float dtype.

    Examples:
        >>> ops.mvlgamma(Tensor([3.0, 4.0]), 2).asnumpy().round(3)
        array([1.55 , 3.565], dtype=float32)
    """
    return special.multigammaln(floating(input), p)


@op(
    ref="scipy.special.gammainc",
    cases=("P(2, 3), P(3)", "P(3), 2.0"),
    errors=(("C(2, 3), P(3)", "input must have a float dtype"),),
    method="igamma",
    primitive="Igamma()",
    grad=0,
    tol=3e-5,
)
def igamma(input: Array, other: Array) -> Array:
    """Return the regularised lower incomplete gamma function P(input, other) = 1/Γ(input) ∫₀^other t^(input-1) e^-t dt.

    Args:
        input: A Tensor of floats, the exponent a.
        other: A Tensor or number, the bound x; it broadcasts with `input`.

    Raises:
        TypeError: If neither operand is of a float dtype.

    Examples:
        >>> ops.igamma(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).asnumpy().round(3)
        array([0.632, 0.264], dtype=float32)
    """
    a, x = unify(input, other)
    return special.gammainc(floating(a), x)


@op(
    ref="scipy.special.gammaincc",
    cases=("P(2, 3), P(3)", "P(3), 2.0"),
    errors=(("C(2, 3), P(3)", "input must have a float dtype"),),
    method="igammac",
    primitive="Igammac()",
    grad=0,
    tol=3e-5,
)
def igammac(input: Array, other: Array) -> Array:
    """Return the regularised upper incomplete gamma function Q(input, other) = 1 - P(input, other).

    Args:
        input: A Tensor of floats, the exponent a.
        other: A Tensor or number, the bound x; it broadcasts with `input`.

    Raises:
        TypeError: If neither operand is of a float dtype.

    Examples:
        >>> ops.igammac(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).asnumpy().round(3)
        array([0.368, 0.736], dtype=float32)
    """
    a, x = unify(input, other)
    return special.gammaincc(floating(a), x)


@op(
    ref="scipy.special.betainc",
    cases=("P(2, 3), P(2, 3), U(2, 3)",),
    errors=(("C(2, 3), P(2, 3), U(2, 3)", "input must have a float dtype"),),
    primitive="Betainc()",
    grad=0,
    tol=3e-5,
)
def betainc(a: Array, b: Array, x: Array) -> Array:
    """Return the regularised incomplete beta function I_x(a, b) = ∫₀ˣ t^(a-1) (1-t)^(b-1) dt / B(a, b).

    The gradients by a and b are 0.

    Args:
        a: A Tensor of positive floats.
        b: A Tensor of positive floats.
        x: A Tensor of floats in [0, 1]; the three broadcast.

    Raises:
        TypeError: If no operand is of a float dtype.

    Examples:
        >>> ops.betainc(Tensor([1.0]), Tensor([2.0]), Tensor([0.5])).asnumpy().round(3)
        array([0.75], dtype=float32)
    """
    a, b, x = unify(a, b, x)
    return special.betainc(jax.lax.stop_gradient(floating(a)), jax.lax.stop_gradient(b), x)


@op(
    ref="scipy.special.zeta",
    cases=("P(2, 3) + np.float32(1), P(3)", "P(3) + np.float32(1), 2.0"),
    errors=(("P(2, 3) + np.float32(1), C(2, 3)", "input must have a float dtype"),),
    primitive="Zeta()",
    grad=0,
    tol=3e-5,
)
def zeta(input: Array, other: Array) -> Array:
    """Return the Hurwitz zeta function Σ 1 / (k + other)^input over k = 0, 1, ….

    Args:
        input: A Tensor of floats greater than 1, or a number: the exponent.
        other: A Tensor or number: the offset; it broadcasts with `input`.

    Raises:
        TypeError: If neither operand is of a float dtype.

    Examples:
        >>> ops.zeta(Tensor([2.0]), Tensor([1.0])).asnumpy().round(3)
        array([1.645], dtype=float32)
    """
    x, q = unify(input, other)
    return special.zeta(floating(x), q)


# --- Bessel functions -----------------------------------------------------------------------------------------------


@op(ref="scipy.special.i0", cases=_REAL, errors=_NO_INT, aliases="bessel_i0", method="i0", primitive="BesselI0()")
def i0(input: Array) -> Array:
    """Return the modified Bessel function of the first kind, order 0.

    Args:
        input: A Tensor of floats.

    Raises:
        TypeError: If `input` is not of a float dtype.

    Examples:
        >>> ops.i0(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([1.   , 1.266], dtype=float32)
    """
    return special.i0(floating(input))


@op(ref="scipy.special.i0e", cases=_REAL, errors=_NO_INT, primitive="BesselI0e()")
def bessel_i0e(x: Array) -> Array:
    """Return e^-|x| I₀(x), the scaled modified Bessel function of the first kind, order 0.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` is not of a float dtype.

    Examples:
        >>> ops.bessel_i0e(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([1.   , 0.466], dtype=float32)
    """
    return special.i0e(floating(x, "x"))


@op(ref="scipy.special.i1", cases=_REAL, errors=_NO_INT, primitive="BesselI1()")
def bessel_i1(x: Array) -> Array:
    """Return the modified Bessel function of the first kind, order 1.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` is not of a float dtype.

    Examples:
        >>> ops.bessel_i1(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([0.   , 0.565], dtype=float32)
    """
    return special.i1(floating(x, "x"))


@op(ref="scipy.special.i1e", cases=_REAL, errors=_NO_INT, primitive="BesselI1e()")
def bessel_i1e(x: Array) -> Array:
    """Return e^-|x| I₁(x), the scaled modified Bessel function of the first kind, order 1.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` is not of a float dtype.

    Examples:
        >>> ops.bessel_i1e(Tensor([0.0, 1.0])).asnumpy().round(3)
        array([0.   , 0.208], dtype=float32)
    """
    return special.i1e(floating(x, "x"))
