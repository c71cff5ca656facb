"""Sources that read files: TFRecord, text, tables, CLUE, CelebA."""

import gzip
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from PIL import Image

import sporax as ms
import sporax.dataset as ds


def example_class() -> Any:
    """Return the message `tf.train.Example`, built by protobuf: what the reader's own parser is compared with."""
    field = descriptor_pb2.FieldDescriptorProto
    one, many = field.LABEL_OPTIONAL, field.LABEL_REPEATED
    file = descriptor_pb2.FileDescriptorProto(
        name="example_of_tests.proto", package="example_of_tests", syntax="proto3"
    )

    def message(name: str, *fields: tuple[str, int, Any, Any], within: Any = file.message_type) -> Any:
        made = within.add(name=name)
        for number, (label, kind, how, type_name) in enumerate(fields, 1):
            made.field.add(name=label, number=number, type=kind, label=how, type_name=type_name)
        return made

    message("BytesList", ("value", field.TYPE_BYTES, many, None))
    message("FloatList", ("value", field.TYPE_FLOAT, many, None))
    message("Int64List", ("value", field.TYPE_INT64, many, None))
    kinds = [(f"{k}_list", field.TYPE_MESSAGE, one, f".example_of_tests.{n}List") for k, n in
             (("bytes", "Bytes"), ("float", "Float"), ("int64", "Int64"))]  # fmt: skip
    message("Feature", *kinds)
    entry = ("key", field.TYPE_STRING, one, None), ("value", field.TYPE_MESSAGE, one, ".example_of_tests.Feature")
    features = message("Features", ("feature", field.TYPE_MESSAGE, many, ".example_of_tests.Features.FeatureEntry"))
    message("FeatureEntry", *entry, within=features.nested_type).options.map_entry = True
    message("Example", ("features", field.TYPE_MESSAGE, one, ".example_of_tests.Features"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("example_of_tests.Example"))


EXAMPLE = example_class()


def records(rows: list[dict[str, Any]]) -> bytes:
    out = b""
    for row in rows:
        example = EXAMPLE()
        for name, values in row.items():
            feature = example.features.feature[name]
            kind = {bytes: "bytes_list", float: "float_list", int: "int64_list"}[type(values[0])]
            getattr(feature, kind).value.extend(values)
        body = example.SerializeToString()
        out += struct.pack("<QI", len(body), 0) + body + bytes(4)
    return out


def row(k: int) -> dict[str, Any]:
    return {"i": [k, -k, 2**40 + k], "f": [k / 2], "s": [b"t%d" % k], "b": [b"\x00\xff", b"x"]}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, numbers in (("a", range(5)), ("b", range(10, 13))):
        (tmp_path / f"{name}.tfrecord").write_bytes(records([row(k) for k in numbers]))
    return [str(tmp_path / "a.tfrecord"), str(tmp_path / "b.tfrecord")]


def values(data: Any, name: str) -> list[Any]:
    return [r[name].tolist() for r in data.create_dict_iterator(1, output_numpy=True)]


def test_features(files: list[str]) -> None:
    data = ds.TFRecordDataset(files, shuffle=False)
    assert data.get_col_names() == ["b", "f", "i", "s"] and data.get_dataset_size() == 8
    first = next(iter(data.create_dict_iterator(1, output_numpy=True)))
    # several byte strings are padded with blanks and put together, as MindSpore does
    assert {k: (v.dtype.name, v.tolist()) for k, v in first.items()} == {
        "b": ("uint8", [0, 255, 120, 32]), "f": ("float32", [0.0]), "i": ("int64", [0, 0, 2**40]), "s": ("uint8", [116, 48]),
    }  # fmt: skip
    assert values(data, "i")[-1] == [12, -12, 2**40 + 12]
    assert values(ds.TFRecordDataset(files[0], columns_list=["i", "f"], shuffle=False), "f")[-1] == [2.0]


def test_schemas(files: list[str], tmp_path: Path) -> None:
    schema = ds.Schema()
    schema.add_column("s", ms.string)
    schema.add_column("i", ms.int32, [3, 1])
    data = ds.TFRecordDataset(files[0], schema, shuffle=False)
    first = next(iter(data.create_dict_iterator(1, output_numpy=True)))
    assert first["s"].tolist() == ["t0"] and first["i"].shape == (3, 1) and first["i"].dtype == np.int32
    (tmp_path / "schema.json").write_text(json.dumps({"columns": {"f": {"type": "float32", "shape": []}}}))
    assert values(ds.TFRecordDataset(files[0], str(tmp_path / "schema.json"), shuffle=False), "f") == [
        0,
        0.5,
        1,
        1.5,
        2,
    ]


@pytest.mark.parametrize(("kind", "packed"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_compressed_records(tmp_path: Path, kind: str, packed: Any) -> None:
    path = tmp_path / "c.tfrecord"
    path.write_bytes(packed(records([row(1), row(2)])))
    assert values(ds.TFRecordDataset(str(path), shuffle=False, compression_type=kind), "f") == [[0.5], [1.0]]


def test_shares_of_files_and_rows(files: list[str]) -> None:
    shares = [values(ds.TFRecordDataset(files, shuffle=False, num_shards=2, shard_id=k), "f") for k in range(2)]
    assert [len(share) for share in shares] == [5, 3]
    even = [
        values(ds.TFRecordDataset(files, shuffle=False, num_shards=3, shard_id=k, shard_equal_rows=True), "f")
        for k in range(3)
    ]
    assert [len(share) for share in even] == [3, 3, 3] and even[2][-1] == even[0][0]  # the last one starts over
    assert len(values(ds.TFRecordDataset(files, num_samples=6), "f")) == 6


def test_shuffles(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("".join(f"{name}{k}\n" for k in range(40)))
    pattern = str(tmp_path / "*.txt")
    in_order = values(ds.TextFileDataset(pattern, shuffle=False, num_parallel_workers=1), "text")
    assert in_order == [f"{name}{k}" for name in "abc" for k in range(40)]
    mixed = ds.TextFileDataset(pattern)
    iterator = mixed.create_tuple_iterator(output_numpy=True)
    epochs = [[r[0].item() for r in iterator] for _ in range(2)]
    assert (
        epochs[0] != epochs[1] and epochs[0] != in_order and sorted(epochs[0]) == sorted(epochs[1]) == sorted(in_order)
    )
    by_files = values(ds.TextFileDataset(pattern, shuffle=ds.Shuffle.FILES, num_parallel_workers=1), "text")
    assert [t[1:] for t in by_files] == [str(k) for _ in range(3) for k in range(40)]
    in_turn = values(ds.TextFileDataset(pattern, shuffle=False, num_parallel_workers=2), "text")
    assert sorted(in_turn) == sorted(in_order)
    assert mixed.is_shuffled() and not mixed.is_sharded()
    assert ds.TextFileDataset(pattern, num_shards=2, shard_id=0).is_sharded()


def test_position_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{k}\n" for k in range(20)))
    rows = ds.TextFileDataset(str(tmp_path / "a.txt")).create_tuple_iterator(output_numpy=True)
    for _ in range(7):
        next(rows)
    state = rows.get_state()
    rest = [r[0].item() for r in rows]
    rows.set_state(state)
    assert [r[0].item() for r in rows] == rest and len(rest) == 13


def test_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello world\n\n  b \nlast")
    data = ds.TextFileDataset(str(tmp_path / "a.txt"), shuffle=False)
    assert values(data, "text") == ["hello world", "  b ", "last"] and data.get_dataset_size() == 3


def test_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a,b,c\n1,2.5,x\n2,,"y,z"\n')
    plain = ds.CSVDataset(str(tmp_path / "a.csv"), shuffle=False)
    assert (
        plain.get_col_names() == ["a", "b", "c"]
        and values(plain, "c") == ["x", "y,z"]
        and values(plain, "a") == ["1", "2"]
    )
    (tmp_path / "b.csv").write_text("1;2.5;x\n2;;y\n")
    typed = ds.CSVDataset(str(tmp_path / "b.csv"), ";", [0, 7.0, ""], ["x", "y", "z"], shuffle=False)
    assert values(typed, "y") == [2.5, 7.0]
    assert [t.name for t in typed.output_types()[:2]] == ["int32", "float32"]


def test_clue(tmp_path: Path) -> None:
    lines = [{"sentence1": "s1", "sentence2": "s2", "label": "0"}, {"sentence1": "a", "sentence2": "b", "label": "1"}]
    (tmp_path / "t.json").write_text("\n".join(map(json.dumps, lines)))
    data = ds.CLUEDataset(str(tmp_path / "t.json"), "AFQMC", "train", shuffle=False)
    assert data.get_col_names() == ["label", "sentence1", "sentence2"] and values(data, "label") == ["0", "1"]
    spans = {"span1_index": 3, "span1_text": "x", "span2_index": 4, "span2_text": "y"}
    (tmp_path / "w.json").write_text(json.dumps({"target": spans, "idx": 1, "label": "true", "text": "t"}))
    wsc = ds.CLUEDataset(str(tmp_path / "w.json"), "WSC", "eval")
    assert values(wsc, "span2_index") == [4] and values(wsc, "text") == ["t"]


def test_celeba(tmp_path: Path) -> None:
    names = [f"{k:06d}.png" for k in range(1, 5)]
    for k, name in enumerate(names):
        Image.new("RGB", (3, 2), (k, 0, 0)).save(tmp_path / name)
    head = "4\n" + " ".join(f"A{k}" for k in range(5)) + "\n"
    body = "".join(
        f"{n}  " + " ".join("1" if (k + j) % 3 == 0 else "-1" for j in range(5)) + "\n" for k, n in enumerate(names)
    )
    (tmp_path / "list_attr_celeba.txt").write_text(head + body)
    (tmp_path / "list_eval_partition.txt").write_text("".join(f"{n} {k % 3}\n" for k, n in enumerate(names)))
    every = ds.CelebADataset(str(tmp_path), shuffle=False, decode=True)
    rows = list(every.create_dict_iterator(1, output_numpy=True))
    assert [r["image"][0, 0, 0].item() for r in rows] == [0, 1, 2, 3] and rows[0]["image"].shape == (2, 3, 3)
    assert rows[1]["attr"].tolist() == [0, 0, 1, 0, 0] and rows[1]["attr"].dtype == np.uint32
    sizes = [ds.CelebADataset(str(tmp_path), usage=u).get_dataset_size() for u in ("train", "valid", "test")]
    assert sizes == [2, 1, 1]


def test_errors(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("some text that is no record, and long enough")
    text = str(tmp_path / "t.txt")

    def schema(kind: Any, shape: list[int], name: str = "i") -> Any:
        made = ds.Schema()
        made.add_column(name, kind, shape)
        return made

    def first(data: Any) -> Any:
        return next(iter(data.create_tuple_iterator(output_numpy=True)))

    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: ds.TFRecordDataset("nope"), ValueError, "patterns did not match any files"),
        (lambda: ds.TFRecordDataset(3), TypeError, "dataset_files must be a path or a list of them, got 3"),
        (lambda: ds.TFRecordDataset(text), RuntimeError, "is no TFRecord file, or is cut short"),
        (lambda: ds.TFRecordDataset(files, columns_list=["q"]), RuntimeError, "column 'q' does not exist"),
        (lambda: ds.TFRecordDataset(files, 3), TypeError, "schema must be a path or a Schema, got 3"),
        (lambda: ds.TFRecordDataset(files, shard_equal_rows=1), TypeError, "shard_equal_rows must be a bool"),
        (lambda: ds.TFRecordDataset(files, compression_type="LZ"), ValueError, "must be 'GZIP' or 'ZLIB', got 'LZ'"),
        (lambda: ds.TFRecordDataset(files, num_shards=3, shard_id=2), ValueError, "fewer files than num_shards=3"),
        (lambda: first(ds.TFRecordDataset(files, schema(ms.int64, [2]))), RuntimeError, "cannot reshape"),
        (
            lambda: first(ds.TFRecordDataset(files, schema(ms.float32, [3]))),
            RuntimeError,
            "holds int64, but its column is float32",
        ),
        (
            lambda: first(ds.TFRecordDataset(files, schema(ms.int64, [1], "s"))),
            RuntimeError,
            "holds bytes, but its column",
        ),
        (lambda: first(ds.TFRecordDataset(files, schema(ms.int64, [1], "z"))), RuntimeError, "it has no feature 'z'"),
        (lambda: ds.TextFileDataset(text, shuffle=3), TypeError, "shuffle must be a bool or a Shuffle, got 3"),
        (lambda: ds.TextFileDataset(text, num_shards=2), RuntimeError, "need to be passed in together"),
        (lambda: ds.CSVDataset(text, ",,"), ValueError, "field_delim must be one character"),
        (
            lambda: ds.CSVDataset(text, column_defaults=[None], column_names=["a"]),
            TypeError,
            "column_defaults must hold",
        ),
        (
            lambda: ds.CSVDataset(text, column_defaults=[1, 2], column_names=["a"]),
            ValueError,
            "must have 1 values, got 2",
        ),
        (lambda: first(ds.CSVDataset(text, column_names=["a"])), RuntimeError, "row 0 of .* has 2 values; expected 1"),
        (
            lambda: first(ds.CSVDataset(text, column_names=["a", "b"], column_defaults=[1, ""])),
            RuntimeError,
            "invalid literal",
        ),
        (lambda: ds.CLUEDataset(text, "X"), ValueError, "task must be one of .*got 'X'"),
        (lambda: ds.CLUEDataset(text, usage="x"), ValueError, "usage must be 'train', 'eval' or 'test', got 'x'"),
        (lambda: first(ds.CLUEDataset(text)), RuntimeError, "line 0 of .* is no row of AFQMC"),
        (lambda: ds.CelebADataset(str(tmp_path / "no")), ValueError, "is not a folder"),
        (lambda: ds.CelebADataset(str(tmp_path), usage="x"), ValueError, "usage must be one of"),
        (lambda: ds.CelebADataset(str(tmp_path)), RuntimeError, "lacks list_attr_celeba.txt"),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()
    (tmp_path / "list_attr_celeba.txt").write_text("0\nBald\n")
    with pytest.raises(RuntimeError, match="lists no images of usage 'all'"):
        ds.CelebADataset(str(tmp_path))
    (tmp_path / "list_attr_celeba.txt").write_text("1\nBald\na.png\n")
    with pytest.raises(RuntimeError, match="must have a name and values on every line"):
        ds.CelebADataset(str(tmp_path))
