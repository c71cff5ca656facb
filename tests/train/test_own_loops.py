"""What subclasses of Model call that train in their own way."""

import logging

import numpy as np
import pytest

import sporax as ms
from sporax import dataset as ds
from sporax import nn
from sporax.train import Accuracy, Callback, Model


class Own(Callback):
    """Has an event of MindSpore's first releases."""

    def step_end(self, run_context: object) -> None:
        pass


def _model() -> Model:
    net = nn.Dense(2, 2)
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"acc": Accuracy()})


def test_callbacks_become_a_list() -> None:
    one, other = Own(), Own()
    assert Model._transform_callbacks(None) == []
    assert Model._transform_callbacks(one) == [one]
    assert Model._transform_callbacks((one, other)) == [one, other]


def test_events_of_first_releases_are_told(caplog: pytest.LogCaptureFixture) -> None:
    text = "Own has step_end; name them on_train_... or on_eval_..."
    with caplog.at_level(logging.WARNING, "sporax.train"):
        Model._check_methods_for_custom_callbacks([Own(), ms.train.LossMonitor()], "train")
    assert [record.getMessage() for record in caplog.records] == [f"Model.train: {text}"]
    with pytest.raises(ValueError, match=r"^Model.fit: Own has step_end; "):
        Model._check_methods_for_custom_callbacks(Own(), "fit")


def test_unknown_options() -> None:
    model = _model()
    model._check_kwargs({"loss_scale_manager": 1, "acc_level": 2})
    with pytest.raises(ValueError, match=r"^Model: unknown option a, b; known are acc_level, amp_level, "):
        model._check_kwargs({"b": 1, "a": 2})


def test_networks_are_put_into_their_mode() -> None:
    data = ds.NumpySlicesDataset(np.ones((4, 2), np.float32), shuffle=False).batch(2)
    model = _model()
    rows, network = model._exec_preprocess(True, data, False)
    assert network is model._train_network and network.training
    assert len(list(rows)) == 2
    _, network = model._exec_preprocess(False, data, False)
    assert network is model._eval_network and not network.training
    assert model._check_network_mode(network, True) is network and network.training


def test_metrics_are_cleared_and_read() -> None:
    model = _model()
    metric = model._metric_fns["acc"]
    metric.update(ms.Tensor([[0.0, 1.0], [1.0, 0.0]]), ms.Tensor([1, 1]))
    assert model._get_metrics() == {"acc": 0.5}
    model._clear_metrics()
    metric.update(ms.Tensor([[0.0, 1.0]]), ms.Tensor([1]))
    assert model._get_metrics() == {"acc": 1.0}
