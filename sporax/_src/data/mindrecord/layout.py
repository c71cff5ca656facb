"""The format that the writer and the reader share: the schema's fields, the header, a record's two parts."""

from __future__ import annotations

import json
import os
import re
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
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


def check_schema(content: object) -> dict[str, dict[str, Any]]:
    """Return a checked schema, with its fields in order of their names.

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
        if not _is_shape(field.get("shape", [])):
            raise MRMInvalidSchemaError(f"Field '{name}' contain illegal attribute '{field['shape']}'.")
    return {name: content[name] for name in sorted(content)}


def _is_shape(value: object) -> bool:
    return isinstance(value, list) and all(type(n) is int and n >= -1 for n in value) and value.count(-1) < 2


def blob_fields(schema: dict[str, dict[str, Any]]) -> list[str]:
    """Return the names of the fields that are arrays or bytes."""
    return [name for name, field in schema.items() if "shape" in field or field["type"] == "bytes"]


def check_record(schema: dict[str, dict[str, Any]], record: dict[str, Any]) -> str:
    """Return what is wrong with a record; an empty text if it is valid."""
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
        header_size, page_size: The start of the pages, and their length.
        addresses: The names of all files of the set.
        shard_id: The number of this share.
        pages: The header's entry for each page.
        text: The writer's description of the schema.
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
            RuntimeError: If it is not a MindRecord file, or its header is damaged.
        """
        with open(path, "rb") as file:
            start = file.read(_HEAD.size)
            size = _HEAD.unpack(start)[0] if len(start) == _HEAD.size else 0
            raw = file.read(size) if 0 < size <= os.path.getsize(path) else b""
        try:
            return cls._parsed(parse_json(raw))
        except (ValueError, LookupError, TypeError, AttributeError, MRMInvalidSchemaError) as error:
            raise RuntimeError(
                f"mindrecord: {shown(path)} is not a MindRecord file: its header cannot be read: {shown(error)}."
            ) from error

    @classmethod
    def _parsed(cls, body: dict[str, Any]) -> Header:
        first = body["schema"][0]
        schema = check_schema(first["schema"])
        fields = [item["index_field"] for item in body["index_fields"] or []]
        if len(set(fields)) != len(fields) or not set(fields) <= set(schema) - set(blob_fields(schema)):
            raise ValueError(f"the indexed fields {describe(fields)} are not all fields of one value")
        numbers = [body["header_size"], body["page_size"], body["shard_id"]]
        numbers += [page[key] for page in body["page"] for key in ("end_row_id", "page_id", "page_size")]
        if not all(type(n) is int and 0 <= n < 2**40 for n in numbers):
            raise ValueError("a size or a row number is not valid")
        addresses = tuple(body["shard_addresses"])
        if not all(isinstance(text, str) for text in (*addresses, first["desc"])):
            raise ValueError("a name is not text")
        return cls(
            schema,
            fields,
            body["header_size"],
            body["page_size"],
            addresses,
            body["shard_id"],
            body["page"],
            first["desc"],
        )

    @property
    def row_count(self) -> int:
        """How many records the pages hold."""
        return max((page["end_row_id"] for page in self.pages or []), default=0)

    def page_offset(self, page: Any) -> Any:
        """Return where a page, or each of an array of pages, begins."""
        return self.header_size + page * self.page_size


def decode_raw(schema: dict[str, dict[str, Any]], raw: bytes) -> dict[str, Any]:
    """Return the fields of a raw part."""
    fields, blobs = unpack(raw[_HEAD.size :]), blob_fields(schema)
    if fields.keys() != {name for name in schema if name not in blobs}:
        raise ValueError(f"it has the fields {describe(list(fields))}")
    return {name: _single(name, schema[name]["type"], value) for name, value in fields.items()}


def _single(name: str, kind: str, value: Any) -> Any:
    fits = isinstance(value, str) if kind == "string" else type(value) in (int, float)
    if fits and kind.startswith("int"):
        fits = type(value) is int and -(1 << int(kind[3:]) - 1) <= value < 1 << int(kind[3:]) - 1
    if not fits:
        raise ValueError(f"field '{name}' must be {kind}, got {describe(value)}")
    return float(value) if kind.startswith("float") else value


def decode_blob(schema: dict[str, dict[str, Any]], raw: bytes) -> dict[str, Any]:
    """Return the fields of a blob part."""
    names, fields, at = blob_fields(schema), {}, _HEAD.size
    for name in names:
        size = len(raw) - at
        if len(names) > 1:
            (size,) = _FIELD.unpack_from(raw, at)
            at += _FIELD.size
        part, field = raw[at : at + size], schema[name]
        at += size
        if at > len(raw):
            raise ValueError(f"field '{name}' announces {size} bytes")
        if field["type"] == "bytes":
            fields[name] = part
            continue
        integers = field["type"].startswith("int")
        flat = unpack_integers(part, field["type"]) if integers else np.frombuffer(part, field["type"]).copy()
        fields[name] = flat.reshape(field["shape"])
    return fields
