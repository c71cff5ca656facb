"""Files of TensorFlow's records, written by protobuf's own message."""

import struct
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory


def example_class() -> Any:
    """Return the message `tf.train.Example`, built by protobuf: what the reader's own parser is compared with."""
    field = descriptor_pb2.FieldDescriptorProto
    one, many = field.LABEL_OPTIONAL, field.LABEL_REPEATED
    file = descriptor_pb2.FileDescriptorProto(
        name="example_of_tests.proto", package="example_of_tests", syntax="proto3"
    )

    def message(name: str, *fields: tuple[str, int, Any, Any], within: Any = file.message_type) -> Any:
        made = within.add(name=name)
        for number, (label, kind, how, type_name) in enumerate(fields, 1):
            made.field.add(name=label, number=number, type=kind, label=how, type_name=type_name)
        return made

    message("BytesList", ("value", field.TYPE_BYTES, many, None))
    message("FloatList", ("value", field.TYPE_FLOAT, many, None))
    message("Int64List", ("value", field.TYPE_INT64, many, None))
    kinds = [(f"{k}_list", field.TYPE_MESSAGE, one, f".example_of_tests.{n}List") for k, n in
             (("bytes", "Bytes"), ("float", "Float"), ("int64", "Int64"))]  # fmt: skip
    message("Feature", *kinds)
    entry = ("key", field.TYPE_STRING, one, None), ("value", field.TYPE_MESSAGE, one, ".example_of_tests.Feature")
    features = message("Features", ("feature", field.TYPE_MESSAGE, many, ".example_of_tests.Features.FeatureEntry"))
    message("FeatureEntry", *entry, within=features.nested_type).options.map_entry = True
    message("Example", ("features", field.TYPE_MESSAGE, one, ".example_of_tests.Features"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("example_of_tests.Example"))


EXAMPLE = example_class()


def records(rows: list[dict[str, Any]]) -> bytes:
    out = b""
    for row in rows:
        example = EXAMPLE()
        for name, values in row.items():
            feature = example.features.feature[name]
            kind = {bytes: "bytes_list", float: "float_list", int: "int64_list"}[type(values[0])]
            getattr(feature, kind).value.extend(values)
        body = example.SerializeToString()
        out += struct.pack("<QI", len(body), 0) + body + bytes(4)
    return out


def row(k: int) -> dict[str, Any]:
    return {"i": [k, -k, 2**40 + k], "f": [k / 2], "s": [b"t%d" % k], "b": [b"\x00\xff", b"x"]}


def column(data: Any, name: str) -> list[Any]:
    return [r[name].tolist() for r in data.create_dict_iterator(1, output_numpy=True)]
