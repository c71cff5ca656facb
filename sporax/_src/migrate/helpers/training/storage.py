"""Saving and loading, in the files of torch: a zip archive of a pickle and the values of the tensors."""

import contextlib
import io
import json
import os
import pickle
import secrets
import struct
import sys
import zipfile

import numpy as np

import sporax as mindspore
from sporax._src.migrate.helpers.training.pickles import _plain_values
from sporax._src.migrate.helpers.training.torch_pickles import _torch_pickle, _TorchUnpickler

_ROOT = "archive"
_NAMES = ".data/parameter_names"  # what torch has no place for; it reads past this file
_ALIGNMENT = 64
_LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # how the files of torch before 1.6 begin


def _save(obj, f):
    """Save an object to a file that torch reads; the file appears whole or not at all."""
    content, arrays, names = _torch_pickle(obj)
    opened = contextlib.nullcontext(f) if hasattr(f, "write") else _replacing(f)
    with opened as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        _write(archive, "data.pkl", content)
        _write(archive, ".format_version", b"1")
        _write(archive, ".storage_alignment", str(_ALIGNMENT).encode())
        _write(archive, "byteorder", sys.byteorder.encode())
        for number, array in enumerate(arrays):
            _write(archive, f"data/{number}", array.reshape(-1).view(np.uint8).data)
        _write(archive, "version", b"3\n")
        _write(archive, _NAMES, json.dumps(names).encode())


def _write(archive, name, content):
    """Write a file of an archive, whose content begins at a multiple of `_ALIGNMENT`, as torch has it."""
    entry = zipfile.ZipInfo(f"{_ROOT}/{name}")
    begin = archive.fp.tell() + zipfile.sizeFileHeader + len(entry.filename) + 4
    padding = -begin % _ALIGNMENT
    entry.extra = struct.pack("<2sH", b"FB", padding) + b"Z" * padding
    archive.writestr(entry, content)


@contextlib.contextmanager
def _replacing(path):
    """Open a file that takes the place of another one when all is written."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):  # a device or a folder
        with open(target, "wb") as file:
            yield file
        return
    temporary = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _load(f, weights_only=True):
    """Return the object of a file of torch: of plain values and Tensors, or any other one if `weights_only` is false."""
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            return _load(file, weights_only)
    name = getattr(f, "name", "the file")
    try:
        begin = f.read(6)
        f.seek(-len(begin), os.SEEK_CUR)
        return (_load_array if begin == b"\x93NUMPY" else _load_archive)(f, weights_only not in (False, 0))
    except (ValueError, TypeError, LookupError, EOFError, AttributeError, RuntimeError, zipfile.BadZipFile) as error:
        raise pickle.UnpicklingError(
            f"torch.load: {name} was not written by the converted torch.save, nor by torch, or is damaged ({error})."
        ) from None
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(
            f"torch.load: {name} has more than plain values and Tensors ({error}); "
            "where you trust the file, weights_only=False reads it."
        ) from None


def _load_archive(f, weights_only):
    begin = f.read(len(_LEGACY))
    if begin == _LEGACY:
        raise ValueError("it is a file of torch before 1.6; `sporax weights` converts it")
    f.seek(-len(begin), os.SEEK_CUR)
    with zipfile.ZipFile(f) as archive:
        files = set(archive.namelist())
        root = next((file.removesuffix("data.pkl") for file in files if file.endswith("/data.pkl")), "")
        if f"{root}constants.pkl" in files:
            raise ValueError("it is a program of TorchScript")
        if f"{root}byteorder" in files and archive.read(f"{root}byteorder").decode() != sys.byteorder:
            raise ValueError("it has numbers in the byte order of another machine")
        names = json.loads(archive.read(f"{root}{_NAMES}")) if f"{root}{_NAMES}" in files else ()
        content = io.BytesIO(archive.read(f"{root}data.pkl"))
        return _TorchUnpickler(content, lambda n: archive.read(f"{root}data/{n}"), names, weights_only).load()


def _load_array(f, weights_only):
    """Return the object of a file that earlier conversions wrote: an array of one object."""
    if np.lib.format.read_magic(f) != (1, 0):
        raise ValueError("its version is another one")
    np.lib.format.read_array_header_1_0(f)
    return _unpacked((_plain_values(f) if weights_only else pickle.load(f))[0])


def _unpacked(obj):
    """Return an object with Tensors in the place of the dicts that earlier conversions wrote for them."""
    if isinstance(obj, dict) and "__tensor__" in obj:
        value = mindspore.Tensor(obj["__tensor__"], getattr(mindspore, obj["dtype"]))
        return value if obj["name"] is None else mindspore.Parameter(value, name=obj["name"])
    if isinstance(obj, dict):
        result = type(obj)()
        result.update({key: _unpacked(value) for key, value in obj.items()})
        return result
    if isinstance(obj, (list, tuple)) and not hasattr(obj, "_fields"):
        return type(obj)(_unpacked(value) for value in obj)
    return obj
