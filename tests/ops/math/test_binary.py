"""Further functions of two operands: number theory, logarithms of sums."""

import numpy as np
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.math.binary")


def test_a_number_keeps_its_value_in_xlogy(run):
    x = Tensor([1, 2, 3], ms.uint8)
    first, second = run(lambda x: (ops.xlogy(x, 300), ops.xlogy(300, x)), x)
    assert first.dtype == second.dtype == ms.float32
    np.testing.assert_allclose(first.asnumpy(), np.log(300) * np.array([1, 2, 3]), rtol=1e-6)
    np.testing.assert_allclose(second.asnumpy(), 300 * np.log([1, 2, 3]), rtol=1e-6)
