"""What a program and a recorder of MindSpore do with files of records: a cipher of their own, and values as data."""

from typing import Any

import numpy as np


def swap(source: Any, size: int, target: Any, key: str) -> None:
    """Encrypt or decrypt, by turning bits over."""
    left = size
    while left > 0:
        piece = source.read(min(left, 1 << 20))
        target.write(bytes(byte ^ ord(key[0]) for byte in piece))
        left -= len(piece)


def unswap(source: Any, size: int, target: Any, key: str) -> None:
    """Decrypt what `swap` wrote: without the 4 bytes and the name of the mode at its end."""
    swap(source, size - 11, target, key)


def plain(value: Any) -> Any:
    """Return a value of a row as JSON has it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.name, "is": value.tolist()}
    return value
