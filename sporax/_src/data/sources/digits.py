"""Sources of small pictures that are in memory whole: relatives of MNIST, STL-10, SVHN, Semeion, USPS."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.folder_files import FolderFilesDataset
from sporax._src.data.sources.mnist_cifar import ImagesDataset, MnistDataset, read_idx
from sporax._src.data.sources.stored import matrices


class KMnistDataset(MnistDataset):
    """Gives the images (uint8, ``(28, 28, 1)``) and labels (uint32) of the Kuzushiji-MNIST files.

    The arguments and the errors are those of `MnistDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.KMnistDataset, ds.MnistDataset)
        True
    """


class EMnistDataset(MnistDataset):
    """Gives the images (uint8, ``(28, 28, 1)``) and labels (uint32) of one of the six splits of the EMNIST files.

    Args:
        dataset_dir (str): The folder with ``emnist-digits-train-images-idx3-ubyte`` and so on.
        name (str): ``'byclass'``, ``'bymerge'``, ``'balanced'``, ``'letters'``, ``'digits'`` or ``'mnist'``.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all that is there.

    The other arguments and the errors are those of `MnistDataset`.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.EMnistDataset(tempfile.mkdtemp(), "lines")
        Traceback (most recent call last):
            ...
        ValueError: EMnistDataset: name must be one of [...], got 'lines'.
    """

    def __init__(
        self, dataset_dir: str, name: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        names = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
        self.name = checks.chosen("EMnistDataset", "name", name, names)
        self._parts = {part: (f"emnist-{name}-{part}",) for part in ("test", "train")}
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )


class QMnistDataset(ImagesDataset):
    """Gives the images (uint8, ``(28, 28, 1)``) and labels of the QMNIST files.

    Args:
        dataset_dir (str): The folder with ``qmnist-train-images-idx3-ubyte`` and so on.
        usage (str, optional): ``'train'``, ``'test'``, ``'test10k'``, ``'test50k'``, ``'nist'`` or ``'all'``.
            Default: ``None``, all that is there.
        compat (bool): Whether the label is the class (uint32) and not all eight numbers of a row. Default: ``True``.

    The other arguments and the errors are those of `MnistDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.QMnistDataset, ds.MappableDataset)
        True
    """

    _parts = {"train": ("qmnist-train",), "test": ("qmnist-test",), "test10k": ("qmnist-test",),
              "test50k": ("qmnist-test",), "nist": ("xnist",)}  # fmt: skip

    def __init__(
        self, dataset_dir: str, usage: str | None = None, compat: bool = True, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        checks.boolean("QMnistDataset", "compat", compat)
        self.compat = compat
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )

    def _files_of(self, name: str) -> tuple[str, ...]:
        return f"{name}-images-idx3-ubyte", f"{name}-labels-idx2-int"

    def _read(self, name: str) -> tuple[np.ndarray, ...]:
        images = read_idx(os.path.join(self.dataset_dir, f"{name}-images-idx3-ubyte"), 3)[..., None]
        raw = np.fromfile(os.path.join(self.dataset_dir, f"{name}-labels-idx2-int"), ">u4")
        if raw.size < 3 or raw[0] != 0x0C02 or raw.size != 3 + raw[1] * raw[2] or raw[1] != len(images):
            raise RuntimeError(f"QMnistDataset: the labels of {name} are not those of its {len(images)} images.")
        labels = raw[3:].reshape(raw[1], raw[2]).astype(np.uint32)
        wanted = {"test10k": slice(10000), "test50k": slice(10000, 60000)}.get(self.usage, slice(None))
        return images[wanted], (labels[:, 0] if self.compat else labels)[wanted]

    def _labels(self) -> np.ndarray:
        return self._data[1] if self.compat else self._data[1][:, 0]


class STL10Dataset(ImagesDataset):
    """Gives the images (uint8, ``(96, 96, 3)``) and labels (int32, -1 where there is none) of the STL-10 files.

    Args:
        dataset_dir (str): The folder with ``train_X.bin``, ``train_y.bin`` and so on.
        usage (str, optional): ``'train'``, ``'test'``, ``'unlabeled'``, ``'train+unlabeled'`` or ``'all'``.
            Default: ``None``, all that is there.

    The other arguments and the errors are those of `MnistDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "unlabeled_X.bin"), "wb") as file:
        ...     _ = file.write(bytes(96 * 96 * 3))
        >>> [row["label"].item() for row in ds.STL10Dataset(folder).create_dict_iterator(1, output_numpy=True)]
        [-1]
    """

    _parts = {"test": ("test",), "train": ("train",), "unlabeled": ("unlabeled",),
              "train+unlabeled": ("train", "unlabeled")}  # fmt: skip

    def _files_of(self, name: str) -> tuple[str, ...]:
        return (f"{name}_X.bin",) if name == "unlabeled" else (f"{name}_X.bin", f"{name}_y.bin")

    def _read(self, name: str) -> tuple[np.ndarray, ...]:
        raw = np.fromfile(os.path.join(self.dataset_dir, f"{name}_X.bin"), np.uint8)
        if raw.size % (3 * 96 * 96):
            raise RuntimeError(f"STL10Dataset: {name}_X.bin must have rows of 27648 bytes; it has {raw.size}.")
        images = np.ascontiguousarray(raw.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1))  # columns come first
        if name == "unlabeled":
            return images, np.full(len(images), -1, np.int32)
        labels = np.fromfile(os.path.join(self.dataset_dir, f"{name}_y.bin"), np.uint8)
        if len(labels) != len(images):
            raise RuntimeError(f"STL10Dataset: {name} has {len(images)} images but {len(labels)} labels.")
        return images, labels.astype(np.int32) - 1


class SVHNDataset(ImagesDataset):
    """Gives the images (uint8, ``(32, 32, 3)``) and labels (uint32) of the cropped digits of SVHN.

    Args:
        dataset_dir (str): The folder with ``train_32x32.mat`` and so on, which SciPy reads.
        usage (str, optional): ``'train'``, ``'test'``, ``'extra'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `MnistDataset`; a file that is missing is a FileNotFoundError.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import sporax.dataset as ds
        >>> from scipy.io import savemat
        >>> folder = tempfile.mkdtemp()
        >>> savemat(os.path.join(folder, "test_32x32.mat"), {"X": np.zeros((32, 32, 3, 2)), "y": [[10], [3]]})
        >>> rows = ds.SVHNDataset(folder, "test", shuffle=False).create_dict_iterator(1, output_numpy=True)
        >>> [row["label"].item() for row in rows]
        [0, 3]
    """

    _parts = {"train": ("train",), "test": ("test",), "extra": ("extra",)}
    _absent = FileNotFoundError
    _labelled = False

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None, num_parallel_workers: int = 1,
        shuffle: bool | Shuffle | None = None, sampler: object = None, num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id)

    def _files_of(self, name: str) -> tuple[str, ...]:
        return (f"{name}_32x32.mat",)

    def _read(self, name: str) -> tuple[np.ndarray, ...]:
        content = matrices(os.path.join(self.dataset_dir, f"{name}_32x32.mat"))
        labels = content["y"].reshape(-1).astype(np.uint32)
        return np.ascontiguousarray(content["X"].transpose(3, 0, 1, 2)), np.where(labels == 10, np.uint32(0), labels)


class SemeionDataset(ImagesDataset):
    """Gives the images (uint8 of 0 and 1, ``(16, 16)``) and labels (uint32) of the file ``semeion.data``.

    The arguments and the errors are those of `MnistDataset`, which has a `usage` besides.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "semeion.data"), "w") as file:
        ...     _ = file.write("1.0000 " * 256 + "0 0 0 1 0 0 0 0 0 0 ")
        >>> [row["label"].item() for row in ds.SemeionDataset(folder).create_dict_iterator(1, output_numpy=True)]
        [3]
    """

    _parts = {"all": ("semeion.data",)}
    _labelled = False

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None, sampler: object = None, num_shards: int | None = None,
        shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )

    def _read(self, name: str) -> tuple[np.ndarray, ...]:
        rows = np.loadtxt(os.path.join(self.dataset_dir, name), ndmin=2)
        if rows.shape[1:] != (266,):
            raise RuntimeError(f"SemeionDataset: {name} must have 266 numbers on every line; it has {rows.shape[1]}.")
        return rows[:, :256].astype(np.uint8).reshape(-1, 16, 16), rows[:, 256:].argmax(1).astype(np.uint32)


class USPSDataset(FolderFilesDataset):
    """Gives the images (uint8, ``(16, 16, 1)``) and labels (uint32) of the files ``usps`` and ``usps.t``.

    Args:
        dataset_dir (str): The folder of the files.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `TextFileDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "usps.t"), "w") as file:
        ...     _ = file.write("7 " + " ".join(f"{k}:-1.0" for k in range(1, 257)))
        >>> [row["label"].item() for row in ds.USPSDataset(folder, "test").create_dict_iterator(1, output_numpy=True)]
        [6]
    """

    _names = ("image", "label")
    _usages = {"train": ("usps",), "test": ("usps.t",)}

    def _read(self, path: str) -> Iterator[Row]:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file):
                label, *pairs = line.split() or ("",)
                if not label:
                    continue
                try:
                    values = np.array([float(pair.partition(":")[2]) for pair in pairs])
                    image = ((values + 1) / 2 * 255).astype(np.uint8).reshape(16, 16, 1)
                    yield image, np.array(int(label) - 1, np.uint32)
                except ValueError as error:
                    raise RuntimeError(f"USPSDataset: line {number} of {path} is not a row: {error}.") from error
