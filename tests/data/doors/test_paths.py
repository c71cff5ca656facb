"""Files by their endings, and folders."""

from pathlib import Path

import numpy as np
import pytest
from mind_records import written
from PIL import Image
from tf_records import records
from tf_records import row as tf_row

import sporax.dataset as ds


def column(data: ds.Dataset, name: str) -> list[object]:
    return [row[name].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def test_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(4).reshape(2, 2))
    np.savez(tmp_path / "b.npz", x=np.arange(2), y=np.ones(2))
    data = ds.from_source(tmp_path / "a.npy")
    assert column(data, "column_0") == [[0, 1], [2, 3]] and isinstance(data._stacked()[0].base, np.memmap)
    assert column(ds.from_source([tmp_path / "a.npy"] * 2, "x"), "x") == [[0, 1], [2, 3]] * 2
    assert column(ds.from_source(str(tmp_path / "b.npz")), "x") == [0, 1]
    with pytest.raises(ValueError, match=r"expected one \.npz file, got 2"):
        ds.from_source([tmp_path / "b.npz"] * 2)


def test_records_and_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    path.write_bytes(records([tf_row(k) for k in range(3)]))
    names = ds.from_source(path).get_col_names()
    assert ds.from_source(path, names[:1]).get_dataset_size() == 3
    record = tmp_path / "mind"
    record.mkdir()
    shards = written(record, [{"label": k} for k in range(3)], {"label": {"type": "int32"}}, 1)
    renamed = Path(shards).rename(record / "a.mindrecord")
    Path(f"{shards}.db").rename(record / "a.mindrecord.db")
    assert column(ds.from_source(renamed), "label") == [0, 1, 2]
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    assert column(ds.from_source(tmp_path / "a.txt", "text"), "text") == ["one", "two"]
    with pytest.raises(ValueError, match="sampler cannot be given for files that are read from front to back"):
        ds.from_source(tmp_path / "a.txt", sampler=[1])


def test_folders(tmp_path: Path) -> None:
    for name in ("cat", "dog"):
        (tmp_path / "images" / name).mkdir(parents=True)
        Image.new("RGB", (4, 3)).save(tmp_path / "images" / name / "0.png")
    data = ds.from_source(tmp_path / "images")
    assert data.get_class_indexing() == {"cat": 0, "dog": 1} and data.output_shapes() == [[3, 4, 3], []]
    assert ds.from_source(tmp_path / "images", ["label"]).get_col_names() == ["label"]
    np.save(tmp_path / "a.npy", np.arange(2))
    assert ds.from_source(str(tmp_path)).get_dataset_size() == 2


def test_paths_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"from_source: there is no file or folder '.*missing\.parquet'"):
        ds.from_source(tmp_path / "missing.parquet")
    (tmp_path / "a.xyz").write_text("")
    with pytest.raises(
        ValueError, match=r"expected files of one kind, with names that end in \.parquet, .*; got \['a\.xyz'\]"
    ):
        ds.from_source(tmp_path / "a.xyz")
    (tmp_path / "a.txt").write_text("")
    np.save(tmp_path / "b.npy", np.arange(2))
    with pytest.raises(ValueError, match=r"got \['a\.txt', 'b\.npy'\]"):
        ds.from_source(tmp_path)
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "state.json").write_text('{"_indices_data_files": [{"filename": "a"}]}')
    with pytest.raises(ValueError, match=r"has its rows in another order; load it with datasets\.load_from_disk"):
        ds.from_source(tmp_path / "saved")
