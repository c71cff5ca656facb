"""Datasets and loaders of Grain."""

import numpy as np
import pytest

import sporax.dataset as ds

grain = pytest.importorskip("grain")


def column(data: ds.Dataset, epochs: int = 1) -> list[list[object]]:
    source = data.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    return [[row["x"].tolist() for row in source] for _ in range(epochs)]


def test_datasets() -> None:
    rows = grain.MapDataset.source([{"x": np.float32(k)} for k in range(5)]).batch(2)
    assert column(ds.from_source(rows), 2) == [[[0, 1], [2, 3], [4]]] * 2
    assert column(ds.from_source(rows.to_iter_dataset()), 2) == [[[0, 1], [2, 3], [4]]] * 2


def test_filters_leave_holes() -> None:
    odd = grain.MapDataset.range(4).filter(lambda x: x % 2 == 1)
    with pytest.raises(RuntimeError, match=r"row 0 was filtered out, .*; hand over its to_iter_dataset\(\)"):
        list(ds.from_source(odd))
    assert column(ds.from_source(odd.to_iter_dataset(), "x")) == [[1, 3]]


def test_loaders() -> None:
    sampler = grain.samplers.IndexSampler(3, num_epochs=1, shard_options=grain.sharding.NoSharding())
    loader = grain.DataLoader(data_source=[1.0, 2.0, 3.0], sampler=sampler, worker_count=0)
    data = ds.from_source(loader, ["x"])
    assert column(data, 2) == [[1, 2, 3]] * 2 and data.get_dataset_size() == 3
