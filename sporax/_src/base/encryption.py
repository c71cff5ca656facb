"""Encrypted files of checkpoints and records: pieces of at most 64 MiB of a file, each with its own head.

The layout of a piece (numbers have four bytes, little-endian):

    4 bytes       the mode
    16 bytes      the tag, of AES-GCM only
    number        how many bytes follow
    number, 16    the length of the initial vector, and the vector; AES-GCM uses the first 12 of its bytes
    number, data  the length of the encrypted bytes, and the bytes; for CBC padded to 16 by PKCS #7
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from sporax._src.base.errors import describe

PIECE_BYTES = 64 * 2**20
MODES = {"AES-GCM": b"\xd8\x5e\x3a\x7f", "AES-CBC": b"\xd9\x5e\x3a\x7f", "SM4-CBC": b"\xda\x5e\x3a\x7f"}
_LENGTHS = {"AES-GCM": (16, 24, 32), "AES-CBC": (16, 24, 32), "SM4-CBC": (16,)}
_VECTOR, _TAG, _NONCE = 16, 16, 12


def mode_of(start: bytes) -> str | None:
    """Return the encryption mode of a file by its first bytes; None if it is not encrypted."""
    return next((mode for mode, mark in MODES.items() if start[:4] == mark), None)


def check(caller: str, key: object, mode: Any) -> None:
    """Raise an error unless a key fits a mode.

    Raises:
        ValueError: If the key is not bytes of a length for the mode, or the mode is unknown.
    """
    if mode not in MODES:
        raise ValueError(f"{caller}: the mode of encryption must be one of {', '.join(MODES)}, got {describe(mode)}.")
    lengths = _LENGTHS[mode]
    if not isinstance(key, bytes) or len(key) not in lengths:
        got = f"{len(key)} bytes" if isinstance(key, bytes) else type(key).__name__
        raise ValueError(f"{caller}: a key of {mode} is {' or '.join(map(str, lengths))} bytes, got {got}.")


def _cipher(key: bytes, mode: str, vector: bytes, tag: bytes | None = None) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise RuntimeError(
            f"encrypted files need the package cryptography (pip install 'sporax[encryption]'): {error}."
        ) from None
    algorithm = (algorithms.SM4 if mode == "SM4-CBC" else algorithms.AES)(key)
    return Cipher(algorithm, modes.GCM(vector[:_NONCE], tag) if mode == "AES-GCM" else modes.CBC(vector))


class Encrypting:
    """A writer that encrypts the content of a file piece by piece; the end of the block writes the last piece.

    Args:
        file: The file to write to.
        key, mode: See `check`.
    """

    def __init__(self, file: BinaryIO, key: bytes, mode: str) -> None:
        self._file, self._key, self._mode = file, key, mode
        self._plain = bytearray()

    def __enter__(self) -> Encrypting:
        """Begin."""
        return self

    def write(self, data: bytes) -> None:
        """Write more of the content."""
        self._plain += data
        while len(self._plain) >= PIECE_BYTES:
            self._put(PIECE_BYTES)

    def _put(self, count: int) -> None:
        self._file.write(encrypted(bytes(self._plain[:count]), self._key, self._mode))
        del self._plain[:count]

    def __exit__(self, *error: object) -> None:
        """Write the last piece."""
        if self._plain and error[0] is None:
            self._put(len(self._plain))


def encrypted(piece: bytes, key: bytes, mode: str) -> bytes:
    """Return a piece of a file with its head.

    Raises:
        RuntimeError: If the package `cryptography` is not installed.
    """
    vector = os.urandom(_VECTOR)
    maker, gcm = _cipher(key, mode, vector).encryptor(), mode == "AES-GCM"
    padding = b"" if gcm else bytes([16 - len(piece) % 16]) * (16 - len(piece) % 16)
    data = maker.update(piece + padding) + maker.finalize()
    body = struct.pack("<i", _VECTOR) + vector + struct.pack("<i", len(data)) + data
    return MODES[mode] + (maker.tag if gcm else b"") + struct.pack("<i", len(body)) + body


def decrypted(file: BinaryIO, size: int, key: bytes, mode: str) -> Iterator[bytes]:
    """Yield the decrypted pieces of a file of `size` bytes.

    Raises:
        ValueError: If it is damaged, or encrypted by another key or in another mode.
    """
    file.seek(0)
    while start := file.read(4):
        if start != MODES[mode]:
            raise ValueError(
                f"expected a piece encrypted in {mode} at byte {file.tell() - 4}, found {mode_of(start) or 'none'}"
            )
        tag = file.read(_TAG) if mode == "AES-GCM" else None
        head = file.read(8 + _VECTOR + 4)
        total, length, count = (*struct.unpack_from("<ii", head), head[-4:]) if len(head) == 28 else (0, 0, b"")
        count = int.from_bytes(count, "little")
        if length != _VECTOR or total != count + _VECTOR + 8 or not 0 < count <= size - file.tell():
            raise ValueError(f"the encrypted piece before byte {file.tell()} is cut short or damaged")
        yield _piece(file.read(count), key, mode, head[8 : 8 + _VECTOR], tag)


def _piece(data: bytes, key: bytes, mode: str, vector: bytes, tag: bytes | None) -> bytes:
    reader = _cipher(key, mode, vector, tag).decryptor()
    try:
        plain = reader.update(data) + reader.finalize()
    except Exception as error:  # ValueError, or InvalidTag of the optional package
        raise ValueError("the key is another, or the encrypted bytes are damaged") from error
    if mode == "AES-GCM":
        return plain
    padding = plain[-1]
    if not 0 < padding <= 16 or plain[-padding:] != bytes([padding]) * padding:
        raise ValueError("the key is another, or the encrypted bytes are damaged")
    return plain[:-padding]
