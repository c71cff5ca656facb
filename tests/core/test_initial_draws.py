"""Draws of first values: Philox of a seed, which NumPy's generator gives."""

import numpy as np
import pytest

from sporax._src.core import initial_draws as draws


def test_philox_has_the_published_words() -> None:
    """The known answers of the Random123 library for Philox 4x32-10: of zeros, and of ones."""
    zero = [np.zeros(1, np.uint64)] * 4
    assert [int(w[0]) for w in draws.philox(zero, (0, 0))] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = [np.full(1, 0xFFFFFFFF, np.uint64)] * 4
    found = [int(w[0]) for w in draws.philox(ones, (0xFFFFFFFF, 0xFFFFFFFF))]
    assert found == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


@pytest.mark.parametrize(
    ("draw", "mean", "deviation"),
    [
        (lambda **k: draws.uniform(-1.0, 3.0, (100, 99), **k), 1.0, 4 / 12**0.5),
        (lambda **k: draws.normal(2.0, 0.5, (100, 99), **k), 2.0, 0.5),
        (lambda **k: draws.truncated_normal(0.0, 1.0, -2.0, 2.0, (100, 99), **k), 0.0, 0.88),
    ],
)
def test_moments_and_seeds(draw, mean: float, deviation: float) -> None:
    found = draw(seed=3)
    assert found.shape == (100, 99) and abs(found.mean() - mean) < 0.05 and abs(found.std() - deviation) < 0.05
    np.testing.assert_array_equal(found, draw(seed=3))
    np.random.seed(1)
    first, second = draw(), draw()
    np.random.seed(1)
    np.testing.assert_array_equal(first, draw())
    assert (first != second).any()


def test_a_long_draw_begins_as_a_short_one() -> None:
    np.testing.assert_array_equal(draws.uniform(0, 1, (70_000,), 5)[:7], draws.uniform(0, 1, (7,), 5))


def test_limits_are_kept_and_checked() -> None:
    assert abs(draws.truncated_normal(0.0, 1.0, -2.0, 2.0, (1000,), 1)).max() <= 2.0
    with pytest.raises(ValueError, match=r"nothing of N\(0, 1²\) lies in \[50, 60\]"):
        draws.truncated_normal(0.0, 1.0, 50.0, 60.0, (2,), 1)
