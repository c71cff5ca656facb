"""Files of records that are then damaged."""

from pathlib import Path
from typing import Any

import numpy as np

from sporax.mindrecord import FileReader, FileWriter

FIFTY = [{"a": k, "text": f"row {k}", "data": b"x" * k, "v": np.arange(3) * k} for k in range(50)]
COLUMNS = {
    "a": {"type": "int64"},
    "text": {"type": "string"},
    "data": {"type": "bytes"},
    "v": {"type": "int64", "shape": [3]},
}


def fifty_records(path: Path) -> str:
    writer = FileWriter(str(path), overwrite=True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(COLUMNS)
    writer.write_raw_data(FIFTY)
    writer.commit()
    return str(path)


def read_all(path: str) -> list[Any]:
    return list(FileReader(path).get_next())
