"""Primitive classes of optimizer steps."""

import numpy as np

from sporax import Parameter, Tensor, ops


def test_mean_square_stays_where_the_gradient_is_zero():
    var, square, moment = (
        Parameter(Tensor([v]), name=n) for v, n in (([0.6, 0.3], "v"), ([0.2, 0.4], "s"), ([0.3, 0.1], "m"))
    )
    ops.SparseApplyRMSProp(0.2, 0.01, 1e-6)(var, square, moment, 0.01, Tensor([[0.0, 1.0]]), Tensor([0]))
    np.testing.assert_allclose(square.asnumpy(), [[0.2, 0.88]], rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), [[0.597, 0.28834]], rtol=1e-6)
