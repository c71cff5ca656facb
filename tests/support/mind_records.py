"""MindSpore's file of records, and files written here."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from sporax.mindrecord import FileWriter

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


def labels(data: Any) -> list[Any]:
    return [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
