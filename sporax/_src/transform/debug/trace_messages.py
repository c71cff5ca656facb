"""The parts of JAX's profiler traces that sporax reads, as protobuf messages built without generated code.

The messages are XLA's; unused fields are left out and skipped.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "sporax.trace"
_FIELD = descriptor_pb2.FieldDescriptorProto
_KINDS = {"int": _FIELD.TYPE_INT64, "str": _FIELD.TYPE_STRING, "bytes": _FIELD.TYPE_BYTES, "uint": _FIELD.TYPE_UINT64}
# message: field number name kind; `*`: repeated
_MESSAGES = """
Space: 1 planes *Plane
Plane: 2 name str; 3 lines *Line; 4 events *EventEntry; 5 stats *StatEntry
EventEntry: 1 key int; 2 value Event
Event: 2 name str; 5 stats *Stat
StatEntry: 1 key int; 2 value StatName
StatName: 2 name str
Stat: 1 id int; 3 uint uint; 4 int int; 5 str str; 6 bytes bytes; 7 ref uint
Line: 2 name str; 3 began_ns int; 4 events *Moment
Moment: 1 id int; 2 offset_ps int; 3 duration_ps int; 4 stats *Stat
Hlo: 1 module Module
Module: 1 name str; 3 computations *Computation; 17 frames Frames
Computation: 2 instructions *Instruction
Instruction: 1 name str; 7 metadata Metadata
Metadata: 2 op_name str; 3 file str; 4 line int; 15 frame int
Frames: 1 files *str; 3 locations *Location; 4 frames *Frame
Location: 1 file int; 3 line int
Frame: 1 location int; 2 parent int
"""


def _build() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="sporax/trace.proto", package=_PACKAGE, syntax="proto2")
    names = []
    for text in _MESSAGES.strip().splitlines():
        name, _, fields = text.partition(": ")
        names.append(name)
        message = file.message_type.add(name=name)
        for number, field_name, kind in map(str.split, fields.split("; ")):
            label = _FIELD.LABEL_REPEATED if kind.startswith("*") else _FIELD.LABEL_OPTIONAL
            field = message.field.add(name=field_name, number=int(number), label=label)
            if (plain := kind.removeprefix("*")) in _KINDS:
                field.type = _KINDS[plain]
            else:
                field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".{_PACKAGE}.{plain}"
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in names}


CLASSES = _build()
