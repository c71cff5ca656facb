"""Datasets of Hugging Face."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sporax.dataset as ds

datasets = pytest.importorskip("datasets")


@pytest.fixture
def rows():
    features = {
        "x": datasets.Sequence(datasets.Value("float32")),
        "y": datasets.ClassLabel(names=["no", "yes"]),
        "t": datasets.Value("string"),
    }
    given = {"x": [[1, 2], [3, 4], [5, 6]], "y": [0, 1, 0], "t": ["a", "b", "c"]}
    return datasets.Dataset.from_dict(given, features=datasets.Features(features))


def column(data: ds.Dataset, name: str) -> list[object]:
    return [row[name].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def test_rows(rows) -> None:
    data = ds.from_source(rows)
    assert column(data, "x") == [[1, 2], [3, 4], [5, 6]] and column(data, "t") == ["a", "b", "c"]
    assert data.get_class_indexing() == {"no": 0, "yes": 1}
    numbers = ds.from_source(rows, ["x", "y"])
    assert np.shares_memory(numbers._stacked()[0]._arrays[0], rows.data.table.column("x").chunk(0).flatten().to_numpy())


def test_other_orders_and_columns(rows) -> None:
    chosen = rows.select([2, 0]).with_format(columns=["y", "x"])
    data = ds.from_source(chosen)
    assert sorted(data.get_col_names()) == ["x", "y"] and column(data, "x") == [[5, 6], [1, 2]]
    assert next(data.batch(2).create_dict_iterator(output_numpy=True))["x"].tolist() == [[5, 6], [1, 2]]


def test_rows_that_the_package_makes(rows) -> None:
    doubled = rows.with_transform(lambda batch: {"x": [[2 * v for v in x] for x in batch["x"]]})
    assert column(ds.from_source(doubled), "x") == [[2, 4], [6, 8], [10, 12]]
    images = datasets.Dataset.from_dict({"image": [Image.new("RGB", (4, 3))], "label": [1]})
    assert ds.from_source(images).output_shapes() == [[3, 4, 3], []]


def test_streams_and_splits(rows, tmp_path: Path) -> None:
    data = ds.from_source(rows.to_iterable_dataset())
    assert column(data, "y") == [0, 1, 0] and data._is_unsized()
    with pytest.raises(
        TypeError, match=r"from_source\(DatasetDict\): it holds several datasets; choose one of \['train', 'test'\]"
    ):
        ds.from_source(datasets.DatasetDict(train=rows, test=rows))
    rows.save_to_disk(tmp_path / "saved")
    assert column(ds.from_source(tmp_path / "saved"), "t") == ["a", "b", "c"]
