"""Layouts of a model's Parameters."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn
from sporax.dataset import NumpySlicesDataset


def test_layouts_of_parameters() -> None:
    """On one device no Parameter is cut; the graphs are compiled."""
    net = nn.Dense(2, 1)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    x = Tensor(np.ones((1, 2), np.float32))
    data = NumpySlicesDataset((np.ones((2, 2), np.float32), np.ones((2, 1), np.float32)), ["x", "y"]).batch(1)
    with pytest.raises(RuntimeError, match="infer_predict_layout: graphs are compiled ahead in GRAPH_MODE only"):
        model.infer_predict_layout(x)
    ms.set_context(mode=ms.GRAPH_MODE)
    assert model.infer_predict_layout(x) == {} and len(net.compile_cache) == 1
    assert model.infer_train_layout(data) == {} and len(model.train_network.compile_cache) == 1
