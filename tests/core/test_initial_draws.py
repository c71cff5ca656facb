"""Draws of first values: Philox of a seed, which NumPy's generator gives."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from sporax._src.core import initial_draws as draws


def filled(fill: Callable[..., None], shape: tuple[int, ...] = (100,), **options: int) -> np.ndarray:
    """Return a new array that `fill` has filled."""
    arr = np.zeros(shape)
    fill(arr, **options)
    return arr


def test_philox_has_the_published_words() -> None:
    """The known answers of the Random123 library for Philox 4x32-10: of zeros, and of ones."""
    zero = [np.zeros(1, np.uint64)] * 4
    assert [int(w[0]) for w in draws.philox(zero, (0, 0))] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = [np.full(1, 0xFFFFFFFF, np.uint64)] * 4
    found = [int(w[0]) for w in draws.philox(ones, (0xFFFFFFFF, 0xFFFFFFFF))]
    assert found == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


@pytest.mark.parametrize(
    ("fill", "mean", "deviation"),
    [
        (partial(draws.uniform, low=-1.0, high=3.0), 1.0, 4 / 12**0.5),
        (partial(draws.normal, mean=2.0, sigma=0.5), 2.0, 0.5),
        (partial(draws.truncated_normal, mean=0.0, sigma=1.0, low=-2.0, high=2.0), 0.0, 0.88),
    ],
)
def test_moments_and_seeds(fill: Callable[..., None], mean: float, deviation: float) -> None:
    found = filled(fill, (100, 99), seed=3)
    assert abs(found.mean() - mean) < 0.05 and abs(found.std() - deviation) < 0.05
    np.testing.assert_array_equal(found, filled(fill, (100, 99), seed=3))
    np.random.seed(1)
    first, second = filled(fill), filled(fill)
    np.random.seed(1)
    np.testing.assert_array_equal(first, filled(fill))
    assert (first != second).any()


@pytest.mark.parametrize("size", [0, 1, 5, 65_536, 70_001, 200_000])
@pytest.mark.parametrize("fill", [partial(draws.uniform, low=0, high=1), partial(draws.normal, mean=0, sigma=1)])
def test_a_long_draw_begins_as_a_short_one(fill: Callable[..., None], size: int) -> None:
    np.testing.assert_array_equal(filled(fill, (200_001,), seed=5)[:size], filled(fill, (size,), seed=5))


def test_an_array_that_is_not_contiguous_is_filled() -> None:
    found = np.zeros((3, 4)).T
    draws.normal(found, 0.0, 1.0, 2)
    np.testing.assert_array_equal(found, filled(partial(draws.normal, mean=0.0, sigma=1.0), (4, 3), seed=2))


def test_limits_are_kept_and_checked() -> None:
    fill = partial(draws.truncated_normal, mean=0.0, sigma=1.0)
    assert abs(filled(partial(fill, low=-2.0, high=2.0), (1000,), seed=1)).max() <= 2.0
    with pytest.raises(ValueError, match=r"nothing of N\(0, 1²\) lies in \[50, 60\]"):
        filled(partial(fill, low=50.0, high=60.0), (2,), seed=1)
