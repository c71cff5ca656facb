"""Norms of vectors and matrices."""

import numpy as np
import pytest
from laws.rows import laws_of
from small_tensors import check, f

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.math.norms")


@pytest.mark.parametrize("p", [2, 90, 200])
def test_norm_of_a_high_order(p):
    x = np.array([0.33854103, -0.13209231], np.float32)
    want = (np.abs(x.astype(np.float64)) ** p).sum() ** (1 / p)
    np.testing.assert_allclose(ops.LpNorm(0, p)(Tensor(x)).asnumpy(), want, rtol=1e-6)


def test_epsilon_is_the_least_norm():
    assert float(ops.LpNorm(0, 2, False, 0.5)(Tensor([0.1, 0.2]))) == 0.5
    np.testing.assert_allclose(float(ops.LpNorm(0)(Tensor([1e-8, 0.0]))), 1e-8, rtol=1e-6)
    assert np.isnan(float(ops.LpNorm(0)(Tensor([np.nan, 1.0]))))
    assert float(ops.LpNorm(0)(Tensor([np.inf, 1.0]))) == np.inf
    gradient = ms.grad(ops.LpNorm(0))(Tensor([3.0, 4.0]))
    np.testing.assert_allclose(gradient.asnumpy(), [0.6, 0.8], rtol=1e-6)
    assert ms.grad(ops.LpNorm(0))(Tensor([0.0, 0.0])).tolist() == [0, 0]


def test_renorm_as_a_primitive():
    got = ops.Renorm(p=2, dim=0, maxnorm=1.0)(Tensor([[3.0, 4], [0.3, 0.4]]))
    np.testing.assert_allclose(got.asnumpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)


def test_norms():
    check(ops.norm(f()), "float32", 6)
    check(ops.norm(f(), 2), "float32", 5.79001)
    check(ops.norm(f(), 1), "float32", 5)
    check(ops.norm(Tensor([3, 4])), "float32", 5)
    check(ops.LpNorm([0, 1], 3, True)(f()), "float32", [[4.61044]])


@pytest.mark.parametrize(
    ("order", "want"), [(None, 3.0), (1, 3.0), (0, 1.0), (3, 3.0), (float("inf"), 3.0), (float("-inf"), 3.0)]
)
@pytest.mark.parametrize("dim", [0, -1, (0,)])
def test_norm_of_a_number_along_its_only_axis(order, want, dim) -> None:
    """As in MindSpore 2.7.0: `while ops.norm(b, dim=0) < 1000` doubles a number."""
    for keepdim in (False, True):
        got = ops.norm(Tensor(-3.0), order, dim, keepdim)
        assert got.shape == () and abs(float(got) - want) < 1e-6
    with pytest.raises(ValueError, match="dim must be in"):
        ops.norm(Tensor(-3.0), order, 1)
