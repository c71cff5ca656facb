"""Draws of `mint`."""

import numpy as np
import pytest

import sporax as ms
from sporax import mint


def test_draws_follow_the_generator() -> None:
    """A Generator with the same seed gives the same draws, and other draws at the next call."""
    one, two = ms.Generator().manual_seed(3), ms.Generator().manual_seed(3)
    first = mint.randn(4, generator=one).asnumpy()
    np.testing.assert_array_equal(first, mint.randn(4, generator=two).asnumpy())
    assert (first != mint.randn(4, generator=one).asnumpy()).any()
    assert sorted(mint.randperm(5, generator=one).tolist()) == [0, 1, 2, 3, 4]


def test_a_device_is_accepted_by_its_name() -> None:
    like = ms.Tensor([1, 2])
    drawn = [
        mint.rand(2, device="cpu"),
        mint.randn(2, device="CPU"),
        mint.randint(0, 5, (2,), device="CPU"),
        mint.rand_like(like.float(), device="npu"),
        mint.randn_like(like.float(), device="CPU"),
        mint.randint_like(like, 5, device="CPU"),
    ]
    assert [x.shape for x in drawn] == [(2,)] * 6
    with pytest.raises(ValueError, match=r"mint\.rand: device must be one of .*, got 'nothing'\."):
        mint.rand(2, device="nothing")
