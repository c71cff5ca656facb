"""ImageFolderDataset: one folder of images per class."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.mappable import MappableDataset
from sporax._src.data.sources.mnist_cifar import check_folder
from sporax._src.data.vision.image import decode


class ImageFolderDataset(MappableDataset):
    """Gives the images under one folder per class, and the class as label (int32).

    Args:
        dataset_dir (str): The folder of class folders; classes are numbered in order of their names.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): How many threads read files. Default: the configured number.
        shuffle (bool, optional): Whether rows come in random order. Default: ``None``, they do.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        extensions (list[str], optional): The endings of files to read. Default: JPEG, PNG and BMP.
        class_indexing (dict, optional): From class folder to label; other folders are left out.
        decode (bool): Whether to give RGB images instead of the bytes of the files. Default: ``False``.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.
        decrypt (Callable, optional): Returns the plain bytes of the file at a path. Default: ``None``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the folder does not exist.
        RuntimeError: If arguments exclude each other, `class_indexing` names a missing folder, there are no images,
            or a file cannot be decoded.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> os.mkdir(os.path.join(folder, "cat"))
        >>> with open(os.path.join(folder, "cat", "0.png"), "wb") as file:
        ...     _ = file.write(b"image")
        >>> data = ds.ImageFolderDataset(folder)
        >>> data.get_dataset_size(), data.get_class_indexing(), data.output_shapes()
        (1, {'cat': 0}, [[5], []])
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        sampler: object = None,
        extensions: list[str] | None = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
        decrypt: Any = None,
    ) -> None:
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        where = "ImageFolderDataset"
        self.dataset_dir = check_folder(where, dataset_dir)
        checks.boolean(where, "decode", decode)
        if class_indexing is not None and not isinstance(class_indexing, dict):
            raise TypeError(f"{where}: class_indexing must be a dict, got {describe(class_indexing)}.")
        self.decode, self.decrypt = decode, decrypt
        self._endings = tuple(extensions) if extensions is not None else (".jpg", ".jpeg", ".png", ".bmp")
        folders = sorted(entry.name for entry in os.scandir(self.dataset_dir) if entry.is_dir())
        self._classes = class_indexing or {name: number for number, name in enumerate(folders)}
        absent = sorted(set(self._classes) - set(folders))
        if absent:
            raise RuntimeError(f"{where}: class_indexing names {absent}, which {self.dataset_dir} lacks.")
        self._files = [
            (os.path.join(path, name), self._classes[folder])
            for folder in folders
            if folder in self._classes
            for path, _, names in sorted(os.walk(os.path.join(self.dataset_dir, folder)))
            for name in sorted(names)
            if name.lower().endswith(tuple(ending.lower() for ending in self._endings))
        ]

    def _columns(self) -> list[str]:
        return ["image", "label"]

    def _total(self) -> int:
        return len(self._files)

    def _checked_total(self) -> int:
        if not self._files:
            endings = list(self._endings)
            raise RuntimeError(
                f"ImageFolderDataset: {self.dataset_dir} has no files ending in {endings} in class folders."
            )
        return len(self._files)

    def _static_size(self) -> int | None:
        return super()._static_size() if self._files else 0  # an empty folder is refused when its rows are asked for

    def _labels(self) -> np.ndarray:
        return np.array([label for _, label in self._files])

    def _item(self, index: int) -> Row:
        path, label = self._files[index]
        if self.decrypt is not None:
            raw = self.decrypt(path)
        else:
            try:
                with open(path, "rb") as file:
                    raw = file.read()
            except OSError as error:
                raise RuntimeError(f"ImageFolderDataset: {shown(path)} cannot be read: {shown(error)}.") from error
        image = np.frombuffer(raw, np.uint8).copy()
        if self.decode:
            try:
                image = decode(image)
            except Exception as error:
                raise RuntimeError(f"ImageFolderDataset: {path} cannot be decoded: {error}") from error
        return image, np.array(label, np.int32)

    def num_classes(self) -> int:
        """Return the number of classes."""
        return len(self._classes)

    def get_class_indexing(self) -> dict[str, int]:
        """Return the label of each class folder."""
        return dict(self._classes)
