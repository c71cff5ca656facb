"""`.mindir` files of `export`: a zip with a serialised graph, its initial arrays, and their description.

`about.json` describes the graph and lists the arrays; `graph` is JAX's own serialisation of an exported function;
`arrays/0`, `arrays/1`, ... are raw bytes, none of them compressed. The description contains the SHA-256 of `graph`,
because a damaged graph would crash the process in the parser. MindSpore's `.mindir` files have another content: sporax
cannot read them, and MindSpore cannot read these.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes  # noqa: F401  (teaches NumPy the name "bfloat16")
import numpy as np

from sporax._src.base.atomic import replacing
from sporax._src.base.errors import shown
from sporax._src.base.json_text import parse_json

_FORMAT = "sporax graph 2"


class GraphFile(NamedTuple):
    """The content of a file.

    Attributes:
        about: The description of the graph, in JSON's types.
        graph: The serialised graph.
        arrays: The initial arrays.
    """

    about: dict[str, Any]
    graph: bytes
    arrays: list[np.ndarray]


def write(path: str | os.PathLike[str], about: Mapping[str, Any], graph: bytes, arrays: Sequence[np.ndarray]) -> None:
    """Write a graph; the file appears whole or not at all."""
    described = [{"dtype": str(a.dtype), "shape": a.shape} for a in arrays]
    about = {"format": _FORMAT, **about, "arrays": described, "sha256": hashlib.sha256(graph).hexdigest()}
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as file:
        file.writestr("about.json", json.dumps(about))
        file.writestr("graph", graph)
        for i, array in enumerate(arrays):
            with file.open(f"arrays/{i}", "w", force_zip64=True) as entry:
                entry.write(np.ascontiguousarray(array).tobytes())


def read(path: str | os.PathLike[str]) -> GraphFile:
    """Read a graph.

    Raises:
        ValueError: If `write` did not write the file, or it is damaged.
    """
    size = Path(path).stat().st_size
    try:
        with zipfile.ZipFile(path) as file:
            return _read(file, size)
    except (zipfile.BadZipFile, LookupError, ValueError, TypeError, AttributeError, EOFError, RuntimeError) as error:
        raise unreadable(path, f"{type(error).__name__}: {error}") from None


def unreadable(path: str | os.PathLike[str], why: object) -> ValueError:
    """Return the error for a file that holds no graph."""
    return ValueError(
        f"{shown(os.fspath(path))} ({Path(path).stat().st_size} bytes) is no graph that sporax.export wrote (MindSpore's own "
        f"files are not read): {shown(why)}."
    )


def _read(file: zipfile.ZipFile, size: int) -> GraphFile:
    entries = file.infolist()
    if sum(entry.file_size for entry in entries) > size or any(e.compress_type != zipfile.ZIP_STORED for e in entries):
        raise ValueError("its entries announce more than the file holds")
    if not all(0 <= entry.header_offset < size for entry in entries):
        raise ValueError("its entries lie outside of the file")
    about = parse_json(file.read("about.json"))
    if about.pop("format") != _FORMAT:
        raise ValueError(f"its format is not {_FORMAT!r}")
    arrays = [_array(file.read(f"arrays/{i}"), d) for i, d in enumerate(about.pop("arrays"))]
    graph = file.read("graph")
    if hashlib.sha256(graph).hexdigest() != about.pop("sha256"):
        raise ValueError("its code is not the one that was written")
    return GraphFile(about, graph, arrays)


def _array(content: bytes, described: Mapping[str, Any]) -> np.ndarray:
    dtype = np.dtype(described["dtype"])
    if dtype.hasobject:
        raise ValueError("an array holds numbers")
    return np.frombuffer(content, dtype).reshape(described["shape"])
