"""Activation functions: smooth, along an axis, and linear in pieces."""

from __future__ import annotations

import numpy as np
import pytest
from laws.rows import laws_of
from operands import tensor

import sporax as ms
from sporax import Tensor, nn, ops

test_row = laws_of("sporax._src.ops.nn.activation")


@pytest.mark.parametrize("layer", [nn.Mish(), ops.Mish()])
def test_narrow_mish_is_rounded_once(layer):
    x = np.linspace(-4, 4, 101).astype(np.float16)
    wide = x.astype(np.float64)
    want = wide * np.tanh(np.log1p(np.exp(wide)))
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), want, rtol=2.0**-10.9)


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_selu_of_integers_has_whole_constants(dtype):
    got = ops.selu(Tensor(np.array([-50, -3, -1, 0, 1, 2, 50], dtype)))
    assert got.asnumpy().dtype == dtype and got.tolist() == [-1, 0, 0, 0, 1, 2, 50]


Z = tensor([-3, -1, 0, 1, 3, 6])


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("relu", [0, 0, 0, 1, 1, 1]),
        ("relu6", [0, 0, 0, 1, 1, 1]),
        ("hardtanh", [0, 0.5, 1, 0.5, 0, 0]),
        ("hardsigmoid", [0, 1 / 6, 1 / 6, 1 / 6, 0, 0]),
        ("hardswish", [-0.5, 1 / 6, 0.5, 5 / 6, 1.5, 1]),
        ("hardshrink", [1, 1, 0, 1, 1, 1]),
        ("softshrink", [1, 1, 0, 1, 1, 1]),
        ("leaky_relu", [0.2, 0.2, 0.6, 1, 1, 1]),
    ],
)
def test_slopes_at_corners(name: str, slope: list[float]) -> None:
    """The derivative where a piecewise function has a corner."""
    np.testing.assert_allclose(ms.grad(getattr(ops, name))(Z).asnumpy(), slope, rtol=1e-6)
