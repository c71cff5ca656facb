"""CelebADataset: faces with forty attributes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.mappable import MappableDataset
from sporax._src.data.sources.mnist_cifar import check_folder
from sporax._src.data.vision.image import decode as decoded

_PARTS = {"train": "0", "valid": "1", "test": "2"}


class CelebADataset(MappableDataset):
    """Gives the images of CelebA and their attributes (uint32, one 0 or 1 per attribute).

    Args:
        dataset_dir (str): The folder of the images, of ``list_attr_celeba.txt`` and ``list_eval_partition.txt``.
        num_parallel_workers (int, optional): How many threads read files. Default: the configured number.
        shuffle (bool, optional): Whether rows come in random order. Default: ``None``, they do.
        usage (str): ``'train'``, ``'valid'``, ``'test'`` or ``'all'``. Default: ``'all'``.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        decode (bool): Whether to give RGB images instead of the bytes of the files. Default: ``False``.
        extensions (list[str], optional): The endings of files to read. Default: ``None``, all.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.
        decrypt (Callable, optional): Returns the plain bytes of the file at a path. Default: ``None``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the folder does not exist or `usage` is unknown.
        RuntimeError: If arguments exclude each other, a list is missing or broken, or there are no images.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "list_attr_celeba.txt"), "w") as file:
        ...     _ = file.write("1\\nBald Smiling\\n000001.jpg -1 1\\n")
        >>> with open(os.path.join(folder, "000001.jpg"), "wb") as file:
        ...     _ = file.write(b"image")
        >>> [row["attr"] for row in ds.CelebADataset(folder).create_dict_iterator(output_numpy=True)]
        [array([0, 1], dtype=uint32)]
    """

    def __init__(
        self,
        dataset_dir: str,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        usage: str = "all",
        sampler: object = None,
        decode: bool = False,
        extensions: list[str] | None = None,
        num_samples: int | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
        decrypt: Any = None,
    ) -> None:
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = check_folder("CelebADataset", dataset_dir)
        checks.boolean("CelebADataset", "decode", decode)
        if usage != "all" and usage not in _PARTS:
            raise ValueError(f"CelebADataset: usage must be one of {['all', *_PARTS]}, got {describe(usage)}.")
        self.decode, self.decrypt, self.usage = decode, decrypt, usage
        wanted = (
            None if usage == "all" else {n for n, p in self._lines("list_eval_partition.txt", 0) if p == _PARTS[usage]}
        )
        endings = tuple(e.lower() for e in extensions or ("",))
        attributes = {
            name: np.array([value == "1" for value in values.split()], np.uint32)
            for name, values in self._lines("list_attr_celeba.txt", 2)
            if name.lower().endswith(endings) and (wanted is None or name in wanted)
        }
        if not attributes:
            raise RuntimeError(f"CelebADataset: {self.dataset_dir} lists no images of usage {usage!r}.")
        self._names, self._attributes = list(attributes), list(attributes.values())

    def _lines(self, name: str, skip: int) -> list[tuple[str, str]]:
        path = os.path.join(self.dataset_dir, name)
        if not os.path.isfile(path):
            raise RuntimeError(f"CelebADataset: {self.dataset_dir} lacks {name}.")
        with open(path, encoding="utf-8") as file:
            pairs = [line.strip().split(None, 1) for line in list(file)[skip:] if line.strip()]
        if any(len(pair) != 2 for pair in pairs):
            raise RuntimeError(f"CelebADataset: {path} must have a name and values on every line.")
        return [(pair[0], pair[1]) for pair in pairs]

    def _columns(self) -> list[str]:
        return ["image", "attr"]

    def _total(self) -> int:
        return len(self._names)

    def _item(self, index: int) -> Row:
        path = os.path.join(self.dataset_dir, self._names[index])
        if self.decrypt is not None:
            raw = self.decrypt(path)
        else:
            with open(path, "rb") as file:
                raw = file.read()
        image = np.frombuffer(raw, np.uint8).copy()
        return decoded(image) if self.decode else image, self._attributes[index].copy()
