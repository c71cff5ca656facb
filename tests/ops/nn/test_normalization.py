"""Normalisation over layers, groups, channels and the batch, and what all normalisations share."""

from __future__ import annotations

import numpy as np
from laws.rows import laws_of
from operands import counted, tensor

from sporax import Parameter, ops

test_row = laws_of("sporax._src.ops.nn.normalization")


def test_batch_norm_updates_the_running_statistics() -> None:
    """Training takes the unbiased variance into the running statistics, in the function and in the Primitive."""
    x, one, zero = counted(2, 2, 2, 2), tensor([1, 1]), tensor([0, 0])
    mean, var = Parameter(zero, name="mean"), Parameter(one, name="var")
    ops.batch_norm(x, mean, var, one, zero, True, 0.1)
    np.testing.assert_allclose(mean.asnumpy(), [0.55, 0.95], rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), [2.871429, 2.871429], rtol=1e-6)
    mean, var = Parameter(zero, name="mean"), Parameter(one, name="var")
    _, _, _, batch_mean, batch_var = ops.BatchNorm(is_training=True)(x, one, zero, mean, var)
    np.testing.assert_allclose(var.asnumpy(), [2.871429, 2.871429], rtol=1e-6)
    np.testing.assert_allclose(batch_mean.asnumpy(), [5.5, 9.5])
    np.testing.assert_allclose(batch_var.asnumpy(), [17.25, 17.25])
