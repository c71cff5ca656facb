"""A Model whose optimizer is THOR."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn
from sporax._src.train.thor import ModelThor
from sporax.train import ConvertModelUtils, Model

RATES = Tensor(np.full(10, 0.1, np.float32))


def _parts(frequency: int) -> tuple[nn.Cell, nn.Cell]:
    net = nn.SequentialCell(nn.Dense(2, 1))
    return net, nn.thor(net, RATES, RATES, 0.9, frequency=frequency)


def test_other_optimizers_keep_their_model() -> None:
    net = nn.Dense(2, 1)
    model = Model(net, nn.MSELoss(), sgd := nn.SGD(net.trainable_params(), 0.1))
    assert ConvertModelUtils.convert_to_thor_model(model, net, nn.MSELoss(), sgd) is model


@pytest.mark.parametrize("own_step", [False, True], ids=["parts", "step"])
def test_the_first_of_every_few_steps_gathers_second_moments(own_step: bool) -> None:
    net, opt = _parts(3)
    network = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt) if own_step else net
    loss = None if own_step else nn.MSELoss()
    model = ConvertModelUtils.convert_to_thor_model(None, network, loss, opt)
    assert isinstance(model, ModelThor)
    row, flags = (Tensor(np.ones((2, 2), np.float32)), Tensor(np.ones((2, 1), np.float32))), []
    for _ in range(7):
        model._step(row)
        flags.append(net[0].thor)
    assert flags == [True, False, False, True, False, False, True]


def test_metrics_of_the_model_are_those_asked_for() -> None:
    net, opt = _parts(2)
    model = ConvertModelUtils.convert_to_thor_model(None, net, nn.MSELoss(), opt, metrics={"loss"})
    data = ms.dataset.NumpySlicesDataset((np.zeros((2, 2), np.float32), np.zeros((2, 1), np.float32))).batch(2)
    assert model.eval(data).keys() == {"loss"}
