"""Tar files of WebDataset: files of one name and several endings are the columns of a row."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from sporax._src.base.errors import shown
from sporax._src.data.doors.kept import Foreign, StreamDataset

KEY = "__key__"


def _array(raw: bytes) -> np.ndarray:
    return np.load(io.BytesIO(raw), allow_pickle=False)


# How the bytes of a file become a value, by its ending; others stay bytes, for `vision.Decode`.
_READS: dict[str, Callable[[bytes], Any]] = {
    **dict.fromkeys(("cls", "cls2", "class", "count", "index", "inx", "id"), int),
    **dict.fromkeys(("txt", "text", "transcript"), bytes.decode),
    **dict.fromkeys(("json", "jsn"), json.loads),
    "npy": _array,
}


class ShardsDataset(StreamDataset):
    """Gives the rows of tar files in order; made by `from_source`.

    The columns are the endings of the first row; ``"__key__"``, the name that its files share, can be chosen too.
    """

    def _open(self, epoch: int) -> Iterator[dict[str, Any]]:
        for path in self.source:
            yield from _rows_of(path)

    def _names_of(self, first: Foreign) -> list[str]:
        return [name for name in super()._names_of(first) if name != KEY]

    def _static_size(self) -> None:
        return None


class _Member(tarfile.TarInfo):
    """A file in a tar file that ends within a head: Python's reader takes this for the end."""

    @classmethod
    def fromtarfile(cls, tarfile_: Any) -> tarfile.TarInfo:
        try:
            return super().fromtarfile(tarfile_)
        except tarfile.HeaderError as error:
            if type(error).__name__ == "TruncatedHeaderError":
                raise tarfile.ReadError(str(error)) from error
            raise


def _rows_of(path: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a tar file.

    Raises:
        RuntimeError: If it is no whole tar file, a row has two files of one ending, or a file does not hold what its ending says.
    """
    try:
        with tarfile.open(path, "r|*", tarinfo=_Member) as archive:
            files = ((*_split(member.name), archive.extractfile(member)) for member in archive if member.isfile())
            for key, group in groupby(files, key=lambda file: file[0]):
                row: dict[str, Any] = {KEY: key}
                for _, ending, file in group:
                    if ending in row:
                        raise RuntimeError(
                            f"from_source: {shown(path)} has two files {shown(key)}.{shown(ending)} in one row."
                        )
                    row[ending] = _value(path, key, ending, file)
                yield row
    except (tarfile.TarError, EOFError, OSError) as error:
        raise RuntimeError(f"from_source: {shown(path)} is no whole tar file: {shown(error)}.") from error


def _split(name: str) -> tuple[str, str]:
    """Return the name that the files of a row share, and the ending, which begins at the first point."""
    folder, base = os.path.split(name)
    stem, _, ending = base.partition(".")
    return os.path.join(folder, stem), ending.lower()


def _value(path: str, key: str, ending: str, file: Any) -> Any:
    raw = file.read()
    try:
        return _READS.get(ending.rpartition(".")[2], bytes)(raw)
    except ValueError as error:
        raise RuntimeError(
            f"from_source: {shown(path)}: {shown(key)}.{shown(ending)} cannot be read: {shown(error)}."
        ) from error
