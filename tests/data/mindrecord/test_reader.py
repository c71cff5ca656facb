"""Reading MindRecord: MindSpore's files and pages, and files that are damaged, forged or swollen."""

import json
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damaged_records import fifty_records, read_all
from mind_records import ANSWERS, ONE, SCHEMA, described, plain, written

from sporax import mindrecord
from sporax._src.data.mindrecord.layout import decode_raw
from sporax._src.data.mindrecord.packing import pack
from sporax.mindrecord import FileReader, FileWriter, MindPage


def index(path: str, *commands: str) -> None:
    connection = sqlite3.connect(f"{path}.db")
    with connection:
        for command in commands:
            connection.execute(command)
    connection.close()


def header(path: str, change: Callable[[dict[str, Any]], Any]) -> None:
    raw = Path(path).read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    body = json.loads(raw[8 : 8 + size])
    change(body)
    text = json.dumps(body).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text.ljust((1 << 14) - 8) + raw[1 << 14 :])


@pytest.mark.parametrize(
    ("commands", "match"),
    [
        (["DELETE FROM INDEXES WHERE ROW_ID >= 30"], "its header counts 50 records, and its index has 30"),
        (
            ["INSERT INTO INDEXES SELECT ROW_ID+50,PAGE_ID_RAW,0,9,0,0,0,9,0,0,0,0 FROM INDEXES"],
            "counts 50 records, and its index has more",
        ),
        (["UPDATE INDEXES SET PAGE_OFFSET_BLOB_END=1099511627776"], r"names positions outside of the \d+ bytes"),
        (["UPDATE INDEXES SET PAGE_ID_RAW=9"], r"names positions outside of the \d+ bytes"),
        (["UPDATE INDEXES SET PAGE_OFFSET_RAW=-1 WHERE ROW_ID=3"], r"names positions outside of the \d+ bytes"),
        (["UPDATE INDEXES SET PAGE_OFFSET_RAW='a' WHERE ROW_ID=3"], "positions that are not integers"),
        (["DROP TABLE INDEXES"], "its index has no table INDEXES"),
        (
            [
                "DROP TABLE INDEXES",
                "CREATE VIEW INDEXES AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c",
            ],
            "its index has no table INDEXES",
        ),
    ],
)
def test_an_index_that_does_not_fit_is_refused(path: str, commands: list[str], match: str) -> None:
    index(path, *commands)
    with pytest.raises(RuntimeError, match=r"a\.mindrecord is damaged, or its index belongs to another: .*" + match):
        FileReader(path)


HEADERS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "names that are SQL": (
        lambda b: b["index_fields"].append({"index_field": "sqlite_version(), 7 --"}),
        "are not all fields of one value",
    ),
    "a type": (lambda b: b["schema"][0]["schema"]["a"].update(type="complex"), "illegal attribute"),
    "a shape": (lambda b: b["schema"][0]["schema"]["v"].update(shape=[1 << 70, "x"]), "illegal attribute"),
    "a name": (lambda b: b["schema"][0]["schema"].update({"a\x1b[31m": {"type": "int32"}}), "should be composed of"),
    "a size": (lambda b: b.update(page_size=-5), "a size or a row number is not valid"),
    "a page": (lambda b: b["page"][0].update(end_row_id="7"), "a size or a row number is not valid"),
    "no page": (lambda b: b.update(page=[3]), "not subscriptable"),
    "an address": (lambda b: b.update(shard_addresses=[7]), "a name is not text"),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_a_header_that_is_none_is_refused(path: str, kind: str) -> None:
    change, match = HEADERS[kind]
    header(path, change)
    with pytest.raises(RuntimeError, match=r"is not a MindRecord file: its header cannot be read: .*") as error:
        MindPage(path)
    assert error.match(match)
    assert "\x1b" not in str(error.value)


def test_deep_json_is_refused(path: str) -> None:
    Path(path).write_bytes(struct.pack("<Q", 100_000) + b"[" * 100_000)
    with pytest.raises(RuntimeError, match="its JSON is nested too deep"):
        FileReader(path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"\x84", "incomplete input"),
        (b"\xde\xff\xff" + b"\x01\x02" * 8, "65535 exceeds max_map_len"),
        (b"\x81\xa1b\x00", "extra data"),
        (b"\x81\x81\x81", "int is not allowed for map key"),
        (b"\xdb\xff\xff\xff\xff", "incomplete input"),
        (b"\xc1", "FormatError"),
    ],
)
def test_a_damaged_record_is_refused(path: str, content: bytes, match: str) -> None:
    raw = bytearray(Path(path).read_bytes())
    start = raw.index(b"\x82\xa1a\x00\xa4text")
    raw[start : start + len(content)] = content
    Path(path).write_bytes(raw)
    with pytest.raises(RuntimeError, match=r"a\.mindrecord is damaged, .*: record 0 cannot be read: .*" + match):
        read_all(path)


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"b": 0}, r"it has the fields \['b'\]"),
        ({"a": "x", "text": "y"}, "field 'a' must be int64, got 'x'"),
        ({"a": 1, "text": 2}, "field 'text' must be string, got 2"),
        ({"a": {"b": 1}, "text": "y"}, "a record holds a map within its map"),
    ],
)
def test_fields_of_another_schema_are_refused(fields: dict[str, Any], match: str) -> None:
    schema = {"a": {"type": "int64"}, "text": {"type": "string"}}
    with pytest.raises((ValueError, RuntimeError), match=match):
        decode_raw(schema, bytes(8) + pack(fields))


def test_damaged_integers_are_refused(path: str) -> None:
    raw = bytearray(Path(path).read_bytes())
    start = raw.index(struct.pack(">I", 3) + b"\0\0\1\2")
    for count, match in ((4, r"buffer|4 integers need|reshape"), (0xFFFFFFFF, "buffer is smaller")):
        raw[start : start + 4] = struct.pack(">I", count)
        Path(path).write_bytes(raw)
        with pytest.raises(RuntimeError, match=f"record 1 cannot be read: .*({match})"):
            read_all(path)


def test_the_index_is_only_read(path: str) -> None:
    os.chmod(f"{path}.db", 0o400)
    before = sorted(os.listdir(os.path.dirname(path))), Path(f"{path}.db").read_bytes()
    pages = MindPage(path)
    pages.category_field = "text"
    assert len(pages.read_at_page_by_name("row 3", 0, 5)) == 1
    assert (sorted(os.listdir(os.path.dirname(path))), Path(f"{path}.db").read_bytes()) == before


def test_names_with_marks_of_addresses(tmp_path: Path) -> None:
    assert len(read_all(fifty_records(tmp_path / "a?mode=rw#%20.mindrecord"))) == 50


def test_records_of_mindspores_file() -> None:
    reader = FileReader(ONE)
    assert reader.len() == 6 and reader.schema() == SCHEMA
    assert described(reader.get_next()) == ANSWERS["records"]
    assert list(next(reader.get_next())) == ["id", "long", "name", "score", "big", "counts", "image"]  # as MindSpore
    some = FileReader(ONE, columns=["name", "big"])
    assert [list(row) for row in some.get_next()] == [["name", "big"]] * 6
    some.close()
    assert len(list(some.get_next())) == 6


def test_pages_of_mindspores_file() -> None:
    pages = MindPage(ONE)
    assert pages.candidate_fields == ["id", "name"] and pages.category_field is None
    pages.category_field = "id"
    assert json.loads(pages.read_category_info()) == json.loads(ANSWERS["categories"])
    assert pages.read_at_page_by_name("-1", 0, 2)[0]["score"] == pytest.approx(1 / 3)
    assert pages.read_at_page_by_id(0, 0, 2)[0]["id"] == -1
    assert pages.read_at_page_by_id(0, 1, 2) == []


@pytest.mark.parametrize("shards", [1, 3])
def test_many_pages(tmp_path: Path, shards: int) -> None:
    rng = np.random.default_rng(0)
    rows = [
        {
            "a": k,
            "t": "x" * int(rng.integers(0, 3000)),
            "b": rng.bytes(int(rng.integers(9000))),
            "v": rng.integers(-9, 9, (k, 2)),
        }
        for k in range(1, 60)
    ]
    schema = {
        "a": {"type": "int32"},
        "t": {"type": "string"},
        "b": {"type": "bytes"},
        "v": {"type": "int64", "shape": [-1, 2]},
    }
    path = written(tmp_path, rows, schema, shards)
    first = path if shards == 1 else f"{path}0"
    found = sorted(FileReader(first).get_next(), key=lambda row: row["a"])
    assert described(found) == [{name: plain(row[name]) for name in ("a", "t", "b", "v")} for row in rows]
    if shards > 1:
        sizes = [FileReader([f"{path}{k}"]).len() for k in range(shards)]
        assert sum(sizes) == 59 and max(sizes) - min(sizes) <= 1


def test_a_file_of_another_set_is_told(tmp_path: Path) -> None:
    """As of three files that were overwritten by two."""
    path = written(tmp_path, [{"a": k} for k in range(6)], shards=3)
    writer = FileWriter(path, 2, overwrite=True)
    writer.add_schema({"a": {"type": "int32"}})
    writer.write_raw_data([{"a": 7}, {"a": 8}])
    writer.commit()
    assert [row["a"] for row in FileReader(f"{path}0").get_next()] == [7, 8]
    with pytest.raises(RuntimeError, match=r"data.mindrecord0 is of another set than .*mindrecord2, .* as file 0 of 3"):
        FileReader(f"{path}2")


def test_a_file_that_is_replaced_before_its_records_are_read_is_told(tmp_path: Path) -> None:
    reader = FileReader(written(tmp_path, [{"a": 1}]))
    Path(tmp_path, "data.mindrecord").unlink()
    Path(tmp_path, "data.mindrecord.db").unlink()
    written(tmp_path, [{"a": 2}])
    with pytest.raises(RuntimeError, match=r"data.mindrecord was replaced while it was read; open it again"):
        list(reader.get_next())


def test_errors_of_reading(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="does not exist"):
        FileReader(str(tmp_path / "nope"))
    with pytest.raises(mindrecord.ParamTypeError, match="'file_name' expect str or list of str, got 3"):
        FileReader(3)
    with pytest.raises(RuntimeError, match="the list of files is empty"):
        FileReader([])
    with pytest.raises(RuntimeError, match="there is no column 'x'"):
        FileReader(ONE, columns=["x"])
    with pytest.raises(mindrecord.ParamTypeError, match="'columns' expect list of str, got 'id'"):
        FileReader(ONE, columns="id")
    broken = tmp_path / "broken"
    broken.write_bytes(b"hello world")
    Path(f"{broken}.db").write_bytes(b"hello world, this is no database at all")
    with pytest.raises(RuntimeError, match="is not a MindRecord file"):
        FileReader(str(broken))
    shutil.copy(ONE, broken)
    with pytest.raises(RuntimeError, match="is not an index of a MindRecord file"):
        FileReader(str(broken))
    other = written(tmp_path, [{"a": 1}])
    with pytest.raises(RuntimeError, match="has another schema than"):
        FileReader([ONE, other])
    pages = MindPage(ONE)
    with pytest.raises(RuntimeError, match="set category_field first"):
        pages.read_category_info()
    with pytest.raises(mindrecord.MRMDefineCategoryError, match="Field 'score' is not a candidate category field"):
        pages.category_field = "score"
    with pytest.raises(mindrecord.ParamTypeError, match="'category_fields' expect str type, got 3"):
        pages.category_field = 3
    pages.category_field = "id"
    with pytest.raises(mindrecord.ParamValueError, match="page should be int and at least 0, got -1"):
        pages.read_at_page_by_id(0, -1, 1)
    with pytest.raises(mindrecord.ParamValueError, match="category_name must be a str"):
        pages.read_at_page_by_name(3, 0, 1)
    with pytest.raises(RuntimeError, match="there is no category 9; there are 6"):
        pages.read_at_page_by_id(9, 0, 1)
    with pytest.raises(RuntimeError, match="no record has id = '77'"):
        pages.read_at_page_by_name("77", 0, 1)
