"""The messages of a MindSpore checkpoint: fields, bytes, what is required."""

import pytest
from google.protobuf.message import EncodeError

from sporax._src.checkpoint.formats.checkpoint_proto import TensorProto, Value


def test_a_record_has_the_bytes_of_its_fields() -> None:
    record = Value(tag="w", tensor=TensorProto(dims=[2], tensor_type="Int8", tensor_content=b"\1\2"))
    tensor = b"\x08\x02" + b"\x12\x04Int8" + b"\x1a\x02\1\2"
    raw = b"\x0a\x01w" + b"\x12" + bytes([len(tensor)]) + tensor
    assert record.SerializeToString() == raw and Value.FromString(raw) == record
    assert Value.FromString(raw).HasField("tensor") and not Value.FromString(raw).HasField("maptensor")


def test_what_is_required() -> None:
    with pytest.raises(EncodeError, match="tag"):
        Value().SerializeToString()
    with pytest.raises(EncodeError, match="tensor_type"):
        TensorProto(tensor_content=b"").SerializeToString()
