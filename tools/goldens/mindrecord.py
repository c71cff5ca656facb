"""Files of records that MindSpore wrote, and what it reads from them."""

import os
from pathlib import Path
from typing import Any

import mindspore.dataset as ds
import numpy as np
from mindspore.mindrecord import FileReader, FileWriter, MindPage

from .common import write_json

SCHEMA = {
    "big": {"type": "float32", "shape": [2, 2]}, "counts": {"type": "int64", "shape": [-1]}, "id": {"type": "int32"},
    "image": {"type": "bytes"}, "long": {"type": "int64"}, "name": {"type": "string"}, "score": {"type": "float64"},
}  # fmt: skip


def records() -> list[dict[str, Any]]:
    """Return rows of every kind of field, with numbers at the ends of their ranges."""
    ends = [0, 127, -128, 128, -129, 32767, 32768, -(2**31), 2**31, 2**62, -(2**62)]
    return [
        {
            "big": np.arange(4, dtype=np.float32).reshape(2, 2) / (k + 1), "counts": np.array(ends[k:]), "id": k - 2,
            "image": bytes(range(k)) + b"\x00", "long": ends[k], "name": "é" * 10 * k, "score": k / 3,
        }
        for k in range(6)
    ]  # fmt: skip


def write(path: str, shards: int) -> None:
    """Write the rows with the smallest pages."""
    writer = FileWriter(path, shards, overwrite=True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(SCHEMA, "all kinds")
    writer.add_index(["id", "name"])
    writer.write_raw_data(records())
    writer.commit()


def plain(value: Any) -> Any:
    """Return a field as plain values."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, np.ndarray):
        return plain(value.tobytes()) if value.dtype.kind == "S" else value.tolist()
    return value


def record(out: Path) -> None:
    """Write the folder ``mindrecord``."""
    folder = out / "mindrecord"
    folder.mkdir(exist_ok=True)
    path = folder / "one.mindrecord"
    write(str(path), 1)
    os.chmod(path, 0o644)
    os.chmod(f"{path}.db", 0o644)
    data = ds.MindDataset(str(path), shuffle=False)
    pages = MindPage(str(path))
    pages.category_field = "id"
    sps = folder / "sporax.mindrecord"  # written by sporax; read here if it is there
    write_json(
        folder / "answers.json",
        {
            "records": [{k: plain(v) for k, v in row.items()} for row in FileReader(str(path)).get_next()],
            "rows": [{k: plain(v) for k, v in row.items()} for row in data.create_dict_iterator(1, output_numpy=True)],
            "columns": data.get_col_names(),
            "categories": pages.read_category_info(),
            "of_sporax": [{k: plain(v) for k, v in row.items()} for row in FileReader(str(sps)).get_next()]
            if sps.exists()
            else [],
        },
    )
