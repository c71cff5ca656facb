"""Sources that read files in parts: shuffles, errors."""

import os
from pathlib import Path
from typing import Any

import pytest
from tf_records import column

import sporax as ms
import sporax.dataset as ds


def test_shuffles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("".join(f"{name}{k}\n" for k in range(40)))
    pattern = str(tmp_path / "*.txt")
    in_order = column(ds.TextFileDataset(pattern, shuffle=False, num_parallel_workers=1), "text")
    assert in_order == [f"{name}{k}" for name in "abc" for k in range(40)]
    mixed = ds.TextFileDataset(pattern)
    iterator = mixed.create_tuple_iterator(output_numpy=True)
    epochs = [[r[0].item() for r in iterator] for _ in range(2)]
    assert (
        epochs[0] != epochs[1] and epochs[0] != in_order and sorted(epochs[0]) == sorted(epochs[1]) == sorted(in_order)
    )
    by_files = column(ds.TextFileDataset(pattern, shuffle=ds.Shuffle.FILES, num_parallel_workers=1), "text")
    assert [t[1:] for t in by_files] == [str(k) for _ in range(3) for k in range(40)]
    in_turn = column(ds.TextFileDataset(pattern, shuffle=False, num_parallel_workers=2), "text")
    assert sorted(in_turn) == sorted(in_order)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert column(ds.TextFileDataset(pattern, shuffle=False, num_parallel_workers=2), "text") == in_turn != in_order
    assert mixed.is_shuffled() and not mixed.is_sharded()
    assert ds.TextFileDataset(pattern, num_shards=2, shard_id=0).is_sharded()


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
        (lambda: ds.TFRecordDataset(text), RuntimeError, "is not a TFRecord file, or is cut short"),
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
        (lambda: first(ds.CLUEDataset(text)), RuntimeError, "line 0 of .* is not a row of AFQMC"),
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


def test_files_that_change(tmp_path):
    """A file that has lost rows since they were counted is an error, and so is an image that is gone."""
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\nthree\n")
    data = ds.TextFileDataset(str(path), shuffle=False)
    assert data.get_dataset_size() == 3
    path.write_text("one\n")
    with pytest.raises(
        RuntimeError, match=r"TextFileDataset: .*a\.txt has 1 rows, but had at least 3 when they were counted"
    ):
        list(data)
    (tmp_path / "cat").mkdir()
    (tmp_path / "cat" / "0.png").write_bytes(b"image")
    images = ds.ImageFolderDataset(str(tmp_path))
    (tmp_path / "cat" / "0.png").unlink()
    with pytest.raises(RuntimeError, match=r"ImageFolderDataset: .*0\.png cannot be read: \[Errno 2\]"):
        list(images)


def test_texts_of_another_encoding(tmp_path):
    for name, raw in (("latin.txt", "caf\u00e9\n".encode("latin-1")), ("wide.txt", "caf\u00e9\n".encode("utf-16"))):
        (tmp_path / name).write_bytes(raw)
        for source in (ds.TextFileDataset, ds.CSVDataset):
            with pytest.raises(RuntimeError, match=rf"{source.__name__}: .*{name} is not text in UTF-8"):
                list(source(str(tmp_path / name)))
