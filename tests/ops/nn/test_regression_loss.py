"""Losses of regression, of distributions, and of pairs and triplets."""

import numpy as np
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.regression_loss")


def test_labels_that_are_not_positive_cost_nothing():
    logits, labels = Tensor(np.log(np.array([[0.3, 0.7], [0.5, 0.5]], np.float32))), Tensor([[-1.0, 1], [1, 0]])
    np.testing.assert_allclose(ops.KLDivLoss("none")(logits, labels).asnumpy(), [[0, 0.35667], [0.69315, 0]], atol=1e-5)
    to_logits, to_labels = ops.GradOperation(get_all=True)(ops.KLDivLoss("none"))(logits, labels)
    assert to_logits.tolist() == [[1, -1], [-1, 0]]  # -labels, whatever their sign, as MindSpore has it
    assert np.isfinite(to_labels.asnumpy()).all()
