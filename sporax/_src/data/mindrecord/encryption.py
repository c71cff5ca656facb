"""Encrypted MindRecord files: the settings, encryption, and decrypted copies for reading.

An encrypted file, of records or the index beside one, is

    4 bytes, data    the length of a piece (big-endian), and the piece (see `base.encryption`); as many as there are
    4 bytes          0
    7 bytes          AES-GCM, or UDF-ENC if a user's function encrypted the part before
    7 bytes          ENCRYPT
"""

from __future__ import annotations

import atexit
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from sporax._src.base.atomic import replacing
from sporax._src.base.encryption import PIECE_BYTES, decrypted, encrypted
from sporax._src.base.errors import describe, shown

Function = Callable[[BinaryIO, int, BinaryIO, str], Any]
_END = b"ENCRYPT"
_GCM, _FUNCTION = "AES-GCM", "UDF-ENC"
_KEY_LENGTHS = (16, 24, 32)
_settings: dict[str, Any] = {"key": None, "enc_mode": _GCM, "dec_mode": None}
_copies: dict[tuple[Any, ...], str] = {}


# --- settings ---------------------------------------------------------------------------------------------------------


def set_enc_key(enc_key: str | None) -> None:
    """Set the key with which MindRecord files are encrypted and decrypted.

    Args:
        enc_key: Text of 16, 24 or 32 characters; None: files are plain.

    Raises:
        ValueError: If `enc_key` is something else.

    Examples:
        >>> import os, tempfile
        >>> from sporax.mindrecord import FileReader, FileWriter, set_enc_key
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> set_enc_key("0123456789012345")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": 3}])
        >>> writer.commit()
        >>> list(FileReader(path).get_next())
        [{'label': 3}]
        >>> set_enc_key(None)
    """
    if enc_key is not None:
        if not isinstance(enc_key, str):
            raise ValueError(f"mindrecord.set_enc_key: enc_key must be a str or None, got {type(enc_key).__name__}.")
        if len(enc_key) not in _KEY_LENGTHS:
            raise ValueError(
                f"mindrecord.set_enc_key: enc_key must have 16, 24 or 32 characters, got {len(enc_key)} of them."
            )
    _settings["key"] = enc_key


def set_enc_mode(enc_mode: str | Function = "AES-GCM") -> None:
    """Set how MindRecord files are encrypted if a key is set.

    Args:
        enc_mode: ``'AES-GCM'``, or a function that takes the plain file, how many bytes it has, the file to write, and
            the key.

    Raises:
        ValueError: If `enc_mode` is something else.

    Examples:
        >>> from sporax.mindrecord import set_enc_mode
        >>> set_enc_mode("AES-GCM")
    """
    _settings["enc_mode"] = _checked("enc_mode", enc_mode)


def set_dec_mode(dec_mode: str | Function | None = "AES-GCM") -> None:
    """Set how MindRecord files are decrypted if a key is set.

    Args:
        dec_mode: ``'AES-GCM'``; a function that takes the encrypted file, how many bytes it has, the file to write,
            and the key; None: as `set_enc_mode` says.

    Raises:
        ValueError: If `dec_mode` is something else.

    Examples:
        >>> from sporax.mindrecord import set_dec_mode
        >>> set_dec_mode("AES-GCM")
    """
    _settings["dec_mode"] = None if dec_mode is None else _checked("dec_mode", dec_mode)


def _checked(name: str, mode: object) -> Any:
    if not callable(mode) and mode != _GCM:
        raise ValueError(f"mindrecord.set_{name}: {name} must be 'AES-GCM' or a function, got {describe(mode)}.")
    return mode


def is_on() -> bool:
    """Return whether files are encrypted."""
    return _settings["key"] is not None


def _reading_mode() -> Any:
    mode = _settings["dec_mode"]
    if mode is None and callable(_settings["enc_mode"]):
        raise RuntimeError(
            "mindrecord: files are encrypted by a function of yours; set_dec_mode needs the one that decrypts them."
        )
    return _settings["enc_mode"] if mode is None else mode


def _secret(key: str) -> bytes:
    return key.encode()[
        : len(key)
    ]  # as in MindSpore: a key is cut to as many bytes as it has characters, which matters if it is not ASCII


# --- writing ----------------------------------------------------------------------------------------------------------


def encrypt(path: Path) -> None:
    """Replace a file by its encrypted form, if a key is set.

    Raises:
        RuntimeError: If the package `cryptography` is needed and is not there.
    """
    key, mode = _settings["key"], _settings["enc_mode"]
    if key is None:
        return
    with replacing(path) as temporary, open(path, "rb") as plain, open(temporary, "wb") as file:
        if callable(mode):
            mode(plain, path.stat().st_size, file, key)
        else:
            while piece := plain.read(PIECE_BYTES):
                sealed = encrypted(piece, _secret(key), mode)
                file.write(len(sealed).to_bytes(4, "big") + sealed)
        file.write(bytes(4) + (_FUNCTION if callable(mode) else mode).encode() + _END)


# --- reading ----------------------------------------------------------------------------------------------------------


def plain_path(path: str) -> str:
    """Return the path of a plain file with its index: the file itself or, if it is encrypted, a decrypted copy.

    There is one copy for each state of the file, beside it if the folder is writable. It is removed when the process ends.

    Raises:
        RuntimeError: If it is encrypted and the key is missing or wrong, or it is plain and a key is set.
    """
    key, names = _settings["key"], (path, f"{path}.db")
    for name in names:
        if _ending(name).endswith(_END) != (key is not None):
            raise RuntimeError(
                f"mindrecord: {shown(name)} is encrypted: call set_enc_key with its key, and set_dec_mode if a function "
                "of yours decrypts it."
                if key is None
                else f"mindrecord: {shown(name)} is not encrypted: call set_enc_key(None) to read it."
            )
    if key is None:
        return path
    mode = _reading_mode()
    state = [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in map(os.stat, names)]
    known = (os.path.basename(path), *state, key, mode)
    if known not in _copies:
        _copies[known] = _copied(path, key, mode)
    return _copies[known]


def _ending(path: str) -> bytes:
    """Return the name of the mode and the mark at the end of a file, if present."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 2 * len(_END), 0))
        return file.read()


def _copied(path: str, key: str, mode: object) -> str:
    beside = os.path.dirname(os.path.abspath(path))
    folder = tempfile.mkdtemp(prefix=".decrypt_mindrecord-", dir=beside if os.access(beside, os.W_OK) else None)
    atexit.register(_remove, folder, os.getpid())
    copy = os.path.join(folder, os.path.basename(path))
    try:
        for end in ("", ".db"):
            _decrypt(path + end, copy + end, key, mode)
    except BaseException:
        _remove(folder, os.getpid())
        raise
    return copy


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # a forked process leaves the copies to its parent
        shutil.rmtree(folder, ignore_errors=True)  # it may have been removed already


def _decrypt(source: str, target: str, key: str, mode: Any) -> None:
    wanted, actual = _FUNCTION if callable(mode) else mode, _ending(source)[: len(_END)].decode("latin-1")
    if actual != wanted:
        raise RuntimeError(
            f"mindrecord: {shown(source)} is encrypted in {shown(actual)}, but the mode to decrypt is {wanted}."
        )
    size = os.path.getsize(source)
    with open(source, "rb") as file, open(target, "wb+") as plain:
        if callable(mode):
            mode(file, size - len(_END), plain, key)
            return
        try:
            for piece in _pieces(file, size):
                plain.writelines(decrypted(io.BytesIO(piece), len(piece), _secret(key), mode))
        except ValueError as error:
            raise RuntimeError(f"mindrecord: {shown(source)} cannot be decrypted: {error}.") from error


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    end = size - 2 * len(_END)
    while length := int.from_bytes(file.read(4), "big"):
        if length > end - file.tell():
            raise ValueError(f"the piece before byte {file.tell()} is cut short or damaged")
        yield file.read(length)
    if file.tell() != end:
        raise ValueError(f"its last piece ends at byte {file.tell()} of {end}")
