"""Losses of classification: cross entropies, margins between classes, distances and similarities."""

import numpy as np
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.classification_loss")


def test_only_the_loss_of_sparse_labels_has_a_gradient():
    loss, logits = ops.SparseSoftmaxCrossEntropyWithLogitsV2(), Tensor([[2.0, 3, 1], [2, 1, 2]])
    got = ops.grad(lambda x: loss(x, Tensor([0, 1])))(logits)
    np.testing.assert_allclose(got.asnumpy(), [[-0.7553, 0.66524, 0.09003], [0.42232, -0.84464, 0.42232]], atol=1e-4)
