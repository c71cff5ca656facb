"""What layers change when they run: moving statistics, dropout masks; and what precision does to them."""

import copy

import numpy as np
import pytest

import sporax as ms
from sporax import nn

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


def test_an_lstm_in_half_precision_has_the_gradients_of_one_in_single(mode: int) -> None:
    net = nn.LSTM(8, 16, 2, bidirectional=True)
    draws = np.random.default_rng(0)
    for parameter in net.trainable_params():
        parameter.set_data(ms.Tensor(0.2 * draws.standard_normal(parameter.shape), ms.float32))
    x = ms.Tensor(draws.standard_normal((6, 2, 8)), ms.float32)
    target = ms.Tensor(draws.standard_normal((6, 2, 32)), ms.float32)

    def loss(x):
        return ((net(x)[0].astype(ms.float32) - target) ** 2).mean()

    gradients = ms.grad(loss, 0, net.trainable_params())
    inner, outer = gradients(x)
    net.to_float(ms.float16)
    inner_half, outer_half = gradients(x)
    for half, single in zip((inner_half, *outer_half), (inner, *outer), strict=True):
        assert half.dtype == single.dtype
        close = 0.01 * np.abs(single.asnumpy()).max()
        np.testing.assert_allclose(half.asnumpy(), single.asnumpy(), rtol=0, atol=close)


def test_dropout_drops_in_training_only(mode: int) -> None:
    ones = ms.Tensor(np.ones(1000, np.float32))
    net = nn.Dropout(p=0.2)
    assert (net(ones).asnumpy() == 1).all()
    net.set_train()
    first, second = net(ones).asnumpy(), net(ones).asnumpy()
    assert (first != second).any()
    for out in (first, second):
        assert set(np.unique(out)) <= {0.0, np.float32(1.25)} and 0.15 < (out == 0).mean() < 0.25


def test_positional_dropout_keeps(mode: int) -> None:
    out = nn.Dropout(0.9).set_train()(ms.Tensor(np.ones(2000, np.float32))).asnumpy()
    assert 0.07 < (out == 0).mean() < 0.13


def test_a_dropped_channel_is_dropped_whole() -> None:
    out = nn.Dropout2d(0.5).set_train()(ms.Tensor(np.ones((8, 8, 3, 3), np.float32))).asnumpy()
    assert set(np.unique(out.sum((2, 3)))) == {0.0, 18.0}


def test_dropout_between_recurrent_layers(mode: int) -> None:
    net = nn.LSTM(3, 4, 2, dropout=0.5)
    x = ms.Tensor(np.ones((5, 2, 3), np.float32))
    still = net(x)[0].asnumpy()
    np.testing.assert_array_equal(net(x)[0].asnumpy(), still)
    net.set_train()
    out, (h, c) = net(x)
    assert (out.asnumpy() != still).any() and out.shape == (5, 2, 4) and h.shape == c.shape == (2, 2, 4)


def test_attention_drops_weights_in_training(mode: int) -> None:
    net = nn.MultiheadAttention(4, 2, dropout=0.5)
    x = ms.Tensor(np.random.default_rng(0).standard_normal((6, 2, 4)).astype(np.float32))
    np.testing.assert_allclose(net(x, x, x)[1].asnumpy().sum(-1), 1, rtol=1e-5)
    net.set_train()
    assert (net(x, x, x)[1].asnumpy() == 0).any() and len(net(x, x, x, need_weights=False)) == 1


@pytest.mark.parametrize("cell", [nn.Conv2d(2, 3, 3), nn.Dense(2, 3), nn.LayerNorm((2,)), nn.BatchNorm2d(2)])
def test_operators_of_layers_serve_subclasses(cell: nn.Cell) -> None:
    names = [
        n for n in ("conv2d", "matmul", "bias_add", "layer_norm", "bn_train", "bn_infer") if hasattr(type(cell), n)
    ]
    assert names
    for name in names:
        assert isinstance(getattr(cell, name), ms.ops.Primitive)
    copy.deepcopy(cell)


def test_a_subclass_may_use_and_replace_them(mode: int) -> None:
    class Standardized(nn.Conv2d):
        def construct(self, x: ms.Tensor) -> ms.Tensor:
            weight = self.weight - self.weight.mean()
            return self.conv2d(x, weight)

    class Own(nn.Dense):
        def __init__(self) -> None:
            super().__init__(2, 2, has_bias=False)
            self.matmul = ms.ops.MatMul()

        def construct(self, x: ms.Tensor) -> ms.Tensor:
            return self.matmul(x, self.weight)

    assert Standardized(2, 3, 3)(ms.Tensor(X)).shape == (2, 3, 2, 2)
    assert Own()(ms.Tensor(np.ones((1, 2), np.float32))).shape == (1, 2)
