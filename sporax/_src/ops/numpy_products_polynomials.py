"""Convolutions and polynomials of `numpy`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.core.dtype import to_float, unify
from sporax._src.ops.numpy_base import row

# --- convolution ----------------------------------------------------------------------------------------------------


def _slide(fn: Any, a: Array, v: Array, mode: str) -> Array:
    if not a.size or not v.size:
        raise ValueError("a and v must not be empty.")
    a, v = unify(jnp.atleast_1d(a), jnp.atleast_1d(v))
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(f"a and v must have 1 axis, got {a.ndim} and {v.ndim}.")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be 'full', 'same' or 'valid', got {mode!r}.")
    return fn(a, v, mode).astype(a.dtype)


@row()
def convolve(a: Array, v: Array, mode: str = "full") -> Array:
    """Return the convolution of two vectors: Σₖ a[k] · v[n - k].

    Args:
        a, v: The vectors.
        mode: `"full"` (all overlaps), `"same"` (the longer length) or `"valid"` (full overlaps only).

    Raises:
        ValueError: If a vector is empty or none, or `mode` is unknown.

    Examples:
        >>> ms.numpy.convolve([1, 2], [1, 1]).asnumpy()
        array([1, 3, 2], dtype=int32)
    """
    return _slide(jnp.convolve, a, v, mode)


@row()
def correlate(a: Array, v: Array, mode: str = "valid") -> Array:
    """Return the correlation of two vectors: Σₖ a[n + k] · v[k]; modes as in `convolve`.

    Args:
        a, v: The vectors; integers become float32.
        mode: "full" (all overlaps), "same" (the longer length) or "valid" (full overlaps only).

    Raises:
        ValueError: If a vector is empty or none, or `mode` is unknown.

    Examples:
        >>> ms.numpy.correlate([1, 2, 3], [1, 1]).asnumpy()
        array([3., 5.], dtype=float32)
    """
    return _slide(jnp.correlate, to_float(a), to_float(v), mode)


# --- polynomials: coefficients from the highest power down ----------------------------------------------------------


def _poly(p: Array) -> Array:
    p = jnp.atleast_1d(p)
    if p.ndim != 1:
        raise ValueError(f"coefficients must have 1 axis, got {p.ndim}.")
    return p


@row()
def polyadd(a1: Array, a2: Array) -> Array:
    """Return the coefficients of the sum of two polynomials.

    Args:
        a1, a2: Vectors of coefficients, highest power first.

    Raises:
        ValueError: If one has more than 1 axis.

    Examples:
        >>> ms.numpy.polyadd([1, 2], [3, 4, 5]).asnumpy()
        array([3, 5, 7], dtype=int32)
    """
    return jnp.polyadd(*unify(_poly(a1), _poly(a2)))


@row()
def polysub(a1: Array, a2: Array) -> Array:
    """Return the coefficients of the difference of two polynomials.

    Args:
        a1, a2: Vectors of coefficients, highest power first.

    Raises:
        ValueError: If one has more than 1 axis.

    Examples:
        >>> ms.numpy.polysub([3, 4, 5], [1, 2]).asnumpy()
        array([3, 3, 3], dtype=int32)
    """
    a1, a2 = unify(_poly(a1), _poly(a2))
    return jnp.polyadd(a1, -a2)


@row()
def polymul(a1: Array, a2: Array) -> Array:
    """Return the coefficients of the product of two polynomials.

    Args:
        a1, a2: Vectors of coefficients, highest power first.

    Raises:
        ValueError: If one has more than 1 axis.

    Examples:
        >>> ms.numpy.polymul([1, 1], [1, 2]).asnumpy()
        array([1, 3, 2], dtype=int32)
    """
    a1, a2 = unify(_poly(a1), _poly(a2))
    return jnp.convolve(a1, a2).astype(a1.dtype)


@row()
def polyval(p: Array, x: Array) -> Array:
    """Return the value of a polynomial at each x, as float.

    Args:
        p: A vector of coefficients, highest power first.
        x: An array-like.

    Raises:
        ValueError: If `p` has more than 1 axis.

    Examples:
        >>> ms.numpy.polyval([1, 2, 3], [0, 2]).asnumpy()
        array([ 3., 11.], dtype=float32)
    """
    p, x = unify(to_float(_poly(p)), to_float(x))
    return jnp.polyval(p, x)


@row()
def polyder(p: Array, m: Static = 1) -> Array:
    """Return the coefficients of the m-th derivative of a polynomial.

    Args:
        p: A vector of coefficients, highest power first.
        m: How often to differentiate.

    Raises:
        ValueError: If `m` is negative, or `p` has more than 1 axis.

    Examples:
        >>> ms.numpy.polyder([1, 2, 3]).asnumpy()
        array([2, 2], dtype=int32)
    """
    if m < 0:
        raise ValueError(f"m must not be negative, got {m}.")
    p = _poly(p)
    for _ in range(min(m, p.size)):
        p = p[:-1] * jnp.arange(p.size - 1, 0, -1, dtype=p.dtype)
    return p


@row()
def polyint(p: Array, m: Static = 1, k: OptArray = None) -> Array:
    """Return the coefficients of the m-th antiderivative of a polynomial, as float.

    Args:
        p: A vector of coefficients, highest power first.
        m: How often to integrate.
        k: The constants of integration, first one first; zeros if None.

    Raises:
        ValueError: If `m` is negative, or `p` has more than 1 axis.

    Examples:
        >>> ms.numpy.polyint([2.0, 2.0]).asnumpy()
        array([1., 2., 0.], dtype=float32)
    """
    if m < 0:
        raise ValueError(f"m must not be negative, got {m}.")
    p = _poly(p)
    if m == 0:
        return p
    p = to_float(p)
    constants = jnp.zeros(m, p.dtype) if k is None else jnp.broadcast_to(jnp.atleast_1d(k).astype(p.dtype), (m,))
    for i in range(m):
        p = jnp.concatenate([p / jnp.arange(p.size, 0, -1, dtype=p.dtype), constants[i : i + 1]])
    return p
