"""Protobuf messages from their text: fields of all kinds, packages apart."""

import pytest
from google.protobuf.message import DecodeError, EncodeError

from sporax._src.base.protobuf_messages import message_classes

TEXT = """
message Shape { repeated int64 dims = 1; }
message Value {
    required string tag = 1;
    optional Shape shape = 3;  // two is free
}
"""


def test_fields_have_their_numbers_and_kinds() -> None:
    classes = message_classes("sporax.test", TEXT)
    value = classes["Value"](tag="w", shape=classes["Shape"](dims=[2, 300]))
    assert value.SerializeToString() == b"\x0a\x01w" + b"\x1a\x05" + b"\x08\x02" + b"\x08\xac\x02"
    assert classes["Value"].FromString(value.SerializeToString()) == value
    assert list(classes) == ["Shape", "Value"]


def test_what_is_required_and_what_is_damaged() -> None:
    kind = message_classes("sporax.test", TEXT)["Value"]
    with pytest.raises(EncodeError, match="tag"):
        kind().SerializeToString()
    with pytest.raises(DecodeError):
        kind.FromString(b"\x0a\x7f")


def test_two_packages_may_define_a_message_of_one_name() -> None:
    other = message_classes("sporax.test", "message Value { optional bytes tag = 7; }")["Value"]
    assert other(tag=b"w").SerializeToString() == b"\x3a\x01w"
    assert message_classes("sporax.test", TEXT)["Value"](tag="w").tag == "w"
