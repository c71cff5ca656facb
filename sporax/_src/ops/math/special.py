"""Special functions: error, gamma, zeta and Bessel functions."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.engine.arguments import floating, floats
from sporax._src.engine.table import internal, op

_REAL = ("T(2, 3)", "T(4)", "T(0, 3)")
_MOST_DIMENSIONS = 2**16  # of a multivariate gamma function, which needs memory for each
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


@op(
    ref="scipy.special.erfinv",
    cases=("U(2, 3)", "-U(4)"),
    errors=_NO_INT,
    method="erfinv",
    primitive="Erfinv()",
    amp="float32",
)
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
    errors=(("'x', 2", "operands must be Tensors or numbers"), ("P(2), 2**17", "p must be at most 65536, got 131072")),
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
    if p > _MOST_DIMENSIONS:
        raise ValueError(f"p must be at most {_MOST_DIMENSIONS}, got {p}.")
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


@op(ref="scipy.special.i0", cases=_REAL, errors=_NO_INT, aliases="bessel_i0(x)", method="i0", primitive="BesselI0()")
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


# --- Bessel functions ---------------------------------------------------------------------------------------------------

# Up to `_FAR` they are integrals (DLMF 10.9.2, 10.9.7, 10.32.9) by quadrature with fixed nodes; beyond it J and Y are
# Hankel's expansion (DLMF 10.17.3), whose terms then fall below the precision of float32.

_FAR = 25.0
_CASES = ("P(2, 3) * 4", "D([0.5, 5.0, 30.0])", "P(0, 3)")


def _integral(integrand: Any, end: object, x: Array) -> Array:
    """Return ∫ integrand(t) dt over [0, end], which may depend on x."""
    nodes, weights = np.polynomial.legendre.leggauss(96)
    half = jnp.asarray(end, x.dtype)[..., None] / 2
    t = half * jnp.asarray(nodes + 1, x.dtype)
    return jnp.sum(integrand(t, x[..., None]) * jnp.asarray(weights, x.dtype) * half, -1)


def _hankel(x: Array, order: int, shift: float) -> Array:
    """Return √(2/πx) (P cos ω - Q sin ω), ω = x - (order/2 + 1/4)π - shift: J for shift 0, Y for shift π/2."""
    terms = [1.0]
    for k in range(1, 9):
        terms.append(terms[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    phase = x - (order / 2 + 0.25) * math.pi - shift
    p = sum((-1) ** (k // 2) * terms[k] * x ** (-k) for k in range(0, 9, 2))
    q = sum((-1) ** (k // 2) * terms[k] * x ** (-k) for k in range(1, 9, 2))
    return jnp.sqrt(2 / (math.pi * x)) * (p * jnp.cos(phase) - q * jnp.sin(phase))


def _first(x: Array, order: int) -> Array:
    size = jnp.abs(x)
    near = _integral(lambda t, x: jnp.cos(order * t - x * jnp.sin(t)) / math.pi, math.pi, jnp.minimum(size, _FAR))
    value = jnp.where(size < _FAR, near, _hankel(jnp.maximum(size, _FAR), order, 0.0))
    return value * jnp.where(x < 0, -1.0, 1.0).astype(x.dtype) if order else value


def _second(x: Array, order: int) -> Array:
    size = jnp.clip(x, jnp.finfo(x.dtype).tiny, _FAR)
    wave = _integral(lambda t, x: jnp.sin(x * jnp.sin(t) - order * t), math.pi, size)
    weight = (lambda t: 2.0) if order == 0 else (lambda t: 2.0 * jnp.sinh(t))
    decay = _integral(lambda t, x: weight(t) * jnp.exp(-x * jnp.sinh(t)), jnp.arcsinh(40 / size), size)
    far = _hankel(jnp.maximum(x, _FAR), order, math.pi / 2)
    value = jnp.where(x < _FAR, (wave - decay) / math.pi, far)
    return jnp.where(x > 0, value, jnp.where(x == 0, -jnp.inf, jnp.nan)).astype(x.dtype)


def _modified(x: Array, order: int) -> Array:
    """Return e^x K(x)."""
    size = jnp.maximum(x, jnp.finfo(x.dtype).tiny)
    end = jnp.arccosh(1 + 40 / size)
    value = _integral(lambda t, x: jnp.exp(-2 * x * jnp.sinh(t / 2) ** 2) * jnp.cosh(order * t), end, size)
    return jnp.where(x > 0, value, jnp.where(x == 0, jnp.inf, jnp.nan)).astype(x.dtype)


@op(ref="scipy.special.j0", cases=(*_CASES, "-P(4) * 4"), errors=_NO_INT, primitive="BesselJ0()", tol=3e-5)
def bessel_j0(x: Array) -> Array:
    """Return the Bessel function of the first kind, order 0.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.bessel_j0(Tensor([0.0, 1.0])).asnumpy().round(4)
        array([1.    , 0.7652], dtype=float32)
    """  # tol (here and below): quadrature in float32
    return _first(floating(x, "x"), 0)


@op(ref="scipy.special.j1", cases=(*_CASES, "-P(4) * 4"), errors=_NO_INT, primitive="BesselJ1()", tol=3e-5)
def bessel_j1(x: Array) -> Array:
    """Return the Bessel function of the first kind, order 1.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.bessel_j1(Tensor([1.0, 2.0])).asnumpy().round(4)
        array([0.4401, 0.5767], dtype=float32)
    """
    return _first(floating(x, "x"), 1)


@op(ref="scipy.special.y0", cases=_CASES, errors=_NO_INT, primitive="BesselY0()", tol=3e-5)
def bessel_y0(x: Array) -> Array:
    """Return the Bessel function of the second kind, order 0: -inf at 0 and NaN below.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.bessel_y0(Tensor([0.0, 1.0])).asnumpy().round(4)
        array([  -inf, 0.0883], dtype=float32)
    """
    return _second(floating(x, "x"), 0)


@op(ref="scipy.special.y1", cases=_CASES, errors=_NO_INT, primitive="BesselY1()", tol=3e-5)
def bessel_y1(x: Array) -> Array:
    """Return the Bessel function of the second kind, order 1: -inf at 0 and NaN below.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.bessel_y1(Tensor([0.0, 1.0])).asnumpy().round(4)
        array([   -inf, -0.7812], dtype=float32)
    """
    return _second(floating(x, "x"), 1)


@op(ref="scipy.special.k0", cases=_CASES, errors=_NO_INT, primitive="BesselK0()", tol=3e-5)
def bessel_k0(x: Array) -> Array:
    """Return K₀, the modified Bessel function of the second kind, order 0: inf at 0 and NaN below.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.bessel_k0(Tensor([0.0, 1.0])).asnumpy().round(4)
        array([  inf, 0.421], dtype=float32)
    """
    x = floating(x, "x")
    return _modified(x, 0) * jnp.exp(-x)


@op(ref="scipy.special.k0e", cases=_CASES, errors=_NO_INT, primitive="BesselK0e()", tol=3e-5)
def bessel_k0e(x: Array) -> Array:
    """Return e^x K₀(x), which does not vanish for large x.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.bessel_k0e(Tensor([0.0, 1.0])).asnumpy().round(4)
        array([   inf, 1.1445], dtype=float32)
    """
    return _modified(floating(x, "x"), 0)


@op(ref="scipy.special.k1", cases=_CASES, errors=_NO_INT, primitive="BesselK1()", tol=3e-5)
def bessel_k1(x: Array) -> Array:
    """Return K₁, the modified Bessel function of the second kind, order 1: inf at 0 and NaN below.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.bessel_k1(Tensor([0.0, 1.0])).asnumpy().round(4)
        array([   inf, 0.6019], dtype=float32)
    """
    x = floating(x, "x")
    return _modified(x, 1) * jnp.exp(-x)


@op(ref="scipy.special.k1e", cases=_CASES, errors=_NO_INT, primitive="BesselK1e()", tol=3e-5)
def bessel_k1e(x: Array) -> Array:
    """Return e^x K₁(x), which does not vanish for large x.

    Args:
        x: A Tensor of floats.

    Raises:
        TypeError: If `x` holds integers or booleans.

    Examples:
        >>> ops.bessel_k1e(Tensor([0.0, 1.0])).asnumpy().round(4)
        array([   inf, 1.6362], dtype=float32)
    """
    return _modified(floating(x, "x"), 1)


@internal("lbeta")
def lbeta(x: Array, y: Array) -> Array:
    """Return ln |B(x, y)|, B the beta function."""
    return jax.scipy.special.betaln(*unify(x, y))
