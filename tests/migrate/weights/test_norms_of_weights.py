"""Factors of weight norm and spectral norm become the weight."""

import numpy as np
import pytest
import torch
from weight_nets import numbers

import sporax as ms
from sporax import nn
from sporax.migrate import convert_weights, transfer_weights

T = torch.nn


@pytest.mark.filterwarnings("ignore:.*weight_norm.* is deprecated:FutureWarning")
@pytest.mark.parametrize(
    "norm",
    [
        T.utils.weight_norm,
        T.utils.parametrizations.weight_norm,
        T.utils.spectral_norm,
        T.utils.parametrizations.spectral_norm,
    ],
)
def test_factors_of_weights_are_multiplied(norm, tmp_path):
    net = T.Sequential(norm(T.Conv1d(2, 4, 3)), norm(T.Linear(4, 3)))
    net(torch.tensor(numbers(1, 2, 6)))
    net.eval()
    cell = nn.SequentialCell(nn.Conv1d(2, 4, 3, pad_mode="valid", has_bias=True), nn.Dense(4, 3))
    report = transfer_weights(net, cell)
    assert report.ok and report.counts() == {"derived": 2, "carried": 2}
    x = numbers(1, 2, 6)
    expected = net(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(cell(ms.Tensor(x)).asnumpy(), expected, rtol=3e-6, atol=3e-6)
    torch.save(net.state_dict(), tmp_path / "net.pth")
    convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt")
    kept = ms.load_checkpoint(str(tmp_path / "net.ckpt"))["0.weight"].asnumpy()
    np.testing.assert_array_equal(kept, cell[0].weight.asnumpy())
