"""Files that sources read."""

from pathlib import Path

import numpy as np
import pytest
from mind_records import written
from tf_records import records, row


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, numbers in (("a", range(5)), ("b", range(10, 13))):
        (tmp_path / f"{name}.tfrecord").write_bytes(records([row(k) for k in numbers]))
    return [str(tmp_path / "a.tfrecord"), str(tmp_path / "b.tfrecord")]


@pytest.fixture
def shards(tmp_path: Path) -> str:
    rows = [{"label": 10 * k, "x": np.full(2, k, np.float32)} for k in range(7)]
    return written(tmp_path, rows, {"label": {"type": "int32"}, "x": {"type": "float32", "shape": [2]}}, 2)
