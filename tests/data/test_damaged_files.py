"""Data files that others have made: damaged, forged, swollen. Each is refused by an error that names it."""

import gzip
import json
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import sporax.dataset as ds
from sporax.dataset import vision
from sporax.mindrecord import FileReader, FileWriter, MindPage

# --- MindRecord ---------------------------------------------------------------------------------------------------------

ROWS = [{"a": k, "text": f"row {k}", "data": b"x" * k, "v": np.arange(3) * k} for k in range(50)]
SCHEMA = {
    "a": {"type": "int64"},
    "text": {"type": "string"},
    "data": {"type": "bytes"},
    "v": {"type": "int64", "shape": [3]},
}


def written(path: Path) -> str:
    writer = FileWriter(str(path), overwrite=True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(SCHEMA)
    writer.write_raw_data(ROWS)
    writer.commit()
    return str(path)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return written(tmp_path / "a.mindrecord")


def read_all(path: str) -> list[Any]:
    return list(FileReader(path).get_next())


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
        (["UPDATE INDEXES SET PAGE_OFFSET_BLOB_END=1099511627776"], r"names places outside of the \d+ bytes"),
        (["UPDATE INDEXES SET PAGE_ID_RAW=9"], r"names places outside of the \d+ bytes"),
        (["UPDATE INDEXES SET PAGE_OFFSET_RAW=-1 WHERE ROW_ID=3"], r"names places outside of the \d+ bytes"),
        (["UPDATE INDEXES SET PAGE_OFFSET_RAW='a' WHERE ROW_ID=3"], "places that are no integers"),
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
        "are not among those of one value",
    ),
    "a type": (lambda b: b["schema"][0]["schema"]["a"].update(type="complex"), "illegal attribute"),
    "a shape": (lambda b: b["schema"][0]["schema"]["v"].update(shape=[1 << 70, "x"]), "illegal attribute"),
    "a name": (lambda b: b["schema"][0]["schema"].update({"a\x1b[31m": {"type": "int32"}}), "should be composed of"),
    "a size": (lambda b: b.update(page_size=-5), "a size or a number of a row is none"),
    "a page": (lambda b: b["page"][0].update(end_row_id="7"), "a size or a number of a row is none"),
    "no page": (lambda b: b.update(page=[3]), "not subscriptable"),
    "an address": (lambda b: b.update(shard_addresses=[7]), "a name is no text"),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_a_header_that_is_none_is_refused(path: str, kind: str) -> None:
    change, match = HEADERS[kind]
    header(path, change)
    with pytest.raises(RuntimeError, match=r"is no MindRecord file: its header cannot be read: .*") as error:
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
        (b"\x84", "index out of range"),
        (b"\xde\xff\xff" + b"\x01\x02" * 8, "index out of range"),
        (b"\x81\xa1b\x00", "it has the fields \\['b'\\]"),
        (b"\x81\x81\x81", "holds a map within its map"),
        (b"\xdb\xff\xff\xff\xff", "a text announces 4294967295 bytes"),
        (b"\x82\xa1a\xa1x\xa4text\xa1y", "field 'a' must be int64, got 'x'"),
        (b"\x82\xa1a\x01\xa4text\x02", "field 'text' must be string, got 2"),
        (b"\xc1", "unknown kind, 0xc1"),
    ],
)
def test_a_damaged_record_is_refused(path: str, content: bytes, match: str) -> None:
    raw = bytearray(Path(path).read_bytes())
    start = raw.index(b"\x82\xa1a\x00\xa4text")
    raw[start : start + len(content)] = content
    Path(path).write_bytes(raw)
    with pytest.raises(RuntimeError, match=r"a\.mindrecord is damaged, .*: record 0 cannot be read: .*" + match):
        read_all(path)


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
    assert len(read_all(written(tmp_path / "a?mode=rw#%20.mindrecord"))) == 50


def test_nothing_appears_before_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.mindrecord"
    old = read_all(written(path))
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
    written(tmp_path / "b.mindrecord")
    assert sorted(os.listdir(tmp_path)) == ["b.mindrecord", "b.mindrecord.db"]


# --- TFRecord -----------------------------------------------------------------------------------------------------------

MESSAGE = bytes([10, 12, 10, 10, 10, 1, 97, 18, 5, 26, 3, 10, 1, 7])  # {"a": [7]}


def framed(*messages: bytes) -> bytes:
    return b"".join(struct.pack("<QI", len(m), 0) + m + bytes(4) for m in messages)


PACKING: dict[str | None, Callable[[bytes], bytes]] = {None: bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}


def rows_of(path: Path, content: bytes, kind: str | None = None) -> list[Any]:
    path.write_bytes(content)
    dataset = ds.TFRecordDataset(str(path), compression_type=kind, shuffle=False)
    return [row[0].tolist() for row in dataset.create_tuple_iterator(output_numpy=True, num_epochs=1)]


@pytest.mark.parametrize("kind", PACKING)
@pytest.mark.parametrize(
    ("message", "match"),
    [
        (b"\xff", "it holds no tf.train.Example"),
        (b"\x0c\x01", "it holds no tf.train.Example"),
        (b"\x0a\x02\x08\x01", "it holds no tf.train.Example"),
        (b"\xff" * 20, "a number has more than ten bytes"),
        (b"\x0a\x7f\x01", "a field announces 127 bytes, and 1 are left"),
        (MESSAGE[:-1] + b"\x87", "a number has no end"),
        (MESSAGE.replace(b"a", b"\xff"), "can't decode byte 0xff"),
        (MESSAGE.replace(b"\x1a\x03", b"\x12\x03"), "buffer size must be a multiple of element size"),
        (b"\x0a\x0b\x0a\x09\x0a\x01a\x12\x04\x0a\x02\x08\x01", "it holds no tf.train.Example"),
    ],
)
def test_damaged_examples_are_refused(tmp_path: Path, kind: str | None, message: bytes, match: str) -> None:
    path = tmp_path / "x.tfrecord"
    assert rows_of(path, PACKING[kind](framed(MESSAGE, MESSAGE)), kind) == [[7], [7]]
    with pytest.raises(RuntimeError, match=r"row 0 of .*x\.tfrecord is damaged: .*" + match):
        rows_of(path, PACKING[kind](framed(message)), kind)
    with pytest.raises(RuntimeError, match=r"row 1 of .*x\.tfrecord is damaged: .*" + match):
        rows_of(path, PACKING[kind](framed(MESSAGE, message)), kind)


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_damaged_packing_is_refused(tmp_path: Path, kind: str) -> None:
    whole = PACKING[kind](framed(MESSAGE) * 100)
    for content in (whole[:-9], b"\0" * 30, whole[:20] + b"\xff" * 9 + whole[29:], whole[:-3] + b"abc"):
        with pytest.raises(RuntimeError, match=rf"x\.tfrecord is no {kind} file, or is damaged: "):
            rows_of(tmp_path / "x.tfrecord", content, kind)


@pytest.mark.parametrize("kind", PACKING)
@pytest.mark.parametrize("announced", [500 << 30, 65 << 20, 2**63])
def test_announced_sizes_take_no_memory(tmp_path: Path, kind: str | None, announced: int) -> None:
    content = PACKING[kind](struct.pack("<QI", announced, 0) + bytes(100))
    with pytest.raises(RuntimeError, match=r"x\.tfrecord is no TFRecord file, or is cut short"):
        rows_of(tmp_path / "x.tfrecord", content, kind)


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_packed_records_are_streamed(tmp_path: Path, kind: str) -> None:
    """A million zeros are no records, however small they are packed."""
    with pytest.raises(RuntimeError, match="is no TFRecord file"):
        rows_of(tmp_path / "x.tfrecord", PACKING[kind](bytes(10**6)), kind)
    many = PACKING[kind](framed(MESSAGE) * 50_000)
    assert len(rows_of(tmp_path / "x.tfrecord", many, kind)) == 50_000


def test_padding_has_a_bound(tmp_path: Path) -> None:
    def item(number: int, body: bytes) -> bytes:
        size, out = len(body), bytearray([number << 3 | 2])
        while size >= 0x80:
            out.append(size & 0x7F | 0x80)
            size >>= 7
        return bytes([*out, size]) + body

    values = item(1, item(1, bytes(1 << 20)) + item(1, b"") * 3000)
    message = item(1, item(1, item(1, b"a") + item(2, values)))
    with pytest.raises(RuntimeError, match=r"row 0 of .* does not fit: feature 'a' would need 3146776576 bytes"):
        rows_of(tmp_path / "x.tfrecord", framed(message))


# --- images, settings ---------------------------------------------------------------------------------------------------


def png(width: int, *chunks: tuple[bytes, bytes]) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, width, 8, 0, 0, 0, 0))
    parts = [chunk(*c) for c in chunks]
    return (
        b"\x89PNG\r\n\x1a\n" + head + b"".join(parts) + chunk(b"IDAT", zlib.compress(bytes(20))) + chunk(b"IEND", b"")
    )


IMAGES = {
    "a bomb": (png(60_000), "exceeds limit"),
    "a text": (png(4, (b"zTXt", b"a\0\0" + zlib.compress(bytes(10**8)))), "Decompressed data too large|text"),
    "cut": (png(4)[:44], "is truncated|Truncated|broken"),
    "a program": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "cannot identify"),
}


@pytest.mark.parametrize("kind", IMAGES)
def test_images_are_refused(tmp_path: Path, kind: str) -> None:
    content, match = IMAGES[kind]
    with pytest.raises(RuntimeError, match=rf"vision.Decode: the {len(content)} bytes are no image file: .*({match})"):
        vision.Decode()(np.frombuffer(content, np.uint8))
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(RuntimeError, match=rf"vision.read_image: .*x\.png holds no image: .*({match})"):
        vision.read_image(str(tmp_path / "x.png"))


SETTINGS = ["{", "[" * 100_000, "[]", "3", '{"columns": 3}', '{"columns": {"a": 3}}', '{"columns": [3]}', "\udcff"]
SETTINGS += [
    '{"columns": {"a": {"type": "x"}}}',
    '{"columns": {"a": {"type": "int32", "shape": 3}}}',
    '{"columns": []}',
]
SETTINGS += ['{"columns": [{"name": 3, "type": "int32"}]}', '{"columns": {"a": {"type": "int32", "shape": ["x"]}}}']


@pytest.mark.parametrize("text", SETTINGS)
def test_schemas_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ValueError, match=r"Schema: .*s\.json is no schema: "):
        ds.Schema(str(tmp_path / "s.json"))


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, "[]", "\udcff", '{"seed": "x"}', '{"prefetch_size": []}', '{"x": 1}']
)
def test_settings_are_refused(tmp_path: Path, text: str) -> None:
    before = ds.config.get_seed(), ds.config.get_prefetch_size()
    (tmp_path / "c.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ValueError, match=r"dataset.config.load: .*c\.json "):
        ds.config.load(str(tmp_path / "c.json"))
    assert (ds.config.get_seed(), ds.config.get_prefetch_size()) == before


# --- JSON ---------------------------------------------------------------------------------------------------------------

JSONS: dict[str, tuple[Callable[[str], ds.Dataset], str]] = {
    "all.json": (
        lambda folder: ds.CocoDataset(folder, f"{folder}/all.json"),
        "CocoDataset: .*all.json lacks something",
    ),
    "all.manifest": (
        lambda folder: ds.ManifestDataset(f"{folder}/all.manifest"),
        "ManifestDataset: line 0 of .*all.manifest: ",
    ),
    "dev-v1.1.json": (
        lambda folder: ds.SQuADDataset(folder, "dev"),
        "SQuADDataset: .*dev-v1.1.json holds no questions: ",
    ),
    "dev.json": (
        lambda folder: ds.CLUEDataset(f"{folder}/dev.json", "AFQMC", "eval"),
        "CLUEDataset: line 0 of .*dev.json is no row of AFQMC: ",
    ),
    "gtFine/train/a/a_1_gtFine_polygons.json": (
        lambda folder: ds.CityscapesDataset(folder, "train", "fine", "polygon", shuffle=False),
        "CityscapesDataset: .*polygons.json holds no polygons: ",
    ),
}
CONTENTS = {"deep": (b"[" * 100_000, "nested too deep"), "none": (b"{", "Expecting"), "no text": (b"{\xff}", "")}


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("name", JSONS)
def test_json_that_cannot_be_read_is_told(name: str, kind: str, tmp_path: Path) -> None:
    make, match = JSONS[name]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(CONTENTS[kind][0])
    picture = tmp_path / "leftImg8bit/train/a/a_1_leftImg8bit.png"
    picture.parent.mkdir(parents=True)
    Image.new("RGB", (2, 2)).save(picture)
    with pytest.raises(RuntimeError, match=match) as error:
        next(make(str(tmp_path)).create_tuple_iterator(output_numpy=True))
    assert error.match(CONTENTS[kind][1]) and len(str(error.value)) < 1000


# --- text ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"1\n\xff\n", r"x\.csv is no text in UTF-8: .*invalid start byte"),
        (b"1\n99999999999\n", r"row 1 of .*x\.csv: .*out of bounds"),
        (b"1\n" + b"[" * 5000, r"row 1 of .*x\.csv: invalid literal"),
        (b"1\n" + b"1" * 200_000, r"x\.csv is no table: field larger than field limit"),
        (b"1\n2,3\n", r"row 1 of .*x\.csv has 2 values; expected 1"),
    ],
)
def test_tables_that_are_none(content: bytes, match: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    rows = ds.CSVDataset(str(tmp_path / "x.csv"), column_defaults=[1], column_names=["a"], shuffle=False)
    with pytest.raises(RuntimeError, match="CSVDataset: .*" + match) as error:
        list(rows.create_tuple_iterator(output_numpy=True, num_epochs=1))
    assert len(str(error.value)) < 1000


def test_lists_of_pictures_that_are_none(tmp_path: Path) -> None:
    for name in ("Annotation", "Flickr"):
        (tmp_path / name).write_bytes(b"\xff")
    with pytest.raises(RuntimeError, match=r"FlickrDataset: .*Annotation is no text in UTF-8"):
        ds.FlickrDataset(str(tmp_path), str(tmp_path / "Annotation")).get_dataset_size()
    told = {"images": [{"id": 1, "file_name": "\0\x1b"}], "categories": [{"id": 3, "name": "a"}]}
    told["annotations"] = [{"id": 1, "image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 4]}]
    (tmp_path / "all.json").write_text(json.dumps(told))
    rows = ds.CocoDataset(str(tmp_path), str(tmp_path / "all.json"))
    with pytest.raises(RuntimeError, match=r"CocoDataset: .*\\x00\\x1b cannot be read: embedded null byte"):
        next(rows.create_tuple_iterator(output_numpy=True))
