"""Schemas: names and types of columns, and files that are none."""

import json
from pathlib import Path

import numpy as np
import pytest
from data_tables import pipelines_of
from dataset_rows import values
from tf_records import column

import sporax as ms
import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.sources.schema")


def test_schema_names_and_types_columns(tmp_path):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps({"numRows": 2, "columns": {"a": {"type": "int64", "rank": 0}}}))
    data = ds.GeneratorDataset([1, 2], schema=str(file), shuffle=False)
    assert data.get_col_names() == ["a"]
    assert values(data) == [1, 2]
    schema = ds.Schema(str(file))
    assert (schema.num_rows, json.loads(str(schema))) == (
        2,
        {"columns": [{"name": "a", "rank": 0, "shape": [], "type": "int64"}], "numRows": 2},
    )
    schema.parse_columns([{"name": "b", "type": "float32", "shape": [2]}])
    assert schema.types() == [np.int64, np.float32]


def test_schemas(files: list[str], tmp_path: Path) -> None:
    schema = ds.Schema()
    schema.add_column("s", ms.string)
    schema.add_column("i", ms.int32, [3, 1])
    data = ds.TFRecordDataset(files[0], schema, shuffle=False)
    first = next(iter(data.create_dict_iterator(1, output_numpy=True)))
    assert first["s"].tolist() == ["t0"] and first["i"].shape == (3, 1) and first["i"].dtype == np.int32
    (tmp_path / "schema.json").write_text(json.dumps({"columns": {"f": {"type": "float32", "shape": []}}}))
    assert column(ds.TFRecordDataset(files[0], str(tmp_path / "schema.json"), shuffle=False), "f") == [
        0,
        0.5,
        1,
        1.5,
        2,
    ]


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
    with pytest.raises(RuntimeError, match=r"Schema: .*s\.json is not a schema: |Schema\.(from_json|parse_columns): "):
        ds.Schema(str(tmp_path / "s.json"))


def test_a_schema_of_records_says_a_rank_or_a_shape(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"columns": {"i": {"type": "int64"}}}))
    with pytest.raises(RuntimeError, match=r"Schema: .*s\.json says neither shape nor rank of column 'i'"):
        ds.TFRecordDataset(files[0], str(tmp_path / "s.json"))
