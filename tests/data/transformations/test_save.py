"""`save`: the rows of the tables, and files that are read again."""

from pathlib import Path

import numpy as np
from mind_records import labels

import sporax.dataset as ds
from sporax.mindrecord import FileReader


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
