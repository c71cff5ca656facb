"""Methods of Tensor that draw: shapes, ranges, and draws that the seed repeats."""

import numpy as np
import pytest

import sporax as ms
from sporax import ops

DRAWS = {
    "normal_": (lambda x: x.normal_(), -6, 6),
    "uniform_": (lambda x: x.uniform_(2.0, 3.0), 2, 3),
    "exponential_": (lambda x: x.exponential_(), 0, 30),
    "random_": (lambda x: x.random_(1, 5), 1, 4),
    "bernoulli_": (lambda x: x.bernoulli_(0.5), 0, 1),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_fills_the_tensor(name: str) -> None:
    draw, low, high = DRAWS[name]
    x = ops.zeros((50,), ms.float32)
    ms.set_seed(1)
    assert draw(x) is x
    first = x.asnumpy()
    assert low <= first.min() < first.max() <= high
    assert (draw(x).asnumpy() != first).any()
    ms.set_seed(1)
    np.testing.assert_array_equal(draw(x).asnumpy(), first)
