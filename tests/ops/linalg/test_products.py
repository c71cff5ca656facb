"""Products of matrices and vectors: matmul, bmm, dot, addmm, outer, cross, einsum, kron, matrix_power, ..."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.linalg.products")


@pytest.mark.parametrize("element", [1.0, 2.0])
def test_products_with_equal_constants_in_graphs(element):
    x = Tensor(np.random.default_rng(0).standard_normal((5, 9)).astype(np.float32))
    got = ms.jit(lambda x: x @ ops.full((9, 10), element, dtype=ms.float32))(x)
    want = np.repeat(x.asnumpy().sum(1, keepdims=True) * element, 10, 1)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-5)
