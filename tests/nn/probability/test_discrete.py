"""Distributions of integers: the rows of the tables, and shares of drawn classes."""

import numpy as np
from probability_tables import distributions_of

import sporax as ms
from sporax import Tensor
from sporax.nn.probability import distribution as msd

TestRows = distributions_of("sporax._src.nn.probability.discrete")


def test_samples_of_classes(mode: int) -> None:
    dist = msd.Categorical(Tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], ms.float32))
    draws = dist.sample((4000,)).asnumpy()
    assert draws.shape == (4000, 2) and draws.dtype == np.int32
    share = np.stack([(draws == c).mean(0) for c in range(3)], -1)
    np.testing.assert_allclose(share, dist.probs.asnumpy(), atol=0.04)  # five standard errors
