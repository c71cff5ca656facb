"""Spread and order statistics: variance, median, quantiles."""

import numpy as np
import pytest
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.math.statistics")


NAN = np.nan


@pytest.mark.parametrize("dtype, want", [(np.float32, NAN), (np.int32, 0)])
@pytest.mark.parametrize("ignored", [True, False])
def test_median_of_nothing(dtype, want, ignored):
    value, index = ops.Median(global_median=True, ignore_nan=ignored)(Tensor(np.zeros((2, 0), dtype)))
    np.testing.assert_array_equal(value.asnumpy(), np.asarray(want, dtype))
    assert int(index) == 0
