"""Dropout: the rows of the tables, and what is drawn in training."""

import numpy as np
import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import nn

TestLayers = layers_of("sporax._src.nn.dropout")


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


def test_channels_are_dropped_in_place(mode: int) -> None:
    layer = ms.mint.nn.Dropout2d(0.5, inplace=True).set_train()

    def both(x: ms.Tensor) -> tuple[ms.Tensor, ms.Tensor]:
        return x, layer(x)

    ones = ms.Tensor(np.ones((8, 8, 3, 3), np.float32))
    x, out = both(ones)
    assert set(np.unique(out.asnumpy().sum((2, 3)))) == {0.0, 18.0}
    if mode == ms.PYNATIVE_MODE:
        assert out is x
    assert (nn.Dropout2dExt(1.0).set_train()(ones).asnumpy() == 0).all()


def test_everything_may_be_dropped(mode: int) -> None:
    ones = ms.Tensor(np.ones(4, np.float32))
    layer = ms.mint.nn.Dropout(1.0)
    assert (layer.set_train()(ones).asnumpy() == 0).all()
    assert (layer.set_train(False)(ones).asnumpy() == 1).all()
    assert (ms.mint.nn.functional.dropout(ones, 1.0).asnumpy() == 0).all()
    assert (ms.mint.nn.functional.dropout(ones, 1.0, training=False).asnumpy() == 1).all()


@pytest.mark.parametrize("name, value", [("p", 0), ("keep_prob", 1)])
def test_an_attribute_turns_it_off(name, value):
    net = nn.Dropout(p=0.9).set_train()
    setattr(net, name, value)
    np.testing.assert_array_equal(net(ms.Tensor(np.ones(100, np.float32))).asnumpy(), 1)
