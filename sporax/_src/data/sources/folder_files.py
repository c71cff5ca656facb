"""FolderFilesDataset: the base of the sources that read the files of a folder from front to back."""

from __future__ import annotations

import os

from sporax._src.data import checks
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.files import FilesDataset
from sporax._src.data.sources.mnist_cifar import check_folder


class FolderFilesDataset(FilesDataset):
    """Base of sources of a folder whose files are the parts that `usage` chooses among.

    A subclass names its columns in `_names` and the files of each usage in `_usages`, in the order of ``'all'``, and
    defines `_read`.

    Args:
        dataset_dir (str): The folder.
        usage (str, optional): One of `_usages`, or ``'all'``. Default: ``None``, all.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: See `TextFileDataset`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the folder does not exist, or `usage` is unknown.
        RuntimeError: If arguments exclude each other, or a file is missing or broken.
    """

    _names: tuple[str, ...] = ("text",)
    _usages: dict[str, tuple[str, ...]] = {}
    _default = "all"

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        where = type(self).__name__
        self.dataset_dir = check_folder(where, dataset_dir)
        self.usage = checks.chosen(where, "usage", usage, tuple(dict.fromkeys((self._default, *self._usages))))
        super().__init__(dataset_dir, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _matching(self, dataset_files: object) -> list[str]:
        names = self._usages.get(self.usage) or [name for part in self._usages.values() for name in part]
        paths = [os.path.join(self.dataset_dir, name) for name in names]
        missing = [path for path in paths if not os.path.isfile(path)]
        if missing:
            raise RuntimeError(f"{type(self).__name__}: {missing} do not exist.")
        return paths

    def _columns(self) -> list[str]:
        return list(self._names)
