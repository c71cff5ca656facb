"""The C++ random streams behind MindSpore's samplers, so that one seed gives one order on both.

The algorithms are those of the C++ standard library (libstdc++): ``std::mt19937``, ``std::mt19937_64``,
``std::default_random_engine``, ``std::uniform_int_distribution``, ``std::shuffle``; the recorded goldens ``order/*`` and
``dataset_orders`` compare them with MindSpore's output.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, chain
from typing import Any, TypeVar

import numpy as np

_RANGE = 0xFFFFFFFF
PLAIN_RANGE = 2147483645
_U64 = np.uint64
T = TypeVar("T")


def stream32(seed: int) -> Iterator[int]:
    """Return the outputs of ``std::mt19937(seed)``.

    Examples:
        >>> from sporax._src.data.cpp_random import stream32
        >>> next(stream32(5489))
        3499211612
    """
    bits = np.random.MT19937()
    state: Any = np.random.RandomState(seed).get_state(legacy=False)
    bits.state = state
    return chain.from_iterable(iter(lambda: bits.random_raw(2048).tolist(), None))


def plain_stream(seed: int) -> Iterator[int]:
    """Return the outputs of ``std::default_random_engine(seed)``, counted from 0: up to `PLAIN_RANGE`.

    Examples:
        >>> from sporax._src.data.cpp_random import plain_stream
        >>> next(plain_stream(1))
        16806
    """
    state = seed % 2147483647 or 1
    while True:
        state = state * 16807 % 2147483647
        yield state - 1


def uniform(stream: Iterator[int], high: int, most: int = _RANGE) -> int:
    """Draw an integer of [0, high], as ``std::uniform_int_distribution`` does on outputs of [0, most]."""
    scaling = most // (high + 1)
    past = scaling * (high + 1)
    value = next(stream)
    while value >= past:
        value = next(stream)
    return value // scaling


def canonical(stream: Iterator[int]) -> float:
    """Draw a float64 of [0, 1), as ``std::generate_canonical`` does from two outputs."""
    low, high = next(stream), next(stream)
    return min((low + high * 4294967296.0) / 18446744073709551616.0, 1.0 - 2.0**-53)


def weighted(weights: list[int], stream: Iterator[int]) -> int:
    """Draw a position by the weights, as ``std::discrete_distribution`` does.

    Examples:
        >>> from sporax._src.data.cpp_random import stream32, weighted
        >>> stream = stream32(1)
        >>> [weighted([3, 4], stream) for _ in range(4)]
        [1, 1, 0, 1]
    """
    total = sum(weights)
    ends = list(accumulate(weight / total for weight in weights))
    return bisect_left(ends[:-1], canonical(stream))


def normals(seed: int, count: int) -> np.ndarray:
    """Return the first draws of ``std::normal_distribution<double>`` from ``std::mt19937(seed)``.

    Each point in the unit circle gives two draws, by Marsaglia's polar method; the second coordinate's is first.

    Examples:
        >>> from sporax._src.data.cpp_random import normals
        >>> normals(0, 3).shape
        (3,)
    """
    stream = stream32(seed)
    draws: list[np.ndarray] = []
    left = -(-count // 2)
    while left > 0:
        words = np.fromiter(stream, np.float64, 4 * (2 * left + 8)).reshape(-1, 2, 2)
        x, y = 2 * np.minimum((words[..., 0] + words[..., 1] * 2.0**32) / 2.0**64, 1 - 2.0**-53).T - 1
        square = x * x + y * y
        inside = (square <= 1) & (square != 0)
        scale = np.sqrt(-2 * np.log(square[inside]) / square[inside])
        draws.append(np.stack([y[inside] * scale, x[inside] * scale], 1))
        left -= len(scale)
    return np.concatenate(draws).reshape(-1)[:count]


def shuffle(items: list[T], stream: Iterator[int], most: int = _RANGE) -> list[T]:
    """Shuffle `items` in place with outputs of [0, most], as ``std::shuffle`` does.

    One draw serves two positions while both fit into it.

    Examples:
        >>> from sporax._src.data.cpp_random import shuffle, stream32
        >>> shuffle(list(range(10)), stream32(1))
        [9, 0, 2, 5, 7, 4, 6, 3, 1, 8]
    """
    size = len(items)
    if size < 2:
        return items
    if most // size < size:
        for i in range(1, size):  # `uniform` written out: this is a million rounds for a large set
            scaling = most // (i + 1)
            past = scaling * (i + 1)
            value = next(stream)
            while value >= past:
                value = next(stream)
            j = value // scaling
            items[i], items[j] = items[j], items[i]
        return items
    start = 1
    if size % 2 == 0:
        j = uniform(stream, 1, most)
        items[1], items[j] = items[j], items[1]
        start = 2
    for i in range(start, size, 2):
        j, k = divmod(uniform(stream, (i + 1) * (i + 2) - 1, most), i + 2)
        items[i], items[j] = items[j], items[i]
        items[i + 1], items[k] = items[k], items[i + 1]
    return items


def through_buffer(rows: Iterator[T], size: int, draws: Iterator[int]) -> Iterator[T]:
    """Yield `rows` from a buffer of `size` of them, from which they leave at random, as MindSpore's shuffle gives them.

    Examples:
        >>> from sporax._src.data.cpp_random import Stream64, through_buffer
        >>> list(through_buffer(iter(range(6)), 6, iter(Stream64(1))))
        [2, 5, 4, 0, 3, 1]
    """
    buffer: list[T] = []
    for row in rows:
        if len(buffer) < size:
            buffer.append(row)
            continue
        slot = next(draws) % len(buffer)
        yield buffer[slot]
        buffer[slot], buffer[-1] = buffer[-1], row
    while buffer:
        slot = next(draws) % len(buffer)
        yield buffer[slot]
        buffer[slot] = buffer[-1]
        buffer.pop()


class Stream64:
    """The outputs of ``std::mt19937_64(seed)``, with a cheap `skip`.

    Examples:
        >>> from sporax._src.data.cpp_random import Stream64
        >>> int(Stream64(5489).take(1)[0])
        14514284786278117030
    """

    def __init__(self, seed: int) -> None:
        mask, word, words = (1 << 64) - 1, seed, [seed]
        for i in range(1, 312):
            word = (6364136223846793005 * (word ^ (word >> 62)) + i) & mask
            words.append(word)
        self._state = np.array(words, _U64)
        self._used = 312

    @staticmethod
    def _mix(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        word = (first & _U64(0xFFFFFFFF80000000)) | (second & _U64(0x7FFFFFFF))
        return (word >> _U64(1)) ^ np.where(word & _U64(1), _U64(0xB5026F5AA96619E9), _U64(0))

    def _twist(self) -> None:
        state = self._state
        state[:156] = state[156:] ^ self._mix(state[:156], state[1:157])
        state[156:311] = state[:155] ^ self._mix(state[156:311], state[157:])
        state[311:] = state[155:156] ^ self._mix(state[311:], state[:1])
        self._used = 0

    def skip(self, count: int) -> None:
        """Pass over `count` outputs."""
        while count:
            if self._used == 312:
                self._twist()
            step = min(count, 312 - self._used)
            self._used, count = self._used + step, count - step

    def take(self, count: int) -> np.ndarray:
        """Return the next `count` outputs as uint64."""
        parts = []
        while count:
            if self._used == 312:
                self._twist()
            step = min(count, 312 - self._used)
            parts.append(self._state[self._used : self._used + step].copy())
            self._used, count = self._used + step, count - step
        out = np.concatenate(parts) if parts else np.empty(0, _U64)
        out ^= (out >> _U64(29)) & _U64(0x5555555555555555)
        out ^= (out << _U64(17)) & _U64(0x71D67FFFEDA60000)
        out ^= (out << _U64(37)) & _U64(0xFFF7EEE000000000)
        return out ^ (out >> _U64(43))

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(iter(lambda: self.take(312).tolist(), None))
