"""Paths of files and folders: the kind of their data by the ending of the names."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data.dataset import Dataset
from sporax._src.data.doors import arrow, memory
from sporax._src.data.doors.kept import Foreign, Names, Selection
from sporax._src.data.doors.tar_shards import ShardsDataset
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.files import TextFileDataset
from sporax._src.data.sources.folder import ImageFolderDataset
from sporax._src.data.sources.mindrecord import MindDataset
from sporax._src.data.sources.tfrecord import TFRecordDataset

_Open = Callable[[list[str], Any, Selection], Dataset]


def _of_parquet(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    from pyarrow import dataset

    return arrow.of_files(dataset.dataset(files, format="parquet"), column_names, selection)


def _of_csv(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    from pyarrow import concat_tables, csv

    return arrow.of_table(concat_tables([csv.read_csv(file) for file in files]), column_names, selection)


def _of_arrow(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    from pyarrow import concat_tables

    return arrow.of_table(concat_tables([_mapped_table(file) for file in files]), column_names, selection)


def _mapped_table(file: str) -> Any:
    """Return the table of an Arrow file of either form, which stays on disk until its rows are read."""
    from pyarrow import ArrowInvalid, ipc, memory_map

    mapped = memory_map(file)
    try:
        return ipc.open_file(mapped).read_all()
    except ArrowInvalid:
        mapped.seek(0)
        return ipc.open_stream(mapped).read_all()


def _of_npy(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    arrays = [np.load(file, mmap_mode="r", allow_pickle=False) for file in files]
    return memory.of_array(arrays[0] if len(arrays) == 1 else np.concatenate(arrays), column_names, selection)


def _of_npz(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    if len(files) > 1:
        raise ValueError(f"from_source: expected one .npz file, got {len(files)}.")
    with np.load(files[0], allow_pickle=False) as arrays:
        return memory.of_columns(dict(arrays), column_names, selection)


def _of_mindrecord(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    return MindDataset(files, _listed(column_names), **selection)


def _of_tfrecord(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    return TFRecordDataset(files, columns_list=_listed(column_names), **_of_files(selection))


def _of_text(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    return _chosen(TextFileDataset(files, **_of_files(selection)), column_names)


def _of_files(selection: Selection) -> dict[str, Any]:
    if selection.get("sampler") is not None:
        raise ValueError("from_source: sampler cannot be given for files that are read from front to back.")
    chosen = {name: value for name, value in selection.items() if name != "sampler"}
    return {**chosen, "shuffle": Shuffle.GLOBAL if selection.get("shuffle") else False}


_ENDINGS: dict[str, _Open] = {
    ".parquet": _of_parquet,
    ".arrow": _of_arrow,
    ".feather": _of_arrow,
    ".csv": _of_csv,
    ".npy": _of_npy,
    ".npz": _of_npz,
    ".mindrecord": _of_mindrecord,
    ".tfrecord": _of_tfrecord,
    ".txt": _of_text,
    **dict.fromkeys((".tar", ".tar.gz", ".tgz"), ShardsDataset),
}


def is_path(source: object) -> bool:
    """Return whether a source is a path, or a list of paths of files of a known ending.

    Examples:
        >>> is_path("rows.parquet"), is_path(["a.tar", "b.tar"]), is_path(["cat", "dog"])
        (True, True, False)
    """
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(p, (str, os.PathLike)) and _ending(os.fspath(p)) for p in source)
    return isinstance(source, (str, os.PathLike))


def of_path(source: Foreign, column_names: Names, selection: Selection) -> Dataset:
    """Return the rows of files, or of a folder.

    Raises:
        ValueError: If a file does not exist, the ending is unknown, or the files have several.
    """
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        return _of_folder(os.fspath(source), column_names, selection)
    files = [
        f for part in (source if isinstance(source, (list, tuple)) else [source]) for f in _matching(os.fspath(part))
    ]
    return _of_one_ending(files, column_names, selection)


def _of_folder(folder: str, column_names: Names, selection: Selection) -> Dataset:
    if os.path.isfile(os.path.join(folder, "state.json")):  # as `Dataset.save_to_disk` of Hugging Face writes it
        return _of_saved(folder, column_names, selection)
    files = sorted(entry.path for entry in os.scandir(folder) if entry.is_file() and _ending(entry.path))
    if files:
        return _of_one_ending(files, column_names, selection)
    return _chosen(ImageFolderDataset(folder, decode=True, **selection), column_names)


def _of_saved(folder: str, column_names: Names, selection: Selection) -> Dataset:
    with open(os.path.join(folder, "state.json"), encoding="utf-8") as file:
        state = json.load(file)
    if state.get("_indices_data_files"):
        raise ValueError(
            f"from_source: {shown(folder)} has its rows in another order; load it with datasets.load_from_disk."
        )
    files = [os.path.join(folder, part["filename"]) for part in state["_data_files"]]
    return _of_arrow(files, column_names, selection)


def _of_one_ending(files: list[str], column_names: Names, selection: Selection) -> Dataset:
    openers = {_ENDINGS.get(_ending(file)) for file in files}
    opener = openers.pop()
    if openers or opener is None:
        raise ValueError(
            f"from_source: expected files of one kind, with names that end in {', '.join(_ENDINGS)}; got "
            f"{shown(describe([os.path.basename(file) for file in files]))}."
        )
    return opener(files, column_names, selection)


def _matching(pattern: str) -> list[str]:
    """Return the files of a path or pattern, in which `{0..3}` stands for numbers."""
    numbers = re.search(r"\{(\d+)\.\.(\d+)\}", pattern)
    if numbers:
        low, high = numbers.groups()
        names = (f"{n:0{len(low)}d}" for n in range(int(low), int(high) + 1))
        head, tail = pattern[: numbers.start()], pattern[numbers.end() :]
        return [file for name in names for file in _matching(f"{head}{name}{tail}")]
    found = [pattern] if os.path.isfile(pattern) else sorted(filter(os.path.isfile, glob.glob(pattern)))
    if not found:
        raise ValueError(f"from_source: there is no file or folder {shown(pattern)!r}.")
    return found


def _ending(path: str) -> str:
    """Return the ending of a name that is known; the longest."""
    name = os.path.basename(path).lower()
    return max((ending for ending in _ENDINGS if name.endswith(ending)), key=len, default="")


def _listed(column_names: Names) -> list[str] | None:
    return [column_names] if isinstance(column_names, str) else column_names


def _chosen(dataset: Dataset, column_names: Names) -> Dataset:
    return dataset if column_names is None else dataset.project(column_names)
