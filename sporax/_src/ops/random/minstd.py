"""The generator of MindSpore's CPU kernels: it reproduces their draws from a seed exactly.

It is the minimal standard generator of Lewis, Goodman and Miller (1969), x → 16807·x mod 2³¹-1, which C++ calls
`default_random_engine`, with the distributions of libstdc++. Philox computes its first word from the two seeds of an
operator. A Generator of the operator's own holds the last word, so that the next call continues from it, in a graph
too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core.execution import committing
from sporax._src.core.generator import state_for
from sporax._src.core.initial_draws import philox
from sporax._src.core.tensor import wrap

_MODULUS = (1 << 31) - 1
_MULTIPLIER = 16807
_WORDS = _MODULUS - 1  # the number of words, 1 to 2³¹-2
_KEY = (0x3EC8F720, 0x02461E29)
_RUN = 1 << 10
_MASK = (1 << 64) - 1


def drawn(kernel: Callable[..., Any], op: str, seeds: tuple[int, int], *operands: object) -> Any:
    """Return the results of `kernel(state, first word, *operands)`, which returns the next state as its last one."""
    seed, seed2 = (s & _MASK for s in seeds)
    with committing:  # a draw of another thread starts where this one ends
        state = state_for(op, seed, seed2)
        *out, new = kernel(wrap(state.value), _first_word(seed, seed2), *operands)
        state.value = new._data
    return out[0] if len(out) == 1 else tuple(out)


def check_seed(op: str, name: str, seed: object, least: int | None = None) -> None:
    """Raise an error unless a seed is None or an integer, of at least `least` if that is given."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer))):
        raise TypeError(f"{op}: {name} must be an int, got {describe(seed)}.")
    if seed is not None and least is not None and seed < least:
        raise ValueError(f"{op}: {name} must be >= {least}, got {seed}.")


def _first_word(seed: int, seed2: int) -> int:
    halves = [np.uint64(half) for s in (seed, seed2) for half in (s & 0xFFFFFFFF, s >> 32)]
    low, high, *_ = map(int, philox(halves, _KEY))
    return (high << 32 | low) % _MODULUS or 1


def word_of(state: Array, first: Array) -> Any:
    """Return the last word that was drawn, or the first of all."""
    return jnp.where(state[2] == 0, jnp.asarray(first, np.int64), state[2].astype(np.int64))


def after(state: Array, word: Array) -> Any:
    """Return the state in which `word` was the last that was drawn."""
    return state.at[2].set(word.astype(np.uint32))


def _powers(base: int, count: int) -> np.ndarray:
    powers = [1]
    while len(powers) < count:
        powers.append(powers[-1] * base % _MODULUS)
    return np.array(powers, np.int64)


def doubles(word: Array, count: int) -> tuple[Any, Any]:
    """Return `count` numbers of [0, 1) in float64, each of two words, and the last word."""
    if not count:
        return jnp.zeros(0), word
    runs = -(-2 * count // _RUN)
    starts = word * _powers(pow(_MULTIPLIER, _RUN, _MODULUS), runs) % _MODULUS
    steps = _powers(_MULTIPLIER, _RUN) * _MULTIPLIER % _MODULUS
    words = (starts[:, None] * steps % _MODULUS).reshape(-1)[: 2 * count]
    low, high = (words - 1).astype(np.float64).reshape(-1, 2).T
    values = (low + high * float(_WORDS)) / float(_WORDS) ** 2
    return jnp.minimum(values, np.nextafter(1.0, 0.0)), words[-1]


def whole(word: Array, most: Array) -> tuple[Any, Any]:
    """Return an integer of [0, most], and the last word."""
    share = (_WORDS - 1) // (most + 1)
    draw = lambda word: word * _MULTIPLIER % _MODULUS
    word = lax.while_loop(lambda word: word - 1 >= share * (most + 1), draw, draw(word))
    return (word - 1) // share, word


def shuffled(items: Array, size: Array, word: Array) -> tuple[Any, Any]:
    """Return the items with the first `size` of them in random order, and the last word.

    Two positions share a draw while the square of `size` fits into one, as in `std::shuffle`.
    """
    size = jnp.asarray(size, np.int64)
    shares = (_WORDS - 1) // jnp.maximum(size, 1) >= size

    def swapped(items: Array, i: Array, j: Array) -> Any:
        return items.at[i].set(items[j]).at[j].set(items[i])

    def step(carry: tuple[Array, Array, Array]) -> tuple[Any, Any, Any]:
        i, items, word = carry
        two = shares & ((i > 1) | (size % 2 == 1))
        more = two.astype(i.dtype)
        number, word = whole(word, jnp.where(two, (i + 1) * (i + 2) - 1, i))
        items = swapped(items, i, jnp.where(two, number // (i + 2), number))
        items = swapped(items, i + more, jnp.where(two, number % (i + 2), i))
        return i + 1 + more, items, word

    begin = (jnp.asarray(1, np.int64), items, word)
    _, items, word = lax.while_loop(lambda carry: carry[0] < size, step, begin)
    return items, word
