"""Values as bytes: MessagePack maps of numbers and text, and integer arrays with as many bytes as each number needs."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

# --- MessagePack ------------------------------------------------------------------------------------------------------

_SIZED = {  # first byte -> layout of the value
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDE: ">H", 0xDF: ">I"}
_PLAIN = {0xC0: None, 0xC2: False, 0xC3: True}
_LARGEST = float(np.finfo(np.float32).max)
_INTEGERS = (0xCC, 0xCD, 0xCE, 0xCF), (0xD0, 0xD1, 0xD2, 0xD3)


def pack(value: Any) -> bytes:
    """Return a map, number or text as MessagePack.

    Raises:
        TypeError: If `value` is something else.
    """
    if isinstance(value, dict):
        head = bytes([0x80 | len(value)]) if len(value) < 16 else b"\xde" + struct.pack(">H", len(value))
        return head + b"".join(pack(k) + pack(v) for k, v in value.items())
    if isinstance(value, str):
        raw = value.encode()
        size = len(raw)
        if size < 32:
            return bytes([0xA0 | size]) + raw
        code = 0xD9 if size < 256 else 0xDA if size < 65536 else 0xDB
        return bytes([code]) + struct.pack(_LENGTHS[code], size) + raw
    if isinstance(value, (bool, type(None))):
        return bytes([next(code for code, plain in _PLAIN.items() if plain is value)])
    if isinstance(value, (int, np.integer)):
        return _integer(int(value))
    if isinstance(value, (float, np.floating)):
        fits = abs(value) <= _LARGEST and float(np.float32(value)) == value
        return struct.pack(">Bf", 0xCA, value) if fits else struct.pack(">Bd", 0xCB, value)
    raise TypeError(f"mindrecord: expected a number or text, got {type(value).__name__}.")


def _integer(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack("b", value)
    for k, code in enumerate(_INTEGERS[value < 0]):
        bits = 8 << k
        if -(1 << bits - 1) <= value < 1 << bits:
            return bytes([code]) + struct.pack(_SIZED[code], value)
    raise TypeError(f"mindrecord: {value} does not fit into 64 bits.")


def unpack(raw: bytes) -> Any:
    """Return the value that `pack` encoded.

    Raises:
        RuntimeError: If the bytes are no map, number or text, or a map is within another.
    """
    return _unpack(raw, 0, 0)[0]


def _unpack(raw: bytes, at: int, depth: int) -> tuple[Any, int]:
    code = raw[at]
    at += 1
    if code < 0x80 or code >= 0xE0:
        return code - (256 if code >= 0xE0 else 0), at
    if code in _PLAIN:
        return _PLAIN[code], at
    if code in _SIZED:
        (value,) = struct.unpack_from(_SIZED[code], raw, at)
        return value, at + struct.calcsize(_SIZED[code])
    if code in _LENGTHS:
        (size,) = struct.unpack_from(_LENGTHS[code], raw, at)
        at += struct.calcsize(_LENGTHS[code])
    elif 0xA0 <= code < 0xC0:
        size = code & 0x1F
    elif code < 0x90:
        size = code & 0x0F
    else:
        raise RuntimeError(f"mindrecord: a record holds a value of an unknown kind, {code:#x}.")
    if code < 0x90 or code in (0xDE, 0xDF):
        if depth:
            raise RuntimeError("mindrecord: a record holds a map within its map.")
        fields = {}
        for _ in range(size):
            key, at = _unpack(raw, at, 1)
            fields[key], at = _unpack(raw, at, 1)
        return fields, at
    if at + size > len(raw):
        raise RuntimeError(f"mindrecord: a text announces {size} bytes, and {len(raw) - at} are left.")
    return raw[at : at + size].decode(), at + size


# --- integer arrays ---------------------------------------------------------------------------------------------------


def pack_integers(values: np.ndarray) -> bytes:
    """Return integers as their count (4 bytes, big-endian), two bits of width for each, and their bytes.

    Width w stands for 2^w bytes, little-endian; the first number's bits are the highest of their byte.
    """
    flat = np.ascontiguousarray(values, "<i8").ravel()
    widths: Any = sum((~_fits(flat, bits)).astype(np.uint8) for bits in (8, 16, 32))
    codes = np.zeros(-(-len(flat) // 4) * 4, np.uint8)
    codes[: len(flat)] = widths
    heads = codes.reshape(-1, 4) @ np.array([64, 16, 4, 1], np.uint8)
    used = np.arange(8) < (1 << widths)[:, None]
    return (
        struct.pack(">I", len(flat))
        + heads.astype(np.uint8).tobytes()
        + flat.view(np.uint8).reshape(-1, 8)[used].tobytes()
    )


def _fits(values: np.ndarray, bits: int) -> np.ndarray:
    return (values >= -(1 << bits - 1)) & (values < 1 << bits - 1)


def unpack_integers(raw: bytes, dtype: Any) -> np.ndarray:
    """Return the integers that `pack_integers` encoded, as a vector."""
    (count,) = struct.unpack_from(">I", raw)
    heads = np.frombuffer(raw, np.uint8, -(-count // 4), 4)
    widths = ((heads[:, None] >> np.array([6, 4, 2, 0], np.uint8)) & 3).ravel()[:count]
    sizes = 1 << widths.astype(np.int64)
    ends = np.cumsum(sizes)
    body = np.frombuffer(raw, np.uint8, len(raw) - 4 - len(heads), 4 + len(heads))
    if sizes.sum() > len(body):
        raise ValueError(f"{count} integers need {sizes.sum()} bytes, and {len(body)} are left")
    positions = np.minimum((ends - sizes)[:, None] + np.arange(8), max(len(body) - 1, 0))
    inside = np.arange(8) < sizes[:, None]
    negative = body[ends - 1] >= 128 if count else np.zeros(0, bool)
    whole = np.where(inside, body[positions] if count else 0, np.where(negative, 255, 0)[:, None])
    return np.ascontiguousarray(whole, np.uint8).view("<i8").ravel().astype(dtype)
