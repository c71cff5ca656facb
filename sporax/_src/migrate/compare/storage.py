"""Recordings on disk: a folder or a zip file of `recording.json` and `arrays.npz`."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np

from sporax._src.migrate.compare.recorder import SCHEMA, Recording

_FIELDS = ("framework", "version", "net", "layers", "passes", "parameters", "loss", "optimizer")


def load(path: str | Path) -> Recording:
    """Read a file or folder that `Recording.save` wrote.

    Raises:
        ValueError: If there is no such file or folder, it is no recording, or one of another version.
    """
    path = Path(path)
    try:
        about, packed = _parts(path)
        data = json.loads(about)
        with np.load(io.BytesIO(packed), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except FileNotFoundError as error:
        raise ValueError(f"{path}: there is no recording of `sporax compare dump` ({error}).") from error
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: this is no recording of `sporax compare dump` ({error}).") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or any(field not in data for field in _FIELDS):
        schema = data.get("schema") if isinstance(data, dict) else type(data).__name__
        raise ValueError(f"{path}: expected a recording of schema {SCHEMA}, got {schema}: record it anew.")
    return Recording(data, arrays)


def _parts(path: Path) -> tuple[bytes, bytes]:
    names = "recording.json", "arrays.npz"
    if path.is_dir():
        return (path / names[0]).read_bytes(), (path / names[1]).read_bytes()
    with zipfile.ZipFile(path) as file:
        return file.read(names[0]), file.read(names[1])
