"""Datasets of MindRecord files: choices of rows, batches, errors."""

import contextlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import record_orders
from house import ROOT
from mind_records import ANSWERS, ONE, described, labels

import sporax.dataset as ds
from sporax._src.data import config
from sporax.mindrecord import FileReader, FileWriter


def test_rows_of_mindspores_file() -> None:
    data = ds.MindDataset(ONE, shuffle=False)
    assert data.get_col_names() == ANSWERS["columns"] and data.get_dataset_size() == 6
    assert described(data.create_dict_iterator(1, output_numpy=True)) == ANSWERS["rows"]
    row = next(iter(data.create_dict_iterator(1, output_numpy=True)))
    kinds = {name: (value.dtype.name, value.shape) for name, value in row.items()}
    assert kinds["id"] == ("int32", ()) and kinds["big"] == ("float32", (2, 2)) and kinds["image"] == ("bytes8", (1,))


ORDERS = json.loads((ROOT / "tests" / "goldens" / "dataset_orders.json").read_text())


@pytest.fixture(scope="module")
def folder_of_orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    with contextlib.chdir(folder):
        record_orders.write(FileWriter)
    return folder


@pytest.mark.parametrize("seed", record_orders.SEEDS)
@pytest.mark.parametrize("call", record_orders.CALLS)
def test_orders_are_mindspores(folder_of_orders: Path, call: str, seed: int) -> None:
    with contextlib.chdir(folder_of_orders):
        assert record_orders.orders(ds, call, seed) == ORDERS[call][str(seed)]


@pytest.mark.parametrize("mode", ["GLOBAL", "FILES", "INFILE"])
def test_devices_share_the_rows_without_a_seed(
    folder_of_orders: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setitem(config._values, "seed", config.UNSEEDED)
    files = [str(folder_of_orders / name) for name in record_orders.FILES if name.startswith("part")]
    shares = []
    for shard in range(3):
        share = ds.MindDataset(files, shuffle=ds.Shuffle[mode], num_shards=3, shard_id=shard)
        rows = share.create_tuple_iterator(output_numpy=True, num_epochs=2)
        shares.append([[int(row[0]) for row in rows] for _ in range(2)])
    for epoch in zip(*shares, strict=True):
        assert sorted(row for rows in epoch for row in rows) == [*range(5), *range(10, 15), *range(20, 25)]


def test_the_size_is_the_number_of_rows_that_come(folder_of_orders: Path) -> None:
    path = str(folder_of_orders / "one.mindrecord")
    for data in (ds.MindDataset(path, num_samples=30), ds.MindDataset(path, sampler=ds.RandomSampler(True, 30))):
        sized = (data, data.batch(4), data.skip(20), data.take(20), data.repeat(2))
        assert [one.get_dataset_size() for one in sized] == [30, 8, 10, 20, 60]
        assert [len(list(one.create_tuple_iterator(num_epochs=1))) for one in sized] == [30, 8, 10, 20, 60]


def test_an_earlier_epoch_may_be_read_again(folder_of_orders: Path) -> None:
    with contextlib.chdir(folder_of_orders):
        rows = ds.MindDataset("one.mindrecord").create_tuple_iterator(output_numpy=True, num_epochs=4)
        state = rows.get_state()
        epochs = [[int(row[0]) for row in rows] for _ in range(3)]
        rows.set_state(state)
        assert [int(row[0]) for row in rows] == epochs[0] != epochs[1]


def test_choices_of_rows(shards: str) -> None:
    one = f"{shards}0"
    assert sorted(labels(ds.MindDataset(one, ["label"]))) == [0, 10, 20, 30, 40, 50, 60]
    in_order = labels(ds.MindDataset(one, ["label"], shuffle=False))
    assert in_order == [0, 10, 20, 30, 40, 50, 60]
    assert labels(ds.MindDataset([f"{shards}1"], ["label"], shuffle=False)) == [40, 50, 60]
    parts = [labels(ds.MindDataset(one, ["label"], shuffle=False, num_shards=3, shard_id=k)) for k in range(3)]
    assert parts == [[0, 30, 60], [10, 40, 0], [20, 50, 10]]  # as MindSpore
    assert labels(ds.MindDataset(one, ["label"], shuffle=False, num_samples=3)) == [0, 10, 20]
    assert labels(ds.MindDataset(one, ["label"], sampler=ds.SubsetSampler([5, 1]))) == [50, 10]
    assert sorted(labels(ds.MindDataset(one, ["label"], sampler=ds.PKSampler(1)))) == [0, 10, 20, 30, 40, 50, 60]
    padded = {"label": -1}
    assert labels(ds.MindDataset(one, ["label"], shuffle=False, padded_sample=padded, num_padded=2))[-3:] == [
        60,
        -1,
        -1,
    ]
    assert ds.MindDataset(one, ["x", "label"]).get_col_names() == ["x", "label"]
    copied = pickle.loads(pickle.dumps(FileReader(one)))
    assert copied.len() == 7 and next(copied.get_next())["label"] == 0


def test_batches_and_threads(shards: str) -> None:
    data = ds.MindDataset(f"{shards}0", shuffle=False, num_parallel_workers=2).batch(4)
    assert [row["x"].shape for row in data.create_dict_iterator(1, output_numpy=True)] == [(4, 2), (3, 2)]


def test_errors_of_datasets(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="MindDataset: the file nope does not exist"):
        ds.MindDataset("nope")
    with pytest.raises(TypeError, match="MindDataset: expected the path of a file, got 3"):
        ds.MindDataset(3)
    with pytest.raises(RuntimeError, match="there is no column 'x'"):
        ds.MindDataset(ONE, ["x"])
    with pytest.raises(ValueError, match="padded_sample and num_padded need to be passed in together"):
        ds.MindDataset(ONE, num_padded=2)
    with pytest.raises(ValueError, match="padded_sample must hold"):
        ds.MindDataset(ONE, ["id"], padded_sample={"a": 1}, num_padded=2)
    with pytest.raises(RuntimeError, match="6 rows and num_padded=1 cannot be shared evenly among num_shards=2"):
        ds.MindDataset(ONE, ["id"], padded_sample={"id": 1}, num_padded=1, num_shards=2, shard_id=0)
    for how in (ds.Shuffle.FILES, ds.Shuffle.INFILE):
        with pytest.raises(ValueError, match=r"num_samples does not go with Shuffle\.FILES and"):
            ds.MindDataset(ONE, num_samples=2, shuffle=how)
    data = ds.NumpySlicesDataset([1, 2])
    with pytest.raises(ValueError, match="'tfrecord' dataset format is not supported"):
        data.save(str(tmp_path / "a"), file_type="tfrecord")
    with pytest.raises(ValueError, match=r"num_files must be in \[1, 1000\], got 0"):
        data.save(str(tmp_path / "a"), 0)
    with pytest.raises(RuntimeError, match="there are no rows to save"):
        data.skip(2).save(str(tmp_path / "a"))
    cases = ((np.ones((1, 2), complex), "has no form in a MindRecord file"), ([["a", "b"]], "must hold one text a row"))
    for column, text in cases:
        with pytest.raises(RuntimeError, match=text):
            ds.NumpySlicesDataset({"c": column}).save(str(tmp_path / "b"))
    with pytest.raises(RuntimeError, match=r"column 'c' began as .* but a later row is"):
        ds.GeneratorDataset([(1,), (2.5,)], ["c"], shuffle=False).save(str(tmp_path / "c"))
