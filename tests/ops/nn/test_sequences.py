"""Sequences of tokens: n-grams that would repeat, and the edit distance."""

import numpy as np
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.sequences")


def test_edit_distance_primitive():
    places, shape = Tensor(np.array([[0, 0], [0, 1]])), Tensor([1, 2])
    op = ops.EditDistance(normalize=False)
    assert op(places, Tensor([1, 2]), shape, places, Tensor([1, 3]), shape).asnumpy().tolist() == [1.0]
