"""JAX's random bits as NumPy operations, for `numpy_programs`: the counter-based generator Threefry-2x32 (Salmon et al., 2011)."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np

from sporax._src.engine.numpy_equations import Equation, Factory, NotInNumPy, Step

_config: Any = jax.config
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)


def threefry(key: np.ndarray, high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the two words of random bits for each counter of two words.

    Examples:
        >>> [hex(int(word[0])) for word in threefry(np.zeros(2, np.uint32), *np.zeros((2, 1), np.uint32))]
        ['0x6b200159', '0x99ba4efe']
    """
    keys = key[0], key[1], key[0] ^ key[1] ^ _PARITY
    x, y = high + keys[0], low + keys[1]
    for turn in range(5):
        for distance in _ROTATIONS[turn % 2]:
            x = x + y
            y = ((y << np.uint32(distance)) | (y >> np.uint32(32 - distance))) ^ x
        x = x + keys[(turn + 1) % 3]
        y = y + keys[(turn + 2) % 3] + np.uint32(turn + 1)
    return x, y


def _as_is(eqn: Equation) -> Step:
    """Return the step between a key and its two words, which are one array here."""
    _check(eqn)
    return lambda words: (words,)


def _fold_in(eqn: Equation) -> Step:
    """Return the step that makes a key from a key and a number."""
    _check(eqn)
    return lambda key, number: (np.concatenate(threefry(key, np.zeros(1, np.uint32), number.reshape(1))),)


def _bits(eqn: Equation) -> Step:
    """Return the step that draws integers of 8 to 64 random bits."""
    _check(eqn)
    shape, out = eqn.params["shape"], eqn.outvars[0].aval.dtype
    count = math.prod(shape)
    if count > 2**32 or not _config.jax_threefry_partitionable:
        raise NotInNumPy("random_bits")
    counters = np.arange(count, dtype=np.uint32)

    def drawn(key: np.ndarray) -> tuple[np.ndarray]:
        high, low = threefry(key, np.zeros_like(counters), counters)
        if out.itemsize == 8:
            return ((high.astype(np.uint64) << np.uint64(32) | low).reshape(shape),)
        return ((high ^ low).astype(out).reshape(shape),)

    return drawn


def _check(eqn: Equation) -> None:
    """Raise NotInNumPy for several keys at once, and for keys of another generator."""
    for aval in (v.aval for v in (*eqn.invars, *eqn.outvars)):
        if not isinstance(aval.dtype, np.dtype) and (aval.shape or aval.dtype.name != "key<fry>"):
            raise NotInNumPy(eqn.primitive.name)


FACTORIES: dict[str, Factory] = {
    "random_bits": _bits,
    "random_fold_in": _fold_in,
    "random_unwrap": _as_is,
    "random_wrap": _as_is,
}
