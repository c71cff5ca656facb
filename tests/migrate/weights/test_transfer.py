"""A net's weights and buffers set into a net of the other side."""

import numpy as np
import torch
from weight_files import statuses
from weight_nets import Net, Torch

import sporax as ms
from sporax import nn
from sporax.migrate import transfer_weights

T = torch.nn


def test_buffers_are_carried_or_told():
    net = Torch(a=T.Linear(2, 2))
    net.register_buffer("scale", torch.full((3,), 2.0))
    net.register_buffer("mask", torch.ones(2, 2, dtype=torch.bool))
    net.register_buffer("passing", torch.full((2,), 4.0), persistent=False)
    net.register_buffer("unused", torch.ones(7), persistent=False)
    cell = Net(a=nn.Dense(2, 2))
    cell.register_buffer("scale", ms.Tensor(np.zeros(3, np.float32)))
    cell.register_buffer("passing", ms.Tensor(np.zeros(2, np.float32)))
    cell.register_buffer("index", ms.Tensor(np.arange(3)))
    report = transfer_weights(net, cell)
    assert statuses(report) == {
        "a.weight": "carried", "a.bias": "carried", "scale": "carried", "passing": "carried", "mask": "dropped", "index": "derived"
    }  # fmt: skip
    assert cell.scale.asnumpy().tolist() == [2, 2, 2] and cell.passing.asnumpy().tolist() == [4, 4]
    assert cell.index.asnumpy().tolist() == [0, 1, 2]
