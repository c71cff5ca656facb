"""TFRecord files as records: the rows of the tables, damage."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from data_tables import converters_of
from data_tables.converters import BETTER, TOLD, run

from sporax import mindrecord

TestConverters = converters_of("sporax._src.data.converters.tfrecord")


def test_what_mindspore_cannot_write(sources: Path) -> None:
    for call in BETTER:
        assert TOLD["calls"][call]["error"] == "RuntimeError"
    found = run(*BETTER)
    assert found["files"]["t_half"]["rows"] == [{"f": "True", "s": "x"}]
    Path("gaps.csv").write_text("count,ratio,empty\n1,0.5,\n,NA,\n3,2,\n")
    file = run("CsvToMR('gaps.csv', 'gaps', ['count', 'ratio', 'empty']).run()")["files"]["gaps"]
    assert {name: field["type"] for name, field in file["schema"].items()} == dict.fromkeys(
        ("count", "empty", "ratio"), "float64"
    )
    assert [[str(row[name]) for name in ("count", "ratio", "empty")] for row in file["rows"]] == [
        ["1.0", "0.5", "nan"], ["nan", "nan", "nan"], ["3.0", "2.0", "nan"],
    ]  # fmt: skip
    Path("both.csv").write_text("a,b\n1,0.5\n2,1\n")
    assert run("CsvToMR('both.csv', 'both').run()")["files"]["both"]["rows"] == [{"a": 1, "b": 0.5}, {"a": 2, "b": 1.0}]


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
    with pytest.raises(
        ValueError, match=r"row 0 of .*a.tfrecord: the feature 't' is not text; name it in bytes_fields"
    ):
        converter.run()
    record(path, b"\x0a\x7f")
    with pytest.raises(RuntimeError, match=r"TFRecordToMR: row 0 of .*a.tfrecord is damaged: it holds no tf"):
        mindrecord.TFRecordToMR(str(path), next(to_write), number).transform()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RuntimeError, match=r"TFRecordToMR: .*a.tfrecord is not a TFRecord file, or is cut short"):
        mindrecord.TFRecordToMR(str(path), next(to_write), number).transform()
    assert [name for name in os.listdir(tmp_path) if not name.startswith("a.")] == []
