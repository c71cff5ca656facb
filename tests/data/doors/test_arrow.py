"""Tables of Arrow, in memory and in files."""

from pathlib import Path

import numpy as np
import pytest

import sporax.dataset as ds

pa = pytest.importorskip("pyarrow")


@pytest.fixture
def table():
    return pa.table(
        {
            "i": pa.chunked_array([[1, 2], [3]]),
            "pair": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
            "fixed": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int32(), 2)),
            "text": pa.array(["a", "bb", "c"]).dictionary_encode(),
            "ragged": [[1], [2, 3], [4]],
            "struct": [{"p": k, "q": {"r": -k}} for k in range(3)],
            "bytes": [b"\xff\x00", b"a", b"b"],
            "gaps": [1.0, None, 3.0],
        }
    )


def column(data: ds.Dataset, name: str) -> list[object]:
    return [row[name].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def test_rows(table) -> None:
    data = ds.from_source(table)
    assert data.get_col_names() == ["i", "pair", "fixed", "text", "ragged", "struct.p", "struct.q.r", "bytes", "gaps"]
    assert column(data, "i") == [1, 2, 3] and column(data, "pair") == [[1, 2], [3, 4], [5, 6]]
    assert column(data, "ragged") == [[1], [2, 3], [4]] and column(data, "bytes") == [[255, 0], [97], [98]]
    assert column(data, "text") == ["a", "bb", "c"] and np.isnan(column(data, "gaps")[1])
    assert column(ds.from_source(table.slice(1), ["fixed"]), "fixed") == [[3, 4], [5, 6]]


def test_columns_are_not_copied(table) -> None:
    data = ds.from_source(table, ["i", "pair", "fixed"])
    for name, pieces in data._held.items():
        chunk = table.column(name).chunk(0)
        values = chunk.to_numpy() if name == "i" else chunk.flatten().to_numpy()
        assert np.shares_memory(pieces._arrays[0], values), name
    assert data.batch(3).output_shapes() == [[3], [3, 2], [3, 2]]


def test_objects_that_export_a_table(table) -> None:
    class Exporter:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert column(ds.from_source(Exporter(), "i"), "i") == [1, 2, 3]


def test_files(table, tmp_path: Path) -> None:
    from pyarrow import csv, feather, ipc, parquet

    (tmp_path / "p").mkdir()
    for name in ("a", "b"):
        parquet.write_table(table, tmp_path / "p" / f"{name}.parquet", row_group_size=2)
    data = ds.from_source(tmp_path / "p", ["struct.q.r", "i"])
    assert (
        data._static_size() == 6
        and column(data, "i") == [1, 2, 3] * 2
        and column(data, "struct.q.r") == [0, -1, -2] * 2
    )
    feather.write_feather(table.select(["i"]), tmp_path / "a.feather", compression="uncompressed")
    with ipc.new_stream(tmp_path / "a.arrow", table.select(["i"]).schema) as file:
        file.write_table(table.select(["i"]))
    csv.write_csv(table.select(["i", "gaps"]), tmp_path / "a.csv")
    for name in ("a.feather", "a.arrow", "a.csv"):
        assert column(ds.from_source(tmp_path / name, "i"), "i") == [1, 2, 3]


def test_missing_values() -> None:
    with pytest.raises(
        RuntimeError, match="column 'i' lacks 1 values of type int64; fill them, or choose other columns"
    ):
        ds.from_source(pa.table({"i": [1, None]}))
    with pytest.raises(RuntimeError, match="column 'l' lacks 1 lists; fill them, or choose other columns"):
        ds.from_source(pa.table({"l": [[1], None]}))
