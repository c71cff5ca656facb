"""Padding at the ends of axes."""

import numpy as np
import pytest
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.array.pad")


@pytest.mark.parametrize(
    "pads, want",
    [((1, -1), [3, 0, 1, 2, 3]), ((-1, 1), [1, 2, 3, 4, 1]), ((-2, 2), [2, 3, 4, 2, 3]), ((2, -2), [1, 2, 0, 1, 2])],
)
def test_a_circle_is_that_of_the_elements_that_a_cut_leaves(pads, want):
    x = Tensor(np.arange(5.0).reshape(1, 1, 5))
    assert ops.pad(x, pads, "circular").tolist() == ops.PadV3("circular")(x, Tensor(pads)).tolist() == [[want]]
    assert ops.pad(x, (2, -1), "reflect").tolist() == [[[2, 1, 0, 1, 2, 3]]]
