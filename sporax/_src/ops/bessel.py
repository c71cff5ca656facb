"""Bessel functions of the first and second kind (J, Y) and modified ones of the second kind (K), orders 0 and 1.

Up to `_FAR` they are integrals (DLMF 10.9.2, 10.9.7, 10.32.9) by quadrature with fixed nodes; beyond it J and Y are
Hankel's expansion (DLMF 10.17.3), whose terms then fall below the precision of float32.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.ops.checks import floating
from sporax._src.ops.table import op

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_FAR = 25.0
_CASES = ("P(2, 3) * 4", "D([0.5, 5.0, 30.0])", "P(0, 3)")
_NO_INT = (("I(3)", "float"),)


def _integral(integrand: Any, end: Any, x: Array) -> Array:
    """Return ∫ integrand(t) dt over [0, end], which may depend on x."""
    half = jnp.asarray(end, x.dtype)[..., None] / 2
    t = half * jnp.asarray(_NODES + 1, x.dtype)
    return jnp.sum(integrand(t, x[..., None]) * jnp.asarray(_WEIGHTS, x.dtype) * half, -1)


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
