"""Draws of `mint`."""

import numpy as np

import sporax as ms
from sporax import mint


def test_draws_follow_the_generator() -> None:
    """A Generator with the same seed gives the same draws, and other draws at the next call."""
    one, two = ms.Generator().manual_seed(3), ms.Generator().manual_seed(3)
    first = mint.randn(4, generator=one).asnumpy()
    np.testing.assert_array_equal(first, mint.randn(4, generator=two).asnumpy())
    assert (first != mint.randn(4, generator=one).asnumpy()).any()
    assert sorted(mint.randperm(5, generator=one).tolist()) == [0, 1, 2, 3, 4]
