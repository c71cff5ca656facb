"""Readers of the MNIST and CIFAR files: local, whole sets in memory, so batches are gathered at once."""

from __future__ import annotations

import gzip
import os
from itertools import chain, islice

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.mappable import MappableDataset


def check_folder(where: str, path: object) -> str:
    """Return `path` if it is a folder.

    Raises:
        TypeError: If it is not a path.
        ValueError: If there is no such folder.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{where}: dataset_dir must be a path, got {describe(path)}.")
    if not os.path.isdir(path):
        raise ValueError(f"{where}: dataset_dir {str(path)!r} is not a folder.")
    return os.fspath(path)


def lacking(where: str, folder: str, names: list[str], kind: type[Exception] = RuntimeError) -> Exception:
    """Return the error for files that a folder lacks; it names the folder below that has one of them, if there is such a folder."""
    wanted = {os.path.basename(name) for name in names}
    below = (
        path
        for path, _, files in islice(os.walk(folder), 1000)
        if wanted & {file.removesuffix(".gz") for file in files}
    )
    found = next((path for path in below if path != folder), None)
    hint = f"; {shown(found)} has some" if found else ""
    return kind(f"{where}: {shown(folder)} lacks {names}{hint}.")


class ImagesDataset(MappableDataset):
    """Base of sources that are in memory whole.

    A subclass names its columns, the parts of each usage, the files of a part, and how to read one.
    """

    _names: tuple[str, ...] = ("image", "label")
    _parts: dict[str, tuple[str, ...]] = {}
    _class_count = 10
    _absent: type[Exception] = RuntimeError  # the error for files that are missing
    _labelled = True  # whether PKSampler may use the last column as labels

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        sampler: object = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        where = type(self).__name__
        self.dataset_dir = check_folder(where, dataset_dir)
        self.usage = checks.chosen(where, "usage", usage, ("all", *self._parts))
        files = self._parts.get(self.usage) or tuple(dict.fromkeys(chain.from_iterable(self._parts.values())))
        present = [name for name in files if self._exists(name)]
        # Without `usage`, whatever parts are there are read; a part that was asked for must be whole.
        if not present or (usage is not None and len(present) < len(files)):
            wanted = [file for name in sorted(set(files) - set(present)) for file in self._files_of(name)]
            raise lacking(where, self.dataset_dir, [file for file in wanted if not self._path(file)], self._absent)
        pieces = [self._read(name) for name in present]
        self._data = tuple(np.concatenate(columns) for columns in zip(*pieces, strict=True))

    def _files_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the files of a part."""
        return (name,)

    def _path(self, file: str) -> str:
        """Return the path of a file, empty if there is none."""
        path = os.path.join(self.dataset_dir, file)
        return path if os.path.isfile(path) else ""

    def _exists(self, name: str) -> bool:
        return all(map(self._path, self._files_of(name)))

    def _read(self, name: str) -> tuple[np.ndarray, ...]:
        raise NotImplementedError

    def _columns(self) -> list[str]:
        return list(self._names)

    def _total(self) -> int:
        return len(self._data[0])

    def _item(self, index: int) -> Row:
        return tuple(np.array(column[index]) for column in self._data)

    def _stacked(self) -> tuple[np.ndarray, ...]:
        return self._data

    def _labels(self) -> np.ndarray | None:
        return self._data[-1] if self._labelled else None

    def num_classes(self) -> int:
        """Return the number of classes."""
        return self._class_count


def read_idx(path: str, rank: int) -> np.ndarray:
    """Return the array of an IDX file of unsigned bytes, packed by gzip or not.

    Raises:
        RuntimeError: If it is no such file.
    """
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        raw = file.read()
    magic = int.from_bytes(raw[:4], "big")
    if magic != 0x0800 + rank:
        raise RuntimeError(f"{path}: expected an IDX file of {rank} axes (magic {0x0800 + rank}), got magic {magic}.")
    shape = [int.from_bytes(raw[4 + 4 * axis : 8 + 4 * axis], "big") for axis in range(rank)]
    values = np.frombuffer(raw, np.uint8, offset=4 + 4 * rank)
    if values.size != np.prod(shape):
        raise RuntimeError(f"{path}: its head says {shape}, which needs {np.prod(shape)} bytes; it has {values.size}.")
    return values.reshape(shape)


class MnistDataset(ImagesDataset):
    """Gives the images (uint8, ``(28, 28, 1)``) and labels (uint32) of the MNIST files.

    Args:
        dataset_dir (str): The folder with ``train-images-idx3-ubyte`` and so on, packed by gzip or not.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all that is there.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): Accepted.
        shuffle (bool, optional): Whether rows come in random order. Default: ``None``, they do.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the folder does not exist or `usage` is unknown.
        RuntimeError: If arguments exclude each other, or files are missing or are not MNIST files.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> def write(name, head, values):
        ...     with open(os.path.join(folder, name), "wb") as file:
        ...         _ = file.write(b"".join(n.to_bytes(4, "big") for n in head) + bytes(values))
        >>> write("train-images-idx3-ubyte", [2051, 2, 28, 28], [0] * 1568)
        >>> write("train-labels-idx1-ubyte", [2049, 2], [7, 3])
        >>> data = ds.MnistDataset(folder, shuffle=False)
        >>> data.output_shapes(), [row["label"].item() for row in data.create_dict_iterator(1, output_numpy=True)]
        ([[28, 28, 1], []], [7, 3])
    """

    _parts = {"test": ("t10k",), "train": ("train",)}  # without `usage`, files come in order of their names

    def _files_of(self, name: str) -> tuple[str, ...]:
        return f"{name}-images-idx3-ubyte", f"{name}-labels-idx1-ubyte"

    def _path(self, file: str) -> str:
        spellings = (spelling + ending for ending in ("", ".gz") for spelling in (file, file.replace("-idx", ".idx")))
        return next(filter(None, map(super()._path, spellings)), "")

    def _read(self, name: str) -> tuple[np.ndarray, ...]:
        images, labels = (
            read_idx(self._path(file), rank) for file, rank in zip(self._files_of(name), (3, 1), strict=True)
        )
        if len(images) != len(labels):
            raise RuntimeError(f"{type(self).__name__}: {name} has {len(images)} images but {len(labels)} labels.")
        return images[..., None], labels.astype(np.uint32)


class FashionMnistDataset(MnistDataset):
    """Gives the images (uint8, ``(28, 28, 1)``) and labels (uint32) of the Fashion-MNIST files.

    Args:
        dataset_dir (str): The folder with ``train-images-idx3-ubyte`` and so on, packed by gzip or not.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all that is there.

    The other arguments and the errors are those of `MnistDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.FashionMnistDataset, ds.MappableDataset)
        True
    """


class Cifar10Dataset(ImagesDataset):
    """Gives the images (uint8, ``(32, 32, 3)``) and labels (uint32) of the binary CIFAR-10 files.

    Args:
        dataset_dir (str): The folder with ``data_batch_1.bin`` and so on.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all that is there.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): Accepted.
        shuffle (bool, optional): Whether rows come in random order. Default: ``None``, they do.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the folder does not exist or `usage` is unknown.
        RuntimeError: If arguments exclude each other, or files are missing or have a broken size.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "test_batch.bin"), "wb") as file:
        ...     _ = file.write(bytes([5] + [0] * 3072))
        >>> data = ds.Cifar10Dataset(folder, "test")
        >>> data.get_dataset_size(), data.output_shapes(), data.num_classes()
        (1, [[32, 32, 3], []], 10)
    """

    _parts = {"train": tuple(f"data_batch_{k}.bin" for k in range(1, 6)), "test": ("test_batch.bin",)}
    _label_bytes = 1

    def _read(self, name: str) -> tuple[np.ndarray, ...]:
        raw = np.fromfile(os.path.join(self.dataset_dir, name), np.uint8)
        width = 3072 + self._label_bytes
        if raw.size == 0 or raw.size % width:
            raise RuntimeError(f"{type(self).__name__}: {name} must have rows of {width} bytes; it has {raw.size}.")
        rows = raw.reshape(-1, width)
        images = rows[:, self._label_bytes :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        labels = rows[:, : self._label_bytes].astype(np.uint32)
        return np.ascontiguousarray(images), *labels.T


class Cifar100Dataset(Cifar10Dataset):
    """Gives the images (uint8, ``(32, 32, 3)``), coarse and fine labels (uint32) of the binary CIFAR-100 files.

    Args:
        dataset_dir (str): The folder with ``train.bin`` and ``test.bin``.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all that is there.

    The other arguments and the errors are those of `Cifar10Dataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "test.bin"), "wb") as file:
        ...     _ = file.write(bytes([5, 77] + [0] * 3072))
        >>> data = ds.Cifar100Dataset(folder)
        >>> data.get_col_names(), data.num_classes()
        (['image', 'coarse_label', 'fine_label'], 100)
    """

    _names = ("image", "coarse_label", "fine_label")
    _parts = {"test": ("test.bin",), "train": ("train.bin",)}  # in order of the names of the files
    _label_bytes = 2
    _class_count = 100
