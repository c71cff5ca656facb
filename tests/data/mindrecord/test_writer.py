"""Writing MindRecord: what MindSpore reads, appending, errors, and files that appear whole."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damaged_records import fifty_records, read_all
from mind_records import ANSWERS, FOLDER, ONE, SCHEMA, described, written

from sporax import mindrecord
from sporax.mindrecord import FileReader, FileWriter


def test_nothing_appears_before_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.mindrecord"
    old = read_all(fifty_records(path))
    writer = FileWriter(str(path), overwrite=True)
    writer.add_schema({"b": {"type": "int32"}})
    writer.write_raw_data([{"b": 1}])
    assert str(read_all(str(path))) == str(old)
    writer.commit()
    assert read_all(str(path)) == [{"b": 1}]
    left = FileWriter(str(tmp_path / "b.mindrecord"))
    left.add_schema({"b": {"type": "int32"}})
    left.write_raw_data([{"b": 1}])
    del left
    assert sorted(os.listdir(tmp_path)) == ["a.mindrecord", "a.mindrecord.db"]


WRITER = """
import sys
from sporax.mindrecord import FileWriter
writer = FileWriter(sys.argv[1])
writer.add_schema({"a": {"type": "int32"}})
print("ready", flush=True)
while True:
    writer.write_raw_data([{"a": k} for k in range(100)])
"""


def test_a_killed_writer_leaves_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "a.mindrecord")
    with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 60
        while not any(tmp_path.glob("*/a.mindrecord")) and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
    assert len(os.listdir(tmp_path)) == 1 and not os.path.exists(path)
    fifty_records(tmp_path / "b.mindrecord")
    assert sorted(os.listdir(tmp_path)) == ["b.mindrecord", "b.mindrecord.db"]


def test_mindspore_reads_ours() -> None:
    """`sporax.mindrecord` was written here; MindSpore read the same from it as from its own, and its pages are the same."""
    assert (
        ANSWERS["of_sporax"]
        == ANSWERS["records"]
        == described(FileReader(str(FOLDER / "sporax.mindrecord")).get_next())
    )
    pages = [(FOLDER / f"{name}.mindrecord").read_bytes()[1 << 14 :] for name in ("one", "sporax")]
    assert pages[0] == pages[1]


def test_what_is_written_now_is_what_mindspore_read(tmp_path: Path) -> None:
    rows = list(FileReader(ONE).get_next())
    path = written(tmp_path, rows, SCHEMA, index=["id", "name"])
    assert Path(path).read_bytes()[1 << 14 :] == (FOLDER / "sporax.mindrecord").read_bytes()[1 << 14 :]
    tables = [sqlite3.connect(f"{p}.db").execute("SELECT * FROM INDEXES").fetchall() for p in (path, ONE)]
    assert tables[0] == tables[1]


def test_appending(tmp_path: Path) -> None:
    path = written(tmp_path, [{"a": 1}, {"a": 2}])
    writer = FileWriter.open_for_append(path)
    writer.write_raw_data([{"a": 3}])
    writer.commit()
    assert [row["a"] for row in FileReader(path).get_next()] == [1, 2, 3]
    copied = tmp_path / "copy.mindrecord"
    shutil.copy(ONE, copied)
    shutil.copy(f"{ONE}.db", f"{copied}.db")
    writer = FileWriter.open_for_append(str(copied))
    writer.write_raw_data(list(FileReader(ONE).get_next())[:2])
    writer.commit()
    assert described(FileReader(str(copied)).get_next()) == ANSWERS["records"] + ANSWERS["records"][:2]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({}, "Schema content should be a dict with fields"),
        ({"a b": {"type": "int32"}}, "Field 'a b' should be composed of"),
        ({"a": {"type": "int16"}}, "Field 'a' contain illegal attribute 'int16'"),
        ({"a": {"tpe": "int32"}}, "Field 'a' should be a dict with type and perhaps shape"),
        ({"a": {"type": "string", "shape": [2]}}, "Field 'a' contain illegal attribute 'string'"),
        ({"a": {"type": "int32", "shape": 2}}, "Field 'a' contain illegal attribute '2'"),
    ],
)
def test_bad_schemas(tmp_path: Path, schema: Any, text: str) -> None:
    with pytest.raises(mindrecord.MRMInvalidSchemaError, match=text):
        FileWriter(str(tmp_path / "a")).add_schema(schema)


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ({"type": "int32"}, "x", "field 'a' must be int32, got 'x'"),
        ({"type": "int32"}, True, "field 'a' must be int32, got True"),
        ({"type": "float64"}, 1, "field 'a' must be float64, got 1"),
        ({"type": "bytes"}, "x", "field 'a' must be bytes, got 'x'"),
        ({"type": "int32", "shape": [-1]}, [1], r"field 'a' must be an array of int32, got \[1\]"),
        ({"type": "int32", "shape": [2]}, np.arange(3, dtype=np.int32), r"field 'a' must have shape \[2\], got \[3\]"),
    ],
)
def test_rows_that_do_not_fit_are_left_out(tmp_path: Path, field: Any, value: Any, text: str) -> None:
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema({"a": field})
    with (
        pytest.warns(UserWarning, match=f"record 0 is left out: {text}"),
        pytest.raises(RuntimeError, match="no valid data"),
    ):
        writer.write_raw_data([{"a": value}])
    with pytest.warns(UserWarning, match="record 0 is left out: there is no field 'a'"), pytest.raises(RuntimeError):
        writer.write_raw_data([{"b": value}])


def test_errors_of_writing(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    for args, text in (
        ((3,), "file_name must be a path"),
        ((path, 0), "shard_num must be an int"),
        ((path, 1, 2), "overwrite"),
    ):
        with pytest.raises(mindrecord.ParamValueError, match=text):
            FileWriter(*args)
    writer = FileWriter(path)
    with pytest.raises(RuntimeError, match="call add_schema before write_raw_data"):
        writer.write_raw_data([{"a": 1}])
    for size in (5, 1 << 14 | 1, 1 << 30):
        with pytest.raises(RuntimeError, match=r"header_size must be a power of two of \[16384, 134217728\]"):
            writer.set_header_size(size)
    writer.set_page_size(1 << 15)
    writer.add_schema({"a": {"type": "bytes"}})
    with pytest.raises(mindrecord.MRMAddSchemaError, match="has the fields"):
        writer.add_schema({"a": {"type": "bytes"}})
    with pytest.raises(mindrecord.ParamTypeError, match="'index_fields' expect a list of str, got 'a'"):
        writer.add_index("a")
    for name in ("a", "b"):
        with pytest.raises(mindrecord.MRMDefineIndexError, match=f"Failed to set field {name} since"):
            writer.add_index([name])
    with pytest.raises(mindrecord.ParamTypeError, match="'raw_data' expect list of dict, got 3"):
        writer.write_raw_data(3)
    with pytest.raises(TypeError, match="`parallel_writer` must be bool"):
        writer.write_raw_data([], 3)
    with pytest.raises(RuntimeError, match="`parallel_writer` must be consistent during use"):
        writer.write_raw_data([{"a": b"x"}], True)
    with pytest.raises(RuntimeError, match="larger than a page of 32768"):
        writer.write_raw_data([{"a": b"x" * 40000}])
    writer.write_raw_data([{"a": b"x"}])
    writer.commit()
    with pytest.raises(RuntimeError, match="on flushed MindRecord files"):
        writer.write_raw_data([{"a": b"x"}])
    again = FileWriter(path)
    again.add_schema({"a": {"type": "bytes"}})
    with pytest.raises(RuntimeError, match="exists already; remove it, or pass overwrite=True"):
        again.write_raw_data([{"a": b"x"}])
    wide = FileWriter(str(tmp_path / "wide"))
    wide.set_header_size(1 << 14)
    wide.add_schema({f"field_{k:050d}": {"type": "int32"} for k in range(200)})
    wide.write_raw_data([dict.fromkeys([f"field_{k:050d}" for k in range(200)], 1)])
    with pytest.raises(RuntimeError, match=r"the header needs .* but header_size is 16384"):
        wide.commit()
