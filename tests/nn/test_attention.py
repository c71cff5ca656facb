"""Attention: the rows of the tables, and weights that are dropped in training."""

import numpy as np
from layer_tables import layers_of

import sporax as ms
from sporax import nn

TestLayers = layers_of("sporax._src.nn.attention")


def test_attention_drops_weights_in_training(mode: int) -> None:
    net = nn.MultiheadAttention(4, 2, dropout=0.5)
    x = ms.Tensor(np.random.default_rng(0).standard_normal((6, 2, 4)).astype(np.float32))
    np.testing.assert_allclose(net(x, x, x)[1].asnumpy().sum(-1), 1, rtol=1e-5)
    net.set_train()
    assert (net(x, x, x)[1].asnumpy() == 0).any() and len(net(x, x, x, need_weights=False)) == 1
