"""Both nets run on one input: which input, and how far their outputs are apart."""

import numpy as np
import pytest
import torch

from sporax._src.migrate.weights.nets import net_of
from sporax._src.migrate.weights.verify import input_of, inputs_for


def test_inputs_follow_the_first_layer():
    layers = {
        torch.nn.Conv1d(3, 2, 3): (2, 3, 32), torch.nn.Conv3d(3, 2, 3): (2, 3, 32, 32, 32), torch.nn.Linear(5, 2): (2, 5),
        torch.nn.LSTM(4, 2): (5, 2, 4), torch.nn.Embedding(6, 2): (2, 7), torch.nn.LayerNorm((3, 4)): (2, 3, 4),
    }  # fmt: skip
    for layer, shape in layers.items():
        assert inputs_for(net_of(layer, "net"))[0].shape == shape
    words = inputs_for(net_of(torch.nn.Embedding(6, 2), "net"))[0]
    assert words.dtype == np.int64 and 0 <= words.min() and words.max() < 6
    with pytest.raises(ValueError, match=r"the first layer .norm. does not tell the input's shape; give --input"):
        net = torch.nn.Module()
        net.norm = torch.nn.PReLU()
        inputs_for(net_of(net, "net"))
    assert input_of("2x3:int32", 0).dtype == np.int32
