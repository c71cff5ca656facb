"""TFRecordDataset: rows from TFRecord files of `tf.train.Example` messages.

A file is a row of records: 8 bytes of length, 4 of checksum, the message, 4 of checksum (little-endian). A message is

    message Example   { Features features = 1; }
    message Features  { map<string, Feature> feature = 1; }
    message Feature   { oneof kind { BytesList bytes_list = 1; FloatList float_list = 2; Int64List int64_list = 3; } }
    message BytesList { repeated bytes value = 1; }   FloatList, Int64List: repeated float, int64, packed or not

This is so little that it is parsed here, not by generated code.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.files import FilesDataset
from sporax._src.data.sources.schema import Schema

_HEAD = struct.Struct("<QI")
_BLOCK = 1 << 20
_SMALL = 64 << 20  # a record of up to so many bytes is read from a compressed file of any size,
_LARGEST_RATIO = 100  # a larger one only if it is at most so many times as large as the file,
_LARGEST = 2**31 - 1  # and none that is larger than protobuf's limit
Feature = list[bytes] | np.ndarray


class _Inflated(io.RawIOBase):
    """A file of zlib, unpacked as it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._stream = file, zlib.decompressobj()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._stream.eof:
            packed = self._stream.unconsumed_tail or self._file.read(_BLOCK)
            data = self._stream.decompress(packed, len(buffer))
            if not packed and not data:
                raise EOFError("it ends before its end is marked")
            if data:
                buffer[: len(data)] = data
                return len(data)
        return 0

    def close(self) -> None:
        self._file.close()
        super().close()


def _exactly(file: Any, size: int) -> bytes:
    """Read `size` bytes, or all that are left; memory grows with the bytes read, not with the announced size."""
    data = bytearray()
    while len(data) < size and (block := file.read(min(size - len(data), _BLOCK))):
        data += block
    return bytes(data)


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = raw[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
    raise ValueError("a number has more than ten bytes")


def _fields(raw: Any) -> Iterator[tuple[int, Any]]:
    """Yield the number of each field of a message, and its value: bytes, or an int."""
    at = 0
    while at < len(raw):
        tag, at = _varint(raw, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(raw, at)
            yield tag >> 3, value
            continue
        if kind == 2:
            size, at = _varint(raw, at)
        else:
            size = {1: 8, 5: 4}[kind]
        if size > len(raw) - at:
            raise ValueError(f"a field announces {size} bytes, and {len(raw) - at} are left")
        yield tag >> 3, raw[at : at + size]
        at += size


def _integers(raw: bytes) -> np.ndarray:
    """Return an Int64List: each value is in groups of 7 bits, lowest first, all but the last with the 8th bit set."""
    parts = [value if isinstance(value, bytes) else _one(value) for _, value in _fields(raw)]
    body = np.frombuffer(b"".join(parts), np.uint8)
    ends = np.flatnonzero(body < 0x80)
    if len(ends) == len(body):
        return body.astype(np.int64)
    starts = np.concatenate([[0], ends[:-1] + 1])
    if not len(ends) or ends[-1] != len(body) - 1 or (ends - starts).max() > 9:
        raise ValueError("a number has no end, or more than ten bytes")
    positions = np.arange(len(body)) - np.repeat(starts, ends - starts + 1)
    bits = (body & 0x7F).astype(np.uint64) << (7 * positions).astype(np.uint64)
    return np.add.reduceat(bits, starts).view(np.int64)


def _one(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _feature(raw: bytes) -> Feature:
    for kind, body in _fields(raw):
        if kind == 1:
            return [bytes(memoryview(value)) for _, value in _fields(body)]
        if kind == 2:
            return np.frombuffer(b"".join(value for _, value in _fields(body)), "<f4").copy()
        if kind == 3:
            return _integers(body)
    return np.zeros(0, np.int64)


def parse_example(raw: bytes) -> dict[str, Feature]:
    """Return the features of a message: lists of bytes, or arrays of float32 or int64.

    Raises:
        ValueError: If it is no such message.
    """
    values: dict[str, Feature] = {}
    try:
        for _, features in _fields(raw):
            for _, entry in _fields(features):
                pair = dict(_fields(entry))
                values[pair[1].decode()] = _feature(pair.get(2, b""))
    except (LookupError, TypeError, AttributeError) as error:  # bytes where a number should be, or none
        raise ValueError("it holds no tf.train.Example") from error
    return values


def read_records(where: str, path: str, compression: str | None = None) -> Iterator[bytes]:
    """Yield the messages of a file.

    Raises:
        RuntimeError: If it is not a TFRecord file, or is not compressed that way.
    """
    limit = os.path.getsize(path) * (1 if not compression else _LARGEST_RATIO)
    try:
        with _opened(path, compression) as file:
            while head := _exactly(file, _HEAD.size):
                size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else 0
                body = _exactly(file, size + 4) if 0 < size <= min(max(limit, _SMALL), _LARGEST) else b""
                if len(body) != size + 4 or not size:
                    raise RuntimeError(f"{where}: {shown(path)} is no TFRecord file, or is cut short.")
                yield body[:-4]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RuntimeError(f"{where}: {shown(path)} is no {compression} file, or is damaged: {error}.") from error


def _opened(path: str, compression: str | None) -> Any:
    if compression == "ZLIB":
        return io.BufferedReader(_Inflated(open(path, "rb")))
    return gzip.open(path, "rb") if compression == "GZIP" else open(path, "rb")


class TFRecordDataset(FilesDataset):
    """Gives the examples of TFRecord files.

    Args:
        dataset_files (Union[str, list[str]]): Paths or patterns.
        schema (Union[str, Schema], optional): Names, types and shapes of the columns, or a JSON file of them.
            Default: ``None``, all features as vectors; bytes as uint8, several padded with blanks and put together.
        columns_list (list[str], optional): The columns to give. Default: ``None``, all, in order of their names.
        num_samples (int, optional): The most rows to give. Default: ``None``, all.
        num_parallel_workers (int, optional): How many files are read in turn. Default: the configured number.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``Shuffle.GLOBAL``.
        num_shards (int, optional): How many devices share the files.
        shard_id (int, optional): Which of them this is.
        shard_equal_rows (bool): Whether devices share the rows evenly instead of the files. Default: ``False``.
        cache (optional): Accepted and ignored.
        compression_type (str, optional): ``'GZIP'`` or ``'ZLIB'``. Default: ``None``, none.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a file does not exist, `compression_type` is unknown, or arguments do not fit.
        RuntimeError: If a file is not a TFRecord file, or a row does not fit the schema.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
        >>> message = bytes([10, 12, 10, 10, 10, 1, 97, 18, 5, 26, 3, 10, 1, 7])  # {"a": [7]}
        >>> with open(path, "wb") as file:
        ...     _ = file.write(len(message).to_bytes(8, "little") + bytes(4) + message + bytes(4))
        >>> [row["a"] for row in ds.TFRecordDataset(path).create_dict_iterator(output_numpy=True)]
        [array([7])]
    """

    def __init__(
        self,
        dataset_files: Any,
        schema: str | Schema | None = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = False,
        cache: Any = None,
        compression_type: str | None = None,
    ) -> None:
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        where = "TFRecordDataset"
        checks.boolean(where, "shard_equal_rows", shard_equal_rows)
        if compression_type not in (None, "", "GZIP", "ZLIB"):
            raise ValueError(f"{where}: compression_type must be 'GZIP' or 'ZLIB', got {describe(compression_type)}.")
        if schema is not None and not isinstance(schema, (str, Schema)):
            raise TypeError(f"{where}: schema must be a path or a Schema, got {describe(schema)}.")
        self.shard_equal_rows, self.compression_type = shard_equal_rows, compression_type
        self._schema = Schema(schema) if isinstance(schema, str) else schema
        if num_shards is not None and not shard_equal_rows:
            self.dataset_files = self.dataset_files[shard_id::num_shards]
            self.num_shards = self.shard_id = None
            if not self.dataset_files:
                raise ValueError(
                    f"{where}: there are fewer files than num_shards={num_shards}; use shard_equal_rows=True."
                )
        self._kinds = {} if self._schema is None else {column["name"]: column for column in self._schema.columns}
        known = sorted(self._kinds or self._first_example())
        if columns_list is None:
            self.columns_list = known
        else:
            self.columns_list = checks.columns(where, "columns_list", columns_list)
            checks.positions(where, self.columns_list, known)

    def _columns(self) -> list[str]:
        return list(self.columns_list)

    def _first_example(self) -> dict[str, Feature]:
        for path in self.dataset_files:
            for raw in self._records(path):
                return self._example(path, 0, raw)
        raise RuntimeError(f"TFRecordDataset: {self.dataset_files} hold no records.")

    def _example(self, path: str, number: int, raw: bytes) -> dict[str, Feature]:
        try:
            return parse_example(raw)
        except ValueError as error:
            raise RuntimeError(f"TFRecordDataset: row {number} of {shown(path)} is damaged: {error}.") from error

    def _records(self, path: str) -> Iterator[bytes]:
        return read_records("TFRecordDataset", path, self.compression_type)

    def _count(self, path: str) -> int:
        return sum(1 for _ in self._records(path))

    def _read(self, path: str) -> Iterator[Row]:
        for number, raw in enumerate(self._records(path)):
            features = self._example(path, number, raw)
            try:
                yield tuple(self._value(features, name) for name in self.columns_list)
            except (KeyError, ValueError) as error:
                raise RuntimeError(f"TFRecordDataset: row {number} of {shown(path)} does not fit: {error}.") from error

    def _value(self, features: dict[str, Feature], name: str) -> np.ndarray:
        if name not in features:
            raise ValueError(f"it has no feature {name!r}, only {sorted(features)}")
        value, column = features[name], self._kinds.get(name, {})
        kind = np.dtype(column["type"]) if column else None
        if isinstance(value, list):
            if kind is not None and kind.kind in "US":
                array = np.array([item.decode() for item in value])
            elif kind in (None, np.dtype(np.uint8)):
                width = max(map(len, value), default=0)
                if width * len(value) > _LARGEST:
                    raise ValueError(f"feature {name!r} would need {width * len(value)} bytes")
                array = np.frombuffer(b"".join(item.ljust(width) for item in value), np.uint8).copy()
            else:
                raise ValueError(f"feature {name!r} holds bytes, but its column is {kind}")
        elif kind is not None and (kind.kind == "f") != (value.dtype.kind == "f"):
            raise ValueError(f"feature {name!r} holds {value.dtype}, but its column is {kind}")
        else:
            array = value if kind is None else value.astype(kind)
        return array.reshape(column["shape"]) if "shape" in column else array
