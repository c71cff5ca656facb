"""Special functions: error, gamma, zeta and Bessel functions."""

from __future__ import annotations

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
    """Return the error function 2/√π ∫₀ˣ e^(-t²) dt."""
    return special.erf(floating(input))


@op(ref="scipy.special.erfc", cases=_REAL, errors=_NO_INT, method="erfc", primitive="Erfc()")
def erfc(input: Array) -> Array:
    """Return 1 - erf(input), exact for large input."""
    return special.erfc(floating(input))


@op(ref="scipy.special.erfinv", cases=("U(2, 3)", "-U(4)"), errors=_NO_INT, method="erfinv", primitive="Erfinv()")
def erfinv(input: Array) -> Array:
    """Return the inverse of erf on (-1, 1); ±∞ at the ends, NaN outside."""
    return special.erfinv(floating(input))


@op(
    ref="scipy.special.gammaln",
    cases=(*_POSITIVE, "D([3, 4], np.int32)"),
    method="lgamma",
    primitive="Lgamma()",
    tol=3e-5,
)
def lgamma(input: Array) -> Array:
    """Return log |Γ(input)|; integers become float32."""  # tol: a difference of logarithms near 1 and 2
    return special.gammaln(*floats(input))


@op(ref="scipy.special.digamma", cases=_POSITIVE, errors=_NO_INT, method="digamma", primitive="Digamma()", tol=3e-5)
def digamma(input: Array) -> Array:
    """Return the derivative of log Γ."""  # tol: near its root
    return special.digamma(floating(input))


@op(
    ref="scipy.special.polygamma",
    cases=("D(1, np.int32), P(2, 3)", "D(2, np.int64), P(4)", "D(0, np.int64), P(4)"),
    primitive="Polygamma()",
    grad=0,
    tol=3e-5,
)
def polygamma(n: Array, input: Array) -> Array:
    """Return the n-th derivative of digamma."""  # tol: sums of powers in float32
    x = floating(input)
    n = jnp.asarray(n).astype(x.dtype)
    order = n + 1
    value = (1 - 2 * (order % 2)) * jnp.exp(special.gammaln(order)) * special.zeta(order, x)
    return jnp.where(n == 0, special.digamma(x), value)


@op(
    ref="scipy.special.multigammaln",
    cases=("P(2, 3) + np.float32(2), 2", "P(4) + np.float32(3), 1"),
    primitive="Mvlgamma(p)",
    method="mvlgamma",
)
def mvlgamma(input: Array, p: int) -> Array:
    """Return the logarithm of the multivariate gamma function of dimension p."""
    return special.multigammaln(floating(input), p)


@op(
    ref="scipy.special.gammainc",
    cases=("P(2, 3), P(3)", "P(3), 2.0"),
    method="igamma",
    primitive="Igamma()",
    grad=0,
    tol=3e-5,
)
def igamma(input: Array, other: Array) -> Array:
    """Return the regularised lower incomplete gamma function P(input, other)."""  # tol: a float32 series
    a, x = unify(input, other)
    return special.gammainc(floating(a), x)


@op(
    ref="scipy.special.gammaincc",
    cases=("P(2, 3), P(3)", "P(3), 2.0"),
    method="igammac",
    primitive="Igammac()",
    grad=0,
    tol=3e-5,
)
def igammac(input: Array, other: Array) -> Array:
    """Return the regularised upper incomplete gamma function Q(input, other)."""  # tol: a float32 series
    a, x = unify(input, other)
    return special.gammaincc(floating(a), x)


@op(ref="scipy.special.betainc", cases=("P(2, 3), P(2, 3), U(2, 3)",), primitive="Betainc()", grad=0, tol=3e-5)
def betainc(a: Array, b: Array, x: Array) -> Array:
    """Return the regularised incomplete beta function."""  # tol: a float32 continued fraction
    a, b, x = unify(a, b, x)
    return special.betainc(floating(a), b, x)


@op(
    ref="scipy.special.zeta",
    cases=("P(2, 3) + np.float32(1), P(3)", "P(3) + np.float32(1), 2.0"),
    primitive="Zeta()",
    grad=0,
    tol=3e-5,
)
def zeta(input: Array, other: Array) -> Array:
    """Return the Hurwitz zeta function Σ 1 / (k + other)^input."""  # tol: a float32 series
    x, q = unify(input, other)
    return special.zeta(floating(x), q)


# --- Bessel functions -----------------------------------------------------------------------------------------------


@op(ref="scipy.special.i0", cases=_REAL, errors=_NO_INT, aliases="bessel_i0", method="i0", primitive="BesselI0()")
def i0(input: Array) -> Array:
    """Return the modified Bessel function of the first kind, order 0."""
    return special.i0(floating(input))


@op(ref="scipy.special.i0e", cases=_REAL, errors=_NO_INT, primitive="BesselI0e()")
def bessel_i0e(x: Array) -> Array:
    """Return e^-|x| I₀(x)."""
    return special.i0e(floating(x, "x"))


@op(ref="scipy.special.i1", cases=_REAL, errors=_NO_INT, primitive="BesselI1()")
def bessel_i1(x: Array) -> Array:
    """Return the modified Bessel function of the first kind, order 1."""
    return special.i1(floating(x, "x"))


@op(ref="scipy.special.i1e", cases=_REAL, errors=_NO_INT, primitive="BesselI1e()")
def bessel_i1e(x: Array) -> Array:
    """Return e^-|x| I₁(x)."""
    return special.i1e(floating(x, "x"))
