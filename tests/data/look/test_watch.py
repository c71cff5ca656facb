"""Pipelines that are watched give the same rows, and say what these took."""

import time

import numpy as np
import pytest
from data_tables.pipelines import PIPELINES
from dataset_laws import rows_of

import sporax.dataset as ds
from sporax._src.data import config
from sporax._src.data.look.watch import Watched, slowest, times_of, watch
from sporax.dataset import transforms


@pytest.mark.parametrize("name", PIPELINES)
def test_rows_are_the_same(name: str) -> None:
    """The law: a watched pipeline is the pipeline."""
    config.set_seed(1)
    want = rows_of(PIPELINES[name](), 2)
    config.set_seed(1)
    data = PIPELINES[name]()
    watch(data)
    assert rows_of(data, 2) == want and times_of(data).rows == sum(map(len, want))


def slow(value: np.ndarray) -> np.ndarray:
    time.sleep(0.003)
    return value


def test_times_are_those_of_each_dataset() -> None:
    data = ds.NumpySlicesDataset({"a": np.arange(20)}, shuffle=False).map(slow, "a", num_parallel_workers=1).batch(5)
    watch(data)
    watch(data)
    assert len(list(data)) == 4
    mapped, source = data.children[0], data.children[0].children[0]
    assert [times_of(node).rows for node in (data, mapped, source)] == [4, 20, 20]
    assert (
        slowest(data)[0] is mapped
        and times_of(mapped).seconds > 0.06 > times_of(data).seconds + times_of(source).seconds
    )
    assert list(times_of(mapped).operations) == ["slow"] and times_of(mapped).operations["slow"] > 0.06
    assert times_of(data).first[0].shape == (5,) and times_of(source).first[0].shape == ()


def test_arrays_are_still_gathered() -> None:
    """Operations that take many rows at once do so when they are watched."""
    calls = []

    class Noted(transforms.TensorOperation):
        def on_batch(self, rows: np.ndarray) -> np.ndarray:
            calls.append(len(rows))
            return rows

    data = ds.NumpySlicesDataset(np.arange(8), ["a"], shuffle=False).map(Noted(), "a").batch(4)
    watch(data)
    assert len(list(data)) == 2 and calls == [4, 4]
    assert [times_of(node).rows for node in (data, data.children[0], data.children[0].children[0])] == [2, 8, 8]


def test_others_are_not_touched() -> None:
    source = ds.NumpySlicesDataset([1, 2, 3], shuffle=False)
    watch(source.batch(2))
    assert (
        isinstance(source, Watched)
        and type(source).__name__ == "NumpySlicesDataset"
        and isinstance(source, ds.NumpySlicesDataset)
    )
    assert times_of(ds.NumpySlicesDataset([1])) is None and not isinstance(ds.NumpySlicesDataset([1]), Watched)
