"""Sources of lines and tables: values, defaults, damage."""

import json
from pathlib import Path

import pytest
from tf_records import column

import sporax.dataset as ds


def test_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello world\n\n  b \nlast")
    data = ds.TextFileDataset(str(tmp_path / "a.txt"), shuffle=False)
    assert column(data, "text") == ["hello world", "  b ", "last"] and data.get_dataset_size() == 3


def test_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a,b,c\n1,2.5,x\n2,,"y,z"\n')
    plain = ds.CSVDataset(str(tmp_path / "a.csv"), shuffle=False)
    assert (
        plain.get_col_names() == ["a", "b", "c"]
        and column(plain, "c") == ["x", "y,z"]
        and column(plain, "a") == ["1", "2"]
    )
    (tmp_path / "b.csv").write_text("1;2.5;x\n2;;y\n")
    typed = ds.CSVDataset(str(tmp_path / "b.csv"), ";", [0, 7.0, ""], ["x", "y", "z"], shuffle=False)
    assert column(typed, "y") == [2.5, 7.0]
    assert [t.name for t in typed.output_types()[:2]] == ["int32", "float32"]


def test_clue(tmp_path: Path) -> None:
    lines = [{"sentence1": "s1", "sentence2": "s2", "label": "0"}, {"sentence1": "a", "sentence2": "b", "label": "1"}]
    (tmp_path / "t.json").write_text("\n".join(map(json.dumps, lines)))
    data = ds.CLUEDataset(str(tmp_path / "t.json"), "AFQMC", "train", shuffle=False)
    assert data.get_col_names() == ["label", "sentence1", "sentence2"] and column(data, "label") == ["0", "1"]
    spans = {"span1_index": 3, "span1_text": "x", "span2_index": 4, "span2_text": "y"}
    (tmp_path / "w.json").write_text(json.dumps({"target": spans, "idx": 1, "label": "true", "text": "t"}))
    wsc = ds.CLUEDataset(str(tmp_path / "w.json"), "WSC", "eval")
    assert column(wsc, "span2_index") == [4] and column(wsc, "text") == ["t"]


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"1\n\xff\n", r"x\.csv is not text in UTF-8: .*invalid start byte"),
        (b"1\n99999999999\n", r"row 1 of .*x\.csv: .*out of bounds"),
        (b"1\n" + b"[" * 5000, r"row 1 of .*x\.csv: invalid literal"),
        (b"1\n" + b"1" * 200_000, r"x\.csv is not a table: field larger than field limit"),
        (b"1\n2,3\n", r"row 1 of .*x\.csv has 2 values; expected 1"),
    ],
)
def test_tables_that_are_none(content: bytes, match: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    rows = ds.CSVDataset(str(tmp_path / "x.csv"), column_defaults=[1], column_names=["a"], shuffle=False)
    with pytest.raises(RuntimeError, match="CSVDataset: .*" + match) as error:
        list(rows.create_tuple_iterator(output_numpy=True, num_epochs=1))
    assert len(str(error.value)) < 1000


def _numbers(tmp_path: Path, text: str, default: object) -> list[object]:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    data = ds.CSVDataset(str(tmp_path / "a.csv"), ",", [default], ["a"], shuffle=False)
    return column(data, "a")


def test_a_bool_means_integers(tmp_path: Path) -> None:
    assert _numbers(tmp_path, "0\n1\n", True) == _numbers(tmp_path, "0\n1\n", False) == [0, 1]


@pytest.mark.parametrize(
    ("text", "default", "error"),
    [
        ("1_000", 0, "could not convert string to int: '1_000'"),
        ("1_0.5", 0.0, "could not convert string to float: '1_0.5'"),
        ("٣", 0, "could not convert string to int: '٣'"),
        ("3.5e38", 0.0, "3.5e38 is out of the range of float32"),
        ("-1e400", 0.0, "-1e400 is out of the range of float32"),
    ],
)
def test_numbers_that_are_none(tmp_path: Path, text: str, default: object, error: str) -> None:
    with pytest.raises(RuntimeError, match=rf"CSVDataset: row 0 of .*a.csv: {error}"):
        _numbers(tmp_path, text + "\n", default)


def test_numbers_without_a_bound(tmp_path: Path) -> None:
    assert _numbers(tmp_path, "inf\n-Infinity\n3.4e38\n", 0.0) == [float("inf"), -float("inf"), pytest.approx(3.4e38)]
