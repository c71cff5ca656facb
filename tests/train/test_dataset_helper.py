"""Rows of datasets for loops of programs: epochs, what a call takes, errors; and functions that take a row in a step."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.train.dataset_helper import DatasetHelper, connect_network_with_dataset, data_sink
from sporax.dataset import NumpySlicesDataset

ROWS = ms.dataset.NumpySlicesDataset([1.0, 2.0, 3.0], shuffle=False)


def test_epochs_go_on_where_the_last_ended() -> None:
    helper = DatasetHelper(ROWS, sink_size=2)
    assert [[row[0].item() for row in helper] for _ in range(3)] == [[1, 2], [3, 1], [2, 3]]
    assert helper.sink_size() == 2 and DatasetHelper(ROWS, False, 2).sink_size() == 3
    assert helper.dynamic_min_max_shapes() == ([[]], [[]]) and helper.types_shapes()[1] == [[]]
    helper.release()
    with pytest.raises(RuntimeError, match="StopIteration"):
        list(helper)


def test_a_function_runs_on_the_next_rows() -> None:
    step = data_sink(lambda x: x * 10, ROWS, 2)
    assert [step().item() for _ in range(3)] == [20, 10, 30]
    compiled = data_sink(lambda x: x * 10, ROWS, jit_config=ms.JitConfig())
    assert [compiled().item() for _ in range(2)] == [10, 20]


def test_what_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"DatasetHelper: expected a dataset, or what dataset\.from_source takes, got 1"
    ):
        DatasetHelper(1)
    with pytest.raises(TypeError, match="DatasetHelper: dataset_sink_mode must be a bool, got 1"):
        DatasetHelper(ROWS, 1)
    with pytest.raises(ValueError, match="DatasetHelper: sink_size must be -1 or > 0, got 0"):
        DatasetHelper(ROWS, sink_size=0)
    with pytest.raises(ValueError, match="data_sink: sink_size must be >= 1, got 0"):
        data_sink(abs, ROWS, 0)
    net = nn.ReLU()
    assert connect_network_with_dataset(net, DatasetHelper(ROWS)) is net
    with pytest.raises(TypeError, match="connect_network_with_dataset: expected a DatasetHelper, got 3"):
        connect_network_with_dataset(net, 3)


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
    with pytest.raises(TypeError, match=r"expected a dataset, or what dataset\.from_source takes, got 1"):
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
