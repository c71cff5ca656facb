"""Factors of weight norm and spectral norm become the weight, or are carried to a net that has them, too."""

import numpy as np
import pytest
import torch
from weight_nets import numbers

import sporax as ms
from sporax import mint, nn
from sporax._src.migrate.helpers.nn import computed_weights
from sporax.migrate import convert_weights, transfer_weights

T = torch.nn
HOOKS = [
    (T.utils.weight_norm, computed_weights._weight_norm),
    (T.utils.parametrizations.weight_norm, computed_weights._weight_norm),
    (T.utils.parametrizations.weight_norm, computed_weights._normed_parametrized),
    (T.utils.spectral_norm, computed_weights._spectral_norm),
    (T.utils.parametrizations.spectral_norm, computed_weights._spectral_norm),
    (T.utils.parametrizations.spectral_norm, computed_weights._spectrally_parametrized),
]


@pytest.mark.filterwarnings("ignore:.*weight_norm.* is deprecated:FutureWarning")
@pytest.mark.parametrize("norm", dict.fromkeys(norm for norm, _ in HOOKS))
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


@pytest.mark.filterwarnings("ignore:.*weight_norm.* is deprecated:FutureWarning")
@pytest.mark.parametrize(("norm", "own"), HOOKS)
def test_factors_are_carried_to_a_net_that_has_them(norm, own):
    net, cell = norm(T.Linear(4, 3)).eval(), own(mint.nn.Linear(4, 3)).set_train(False)
    report = transfer_weights(net, cell)
    assert report.ok and "derived" not in report.counts()
    x = numbers(2, 4)
    expected = net(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(cell(ms.Tensor(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    other = norm(T.Linear(4, 3)).eval()
    assert transfer_weights(cell, other).ok
    np.testing.assert_array_equal(other(torch.tensor(x)).detach().numpy(), expected)


def test_wrapped_factors_are_carried():
    net = T.DataParallel(T.utils.parametrizations.weight_norm(T.Linear(4, 3)))
    report = transfer_weights(net, computed_weights._weight_norm(mint.nn.Linear(4, 3)))
    assert report.ok and report.counts() == {"renamed": 3}


def test_the_parameter_of_a_parametrization_is_carried(tmp_path):
    net, cell = T.Sequential(T.Linear(4, 3)), nn.SequentialCell(nn.Dense(4, 3))
    T.utils.parametrize.register_parametrization(net[0], "weight", T.Tanh())
    computed_weights._parametrized(cell[0], "weight", nn.Tanh())
    report = transfer_weights(net, cell)
    assert report.ok and report.counts() == {"carried": 2}
    x = numbers(2, 4)
    np.testing.assert_allclose(
        cell(ms.Tensor(x)).asnumpy(), net(torch.tensor(x)).detach().numpy(), rtol=3e-6, atol=3e-6
    )
    torch.save(net.state_dict(), tmp_path / "net.pth")
    convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=cell)
    assert "0.parametrizations.weight.original" in ms.load_checkpoint(str(tmp_path / "net.ckpt"))


@pytest.mark.filterwarnings("ignore:.*weight_norm.* is deprecated:FutureWarning")
def test_factors_of_a_layer_with_two_names_are_carried():
    class Net(T.Module):
        def __init__(self):
            super().__init__()
            self.first = T.utils.weight_norm(T.Linear(2, 3))
            self.layers = T.Sequential(self.first, T.ReLU())

    class Cell(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = computed_weights._weight_norm(mint.nn.Linear(2, 3))
            self.layers = nn.SequentialCell(self.first, nn.ReLU())

    net, cell = Net(), Cell()
    assert transfer_weights(net, cell).ok
    np.testing.assert_array_equal(cell.first.weight_v.asnumpy(), net.first.weight_v.detach().numpy())
