"""TFRecordDataset: rows from TFRecord files of `tf.train.Example` messages.

A file is a row of records: 8 bytes of length, 4 of checksum, the message, 4 of checksum (little-endian).
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any, BinaryIO

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.protobuf_messages import message_classes
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.files import FilesDataset, Part
from sporax._src.data.sources.schema import Schema, numpy_type, of_records

_HEAD = struct.Struct("<QI")
_BLOCK = 1 << 20
_SMALL = 64 << 20  # a record of up to so many bytes is read from a compressed file of any size,
_LARGEST_RATIO = 100  # a larger one only if it is at most so many times as large as the file,
_LARGEST = 2**31 - 1  # and none that is larger than protobuf's limit
Feature = list[bytes] | np.ndarray


class _Inflated(io.RawIOBase):
    """A zlib file that is decompressed while it is read."""

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


@cache
def _example_class() -> Any:
    return message_classes(
        "sporax.example",
        """
        message Example { optional Features features = 1; }
        message Features { repeated Entry feature = 1; }
        message Entry { optional string key = 1; optional Feature value = 2; }
        message Feature { optional Bytes bytes = 1; optional Floats floats = 2; optional Integers integers = 3; }
        message Bytes { repeated bytes value = 1; }
        message Floats { repeated float value = 1; }
        message Integers { repeated int64 value = 1; }
        """,
    )["Example"]


def parse_example(raw: bytes) -> dict[str, Feature]:
    """Return the features of a message: lists of bytes, or arrays of float32 or int64.

    Raises:
        ValueError: If it is no such message.
    """
    try:
        entries = _example_class().FromString(raw).features.feature
        values = {entry.key: _feature(entry.value) for entry in entries}
    except Exception as error:  # the class of protobuf's errors exists only after protobuf is imported
        raise ValueError("it holds no tf.train.Example") from error
    # Protobuf skips fields that it does not know, and returns a name that is not UTF-8 as bytes.
    if (raw and not values) or not all(isinstance(name, str) for name in values):
        raise ValueError("it holds no tf.train.Example")
    return values


def _feature(value: Any) -> Feature:
    if value.HasField("bytes"):
        return list(value.bytes.value)
    if value.HasField("floats"):
        return np.array(value.floats.value, np.float32)
    return np.array(value.integers.value, np.int64)


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
                    raise RuntimeError(f"{where}: {shown(path)} is not a TFRecord file, or is cut short.")
                yield body[:-4]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RuntimeError(f"{where}: {shown(path)} is not a {compression} file, or is damaged: {error}.") from error


def _opened(path: str, compression: str | None) -> Any:
    if compression == "ZLIB":
        return io.BufferedReader(_Inflated(open(path, "rb")))
    return gzip.open(path, "rb") if compression == "GZIP" else open(path, "rb")


class TFRecordDataset(FilesDataset):
    """Gives the examples of TFRecord files.

    Args:
        dataset_files (Union[str, list[str]]): Paths or patterns.
        schema (Union[str, Schema], optional): Names, types and shapes of the columns, or a JSON file of them.
            Default: ``None``, all features as vectors; bytes as uint8, several padded with blanks and concatenated.
        columns_list (list[str], optional): The columns to give. Default: ``None``, all, in order of their names.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, that of `schema` if it says one, else all.
        num_parallel_workers (int, optional): How many files are read in turn. Default: the configured number.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``Shuffle.GLOBAL``.
        num_shards (int, optional): How many devices share the files.
        shard_id (int, optional): The number of this share.
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
        dataset_files: object,
        schema: str | Schema | None = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = False,
        cache: object = None,
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
        self._schema = of_records(schema) if isinstance(schema, str) else schema
        if self._schema is not None and not num_samples:
            self.num_samples = self._schema.num_rows
        if not shard_equal_rows and (num_shards or 1) > len(self.dataset_files):
            raise ValueError(f"{where}: there are fewer files than num_shards={num_shards}; use shard_equal_rows=True.")
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

    def _parts(self, files: list[int]) -> list[Part]:
        if self.shard_equal_rows or self.num_shards is None:
            return super()._parts(files)
        sizes = self._file_sizes()
        return [(self.dataset_files[k], 0, sizes[k]) for k in files[self.shard_id :: self.num_shards]]

    def _varies(self) -> bool:
        shares_files = not self.shard_equal_rows and (self.num_shards or 1) > 1
        return shares_files and self.shuffle_by_files and len({*self._file_sizes()}) > 1

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
        kind = numpy_type(column) if column else None
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
        if "shape" in column:
            return array.reshape(column["shape"])
        return array.reshape(()) if column.get("rank") == 0 and array.size == 1 else array
