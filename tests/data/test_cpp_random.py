"""The streams of C++'s standard library: their values, shuffles, uniform draws."""

import numpy as np
import pytest

from sporax._src.data.cpp_random import Stream64, shuffle, stream32, uniform

# The C++ streams: the values the C++ standard names for the ten-thousandth output.


def test_streams_are_the_standards():
    small = stream32(5489)
    assert [next(small) for _ in range(10000)][-1] == 4123659995
    assert int(Stream64(5489).take(10000)[-1]) == 9981545732273789042


def test_skipping_a_stream_equals_reading_it():
    for count in (0, 1, 311, 312, 1000):
        read, skipped = Stream64(3), Stream64(3)
        read.take(count)
        skipped.skip(count)
        np.testing.assert_array_equal(read.take(700), skipped.take(700))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 100, 65535, 65536, 70001])
def test_shuffle_is_a_permutation(size):
    assert sorted(shuffle(list(range(size)), stream32(1))) == list(range(size))


def test_uniform_draws_cover_their_range_evenly():
    stream = stream32(1)
    counts = np.bincount([uniform(stream, 6) for _ in range(7000)], minlength=7)
    assert counts.min() > 900
