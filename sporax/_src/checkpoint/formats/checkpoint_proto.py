"""The protobuf messages of a MindSpore checkpoint, built at import without generated code.

message Checkpoint     { repeated Value value = 1; }    // records one after the other, which are read and written one by one
message Value          { required string tag = 1; optional TensorProto tensor = 2;
                         optional MapTensorProto maptensor = 3; }
message TensorProto    { repeated int64 dims = 1; required string tensor_type = 2;
                         required bytes tensor_content = 3; }
message MapTensorProto { repeated TensorProto tensor = 1; }
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "sporax.checkpoint"
_FIELD = descriptor_pb2.FieldDescriptorProto
_MESSAGES = {
    "TensorProto": [
        ("dims", _FIELD.LABEL_REPEATED, _FIELD.TYPE_INT64),
        ("tensor_type", _FIELD.LABEL_REQUIRED, _FIELD.TYPE_STRING),
        ("tensor_content", _FIELD.LABEL_REQUIRED, _FIELD.TYPE_BYTES),
    ],
    "MapTensorProto": [("tensor", _FIELD.LABEL_REPEATED, "TensorProto")],
    "Value": [
        ("tag", _FIELD.LABEL_REQUIRED, _FIELD.TYPE_STRING),
        ("tensor", _FIELD.LABEL_OPTIONAL, "TensorProto"),
        ("maptensor", _FIELD.LABEL_OPTIONAL, "MapTensorProto"),
    ],
}


def _add_field(message: Any, number: int, name: str, label: Any, kind: Any) -> None:
    field = message.field.add(name=name, number=number, label=label)
    if isinstance(kind, str):
        field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    else:
        field.type = kind


def _build() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="sporax/checkpoint.proto", package=_PACKAGE, syntax="proto2")
    for message_name, fields in _MESSAGES.items():
        message = file.message_type.add(name=message_name)
        for number, (name, label, kind) in enumerate(fields, 1):
            _add_field(message, number, name, label, kind)
    pool = descriptor_pool.DescriptorPool()  # our own: MindSpore's messages of the same names may be loaded as well
    pool.AddSerializedFile(file.SerializeToString())
    return {n: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{n}")) for n in _MESSAGES}


_classes = _build()
Value = _classes["Value"]
TensorProto = _classes["TensorProto"]
