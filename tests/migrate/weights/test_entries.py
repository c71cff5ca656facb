"""The named arrays of a net or a file, and the tree of layers that they make."""

import numpy as np
import torch
from weight_nets import Net, Torch

import sporax as ms
from sporax import nn
from sporax.migrate import transfer_weights

T = torch.nn


def test_a_norm_may_have_a_gamma_beside_its_weight():
    class Scaled(torch.nn.LayerNorm):
        def __init__(self):
            super().__init__(4)
            self.gamma = T.Parameter(torch.rand(4))

    class Ours(nn.Cell):
        def __init__(self):
            super().__init__()
            for name in ("weight", "bias", "gamma"):
                setattr(self, name, ms.Parameter(ms.Tensor(np.zeros(4, np.float32)), name=name))

    report = transfer_weights(Torch(norm=Scaled()), Net(norm=Ours()))
    assert report.counts() == {"carried": 3}
