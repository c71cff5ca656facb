"""Files of weights: conversion between bytes and named arrays; a file is written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.atomic import settle
from sporax._src.base.json_text import parse_json
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.migrate.weights import torch_files

TORCH = (".pth", ".pt", ".bin")
SUFFIXES = (*TORCH, ".ckpt", ".safetensors", ".index.json")
_INDEX = ".index.json"
_FRAMEWORKS = {"pt": "torch", "ms": "cell"}


@dataclass
class Weights:
    """The content of a file.

    Attributes:
        side: `"torch"` or `"cell"`; empty where the file does not tell.
        arrays: The arrays by name.
        ties: For each name that shares its array with an earlier one: that one.
        optimizer: The state of torch's optimizer, in the form of its `state_dict`.
        left: The reasons why other values of the file are not used, by name.
    """

    side: str
    arrays: dict[str, np.ndarray]
    ties: dict[str, str] = field(default_factory=dict)
    optimizer: dict[str, Any] | None = None
    left: dict[str, str] = field(default_factory=dict)


def suffix_of(path: str | os.PathLike[str]) -> str:
    """Return which of `SUFFIXES` a file has.

    Args:
        path: The file.

    Raises:
        ValueError: If it has none of them.
    """
    name = Path(path).name
    if suffix := next((s for s in SUFFIXES if name.endswith(s)), ""):
        return suffix
    raise ValueError(f"{path}: the name must end in {', '.join(SUFFIXES)}; rename the file after what it holds.")


def read(path: str | os.PathLike[str]) -> Weights:
    """Read a file of weights, and with an index all of its parts.

    Args:
        path: The file.

    Raises:
        FileNotFoundError: If it, or a part that the index names, does not exist.
        ValueError: If it holds no weights, or what only unpickling could read.
        ImportError: If torch is needed and missing.
    """
    suffix, path = suffix_of(path), Path(path)
    settle(path)
    if not path.is_file():
        what = "a folder; give the file, or the *.index.json, in it" if path.is_dir() else "no file"
        raise FileNotFoundError(f"{path}: there is {what}.")
    if suffix == _INDEX:
        return _read_parts(path)
    if suffix in TORCH:
        return _read_torch(path)
    arrays = FORMATS[suffix[1:]].read(path)
    texts = {name: "text" for name, array in arrays.items() if array.dtype.kind == "U"}
    side = "cell" if suffix == ".ckpt" else _FRAMEWORKS.get(FORMATS["safetensors"].framework(path), "")
    return Weights(side, {name: array for name, array in arrays.items() if name not in texts}, left=texts)


def _read_torch(path: Path) -> Weights:
    contents = torch_files.read(path)
    arrays, ties = torch_files.arrays_of(contents.tensors, path)
    return Weights("" if contents.is_converted else "torch", arrays, ties, contents.optimizer, contents.left)


def _read_parts(path: Path) -> Weights:
    names = _weight_map(path)
    files = {name: path.with_name(name) for name in dict.fromkeys(names.values())}
    if absent := [name for name, file in files.items() if not file.is_file()]:
        raise FileNotFoundError(f"{path}: the index names {', '.join(absent)}, which must lie beside it and do not.")
    parts = {name: read(file) for name, file in files.items()}
    if lacking := [f"{n} in {part}" for n, part in names.items() if n not in parts[part].arrays]:
        raise ValueError(f"{path}: the index promises what its parts do not hold: {', '.join(lacking[:5])}.")
    sides = {part.side for part in parts.values()}
    ties = {name: first for part in parts.values() for name, first in part.ties.items()}
    return Weights(
        sides.pop() if len(sides) == 1 else "", {n: parts[part].arrays[n] for n, part in names.items()}, ties
    )


def _weight_map(path: Path) -> dict[str, str]:
    try:
        names = parse_json(path.read_text(encoding="utf-8"))["weight_map"]
        plain = all(isinstance(n, str) and Path(f).name == f != path.name for n, f in names.items())
    except (ValueError, KeyError, TypeError, AttributeError):
        names, plain = {}, False
    if not names or not plain:
        raise ValueError(f'{path}: an index must be JSON like {{"weight_map": {{"NAME": "FILE BESIDE IT"}}}}.')
    return names


# --- writing --------------------------------------------------------------------------------------------------------


def check_target(src: str | os.PathLike[str], dst: str | os.PathLike[str], force: bool) -> None:
    """Raise an error unless a file may be written.

    Args:
        src, dst: The file read and that to write.
        force: Whether a file that exists may be replaced.

    Raises:
        ValueError: If `dst` lies at `src`, or has a suffix that is not written.
        FileExistsError: If it exists.
        FileNotFoundError: If its folder does not exist.
    """
    target = Path(dst)
    if suffix_of(dst) == _INDEX:
        raise ValueError(
            f"{dst}: weights are written into one file; give a name that ends in .safetensors, .ckpt or .pth."
        )
    if target.exists() and (target.is_dir() or (Path(src).exists() and target.samefile(src))):
        what = "is a folder" if target.is_dir() else "is SRC itself"
        raise ValueError(f"{dst}: DST {what}; give another file to write to.")
    if target.exists() and not force:
        raise FileExistsError(f"{dst}: the file exists; give another name, or --force (force=True) to replace it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{dst}: the folder {target.parent} does not exist; make it first.")


def write(
    path: str | os.PathLike[str], side: str, arrays: Mapping[str, np.ndarray], optimizer: dict[str, Any] | None = None
) -> None:
    """Write weights; the file appears whole or not at all.

    Args:
        path: The file.
        side: `"torch"` or `"cell"`.
        arrays: The arrays by name.
        optimizer: The state of torch's optimizer, for a file of torch's.

    Raises:
        TypeError: If the format has no such dtype.
        ImportError: If torch is needed and missing.
    """
    suffix = suffix_of(path)
    if suffix in TORCH:
        torch_files.write(path, arrays, optimizer)
    elif suffix == ".ckpt":
        FORMATS["ckpt"].write(path, arrays)
    else:
        FORMATS["safetensors"].write(path, arrays, framework="pt" if side == "torch" else "ms")
