"""Recurrent layers: a whole layer and direction is one operator, a scan over time after one product for all inputs."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops
from sporax.ops.operations import _grad_ops

test_row = laws_of("sporax._src.ops.nn.recurrent")


@pytest.mark.parametrize(
    "has_bias, want",
    [(True, [[0.33269, 0.51758], [-0.08995, 0.36041]]), (False, [[-0.45673, -0.35884], [-0.7195, -0.48105]])],
)
def test_a_gru_with_all_weights_in_one_tensor(has_bias, want):
    np.random.seed(0)
    x, h = (Tensor(np.random.randn(*s).astype(np.float32)) for s in ((5, 2, 3), (1, 2, 2)))
    w = Tensor((np.arange(42 if has_bias else 30) * 0.05 - 1).astype(np.float32))
    got = ops.GRUV2(3, 2, 1, has_bias, False, 0.0)(x, h, w, Tensor([4, 3]))
    np.testing.assert_allclose(got[1].asnumpy()[0], want, atol=1e-5)
    with pytest.raises(ValueError, match="dropout must be 0"):
        ops.GRUV2(3, 2, 1, has_bias, False, 0.5)(x, h, w, Tensor([4, 3]))


def test_an_lstm_projects_its_output_and_its_reserved_results_carry_no_gradient():
    x, h, c = ops.ones((2, 1, 4)), ops.ones((1, 1, 2)), ops.ones((1, 1, 4))
    w = Tensor(np.linspace(-0.5, 0.5, 104, dtype=np.float32))
    lstm = ops.LSTM(4, 4, 1, False, False, 0.0, 2)
    y, last, cell, *_ = lstm(x, h, c, w)
    assert y.shape == (2, 1, 2) and last.shape == (1, 1, 2) and cell.shape == (1, 1, 4)
    assert ms.grad(lambda h: lstm(x, h, c, w)[3].sum())(h).tolist() == [[[0, 0]]]
    with pytest.raises(ValueError, match="dropout must be 0"):
        ops.LSTM(4, 4, 1, False, False, 0.5)(x, h, c, w)


def test_the_gradient_primitive_of_a_gru():
    rng = np.random.default_rng(0)
    x, h, w = (Tensor(rng.standard_normal(s).astype(np.float32)) for s in ((5, 2, 3), (1, 2, 2), (42,)))
    gru, lengths = ops.GRUV2(3, 2, 1, True, False, 0.0, False), Tensor([5, 5], ms.int32)
    y, hy, reserve, _ = gru(x, h, w, lengths)
    want = ms.grad(lambda *a: sum((o * k).sum() for o, k in zip(gru(*a, lengths)[:2], (1, 2), strict=True)), (0, 1, 2))(
        x, h, w
    )
    back = _grad_ops.GRUV2Grad(3, 2, 1, True, False, 0.0)
    got = back(x, h, w, lengths, y, hy, ops.ones_like(y), ops.full_like(hy, 2), reserve)
    for g, e in zip(got, want, strict=True):
        np.testing.assert_allclose(g.asnumpy(), e.asnumpy(), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="GRUV2Grad: dropout must be 0"):
        _grad_ops.GRUV2Grad(3, 2, 1, True, False, 0.5)(x, h, w, lengths, y, hy, y, hy, reserve)
