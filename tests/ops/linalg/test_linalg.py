"""Linear algebra: inverses, determinants, solvers, factorisations."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.linalg.linalg")


@pytest.mark.parametrize(
    "p, want", [(None, 1.4142), ("fro", 3.1623), (1, 2.0), (float("inf"), 2.0), (-2, 0.7071), ("nuc", 9.2426)]
)
def test_condition_numbers(p, want):
    x = Tensor([[1.0, 0, -1], [0, 1, 0], [1, 0, 1]])
    got = ms.jit(lambda x: ops.cond(x, p))(x)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-4)
    assert ops.cond(x.astype(ms.float64)).dtype == ms.float32


def test_a_matrix_is_the_left_side_of_its_least_squares():
    assert np.allclose(Tensor([[2.0], [4.0]]).lstsq(Tensor([[1.0, 0], [0, 2]])).asnumpy(), [[0.1, 0.4]])


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("name", ["cholesky", "geqrf", "lstsq", "matrix_solve", "qr"])
def test_factorisations_take_half_precision(name: str, dtype: ms.Type) -> None:
    """MindSpore has kernels for 16 bits where LAPACK has none: here the matrix is factorised in float32."""
    operands = [Tensor([[4.0, 1.0], [1.0, 3.0]])] * (2 if name in ("lstsq", "matrix_solve") else 1)
    want = getattr(ops, name)(*operands)
    got = getattr(ops, name)(*(x.astype(dtype) for x in operands))
    for half, full in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, want)), strict=True):
        assert half.dtype == dtype
        np.testing.assert_array_equal(half.float().asnumpy(), full.astype(dtype).float().asnumpy())
