"""Pipelines are written and made again."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest
from data_tables.pipelines import PIPELINES
from PIL import Image

import sporax as ms
import sporax.dataset as ds
from sporax.dataset import text, transforms, vision


def rows(data: ds.Dataset) -> list[list[object]]:
    source = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [[value.tolist() if isinstance(value, np.ndarray) else value for value in row] for row in source]


def again(data: ds.Dataset) -> ds.Dataset:
    described = json.loads(json.dumps(ds.serialize(data)))
    made = ds.deserialize(described)
    assert made is not None and ds.serialize(made) == described and ds.compare(made, data)
    return made


@pytest.fixture
def images(tmp_path: Path) -> str:
    for name, color in (("cat", 10), ("dog", 200)):
        (tmp_path / name).mkdir()
        Image.new("RGB", (4, 4), (color, 0, 0)).save(tmp_path / name / "0.png")
    return str(tmp_path)


def test_files_operations_and_samplers(images: str) -> None:
    data = ds.ImageFolderDataset(images, sampler=ds.DistributedSampler(1, 0, shuffle=False), decode=True)
    data = data.map(
        [vision.Resize((2, 2), vision.Inter.NEAREST), vision.HWC2CHW(), transforms.TypeCast(ms.float32)], ["image"]
    )
    data = (
        data.map(transforms.OneHot(3), "label").batch(2).repeat(2).rename(["image"], ["img"]).project(["img"]).take(1)
    )
    made = again(data)
    assert rows(made) == rows(data) and made.output_shapes() == [[2, 3, 2, 2]]


def test_several_children_and_words() -> None:
    left = ds.NumpySlicesDataset({"a": np.arange(3, dtype=np.float32), "b": ["x", "y", "z"]}, shuffle=False)
    right = ds.NumpySlicesDataset([1, 2, 3], ["c"], sampler=ds.SubsetSampler([2, 0]))
    data = ds.zip((left, right)) + ds.zip((left, right))
    assert rows(again(data)) == rows(data)
    words = text.Vocab.from_list(["x", "y", "z"])
    found = left.map(text.Lookup(words), "b")
    with pytest.raises(RuntimeError, match=r"MapDataset\(operations\) was Vocab, an object of the program"):
        ds.deserialize(ds.serialize(found))


@pytest.mark.parametrize("name", PIPELINES)
def test_every_pipeline_of_the_laws_is_described(name: str) -> None:
    """Those without functions and data of the program are made again."""
    described = json.loads(json.dumps(ds.serialize(PIPELINES[name]())))
    if '"python"' not in json.dumps(described):
        made = ds.deserialize(described)
        assert ds.serialize(made) == described and made.get_col_names() == PIPELINES[name]().get_col_names()


def test_files_of_descriptions(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).skip(1)
    path = str(tmp_path / "pipeline.json")
    assert ds.serialize(data, path) == json.loads(Path(path).read_text()) and rows(
        ds.deserialize(json_filepath=path)
    ) == [[2], [3]]
    with caplog.at_level(logging.INFO, "sporax.dataset"):
        ds.show(data, None)
    assert json.loads(caplog.records[0].getMessage()) == ds.serialize(data)
    assert ds.deserialize() is None and ds.deserialize({}) is None


LEAF = {"op_type": "NumpySlicesDataset", "children": [], "data": [1]}
MAP = {"op_type": "Map", "children": [LEAF], "input_dataset": {"dataset": 0}}


@pytest.mark.parametrize(
    ("described", "message"),
    [
        ({"a": 1}, r"expected a dataset with op_type and children, got {'a': 1}"),
        ({"op_type": "Nope", "children": []}, "there is no dataset 'Nope'"),
        (MAP | {"operations": [{"object": "System"}]}, "there is no operation or sampler 'System'"),
        (MAP | {"operations": [{"member": "Inter.WORST"}]}, r"there is no Inter\.WORST"),
        (MAP | {"operations": [{"code": "x"}]}, r"MapDataset\(operations\) cannot be read: {'code': 'x'}"),
        (
            MAP | {"operations": [{"python": "f"}]},
            r"MapDataset\(operations\) was f, an object of the program, which cannot be read",
        ),
    ],
)
def test_descriptions_that_are_refused(described: dict, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        ds.deserialize(described)


def test_other_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ds.deserialize(json_filepath=str(tmp_path / "none.json"))
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(RuntimeError, match=r"deserialize: .*broken\.json is no JSON: Expecting property name"):
        ds.deserialize(json_filepath=str(tmp_path / "broken.json"))
    for call, name in ((ds.serialize, "dataset"), (ds.show, "dataset"), (lambda x: ds.compare(x, x), "pipeline1")):
        with pytest.raises(TypeError, match=f"{name} must be a dataset, got 3"):
            call(3)


def test_input_indexs() -> None:
    """As MindSpore: a value that is kept, and found from above."""
    data = ds.NumpySlicesDataset([1, 2])
    assert data.input_indexs == ()
    data.input_indexs = 10
    assert data.input_indexs == data.batch(2).input_indexs == 10
