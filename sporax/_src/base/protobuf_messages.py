"""Protobuf messages from their text in the protobuf language, without generated code."""

from __future__ import annotations

import re
from typing import Any

_MESSAGE = re.compile(r"message (\w+)\s*\{([^}]*)\}")
_FIELD = re.compile(r"(optional|required|repeated)\s+(\w+)\s+(\w+)\s*=\s*(\d+);")


def message_classes(package: str, text: str) -> dict[str, Any]:
    """Return a class for each message that `text` defines, by its name. The first call loads protobuf.

    The classes use a separate pool of descriptors, because another library may have loaded messages of the same names.

    Args:
        package: The name of the protobuf package.
        text: Definitions of proto2, `message Value { required string tag = 1; optional Shape shape = 2; }`: fields of scalar types
            and of the messages that are defined here. A type that begins with a capital letter is a message.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto2")
    for name, fields in _MESSAGE.findall(text):
        message = file.message_type.add(name=name)
        for label, kind, field_name, number in _FIELD.findall(fields):
            field = message.field.add(name=field_name, number=int(number), label=f"LABEL_{label.upper()}")
            if kind[0].isupper():
                field.type, field.type_name = field.TYPE_MESSAGE, f".{package}.{kind}"
            else:
                field.type = field.Type.Value(f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    found = (pool.FindMessageTypeByName(f"{package}.{message.name}") for message in file.message_type)
    return {message.name: message_factory.GetMessageClass(message) for message in found}
