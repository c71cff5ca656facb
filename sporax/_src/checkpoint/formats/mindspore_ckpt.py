"""MindSpore's `.ckpt` files: protobuf records, one or more for each parameter, nothing before or after them.

An empty array is one record without content. MindSpore reads such a record unless its shape is `(0,)`, and does not
write empty arrays. An array above 512 MiB is split into several consecutive records with the same name; each repeats
the whole shape. Text is stored as UTF-32 with the type `str`. With `crc_check`, `crc_num` and ten bytes follow the last
record.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import ml_dtypes  # noqa: F401  (teaches NumPy the name "bfloat16")
import numpy as np
from google.protobuf.message import DecodeError

from sporax._src.base import encryption
from sporax._src.base.atomic import replacing
from sporax._src.base.errors import shown, warn_user
from sporax._src.checkpoint.formats.checkpoint_proto import TensorProto, Value

READ_OPTIONS = WRITE_OPTIONS = ("crc_check", "key", "mode")
NEEDS_SUFFIX = True
SLICE_BYTES = 512 * 2**20
_CRC_MARK = b"crc_num"
_CRC_BYTES = len(_CRC_MARK) + 10
_RECORD_KEY = 0x0A  # field 1, length-delimited: Checkpoint.value
_TENSOR_KEY, _CONTENT_KEY = b"\x12", b"\x1a"  # fields 2 of Value and 3 of TensorProto
_A_NUMBER, _SOME_BYTES = 0, 2  # kinds of fields in protobuf; the others have a fixed size
_FIXED_SIZES = {1: 8, 5: 4}

_NAMES = "Bool Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 BFloat16 Float32 Float64 Complex64 Complex128"
_DTYPES = {name: np.dtype(name.lower()) for name in _NAMES.split()}
_TYPE_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def read(
    path: str | os.PathLike[str], *, crc_check: bool = False, key: bytes | None = None, mode: str = "AES-GCM"
) -> dict[str, np.ndarray]:
    """Read a `.ckpt` file into arrays by name; text comes as 0-d arrays of `str`.

    Args:
        path: The file.
        crc_check: Whether to verify the checksum, if the file has one.
        key, mode: The key and the mode of the encryption (see `encryption`).

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is empty, damaged, encrypted with another key, or holds a type that has no array.
        RuntimeError: If it is encrypted and the package `cryptography` is not there.

    Examples:
        >>> import numpy as np
        >>> write("net.ckpt", {"weight": np.eye(2, dtype=np.float32)})
        >>> read("net.ckpt")["weight"].shape
        (2, 2)
    """
    size = Path(path).stat().st_size
    with open(path, "rb") as file:
        try:
            if size == 0:
                raise ValueError("it is empty; expected at least one parameter record.")
            if key is not None:
                plain = b"".join(encryption.decrypted(file, size, key, mode))
                return _read_all(io.BytesIO(plain), len(plain), crc_check, path)
            if cipher := encryption.mode_of(file.read(4)):
                raise ValueError(f"it is encrypted ({cipher}): give dec_key and dec_mode.")
            return _read_all(file, size, crc_check, path)
        except ValueError as error:
            raise ValueError(
                f"{shown(os.fspath(path))} ({size} bytes) is not a readable MindSpore checkpoint: {error}"
            ) from None


def write(
    path: str | os.PathLike[str],
    arrays: Mapping[str, Any],
    *,
    crc_check: bool = False,
    key: bytes | None = None,
    mode: str = "AES-GCM",
) -> None:
    """Write arrays by name into a `.ckpt` file that MindSpore loads; the file appears whole or not at all.

    Args:
        path: The file.
        arrays: Arrays, or anything `np.asarray` takes; a `str` is stored as text.
        crc_check: Whether to append a checksum.
        key, mode: The key and the mode of the encryption (see `encryption`).

    Raises:
        TypeError: If an array has a type that the format does not know.
        RuntimeError: If a key is given and the package `cryptography` is not there.
    """
    with replacing(path) as temporary, open(temporary, "wb") as file:
        if key is None:
            _write_all(file, arrays, crc_check)
        else:
            with encryption.Encrypting(file, key, mode) as encrypting:
                _write_all(encrypting, arrays, crc_check)


def is_deduplicated(path: str | os.PathLike[str]) -> bool | None:
    """Return None: a `.ckpt` file does not say whether it is complete.

    Args:
        path: The file.
    """
    return None


def _write_all(file: Any, arrays: Mapping[str, Any], crc_check: bool) -> None:
    checksum = 0
    for name, array in arrays.items():
        for piece in _pieces(name, np.asarray(array)):
            if crc_check:
                checksum = zlib.crc32(piece, checksum)
            file.write(piece)
    if crc_check:
        file.write(_CRC_MARK + checksum.to_bytes(10, "big"))


def _read_all(file: BinaryIO, size: int, crc_check: bool, path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    end, checksum = _trailer(file, size)
    if crc_check and checksum is None:
        warn_user(f"{shown(path)} carries no checksum: crc_check has nothing to compare.")
    elif crc_check and _crc_of(file, end) != checksum:
        raise ValueError(f"its checksum is not the {checksum} it was written with.")
    found: dict[str, np.ndarray] = {}
    for tag, values in itertools.groupby(_values(file, end, path), key=lambda value: value.tag):
        if tag in found:
            warn_user(f"{shown(path)} holds the Parameter '{shown(tag)}' more than once; the last is taken.")
        found[tag] = _array(tag, list(values))
    return found


def _trailer(file: BinaryIO, size: int) -> tuple[int, int | None]:
    """Return where the records end, and the checksum behind them if there is one."""
    file.seek(max(0, size - _CRC_BYTES))
    tail = file.read()
    if not tail.startswith(_CRC_MARK) or len(tail) < _CRC_BYTES:
        return size, None
    return size - _CRC_BYTES, int.from_bytes(tail[len(_CRC_MARK) :], "big")


def _crc_of(file: BinaryIO, end: int) -> int:
    file.seek(0)
    checksum, left = 0, end
    while left and (block := file.read(min(left, 2**24))):
        checksum, left = zlib.crc32(block, checksum), left - len(block)
    return checksum


def _values(file: BinaryIO, end: int, path: str | os.PathLike[str]) -> Iterator[Any]:
    """Read record after record: a checkpoint may be larger than the 2 GiB that protobuf parses at once.

    Other fields, which a later release may write behind a record, are skipped.
    """
    file.seek(0)
    while (start := file.tell()) < end:
        if file.read(1)[0] != _RECORD_KEY:
            file.seek(start)
            if not start or not _skip_field(file, end):
                raise ValueError(f"expected a parameter record at byte {start}, found something else.")
            warn_user(f"{shown(path)} has something other than a Parameter at byte {start}; it is left out.")
            continue
        length = _varint(file, end)
        left = end - file.tell()
        if length > left:
            raise ValueError(f"the record at byte {start} announces {length} bytes, and {left} are left.")
        yield _parse(file.read(length), start)


def _skip_field(file: BinaryIO, end: int) -> bool:
    """Move behind a field of protobuf; return whether there is one."""
    number, kind = divmod(_varint(file, end), 8)
    if number < 2 or kind not in (_A_NUMBER, _SOME_BYTES, *_FIXED_SIZES):
        return False
    size = _FIXED_SIZES[kind] if kind in _FIXED_SIZES else _varint(file, end)
    file.seek(0 if kind == _A_NUMBER else size, os.SEEK_CUR)
    return file.tell() <= end


def _varint(file: BinaryIO, end: int) -> int:
    start = file.tell()
    number = 0
    for i in range(min(10, end - start)):
        byte = file.read(1)[0]
        number |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return number
    raise ValueError(f"expected the length of a record at byte {start}.")


def _parse(record: bytes, start: int) -> Any:
    try:
        value = Value.FromString(record)
    except DecodeError:
        value = Value()
    if not value.IsInitialized() or not (value.HasField("tensor") or value.HasField("maptensor")):
        raise ValueError(f"the record at byte {start} does not hold a named tensor.")
    return value


def _array(tag: str, values: list[Any]) -> np.ndarray:
    """Join the records of one parameter; shape and type are those of the last record, as in MindSpore."""
    if any(value.HasField("maptensor") for value in values):
        raise ValueError(f"parameter '{shown(tag)}' is a MapParameter (a hash table), which has no array.")
    last = values[-1].tensor
    content = values[0].tensor.tensor_content
    if len(values) > 1:
        content = b"".join(value.tensor.tensor_content for value in values)
    if last.tensor_type == "str":
        return _text(tag, content)
    dtype = _DTYPES.get(last.tensor_type)
    if dtype is None:
        raise ValueError(
            f"parameter '{shown(tag)}' has type '{shown(last.tensor_type)}'; expected one of {', '.join(_DTYPES)}, str."
        )
    shape = _shape(tag, tuple(last.dims), dtype, len(content))
    return np.frombuffer(content, dtype).reshape(shape).copy()


def _shape(tag: str, dims: tuple[int, ...], dtype: np.dtype, length: int) -> tuple[int, ...]:
    if dims == (0,) and length == dtype.itemsize:
        return ()  # how older releases write a 0-d parameter
    expected = math.prod(dims) * dtype.itemsize
    if expected != length or len(dims) > 64 or not all(0 <= n < 2**63 for n in dims):
        raise ValueError(
            f"parameter '{shown(tag)}' is {dtype}{list(dims)}, {expected} bytes; the file has {length} for it."
        )
    return dims


def _text(tag: str, content: bytes) -> np.ndarray:
    try:
        return np.array(content.decode("utf-32-le").rstrip("\0"))
    except UnicodeDecodeError:
        raise ValueError(f"parameter '{shown(tag)}' is text, and its {len(content)} bytes are not UTF-32.") from None


def _pieces(name: str, array: np.ndarray) -> Iterator[Any]:
    """Yield the serialized records of one array in pieces; the content of the array is not copied."""
    if array.dtype.kind == "U" and array.ndim == 0:
        type_name, dims, content = "str", (0,), np.frombuffer(array.item().encode("utf-32-le") or b"\0\0\0\0", np.uint8)
    elif array.dtype in _TYPE_NAMES:
        type_name, dims = _TYPE_NAMES[array.dtype], array.shape
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    else:
        raise TypeError(
            f"parameter '{shown(name)}' is {array.dtype}{list(array.shape)}; "
            f"a .ckpt file holds {', '.join(str(d) for d in _TYPE_NAMES)} and single texts."
        )
    for start in range(0, max(1, content.size), SLICE_BYTES):
        piece = content[start : start + SLICE_BYTES]
        tensor = TensorProto(dims=dims, tensor_type=type_name).SerializePartialToString()
        tensor += _CONTENT_KEY + _varint_of(piece.size)
        value = Value(tag=name).SerializeToString() + _TENSOR_KEY + _varint_of(len(tensor) + piece.size) + tensor
        yield bytes([_RECORD_KEY]) + _varint_of(len(value) + piece.size) + value
        yield piece.data


def _varint_of(number: int) -> bytes:
    """Return a length in protobuf's encoding: seven bits in each byte, the lowest first."""
    count = max(1, -(-number.bit_length() // 7))
    return bytes(number >> 7 * i & 0x7F | (0x80 if i < count - 1 else 0) for i in range(count))
