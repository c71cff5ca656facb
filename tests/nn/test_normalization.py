"""Batch normalization and its kin: the rows of the tables, and when the moving statistics move."""

import numpy as np
import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import nn

TestLayers = layers_of("sporax._src.nn.normalization")
X = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)


def test_batch_norm_moves_its_statistics_once_per_forward(mode: int) -> None:
    net = nn.BatchNorm2d(2).set_train()
    net(ms.Tensor(X))
    np.testing.assert_allclose(net.moving_mean.asnumpy(), [0.55, 0.95], rtol=1e-6)
    np.testing.assert_allclose(net.moving_variance.asnumpy(), [2.871429, 2.871429], rtol=1e-6)
    assert net.momentum == pytest.approx(0.1)


@pytest.mark.parametrize("compiled", [False, True])
def test_batch_norm_moves_its_statistics_once_per_gradient(compiled: bool) -> None:
    net = nn.BatchNorm2d(2).set_train()
    step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    (ms.jit(step) if compiled else step)(ms.Tensor(X))
    np.testing.assert_allclose(net.moving_mean.asnumpy(), [0.55, 0.95], rtol=1e-6)


def test_inference_leaves_the_statistics(mode: int) -> None:
    for net in (nn.BatchNorm2d(2), nn.BatchNorm2d(2, use_batch_statistics=False).set_train(), nn.InstanceNorm2d(2)):
        net(ms.Tensor(X))
        assert net.moving_mean.asnumpy().tolist() == [0, 0]


def test_batch_statistics_in_inference_if_asked_for(mode: int) -> None:
    net = nn.BatchNorm2d(2, use_batch_statistics=True)
    out = net(ms.Tensor(X)).asnumpy()
    np.testing.assert_allclose(out.mean((0, 2, 3)), 0, atol=1e-6)
    np.testing.assert_allclose(net.moving_mean.asnumpy(), [0.55, 0.95], rtol=1e-6)


def test_statistics_keep_their_precision_in_half_precision(mode: int) -> None:
    net = nn.BatchNorm2d(2).to_float(ms.float16).set_train()
    assert net(ms.Tensor(X)).dtype == ms.float16
    assert net.moving_mean.dtype == ms.float32
    np.testing.assert_allclose(net.moving_variance.asnumpy(), [2.871429, 2.871429], rtol=1e-6)
