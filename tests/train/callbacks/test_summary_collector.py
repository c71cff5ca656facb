"""What a collector of summaries writes by itself."""

from pathlib import Path

import numpy as np
from event_files import read, series

import sporax as ms
from sporax import nn
from sporax.dataset import NumpySlicesDataset


def test_collector(tmp_path: Path) -> None:
    data = NumpySlicesDataset((np.ones((8, 2), np.float32), np.zeros((8, 1), np.float32)), ["x", "y"], shuffle=False)
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.0), metrics={"mae"})
    collector = ms.SummaryCollector(str(tmp_path), 3, custom_lineage_data={"run": "a"})
    model.fit(1, data.batch(1), data.batch(8), callbacks=[collector], dataset_sink_mode=False)
    found = read(tmp_path)
    assert series(found, "loss/auto") == {1: 4.0, 3: 4.0, 6: 4.0}
    assert [e.step for e in found.Tensors("weight/auto")] == [1, 3, 6]
    assert series(found, "eval/mae") == {8: 2.0} and "network" in found.Tags()["tensors"]


def test_collector_of_what_is_named(tmp_path: Path) -> None:
    data = NumpySlicesDataset((np.ones((2, 2), np.float32), np.zeros((2, 1), np.float32)), ["x", "y"]).batch(1)
    net = nn.Dense(2, 1)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.0))
    collector = ms.SummaryCollector(str(tmp_path), 1, 32, {"histogram_regular": "bias"}, keep_default_action=False)
    model.train(1, data, callbacks=[collector], dataset_sink_mode=False)
    assert read(tmp_path).Tags()["tensors"] == ["bias/auto"]
