"""What writing and reading share: the schema's fields, the header, a record's two parts."""

from __future__ import annotations

import json
import os
import re
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.mindrecord.errors import MRMInvalidSchemaError
from sporax._src.data.mindrecord.packing import pack, pack_integers, unpack, unpack_integers

HEADER_SIZE, PAGE_SIZE = 1 << 24, 1 << 25
NUMBERS = ("int32", "int64", "float32", "float64")
KINDS = (*NUMBERS, "string", "bytes")
_HEAD = struct.Struct("<Q")
_FIELD = struct.Struct(">Q")
Part = tuple[int, int, int]  # page, first byte, byte after the last

# Types a value may have for each kind of field that holds one value.
_VALUES: dict[str, tuple[type, ...]] = {
    "int32": (int, np.int32),
    "int64": (int, np.int64),
    "float32": (float, np.float32),
    "float64": (float, np.float64),
    "string": (str,),
    "bytes": (bytes,),
}


def check_schema(content: Any) -> dict[str, dict[str, Any]]:
    """Return a schema, fields in order of their names.

    Raises:
        MRMInvalidSchemaError: If it is none.
    """
    if not content or not isinstance(content, dict):
        raise MRMInvalidSchemaError(f"Schema content should be a dict with fields, got {describe(content)}.")
    for name, field in content.items():
        if not isinstance(name, str) or not re.fullmatch(r"[0-9a-zA-Z_]+", name):
            raise MRMInvalidSchemaError(f"Field '{name}' should be composed of '0-9' or 'a-z' or 'A-Z' or '_'.")
        if not isinstance(field, dict) or set(field) not in ({"type"}, {"type", "shape"}):
            raise MRMInvalidSchemaError(f"Field '{name}' should be a dict with type and perhaps shape, got {field}.")
        if field["type"] not in (NUMBERS if "shape" in field else KINDS):
            raise MRMInvalidSchemaError(f"Field '{name}' contain illegal attribute '{field['type']}'.")
        if not isinstance(field.get("shape", []), list):
            raise MRMInvalidSchemaError(f"Field '{name}' contain illegal attribute '{field['shape']}'.")
    return {name: content[name] for name in sorted(content)}


def blob_fields(schema: dict[str, dict[str, Any]]) -> list[str]:
    """Return the names of the fields that are arrays or bytes."""
    return [name for name, field in schema.items() if "shape" in field or field["type"] == "bytes"]


def check_record(schema: dict[str, dict[str, Any]], record: dict[str, Any]) -> str:
    """Return what is wrong with a record, nothing if it is right."""
    for name, field in schema.items():
        if name not in record:
            return f"there is no field '{name}'"
        value, kind = record[name], field["type"]
        if "shape" not in field:
            if isinstance(value, bool) or not isinstance(value, _VALUES[kind]):
                return f"field '{name}' must be {kind}, got {describe(value)}"
        elif not isinstance(value, np.ndarray) or str(value.dtype) != kind:
            return f"field '{name}' must be an array of {kind}, got {describe(value)}"
        elif not _is_shaped(value, field["shape"]):
            return f"field '{name}' must have shape {field['shape']}, got {list(value.shape)}"
    return ""


def _is_shaped(value: np.ndarray, shape: list[int]) -> bool:
    try:
        value.reshape(shape)
    except ValueError:
        return False
    return True


def encode(schema: dict[str, dict[str, Any]], record: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return the blob part and the raw part of a record."""
    blobs = blob_fields(schema)
    parts = [_blob(schema[name]["type"], record[name]) for name in blobs]
    body = parts[0] if len(parts) == 1 else b"".join(_FIELD.pack(len(p)) + p for p in parts) if parts else bytes(4)
    raw = pack({name: record[name] for name in schema if name not in blobs} or {"id": 0})
    return _HEAD.pack(len(body)) + body, _HEAD.pack(len(raw)) + raw


def _blob(kind: str, value: Any) -> bytes:
    if kind == "bytes":
        return value
    return pack_integers(value) if kind.startswith("int") else np.ascontiguousarray(value).tobytes()


@dataclass
class Header:
    """The head of a file.

    Attributes:
        schema: The fields by name, in order.
        index_fields: The names of the indexed fields.
        header_size, page_size: Where pages begin, and how long they are.
        addresses: The names of all files of the set.
        shard_id: Which of them this is.
        pages: What the header says of each page.
        text: What the writer said of the schema.
    """

    schema: dict[str, dict[str, Any]]
    index_fields: list[str]
    header_size: int = HEADER_SIZE
    page_size: int = PAGE_SIZE
    addresses: tuple[str, ...] = ()
    shard_id: int = 0
    pages: list[dict[str, Any]] | None = None
    text: str = ""

    def to_bytes(self) -> bytes:
        """Return the first bytes of the file.

        Raises:
            RuntimeError: If they need more space than `header_size`.
        """
        fields = [{"index_field": name, "schema_id": 0} for name in self.index_fields]
        body = {
            "header_size": self.header_size,
            "index_fields": fields or None,
            "page": self.pages or [],
            "page_size": self.page_size,
            "compression_size": 0,
            "schema": [{"blob_fields": blob_fields(self.schema), "desc": self.text, "schema": self.schema}],
            "shard_addresses": list(self.addresses),
            "shard_id": self.shard_id,
            "statistics": None,
            "version": "3.0",
        }
        raw = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        if len(raw) + _HEAD.size > self.header_size:
            raise RuntimeError(
                f"mindrecord: the header needs {len(raw) + _HEAD.size} bytes but header_size is {self.header_size}; "
                "call FileWriter.set_header_size with a larger power of two."
            )
        return _HEAD.pack(len(raw)) + raw

    @classmethod
    def read(cls, path: str) -> Header:
        """Return the head of a file.

        Raises:
            RuntimeError: If it is no MindRecord file.
        """
        with open(path, "rb") as file:
            start = file.read(_HEAD.size)
            size = _HEAD.unpack(start)[0] if len(start) == _HEAD.size else 0
            raw = file.read(size) if 0 < size <= os.path.getsize(path) else b""
        try:
            body = json.loads(raw)
            first = body["schema"][0]
            fields = [item["index_field"] for item in body["index_fields"] or []]
            return cls(first["schema"], fields, body["header_size"], body["page_size"], tuple(body["shard_addresses"]),
                       body["shard_id"], body["page"], first["desc"])  # fmt: skip
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise RuntimeError(f"mindrecord: {path} is no MindRecord file: its header cannot be read.") from error

    def page_offset(self, page: int) -> int:
        """Return where a page begins."""
        return self.header_size + page * self.page_size


def decode_raw(raw: bytes) -> dict[str, Any]:
    """Return the fields of a raw part."""
    return unpack(raw[_HEAD.size :])


def decode_blob(schema: dict[str, dict[str, Any]], raw: bytes) -> dict[str, Any]:
    """Return the fields of a blob part."""
    names, found, at = blob_fields(schema), {}, _HEAD.size
    for name in names:
        size = len(raw) - at
        if len(names) > 1:
            (size,) = _FIELD.unpack_from(raw, at)
            at += _FIELD.size
        part, field = raw[at : at + size], schema[name]
        at += size
        if field["type"] == "bytes":
            found[name] = part
            continue
        integers = field["type"].startswith("int")
        flat = unpack_integers(part, field["type"]) if integers else np.frombuffer(part, field["type"]).copy()
        found[name] = flat.reshape(field["shape"])
    return found
