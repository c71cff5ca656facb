"""`.safetensors` files: a JSON header and raw arrays, readable by every framework."""

from __future__ import annotations

import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ml_dtypes  # also teaches NumPy the name "bfloat16", which the safetensors package asks for
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from sporax._src.base.atomic import replacing
from sporax._src.base.errors import shown
from sporax._src.base.json_text import parse_json

READ_OPTIONS = ("crc_check",)
WRITE_OPTIONS = ("crc_check", "remove_redundancy")
NEEDS_SUFFIX = False


def read(path: str | os.PathLike[str], *, crc_check: bool = False) -> dict[str, np.ndarray]:
    """Read a `.safetensors` file into arrays by name.

    Args:
        path: The file, or the index of several (`read_index`).
        crc_check: Whether to verify the checksum, which MindSpore may have put into the header.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is empty or damaged, or a name comes twice.

    Examples:
        >>> import numpy as np
        >>> write("net.safetensors", {"weight": np.eye(2, dtype=np.float32)})
        >>> read("net.safetensors")["weight"].shape
        (2, 2)
    """
    if os.fspath(path).endswith(_INDEX):
        return read_index(Path(path), crc_check=crc_check)
    size = Path(path).stat().st_size
    with _readable(path):
        with safe_open(path, framework="np") as file:
            arrays = {name: _array(path, file, name) for name in sorted(file.keys())}
            stored = (file.metadata() or {}).get("crc_num")
        _check_names(path)
    if crc_check and stored is None:
        warnings.warn(f"{shown(os.fspath(path))} carries no checksum: crc_check has nothing to compare.", stacklevel=2)
    elif crc_check and stored != str(_crc_of(arrays)):
        raise ValueError(
            f"{shown(os.fspath(path))} ({size} bytes): its checksum is not the {stored} it was written with."
        )
    return arrays


def read_index(path: Path, *, crc_check: bool = False) -> dict[str, np.ndarray]:
    """Read all files that an index (`model.safetensors.index.json`) names, as those of Hugging Face's hub.

    Raises:
        ValueError: If the index has no map of names to files beside it, or a file does not hold what the map says.
    """
    content = parse_json(path.read_bytes())
    files = content.get("weight_map") if isinstance(content, dict) else None
    if not isinstance(files, dict) or not all(isinstance(f, str) and Path(f).name == f for f in files.values()):
        raise ValueError(f"{shown(os.fspath(path))} has no weight_map from names to files beside it.")
    found: dict[str, np.ndarray] = {}
    for file in sorted(set(files.values())):
        held = read(path.with_name(file), crc_check=crc_check)
        named = {name for name, home in files.items() if home == file}
        if lost := sorted(named - set(held)):
            raise ValueError(
                f"{shown(os.fspath(path))} says that '{shown(lost[0])}' is in {shown(file)}, which lacks it."
            )
        found |= {name: held[name] for name in sorted(named)}
    return found


_INDEX = ".index.json"
_EIGHT_BITS = {"F8_E4M3": ml_dtypes.float8_e4m3fn, "F8_E5M2": ml_dtypes.float8_e5m2}


def _array(path: str | os.PathLike[str], file: Any, name: str) -> np.ndarray:
    """Return an array of an open file; the package writes floats of 8 bits, and asks NumPy in vain for them."""
    array = file.get_slice(name)
    if (kind := _EIGHT_BITS.get(array.get_dtype())) is None:
        return file.get_tensor(name)
    with open(path, "rb") as data:
        size = int.from_bytes(data.read(8), "little")
        start, end = parse_json(data.read(size))[name]["data_offsets"]
    return np.fromfile(path, kind, end - start, offset=8 + size + start).reshape(array.get_shape())


def _check_names(path: str | os.PathLike[str]) -> None:
    """Refuse a file whose header has a name more than once: the package silently uses one of the entries."""
    with open(path, "rb") as file:
        parse_json(file.read(int.from_bytes(file.read(8), "little")), unique=True)


def framework(path: str | os.PathLike[str]) -> str | None:
    """Return the framework in the header of a readable file: `"ms"`, `"pt"` or another; None if there is none.

    Args:
        path: The file.
    """
    with safe_open(path, framework="np") as file:
        return (file.metadata() or {}).get("format")


def is_deduplicated(path: str | os.PathLike[str]) -> bool | None:
    """Return whether a readable file has only values that other processes do not save; None if not recorded.

    Args:
        path: The file.
    """
    if os.fspath(path).endswith(_INDEX):
        return None
    with safe_open(path, framework="np") as file:
        return {"True": True, "False": False}.get((file.metadata() or {}).get("remove_redundancy", ""))


def read_parts(path: str | os.PathLike[str], wanted: Callable[[str, tuple[int, ...]], Any]) -> dict[str, np.ndarray]:
    """Read some arrays, or parts of them; the rest of the file is not read.

    Args:
        path: The file.
        wanted: Called with the name and the shape of each array: None for none of it, or a slice for each axis.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is empty or damaged.
    """
    parts = {}
    with _readable(path), safe_open(path, framework="np") as file:
        for name in sorted(file.keys()):
            array = file.get_slice(name)
            slices = wanted(name, tuple(array.get_shape()))
            if slices is not None:
                of_eight_bits = array.get_dtype() in _EIGHT_BITS
                whole = _array(path, file, name) if of_eight_bits or not slices else array
                parts[name] = whole[tuple(slices)] if slices else whole
    return parts


@contextmanager
def _readable(path: str | os.PathLike[str]) -> Iterator[None]:
    size = Path(path).stat().st_size
    try:
        yield
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        reason = "it is empty" if size == 0 else shown(error)
        raise ValueError(
            f"{shown(os.fspath(path))} ({size} bytes) is not a readable safetensors file: {reason}; "
            "expected a header of 8 + n bytes and the arrays that it announces."
        ) from None


def write(
    path: str | os.PathLike[str],
    arrays: Mapping[str, Any],
    *,
    crc_check: bool = False,
    framework: str = "ms",
    remove_redundancy: bool | None = None,
) -> None:
    """Write arrays by name into a `.safetensors` file that MindSpore loads; it appears whole or not at all.

    Args:
        path: The file.
        arrays: Arrays, or anything `np.asarray` takes.
        crc_check: Whether to put a checksum into the header.
        framework: The framework that the header names: `"ms"`, or `"pt"` for PyTorch.
        remove_redundancy: Whether the file has only values that other processes of its run do not save; None: not
            recorded.

    Raises:
        OSError: If the file cannot be written, for example if the disk is full.
        TypeError: If an array has a type that the format does not know.
    """
    contiguous = {name: np.require(arrays[name], requirements="C") for name in sorted(arrays)}
    metadata = {"format": framework}
    if remove_redundancy is not None:
        metadata["remove_redundancy"] = str(remove_redundancy)
    if crc_check:
        metadata["crc_num"] = str(_crc_of(contiguous))
    with replacing(path) as temporary:
        try:
            save_file(contiguous, temporary, metadata=metadata)
        except SafetensorError as error:
            if failed := re.search(r"I/O error: (.*) \(os error (\d+)\)", str(error)):
                raise OSError(int(failed[2]), failed[1], os.fspath(path)) from None
            kinds = ", ".join(f"{name!r} {array.dtype}" for name, array in contiguous.items())
            raise TypeError(
                f"{shown(os.fspath(path))} cannot hold these arrays: {error} Received: {kinds[:400]}."
            ) from None


def _crc_of(arrays: Mapping[str, np.ndarray]) -> int:
    checksum = 0
    for name, array in arrays.items():
        checksum = zlib.crc32(array.tobytes(), zlib.crc32(name.encode(), checksum))
    return checksum
