"""The parts of JAX's profiler traces, as protobuf messages."""

from sporax._src.transform.debug.trace_messages import CLASSES


def test_the_bytes_of_a_message() -> None:
    """A field is its number and kind in one byte, and its value: those of XLA's messages."""
    plane = CLASSES["Plane"](name="a")
    plane.events.add(key=3).value.name = "b"
    data = plane.SerializeToString()
    assert data == b"\x12\x01a\x22\x07\x08\x03\x12\x03\x12\x01b"
    assert CLASSES["Plane"].FromString(data) == plane


def test_unknown_fields_are_skipped() -> None:
    metadata = CLASSES["Metadata"].FromString(b"\x0a\x03dot\x12\x04jit/\x1a\x01f\x20\x05")
    assert (metadata.op_name, metadata.file, metadata.line, metadata.frame) == ("jit/", "f", 5, 0)


def test_large_numbers() -> None:
    stat = CLASSES["Stat"](id=1, uint=2**64 - 1)
    stat.int = -(2**63)
    again = CLASSES["Stat"].FromString(stat.SerializeToString())
    assert (again.uint, again.int) == (2**64 - 1, -(2**63))
