"""Values as bytes: MessagePack maps of numbers and text, and integer arrays with as many bytes as each number needs."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

# --- MessagePack ------------------------------------------------------------------------------------------------------

_LARGEST = float(np.finfo(np.float32).max)
_PLAIN = (str, bool, int, float, type(None))
_NOTHING_ELSE = {"max_array_len": 0, "max_bin_len": 0, "max_ext_len": 0}


def pack(value: object) -> bytes:
    """Return a map, number or text as MessagePack; a float that float32 represents takes four bytes, as MindSpore writes it.

    Raises:
        TypeError: If `value` is something else.
    """
    import msgpack

    if isinstance(value, dict):
        return msgpack.Packer().pack_map_header(len(value)) + b"".join(pack(k) + pack(v) for k, v in value.items())
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    if not isinstance(value, _PLAIN):
        raise TypeError(f"mindrecord: expected a number or text, got {type(value).__name__}.")
    single = isinstance(value, float) and abs(value) <= _LARGEST and float(np.float32(value)) == value
    try:
        packed: Any = msgpack.packb(value, use_single_float=single)
    except OverflowError:
        raise TypeError(f"mindrecord: {value} does not fit into 64 bits.") from None
    return packed


def unpack(raw: bytes) -> Any:
    """Return the value that `pack` encoded.

    Raises:
        RuntimeError: If the bytes are not a map, a number or text, or a map is within another.
    """
    import msgpack

    try:
        value = msgpack.unpackb(raw, **_NOTHING_ELSE)
    except (ValueError, msgpack.UnpackException) as error:
        raise RuntimeError(
            f"mindrecord: this is not a map of numbers and text: {str(error) or type(error).__name__}"
        ) from error
    if isinstance(value, dict) and any(isinstance(item, dict) for item in value.values()):
        raise RuntimeError("mindrecord: a record holds a map within its map.")
    return value


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
