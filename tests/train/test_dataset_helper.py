"""Datasets as training reads them: `DatasetHelper`, and functions that take a row in a step."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax.dataset import NumpySlicesDataset


def data() -> NumpySlicesDataset:
    return NumpySlicesDataset(np.arange(4, dtype=np.float32), shuffle=False)


def test_dataset_helper() -> None:
    helper = ms.DatasetHelper(data(), dataset_sink_mode=False)
    for _ in range(2):
        assert [row[0].item() for row in helper] == [0, 1, 2, 3]
    sunk = ms.DatasetHelper(data(), sink_size=3)
    assert [[row[0].item() for row in sunk] for _ in range(2)] == [[0, 1, 2], [3, 0, 1]]
    assert sunk.sink_size() == 3 and helper.sink_size() == 4
    types, shapes = helper.types_shapes()
    assert len(types) == len(shapes) == 1 and helper.dynamic_min_max_shapes() == (shapes, shapes)
    helper.stop_send()
    helper.continue_send()
    net = nn.Dense(1, 1)
    assert ms.connect_network_with_dataset(net, helper) is net
    helper.release()
    with pytest.raises(TypeError, match="expected a DatasetHelper, got 1"):
        ms.connect_network_with_dataset(net, 1)
    with pytest.raises(TypeError, match="expected a dataset, got 1"):
        ms.DatasetHelper(1)
    with pytest.raises(TypeError, match="dataset_sink_mode must be a bool, got 1"):
        ms.DatasetHelper(data(), 1)
    with pytest.raises(ValueError, match="sink_size must be -1 or > 0, got 0"):
        ms.DatasetHelper(data(), sink_size=0)


@pytest.mark.parametrize("compiled", [False, True])
def test_data_sink(compiled: bool) -> None:
    total = Parameter(Tensor(0.0, ms.float32), name="total")

    def add(x: Tensor) -> Tensor:
        total.set_data(total + x)
        return total.value()

    step = ms.data_sink(add, data(), sink_size=3, jit_config=ms.JitConfig() if compiled else None)
    assert [step().item(), step().item()] == [3.0, 7.0]
    with pytest.raises(ValueError, match="sink_size must be >= 1, got 0"):
        ms.data_sink(add, data(), 0)
