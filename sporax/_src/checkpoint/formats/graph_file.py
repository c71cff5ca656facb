"""`.mindir` files as `export` writes them: a zip of a serialised graph, the arrays it starts with, and what they are.

`about.json` describes the graph and lists the arrays; `graph` is JAX's own serialisation of an exported function;
`arrays/0`, `arrays/1`, ... are raw bytes. MindSpore's files of this name have another content: neither side reads the
other's.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes  # noqa: F401  (teaches NumPy the name "bfloat16")
import numpy as np

from sporax._src.checkpoint.formats.atomic import replacing

_FORMAT = "sporax graph 1"


class GraphFile(NamedTuple):
    """The content of a file.

    Attributes:
        about: What the graph is, as JSON holds it.
        graph: The serialised graph.
        arrays: What it starts with.
    """

    about: dict[str, Any]
    graph: bytes
    arrays: list[np.ndarray]


def write(path: str | os.PathLike[str], about: Mapping[str, Any], graph: bytes, arrays: Sequence[np.ndarray]) -> None:
    """Write a graph; the file appears whole or not at all."""
    described = [{"dtype": str(a.dtype), "shape": a.shape} for a in arrays]
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as file:
        file.writestr("about.json", json.dumps({"format": _FORMAT, **about, "arrays": described}))
        file.writestr("graph", graph)
        for i, array in enumerate(arrays):
            with file.open(f"arrays/{i}", "w", force_zip64=True) as entry:
                entry.write(np.ascontiguousarray(array).tobytes())


def read(path: str | os.PathLike[str]) -> GraphFile:
    """Read a graph.

    Raises:
        ValueError: If the file is none that `write` wrote, or is damaged.
    """
    try:
        with zipfile.ZipFile(path) as file:
            about = json.loads(file.read("about.json"))
            if about.pop("format") != _FORMAT:
                raise KeyError("format")
            described = about.pop("arrays")
            arrays = [_array(file.read(f"arrays/{i}"), d) for i, d in enumerate(described)]
            return GraphFile(about, file.read("graph"), arrays)
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        size = Path(path).stat().st_size
        raise ValueError(
            f"{os.fspath(path)} ({size} bytes) is no graph that sporax.export wrote (MindSpore's own files are not read): "
            f"{type(error).__name__}: {error}."
        ) from None


def _array(content: bytes, described: Mapping[str, Any]) -> np.ndarray:
    return np.frombuffer(content, np.dtype(described["dtype"])).reshape(described["shape"])
