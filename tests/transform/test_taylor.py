"""Derivatives of any order along a path."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


def test_derivatives_along_a_path(run):
    """f = x·sin(x) along x + t: f' = sin + x·cos, f'' = 2·cos - x·sin, f''' = -3·sin - x·cos."""
    s, c = np.sin(X), np.cos(X)
    want = np.stack([s + X * c, 2 * c - X * s, -3 * s - X * c])
    series = np.stack([np.ones_like(X), np.zeros_like(X), np.zeros_like(X)])
    value, found = run(lambda x: ops.jet(lambda y: ops.sin(y) * y, x, Tensor(series)), Tensor(X))
    np.testing.assert_allclose(value.asnumpy(), X * s, rtol=1e-6)
    np.testing.assert_allclose(found.asnumpy(), want, rtol=1e-5, atol=1e-5)
    _, third = run(lambda x: ops.derivative(lambda y: ops.sin(y) * y, x, 3), Tensor(X))
    np.testing.assert_allclose(third.asnumpy(), want[2], rtol=1e-5, atol=1e-5)


def test_derivatives_of_two_inputs():
    """(x + a₁t + a₂t²/2)·(y + b₁t): f' = a₁y + b₁x, f'' = a₂y + 2·a₁b₁."""
    x, y, a, b = (Tensor(v) for v in (2.0, 3.0, [5.0, 7.0], [11.0, 0.0]))
    value, (found, product) = ops.jet(lambda p, q: [p * q, p * q * 2], (x, y), (a, b))
    assert value[0].item() == 6.0
    np.testing.assert_allclose(found.asnumpy(), [5 * 3 + 11 * 2, 7 * 3 + 2 * 5 * 11])
    np.testing.assert_allclose(product.asnumpy(), 2 * found.asnumpy())
    assert ops.derivative(lambda p: p * p, Tensor(3), 2)[1].dtype == ms.float32


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda x: ops.derivative(ops.sin, x, 0), ValueError, "order must be at least 1, got 0"),
        (lambda x: ops.derivative(ops.sin, x, 1.0), TypeError, "order must be an int"),
        (lambda x: ops.jet(ops.sin, x, (x,)), TypeError, "primals and series must both be Tensors"),
        (lambda x: ops.jet(ops.sin, 3.0, x), TypeError, "primals and series must both be Tensors"),
    ],
)
def test_derivative_errors(call, kind, match):
    with pytest.raises(kind, match=match):
        call(Tensor(X))
