"""TFRecord files: features, shares, shuffles, positions, damage."""

import gzip
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tf_records import column, records, row

import sporax.dataset as ds


def test_features(files: list[str]) -> None:
    data = ds.TFRecordDataset(files, shuffle=False)
    assert data.get_col_names() == ["b", "f", "i", "s"] and data.get_dataset_size() == 8
    first = next(iter(data.create_dict_iterator(1, output_numpy=True)))
    # several byte strings are padded with blanks and put together, as MindSpore does
    assert {k: (v.dtype.name, v.tolist()) for k, v in first.items()} == {
        "b": ("uint8", [0, 255, 120, 32]), "f": ("float32", [0.0]), "i": ("int64", [0, 0, 2**40]), "s": ("uint8", [116, 48]),
    }  # fmt: skip
    assert column(data, "i")[-1] == [12, -12, 2**40 + 12]
    assert column(ds.TFRecordDataset(files[0], columns_list=["i", "f"], shuffle=False), "f")[-1] == [2.0]


@pytest.mark.parametrize(("kind", "packed"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_compressed_records(tmp_path: Path, kind: str, packed: Any) -> None:
    path = tmp_path / "c.tfrecord"
    path.write_bytes(packed(records([row(1), row(2)])))
    assert column(ds.TFRecordDataset(str(path), shuffle=False, compression_type=kind), "f") == [[0.5], [1.0]]


def test_shares_of_files_and_rows(files: list[str]) -> None:
    shares = [column(ds.TFRecordDataset(files, shuffle=False, num_shards=2, shard_id=k), "f") for k in range(2)]
    assert [len(share) for share in shares] == [5, 3]
    even = [
        column(ds.TFRecordDataset(files, shuffle=False, num_shards=3, shard_id=k, shard_equal_rows=True), "f")
        for k in range(3)
    ]
    assert [len(share) for share in even] == [3, 3, 3] and even[2][-1] == even[0][0]  # the last one starts over
    assert len(column(ds.TFRecordDataset(files, num_samples=6), "f")) == 6


def test_position_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{k}\n" for k in range(20)))
    rows = ds.TextFileDataset(str(tmp_path / "a.txt")).create_tuple_iterator(output_numpy=True)
    for _ in range(7):
        next(rows)
    state = rows.get_state()
    rest = [r[0].item() for r in rows]
    rows.set_state(state)
    assert [r[0].item() for r in rows] == rest and len(rest) == 13


MESSAGE = bytes([10, 12, 10, 10, 10, 1, 97, 18, 5, 26, 3, 10, 1, 7])  # {"a": [7]}


def framed(*messages: bytes) -> bytes:
    return b"".join(struct.pack("<QI", len(m), 0) + m + bytes(4) for m in messages)


PACKING: dict[str | None, Callable[[bytes], bytes]] = {None: bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}


def read_tfrecord(path: Path, content: bytes, kind: str | None = None) -> list[Any]:
    path.write_bytes(content)
    dataset = ds.TFRecordDataset(str(path), compression_type=kind, shuffle=False)
    return [row[0].tolist() for row in dataset.create_tuple_iterator(output_numpy=True, num_epochs=1)]


@pytest.mark.parametrize("kind", PACKING)
@pytest.mark.parametrize(
    "message",
    [
        b"\xff",
        b"\x0c\x01",
        b"\x0a\x02\x08\x01",  # features of another type
        b"\xff" * 20,  # a number of more than ten bytes
        b"\x0a\x7f\x01",  # 127 bytes announced, one there
        MESSAGE[:-1] + b"\x87",  # a number without an end
        MESSAGE.replace(b"a", b"\xff"),  # a name that is no UTF-8
        MESSAGE.replace(b"\x1a\x03", b"\x12\x03"),  # floats of three bytes
    ],
)
def test_damaged_examples_are_refused(tmp_path: Path, kind: str | None, message: bytes) -> None:
    path = tmp_path / "x.tfrecord"
    assert read_tfrecord(path, PACKING[kind](framed(MESSAGE, MESSAGE)), kind) == [[7], [7]]
    with pytest.raises(RuntimeError, match=r"row 0 of .*x\.tfrecord is damaged: it holds no tf\.train\.Example"):
        read_tfrecord(path, PACKING[kind](framed(message)), kind)
    with pytest.raises(RuntimeError, match=r"row 1 of .*x\.tfrecord is damaged: it holds no tf\.train\.Example"):
        read_tfrecord(path, PACKING[kind](framed(MESSAGE, message)), kind)


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_damaged_packing_is_refused(tmp_path: Path, kind: str) -> None:
    whole = PACKING[kind](framed(MESSAGE) * 100)
    for content in (whole[:-9], b"\0" * 30, whole[:20] + b"\xff" * 9 + whole[29:], whole[:-3] + b"abc"):
        with pytest.raises(RuntimeError, match=rf"x\.tfrecord is not a {kind} file, or is damaged: "):
            read_tfrecord(tmp_path / "x.tfrecord", content, kind)


@pytest.mark.parametrize("kind", PACKING)
@pytest.mark.parametrize("announced", [500 << 30, 65 << 20, 2**63])
def test_announced_sizes_take_no_memory(tmp_path: Path, kind: str | None, announced: int) -> None:
    content = PACKING[kind](struct.pack("<QI", announced, 0) + bytes(100))
    with pytest.raises(RuntimeError, match=r"x\.tfrecord is not a TFRecord file, or is cut short"):
        read_tfrecord(tmp_path / "x.tfrecord", content, kind)


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_packed_records_are_streamed(tmp_path: Path, kind: str) -> None:
    """A million zeros are no records, however small they are packed."""
    with pytest.raises(RuntimeError, match="is not a TFRecord file"):
        read_tfrecord(tmp_path / "x.tfrecord", PACKING[kind](bytes(10**6)), kind)
    many = PACKING[kind](framed(MESSAGE) * 50_000)
    assert len(read_tfrecord(tmp_path / "x.tfrecord", many, kind)) == 50_000


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
        read_tfrecord(tmp_path / "x.tfrecord", framed(message))
