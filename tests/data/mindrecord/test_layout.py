"""The schema's fields, the header, and a record's two parts."""

from pathlib import Path

import numpy as np
import pytest

from sporax._src.data.mindrecord import layout
from sporax._src.data.mindrecord.errors import MRMInvalidSchemaError

SCHEMA = layout.check_schema(
    {
        "name": {"type": "string"},
        "label": {"type": "int32"},
        "image": {"type": "bytes"},
        "points": {"type": "int64", "shape": [-1, 2]},
        "mask": {"type": "float32", "shape": [2]},
    }
)
RECORD = {
    "name": "ä",
    "label": 7,
    "image": b"\x00\xff",
    "points": np.array([[1, -2], [3, 400]]),
    "mask": np.array([0.5, 1.0], np.float32),
}


def test_a_schema_is_in_order_of_its_names() -> None:
    assert list(SCHEMA) == ["image", "label", "mask", "name", "points"]
    assert layout.blob_fields(SCHEMA) == ["image", "mask", "points"]


REFUSED = {
    "got {}": {},
    "Field 'a-b' should be composed": {"a-b": {"type": "int32"}},
    "Field 'a' should be a dict with type and perhaps shape": {"a": {"kind": "int32"}},
    "Field 'a' contain illegal attribute 'int8'": {"a": {"type": "int8"}},
    "Field 'a' contain illegal attribute 'bytes'": {"a": {"type": "bytes", "shape": [1]}},
    r"Field 'a' contain illegal attribute '\[-1, -1\]'": {"a": {"type": "int32", "shape": [-1, -1]}},
}


@pytest.mark.parametrize("text", REFUSED)
def test_schemas_that_are_none(text: str) -> None:
    with pytest.raises(MRMInvalidSchemaError, match=text):
        layout.check_schema(REFUSED[text])


def test_records_are_checked() -> None:
    assert layout.check_record(SCHEMA, RECORD) == ""
    assert layout.check_record(SCHEMA, {**RECORD, "label": True}) == "field 'label' must be int32, got True"
    assert layout.check_record(SCHEMA, {"image": b""}) == "there is no field 'label'"
    wrong = {**RECORD, "points": np.zeros(3, np.int64)}
    assert layout.check_record(SCHEMA, wrong) == "field 'points' must have shape [-1, 2], got [3]"
    assert layout.check_record(SCHEMA, {**RECORD, "mask": np.zeros(2)}).startswith(
        "field 'mask' must be an array of float32"
    )


def test_a_record_comes_back() -> None:
    blob, raw = layout.encode(SCHEMA, RECORD)
    assert layout.decode_raw(SCHEMA, raw) == {"label": 7, "name": "ä"}
    fields = layout.decode_blob(SCHEMA, blob)
    assert list(fields) == ["image", "mask", "points"]
    assert fields["image"] == b"\x00\xff"
    assert fields["mask"].dtype == np.float32 and fields["mask"].tolist() == [0.5, 1.0]
    assert fields["points"].dtype == np.int64 and fields["points"].tolist() == [[1, -2], [3, 400]]


def test_parts_that_do_not_fit_are_refused() -> None:
    blob, raw = layout.encode(SCHEMA, RECORD)
    with pytest.raises(ValueError, match="field 'points' announces"):
        layout.decode_blob(SCHEMA, blob[:-1])
    with pytest.raises(ValueError, match=r"it has the fields \['label', 'name'\]"):
        layout.decode_raw({"label": {"type": "int32"}}, raw)
    with pytest.raises(ValueError, match="field 'label' must be string, got 7"):
        layout.decode_raw({**SCHEMA, "label": {"type": "string"}}, raw)


def test_a_header_comes_back(tmp_path: Path) -> None:
    pages = [{"end_row_id": 3, "page_id": 0, "page_size": 10}, {"end_row_id": 5, "page_id": 1, "page_size": 4}]
    header = layout.Header(SCHEMA, ["label"], 1 << 16, 1 << 15, ("a", "b"), 1, pages, "text")
    (tmp_path / "a").write_bytes(header.to_bytes())
    read = layout.Header.read(str(tmp_path / "a"))
    assert read == header
    assert read.row_count == 5
    assert read.page_offset(2) == (1 << 16) + 2 * (1 << 15)
    assert layout.Header(SCHEMA, []).row_count == 0


def test_a_header_needs_space() -> None:
    with pytest.raises(
        RuntimeError, match=r"^mindrecord: the header needs \d+ bytes but header_size is 64; call FileW"
    ):
        layout.Header(SCHEMA, [], 64).to_bytes()
