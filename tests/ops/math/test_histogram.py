"""Counts and histograms, differences and covariance."""

from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.math.histogram")


def test_weighted_confusion():
    labels, found = Tensor([0, 1, 1], ms.int32), Tensor([1, 1, 1], ms.int32)
    out = ops.ConfusionMatrix(2, "float32")(labels, found, Tensor([0.5, 2.0, 3.0]))
    assert out.asnumpy().tolist() == [[0, 0.5], [0, 5]] and ops.ConfusionMatrix(2)(labels, found).dtype == ms.int32
