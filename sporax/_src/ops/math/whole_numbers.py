"""Quotients, remainders, powers and common divisors of integers, with MindSpore's answers where none is defined.

XLA defines x / 0 as -1 and x % 0 as x, lets powers wrap around, and JAX's own `gcd` does not terminate for the lowest
number. MindSpore's answers are in `tests/goldens/numeric_edges.json`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array

ByZero = Callable[[Array], jax.Array]


def is_whole(x: Array) -> bool:
    """Return whether an array holds integers."""
    return x.dtype.kind in "iu"


# --- what stands where a divisor is 0 -----------------------------------------------------------------------------------


def largest(x: Array) -> jax.Array:
    """Return the largest number with the sign of x, and 0 for 0: what ±inf and NaN are as the nearest integers."""
    limits = np.iinfo(x.dtype)
    high, low = (jnp.asarray(v, x.dtype) for v in (limits.max, limits.min))
    return jnp.where(x > 0, high, jnp.where(x < 0, low, jnp.zeros((), x.dtype)))


def no_number(x: Array) -> jax.Array:
    """Return what NaN and ±inf are when they are converted to the dtype (see `core.conversion`); 0 if it has no sign."""
    is_wide = x.dtype.kind == "i" and x.dtype.itemsize >= 4
    return jnp.full_like(x, np.iinfo(x.dtype).min if is_wide else 0)


def no_number_but_zero(x: Array) -> jax.Array:
    """Return `no_number`, but 0 where x is 0."""
    return jnp.where(x == 0, jnp.zeros((), x.dtype), no_number(x))


# --- quotients and remainders -------------------------------------------------------------------------------------------


def truncated(x: Array, y: Array, by_zero: ByZero = largest) -> jax.Array:
    """Return x / y, cut towards zero. The lowest number divided by -1 is itself."""
    x, y, is_zero = _divisible(x, y)
    return jnp.where(is_zero, by_zero(x), lax.div(x, y))


def floored(x: Array, y: Array) -> jax.Array:
    """Return the largest integer not above x / y."""
    x, y, is_zero = _divisible(x, y)
    quotient = lax.div(x, y)
    if x.dtype.kind == "i":
        is_cut_up = ((x ^ y) < 0) & (quotient * y != x)
        quotient = quotient - is_cut_up.astype(x.dtype)
    return jnp.where(is_zero, largest(x), quotient)


def remainder(x: Array, y: Array, by_zero: ByZero) -> jax.Array:
    """Return the remainder of x / y cut towards zero; it has the sign of x."""
    x, y, is_zero = _divisible(x, y)
    return jnp.where(is_zero, by_zero(x), lax.rem(x, y))


def floor_remainder(x: Array, y: Array, by_zero: ByZero) -> jax.Array:
    """Return the remainder of x / y rounded down; it has the sign of y."""
    x, y, is_zero = _divisible(x, y)
    rest = lax.rem(x, y)
    if x.dtype.kind == "i":
        rest = jnp.where(((rest ^ y) < 0) & (rest != 0), rest + y, rest)
    return jnp.where(is_zero, by_zero(x), rest)


def _divisible(x: Array, y: Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return operands of one shape, 1 for each divisor that is 0, and where it is."""
    is_zero = y == 0
    x, y = jnp.broadcast_arrays(x, jnp.where(is_zero, jnp.ones((), y.dtype), y))
    return x, y, is_zero


# --- powers -------------------------------------------------------------------------------------------------------------


def power(x: Array, e: Array) -> jax.Array:
    """Return x to the power of e, cut towards zero; a power that is too large is what `no_number` says.

    MindSpore computes a float64 and converts it, which loses the last digits of large numbers; here they are exact.
    """
    most = jnp.asarray(_largest_bases(x.dtype))[jnp.clip(e, 0, 64)]  # of x whose powers fit
    is_too_large = (_magnitude(x) > most) | ((x == 0) & (e < 0))
    x, e = jnp.broadcast_arrays(x, e)
    zero, one = jnp.zeros((), x.dtype), jnp.ones((), x.dtype)
    within = jnp.where(e < 64, jnp.maximum(e, zero), 62 + (e & one))  # of larger exponents JAX reads the lowest 6 bits
    exact = jnp.power(x, within)
    if x.dtype.kind == "i":
        inverse = jnp.where(x == one, one, jnp.where(x == -one, jnp.where(e & one == zero, one, -one), zero))
        exact = jnp.where(e < zero, inverse, exact)
    return jnp.where(is_too_large, no_number(x), exact)


@functools.cache
def _largest_bases(dtype: np.dtype) -> np.ndarray:
    """Return the largest number for each exponent up to 64 whose power a float is converted to by its lowest bits.

    Through which integer a float is converted, `core.conversion` says.
    """
    most = 2**64 - 1 if dtype == np.uint64 else 2**31 if dtype.itemsize <= 2 or dtype == np.int32 else 2**63
    kind = _unsigned(dtype)
    room = int(np.iinfo(kind).max)
    return np.array([room, room, *[min(_root(most, e), room) for e in range(2, 65)]], kind)


def _root(most: int, e: int) -> int:
    """Return the largest whole number whose power is not above `most`."""
    guess = round(most ** (1 / e))
    return next(b for b in (guess + 1, guess, guess - 1) if b**e <= most)


# --- common divisors ----------------------------------------------------------------------------------------------------


def common_divisor(x: Array, y: Array) -> jax.Array:
    """Return the greatest common divisor; 0 of zeros. That of the lowest numbers is too large by 1, and negative."""
    x, y = jnp.broadcast_arrays(x, y)
    return _euclid(_magnitude(x), _magnitude(y)).astype(x.dtype)


def common_multiple(x: Array, y: Array) -> jax.Array:
    """Return the least common multiple, 0 if one of the numbers is 0; of what is too large, the lowest bits."""
    x, y = jnp.broadcast_arrays(x, y)
    a, b = _magnitude(x), _magnitude(y)
    divisor = _euclid(a, b)
    return (lax.div(a, jnp.maximum(divisor, jnp.ones((), a.dtype))) * b).astype(x.dtype)


def _magnitude(x: Array) -> jax.Array:
    """Return |x| as an unsigned integer, which can also hold that of the lowest number."""
    unsigned = x.astype(_unsigned(x.dtype))
    return jnp.where(x < 0, -unsigned, unsigned) if x.dtype.kind == "i" else unsigned


def _unsigned(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"uint{8 * dtype.itemsize}")


def _euclid(a: Array, b: Array) -> jax.Array:
    """Return the greatest common divisors by Euclid's algorithm: at most 93 rounds for 64 bits, two Fibonacci numbers."""

    def step(pair: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        a, b = pair
        ends = b == 0
        return jnp.where(ends, a, b), jnp.where(ends, b, lax.rem(a, jnp.where(ends, jnp.ones((), b.dtype), b)))

    return lax.while_loop(lambda pair: jnp.any(pair[1] != 0), step, (a, b))[0]
