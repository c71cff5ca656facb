"""Recurrent layers: the rows of the tables, half precision, dropout between layers, the Primitives they hold."""

import numpy as np
import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import Tensor, nn

TestLayers = layers_of("sporax._src.nn.recurrent")


def test_sequences_are_reversed_by_what_a_recurrent_layer_holds() -> None:
    x, lengths = Tensor(np.arange(6, dtype=np.float32).reshape(3, 2, 1)), Tensor([2, 3], ms.int32)
    layer = nn.LSTM(1, 2)
    assert layer.reverse_sequence(x, lengths).asnumpy()[:, :, 0].tolist() == [[2, 5], [0, 3], [4, 1]]
    assert layer.reverse(x).asnumpy()[:, 0, 0].tolist() == [4, 2, 0]
    assert layer.weight_ih_l0 is layer.w_ih_list[0] and not hasattr(layer, "weight_ih_l1")
    with pytest.raises(AttributeError, match="'LSTM' object has no attribute 'weight_ih_l1'"):
        layer.weight_ih_l1  # noqa: B018


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


def test_dropout_between_recurrent_layers(mode: int) -> None:
    net = nn.LSTM(3, 4, 2, dropout=0.5)
    x = ms.Tensor(np.ones((5, 2, 3), np.float32))
    still = net(x)[0].asnumpy()
    np.testing.assert_array_equal(net(x)[0].asnumpy(), still)
    net.set_train()
    out, (h, c) = net(x)
    assert (out.asnumpy() != still).any() and out.shape == (5, 2, 4) and h.shape == c.shape == (2, 2, 4)
