"""Public data sets as files of records: what MindSpore makes of the same files, and every error's text."""

import gzip
import importlib
import io
import json
import os
import pickle
import shutil
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sporax import mindrecord
from sporax._src.compat import finder
from sporax._src.data.converters.cifar import Cifar10, Cifar100
from sporax.mindrecord import FileReader, MindPage

FOLDER = Path(__file__).parents[1] / "goldens" / "converters"
TOLD = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
FEATURES = {
    "name": ([], "string"), "image/data": ([], "string"), "n": ([], "int64"), "x": ([], "float32"), "v": ([3], "int64"),
    "w": ([2], "float32"),
}  # fmt: skip
# MindSpore fails where a table of numbers alone has both whole ones and others, or a text beside a bool that is missing:
# its rows become one kind of number before they meet the schema.
BETTER: set[str] = set()


def features(**more: Any) -> dict[str, Any]:
    names = ("shape", "dtype", "default_value")
    entries = {**FEATURES, **more}
    return {name: SimpleNamespace(**dict(zip(names, entry, strict=False))) for name, entry in entries.items()}


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.name, "is": value.tolist()}
    return value


def contents(path: str) -> dict[str, Any]:
    reader = FileReader([path])
    rows = [{k: plain(v) for k, v in row.items()} for row in reader.get_next()]
    return {"schema": reader.schema(), "rows": rows, "index": MindPage([path]).candidate_fields}


def run(call: str) -> dict[str, Any]:
    before = {*os.listdir(".")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        status = eval(call, {**vars(mindrecord), "features": features})
    files = sorted({*os.listdir(".")} - before)
    return {"returns": status, "files": {name: contents(name) for name in files if not name.endswith(".db")}}


def pixels(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the pixels of its picture for its bytes, which depend on the version of the encoder."""
    if "data" not in row:
        return row
    return {**row, "data": np.array(Image.open(io.BytesIO(bytes.fromhex(row["data"])))).tolist()}


def compared(found: dict[str, Any]) -> dict[str, Any]:
    files = {
        name: {**file, "rows": [pixels(row) for row in file["rows"]], "index": sorted(file["index"])}
        for name, file in found["files"].items()
    }
    return {**found, "files": files}


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in FOLDER.iterdir():
        if path.is_dir():
            shutil.copytree(path, tmp_path / path.name)
        elif path.suffix != ".json":
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("call", [call for call, told in TOLD["calls"].items() if "error" not in told])
def test_files_are_mindspores(call: str, sources: Path) -> None:
    assert repr(compared(run(call))) == repr(compared(TOLD["calls"][call]))


ERRORS: dict[str, str] = {}


@pytest.mark.parametrize("call", [call for call, told in TOLD["calls"].items() if "error" in told])
def test_errors_are_mindspores(call: str, sources: Path) -> None:
    before = sorted(os.listdir("."))
    with pytest.raises(Exception) as caught:
        run(call)
    assert (call, f"{caught.type.__name__}: {caught.value}") == (call, ERRORS[call])
    assert TOLD["calls"][call]["error"] in [kind.__name__ for kind in caught.type.__mro__] or call in OTHER_ERRORS
    assert sorted(os.listdir(".")) == before


OTHER_ERRORS: set[str] = set()
READS = {"Cifar10": Cifar10, "Cifar100": Cifar100}


@pytest.mark.parametrize("call", TOLD["reads"])
def test_arrays_are_mindspores(call: str, sources: Path) -> None:
    loader: Any = eval(call, READS)
    found = loader.load_data()
    told = TOLD["reads"][call]
    assert [
        {
            "dtype": a.dtype.name,
            "shape": list(a.shape),
            "sum": float(a.sum()),
            "labels": a.tolist() if a.ndim == 2 else None,
        }
        for a in found
    ] == told
    assert loader.images is found[0] and loader.Test.images is found[len(found) // 2]


def test_many_pictures_go_to_the_files_of_a_set_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "many" / "n01"
    folder.mkdir(parents=True)
    for k in range(522):
        (folder / f"{k:04d}.jpg").write_bytes(b"x")
    (tmp_path / "map.txt").write_text("n01 0\n")
    mindrecord.ImageNetToMR("map.txt", "many", "spread", 4).transform()
    files = [
        [os.path.basename(row["file_name"])[:4] for row in FileReader([f"spread{k}"]).get_next()] for k in range(4)
    ]
    assert files == TOLD["spread"]


def test_status() -> None:
    assert TOLD["status"] == {"SUCCESS": mindrecord.SUCCESS, "FAILED": mindrecord.FAILED}


def test_paths_of_mindspore() -> None:
    for path, name in (("cifar10", "Cifar10"), ("cifar100", "Cifar100"), ("cifar10_to_mr", "Cifar10ToMR")):
        assert hasattr(importlib.import_module(f"sporax.mindrecord.tools.{path}"), name)
    assert "mindrecord.tools.tfrecord_to_mr" in finder.PATHS


# --- what is left out, and what is damaged ----------------------------------------------------------------------------


def test_pictures_left_out_are_named(sources: Path) -> None:
    converter = mindrecord.ImageNetToMR("imagenet/map.txt", "imagenet", "i")
    with pytest.warns(UserWarning) as told:
        converter.transform()
    texts = [str(item.message) for item in told]
    assert texts == [
        "ImageNetToMR: there is no folder imagenet/n03; class 2 is left out.",
        "ImageNetToMR: imagenet/n01/c.png is left out: it is no JPEG or jpg file, or empty.",
        "ImageNetToMR: imagenet/n02/empty.JPEG is left out: it is no JPEG or jpg file, or empty.",
    ]
    Path("imagenet/map.txt").write_text("n01 three\n")
    converter = mindrecord.ImageNetToMR("imagenet/map.txt", "imagenet", "j")
    with pytest.raises(ValueError, match=r"line 1 of imagenet/map.txt must be a folder and a label, got 'n01 three'"):
        converter.run()


def test_rows_of_a_table_without_a_text_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,x\n2,\n3,z\n")
    with pytest.warns(UserWarning, match="record 1 is left out: field 'b' must be string, got None"):
        mindrecord.CsvToMR(str(path), str(tmp_path / "a")).transform()
    assert [row["a"] for row in FileReader(str(tmp_path / "a")).get_next()] == [1, 3]


def test_damaged_pickles(sources: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return os.system, ("touch evil",)

    path = Path("cifar10/test_batch")
    raw = path.read_bytes()
    cases: dict[bytes, str] = {
        pickle.dumps(Evil()): "it names posix.system, which no data set needs",
        pickle.dumps(
            {b"data": np.zeros((1, 3072), np.uint8), b"labels": [1, 2]}
        ): "it has 1 images and labels of shape",
        pickle.dumps({b"data": np.zeros((1, 5), np.uint8), b"labels": [1]}): "cannot reshape",
        pickle.dumps({"data": 1}): "b'data'",
        raw[:1000]: "is no file of the data set",
        b"": "is no file of the data set",
    }
    for content, text in cases.items():
        path.write_bytes(content)
        with pytest.raises(
            RuntimeError, match=rf"Cifar10: cifar10/test_batch is no file of the data set: .*{text}|{text}"
        ):
            Cifar10("cifar10").load_data()
    path.write_bytes(pickle.dumps({b"data": np.zeros((1, 3072), np.uint8), b"labels": [10]}))
    with pytest.raises(RuntimeError, match=r"Cifar10: labels must be in \[0, 10\), got 10 to 10"):
        Cifar10("cifar10").load_data()
    assert not Path("evil").exists()
    for kind in (Cifar10, Cifar100):
        with pytest.raises(ValueError, match=f"{kind.__name__}: one_hot must be a bool, got 1"):
            kind("cifar10", 1)  # type: ignore[arg-type]


def test_damaged_digits(sources: Path) -> None:
    labels = Path("mnist/t10k-labels-idx1-ubyte.gz")
    labels.write_bytes(gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 1, 5])))
    with pytest.raises(
        RuntimeError, match=r"MnistToMR: .*t10k-images-idx3-ubyte.gz has 2 images, and there are 1 labels"
    ):
        mindrecord.MnistToMR("mnist", "m").run()
    labels.write_bytes(gzip.compress(bytes([0, 0, 8, 3])))
    with pytest.raises(RuntimeError, match="expected an IDX file of 1 axes"):
        mindrecord.MnistToMR("mnist", "n").run()


def record(path: Path, message: bytes) -> None:
    path.write_bytes(len(message).to_bytes(8, "little") + bytes(4) + message + bytes(4))


def test_damaged_records(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    to_write = iter(str(tmp_path / f"{k}.mindrecord") for k in range(9))
    entry = b"\n\x01a\x12\x05\x1a\x03\n\x01\x07"
    record(path, b"\n" + bytes([len(entry) + 2]) + b"\n" + bytes([len(entry)]) + entry)  # {"a": [7]}
    number = {"a": SimpleNamespace(shape=None, dtype=np.dtype("int64"))}
    converter = mindrecord.TFRecordToMR(str(path), next(to_write), number)
    assert list(converter.tfrecord_iterator()) == [{"a": 7}]
    default = {**number, "t": SimpleNamespace(shape=(), dtype="string", default_value="x")}
    default["w"] = SimpleNamespace(shape=(2,), dtype=np.float32, default_value=0.5)
    (row,) = mindrecord.TFRecordToMR(str(path), next(to_write), default).tfrecord_iterator()
    assert row["t"] == "x" and row["w"].tolist() == [0.5, 0.5] and row["w"].dtype == np.float32
    text = b"\n\x01t\x12\x05\n\x03\n\x01\xff"
    record(path, b"\n" + bytes([len(text) + 2]) + b"\n" + bytes([len(text)]) + text)  # {"t": [b"\xff"]}
    converter = mindrecord.TFRecordToMR(str(path), next(to_write), {"t": default["t"]})
    with pytest.raises(ValueError, match=r"row 0 of .*a.tfrecord: the feature 't' is no text; name it in bytes_fields"):
        converter.run()
    record(path, b"\x0a\x7f")
    with pytest.raises(
        RuntimeError, match=r"TFRecordToMR: row 0 of .*a.tfrecord is damaged: a field announces 127 bytes"
    ):
        mindrecord.TFRecordToMR(str(path), next(to_write), number).transform()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RuntimeError, match=r"TFRecordToMR: .*a.tfrecord is no TFRecord file, or is cut short"):
        mindrecord.TFRecordToMR(str(path), next(to_write), number).transform()
    assert [name for name in os.listdir(tmp_path) if not name.startswith("a.")] == []
