"""StoredDataset: the base of the sources that read a public data set from the files of its distribution."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import shown
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.sources.mappable import MappableDataset
from sporax._src.data.sources.mnist_cifar import check_folder
from sporax._src.data.vision.image import decode as decoded


def matrices(path: str) -> dict[str, Any]:
    """Return the arrays of a MATLAB file by name."""
    from scipy.io import loadmat

    return loadmat(path)


class StoredDataset(MappableDataset):
    """Base of the sources that list their rows at construction: a subclass defines `_find` for all and `_read` for one.

    Args:
        dataset_dir (str): The folder of the files.
        num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache: See `MappableDataset`.
        decode (bool, optional): Whether to give RGB images instead of the bytes of the files.
        decrypt (Callable, optional): Returns the plain bytes of the file at a path.
        chosen (str, optional): Further arguments, each of which takes the names that `_choices` lists, the first for None.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the folder does not exist, or an argument takes other names.
        RuntimeError: If arguments exclude each other, or a file is missing or broken.
    """

    _names: tuple[str, ...] = ("image", "label")
    _choices: dict[str, tuple[str, ...]] = {}
    _expected = "at least one"  # what a folder without rows lacks
    _labelled = False  # whether the last part of an entry is a label that PKSampler may use

    def __init__(
        self,
        dataset_dir: object,
        num_parallel_workers: int | None,
        sampler: object,
        num_samples: int | None,
        shuffle: Any,
        num_shards: int | None,
        shard_id: int | None,
        cache: object = None,
        *,
        decode: bool | None = False,
        decrypt: Callable[[str], bytes] | None = None,
        **chosen: str | None,
    ) -> None:
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        where = type(self).__name__
        self.dataset_dir = check_folder(where, dataset_dir)
        self.decode = False if decode is None else decode
        checks.boolean(where, "decode", self.decode)
        if decrypt is not None:
            checks.function(where, "decrypt", decrypt)
        self.decrypt = decrypt
        self._chosen = {name: checks.chosen(where, name, chosen[name], self._choices[name]) for name in chosen}
        self._entries: Sequence[Any] = self._find(**self._chosen)

    def _find(self, *args: Any, **chosen: Any) -> Sequence[Any]:
        """Return an entry for each row, which `_read` reads."""
        raise NotImplementedError(f"{type(self).__name__} must define _find.")

    def _read(self, *entry: Any, **chosen: Any) -> Row:
        """Return the row of an entry; by default the picture at a path and its label."""
        path, label = entry
        return self._picture(path), np.array(label, np.uint32)

    def _columns(self) -> list[str]:
        return list(self._names)

    def _total(self) -> int:
        return len(self._entries)

    def _checked_total(self) -> int:
        if not self._entries:
            where = f"{type(self).__name__}: {shown(self.dataset_dir)}"
            raise RuntimeError(f"{where} has no rows; expected {self._expected}.")
        return len(self._entries)

    def _item(self, index: int) -> Row:
        return self._read(*self._entries[index])

    def _labels(self) -> np.ndarray | None:
        return np.array([entry[-1] for entry in self._entries]) if self._labelled else None

    # Files, by the parts of their paths below the folder of the data set.

    def _at(self, *parts: str) -> str:
        return os.path.join(self.dataset_dir, *parts)

    def _bytes(self, path: str) -> bytes:
        try:
            if self.decrypt is not None:
                return self.decrypt(path)
            with open(path, "rb") as file:
                return file.read()
        except (OSError, ValueError) as error:  # a name may have characters that no path has
            raise RuntimeError(f"{type(self).__name__}: {shown(path)} cannot be read: {shown(error)}") from error

    def _picture(self, path: str) -> np.ndarray:
        raw = np.frombuffer(self._bytes(path), np.uint8).copy()
        return decoded(raw) if self.decode else raw

    def _lines(self, *parts: str) -> list[str]:
        """Return the lines of a text file, without their ends."""
        return self._text(self._at(*parts)).splitlines()

    def _text(self, path: str) -> str:
        try:
            return self._bytes(path).decode()
        except UnicodeDecodeError as error:
            raise RuntimeError(f"{type(self).__name__}: {shown(path)} is not text in UTF-8: {error}.") from error

    def _listed(self, *parts: str, ending: str = "", folders: bool = False) -> list[str]:
        """Return the names of the files, or of the folders, of a folder in order."""
        path = self._at(*parts)
        if not os.path.isdir(path):
            raise RuntimeError(f"{type(self).__name__}: {path} is not a folder.")
        return sorted(e.name for e in os.scandir(path) if e.is_dir() == folders and e.name.endswith(ending))
