"""MindRecord files: MindSpore's are read, ours are what MindSpore reads, and every error is said."""

import json
import pickle
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax.dataset as ds
from sporax import mindrecord
from sporax._src.data.mindrecord.packing import pack, pack_integers, unpack, unpack_integers
from sporax.mindrecord import FileReader, FileWriter, MindPage

FOLDER = Path(__file__).parents[1] / "goldens" / "mindrecord"
ANSWERS = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
ONE = str(FOLDER / "one.mindrecord")
SCHEMA = {
    "big": {"type": "float32", "shape": [2, 2]}, "counts": {"type": "int64", "shape": [-1]}, "id": {"type": "int32"},
    "image": {"type": "bytes"}, "long": {"type": "int64"}, "name": {"type": "string"}, "score": {"type": "float64"},
}  # fmt: skip


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, np.ndarray):
        return plain(value.tobytes()) if value.dtype.kind == "S" else value.tolist()
    return value


def described(rows: Any) -> list[dict[str, Any]]:
    return [{k: plain(v) for k, v in row.items()} for row in rows]


def written(folder: Path, rows: list[dict[str, Any]], schema: Any = None, shards: int = 1, index: Any = None) -> str:
    path = str(folder / "data.mindrecord")
    writer = FileWriter(path, shards)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(schema or {"a": {"type": "int32"}}, "a test")
    if index:
        writer.add_index(index)
    for start in range(0, len(rows), 7):
        writer.write_raw_data(rows[start : start + 7])
    writer.commit()
    return path


# --- MindSpore's files ----------------------------------------------------------------------------------------------


def test_records_of_mindspores_file() -> None:
    reader = FileReader(ONE)
    assert reader.len() == 6 and reader.schema() == SCHEMA
    assert described(reader.get_next()) == ANSWERS["records"]
    assert list(next(reader.get_next())) == ["id", "long", "name", "score", "big", "counts", "image"]  # as MindSpore
    some = FileReader(ONE, columns=["name", "big"])
    assert [list(row) for row in some.get_next()] == [["name", "big"]] * 6
    some.close()
    assert len(list(some.get_next())) == 6


def test_rows_of_mindspores_file() -> None:
    data = ds.MindDataset(ONE, shuffle=False)
    assert data.get_col_names() == ANSWERS["columns"] and data.get_dataset_size() == 6
    assert described(data.create_dict_iterator(1, output_numpy=True)) == ANSWERS["rows"]
    row = next(iter(data.create_dict_iterator(1, output_numpy=True)))
    kinds = {name: (value.dtype.name, value.shape) for name, value in row.items()}
    assert kinds["id"] == ("int32", ()) and kinds["big"] == ("float32", (2, 2)) and kinds["image"] == ("bytes8", (1,))


def test_pages_of_mindspores_file() -> None:
    pages = MindPage(ONE)
    assert pages.candidate_fields == ["id", "name"] and pages.category_field is None
    pages.category_field = "id"
    assert json.loads(pages.read_category_info()) == json.loads(ANSWERS["categories"])
    assert pages.read_at_page_by_name("-1", 0, 2)[0]["score"] == pytest.approx(1 / 3)
    assert pages.read_at_page_by_id(0, 0, 2)[0]["id"] == -1
    assert pages.read_at_page_by_id(0, 1, 2) == []


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


# --- writing and reading --------------------------------------------------------------------------------------------


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


def test_packing() -> None:
    rng = np.random.default_rng(1)
    for values in ([], [0, 127, -128], [128, -129, 3], [2**62, -(2**62)], rng.integers(-(2**63), 2**63 - 1, 1001)):
        array = np.array(values, np.int64)
        np.testing.assert_array_equal(unpack_integers(pack_integers(array), "int64"), array)
    value = {
        "s": "é" * 70000,
        "t": "x" * 300,
        "f": 0.1,
        "g": 2.5,
        "big": 2**63,
        "low": -(2**63),
        "b": True,
        "n": None,
        "i": np.inf,
    }
    assert unpack(pack(value)) == value
    assert unpack(pack({str(k): -k for k in range(40)})) == {str(k): -k for k in range(40)}
    with pytest.raises(TypeError, match="expected a number or text, got list"):
        pack([1])
    with pytest.raises(TypeError, match="does not fit into 64 bits"):
        pack(2**64)
    with pytest.raises(RuntimeError, match="a value of an unknown kind, 0x91"):
        unpack(b"\x91\x01")


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


# --- MindDataset ----------------------------------------------------------------------------------------------------


def labels(data: Any) -> list[Any]:
    return [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.fixture
def shards(tmp_path: Path) -> str:
    rows = [{"label": 10 * k, "x": np.full(2, k, np.float32)} for k in range(7)]
    return written(tmp_path, rows, {"label": {"type": "int32"}, "x": {"type": "float32", "shape": [2]}}, 2)


def test_choices_of_rows(shards: str) -> None:
    one = f"{shards}0"
    assert sorted(labels(ds.MindDataset(one, ["label"]))) == [0, 10, 20, 30, 40, 50, 60]
    in_order = labels(ds.MindDataset(one, ["label"], shuffle=False))
    assert in_order == [0, 10, 20, 30, 40, 50, 60]
    assert labels(ds.MindDataset([f"{shards}1"], ["label"], shuffle=False)) == [40, 50, 60]
    parts = [labels(ds.MindDataset(one, ["label"], shuffle=False, num_shards=3, shard_id=k)) for k in range(3)]
    assert parts == [[0, 30, 60], [10, 40, 0], [20, 50, 10]]  # as MindSpore
    assert labels(ds.MindDataset(one, ["label"], shuffle=False, num_samples=3)) == [0, 10, 20]
    assert labels(ds.MindDataset(one, ["label"], sampler=ds.SubsetSampler([5, 1]))) == [50, 10]
    assert sorted(labels(ds.MindDataset(one, ["label"], sampler=ds.PKSampler(1)))) == [0, 10, 20, 30, 40, 50, 60]
    padded = {"label": -1}
    assert labels(ds.MindDataset(one, ["label"], shuffle=False, padded_sample=padded, num_padded=2))[-3:] == [
        60,
        -1,
        -1,
    ]
    assert ds.MindDataset(one, ["x", "label"]).get_col_names() == ["x", "label"]
    copied = pickle.loads(pickle.dumps(FileReader(one)))
    assert copied.len() == 7 and next(copied.get_next())["label"] == 0


def test_batches_and_threads(shards: str) -> None:
    data = ds.MindDataset(f"{shards}0", shuffle=False, num_parallel_workers=2).batch(4)
    assert [row["x"].shape for row in data.create_dict_iterator(1, output_numpy=True)] == [(4, 2), (3, 2)]


def test_saving(tmp_path: Path) -> None:
    columns = {
        "flag": np.array([True, False]), "u8": np.arange(2, dtype=np.uint8), "u32": np.arange(2, dtype=np.uint32),
        "half": np.ones((2, 3), np.float16), "deep": np.arange(12).reshape(2, 2, 3), "s": ["a", "bé"], "raw": [b"\x00", b"x\x00"],
    }  # fmt: skip
    path = str(tmp_path / "saved")
    ds.NumpySlicesDataset(columns, shuffle=False).save(path)
    schema = FileReader(path).schema()
    assert schema == {
        "deep": {"shape": [-1, 3], "type": "int64"}, "flag": {"type": "int32"}, "half": {"shape": [-1], "type": "float32"},
        "raw": {"type": "bytes"}, "s": {"type": "string"}, "u32": {"type": "int64"}, "u8": {"type": "int32"},
    }  # fmt: skip
    first, second = ds.MindDataset(path, shuffle=False).create_dict_iterator(1, output_numpy=True)
    assert (first["flag"].item(), second["s"].item(), second["raw"].tobytes()) == (1, "bé", b"x\x00")
    np.testing.assert_array_equal(second["deep"], columns["deep"][1])
    ds.NumpySlicesDataset(np.arange(600), shuffle=False).save(str(tmp_path / "two"), 2)
    both = ds.MindDataset(str(tmp_path / "two0"), shuffle=False)
    assert sorted(labels(both)) == list(range(600))


def test_to_json(tmp_path: Path) -> None:
    data = ds.NumpySlicesDataset([1, 2], ["a"], shuffle=False).map(abs, "a").batch(2)
    tree = data.to_json(str(tmp_path / "tree.json"))
    assert (tree["op_type"], tree["batch_size"], tree["drop_remainder"]) == ("Batch", 2, False)
    below = tree["children"][0]
    assert (below["op_type"], below["input_columns"], below["operations"]) == ("Map", ["a"], ["abs"])
    assert below["children"][0]["op_type"] == "NumpySlicesDataset"
    assert json.loads((tmp_path / "tree.json").read_text()) == tree


# --- errors ---------------------------------------------------------------------------------------------------------


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
    with pytest.raises(RuntimeError, match="is no MindRecord file"):
        FileReader(str(broken))
    shutil.copy(ONE, broken)
    with pytest.raises(RuntimeError, match="is no index of a MindRecord file"):
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


def test_errors_of_datasets(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="MindDataset: the file nope does not exist"):
        ds.MindDataset("nope")
    with pytest.raises(TypeError, match="MindDataset: expected the path of a file, got 3"):
        ds.MindDataset(3)
    with pytest.raises(RuntimeError, match="there is no column 'x'"):
        ds.MindDataset(ONE, ["x"])
    with pytest.raises(ValueError, match="padded_sample and num_padded need to be passed in together"):
        ds.MindDataset(ONE, num_padded=2)
    with pytest.raises(ValueError, match="padded_sample must hold"):
        ds.MindDataset(ONE, ["id"], padded_sample={"a": 1}, num_padded=2)
    data = ds.NumpySlicesDataset([1, 2])
    with pytest.raises(ValueError, match="'tfrecord' dataset format is not supported"):
        data.save(str(tmp_path / "a"), file_type="tfrecord")
    with pytest.raises(ValueError, match=r"num_files must be in \[1, 1000\], got 0"):
        data.save(str(tmp_path / "a"), 0)
    with pytest.raises(RuntimeError, match="there are no rows to save"):
        data.skip(2).save(str(tmp_path / "a"))
    cases = ((np.ones((1, 2), complex), "has no form in a MindRecord file"), ([["a", "b"]], "must hold one text a row"))
    for column, text in cases:
        with pytest.raises(RuntimeError, match=text):
            ds.NumpySlicesDataset({"c": column}).save(str(tmp_path / "b"))
    with pytest.raises(RuntimeError, match=r"column 'c' began as .* but a later row is"):
        ds.GeneratorDataset([(1,), (2.5,)], ["c"], shuffle=False).save(str(tmp_path / "c"))
