"""CIFAR-10 and CIFAR-100, from the archives for Python: read whole, or as MindRecord files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.pickles import plain_values
from sporax._src.data.converters.batches import write_rows
from sporax._src.data.converters.names import check_name
from sporax._src.data.converters.status import SUCCESS, MSRStatus
from sporax._src.data.mindrecord.errors import PathNotExistsError
from sporax._src.data.mindrecord.writer import FileWriter
from sporax._src.data.vision.files import encode_jpeg

_QUALITY = 95  # the default of OpenCV, with which MindSpore encodes


def _read(where: str, path: str, labels: list[str]) -> list[np.ndarray]:
    """Return the images (N, 32, 32, 3) and each kind of labels (N,) of a file."""
    try:
        with open(path, "rb") as file:
            content = plain_values(file, "bytes")
        images = np.asarray(content[b"data"], np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        columns = [np.asarray(content[name.encode()], np.int64) for name in labels]
        if any(column.shape != (len(images),) for column in columns):
            raise ValueError(f"it has {len(images)} images and labels of shape {[c.shape for c in columns]}")
    except OSError:
        raise
    except Exception as error:  # what a damaged pickle raises depends on where it is damaged
        raise RuntimeError(f"{where}: {shown(path)} is not a file of the data set: {shown(error)}.") from error
    return [images, *columns]


# --- reading ----------------------------------------------------------------------------------------------------------


class _Archive:
    """The files of a data set: their names, and the kinds of labels with the number of classes of each."""

    _train = _test = ""  # how their names begin
    _labels: dict[str, int] = {}

    def __init__(self, path: str, one_hot: bool = True) -> None:
        self.path = check_name("path", path)
        if not isinstance(one_hot, bool):
            raise ValueError(f"{type(self).__name__}: one_hot must be a bool, got {describe(one_hot)}.")
        self.one_hot = one_hot
        self.images: np.ndarray | None = None
        self.Test = SimpleNamespace()

    @classmethod
    def files(cls, path: str) -> tuple[list[str], list[str]]:
        """Return the files for training and those of the test, in order of their names.

        Raises:
            FileNotFoundError: If the folder is missing.
            PathNotExistsError: If a part of the data set is.
        """
        names = sorted(os.listdir(path))
        train = [
            name for name in names if name == cls._train or (cls._train[-1] == "_" and name.startswith(cls._train))
        ]
        test = [name for name in names if name == cls._test]
        for part, matches in ((cls._train, train), (cls._test, test)):
            if not matches:
                raise PathNotExistsError(f"{shown(path)} has no file {part}{'*' * part.endswith('_')}.")
        return train, test

    def _part(self, names: list[str]) -> list[np.ndarray]:
        where = type(self).__name__
        read = [_read(where, os.path.join(self.path, name), list(self._labels)) for name in names]
        images, *labels = (np.concatenate(arrays) for arrays in zip(*read, strict=True))
        return [images, *(self._shaped(*pair) for pair in zip(labels, self._labels.values(), strict=True))]

    def _shaped(self, labels: np.ndarray, count: int) -> np.ndarray:
        if not self.one_hot:
            return labels[:, None]
        if labels.size and not 0 <= labels.min() <= labels.max() < count:
            raise RuntimeError(
                f"{type(self).__name__}: labels must be in [0, {count}), got {labels.min()} to {labels.max()}."
            )
        return np.eye(count)[labels]

    def load_data(self) -> list[np.ndarray]:
        """Return the images and labels for training, then those of the test, which become attributes too.

        Images are of shape ``(N, 32, 32, 3)``, labels ``(N, 1)`` or one-hot.

        Raises:
            FileNotFoundError: If the folder is missing.
            PathNotExistsError: If a part of the data set is.
            RuntimeError: If a file is damaged, or is not a file of the data set.
        """
        train, test = (self._part(names) for names in self.files(self.path))
        for name, value in zip(("images", *self._labels), train, strict=True):
            setattr(self, name, value)
        for name, value in zip(("images", *self._labels), test, strict=True):
            setattr(self.Test, name, value)
        return [*train, *test]


class Cifar10(_Archive):
    """Reads the archive of CIFAR-10 for Python.

    Args:
        path (str): The folder with ``data_batch_1`` and so on, and ``test_batch``.
        one_hot (bool): Whether a label is a vector with one 1, else its number. Default: ``True``.

    Raises:
        ParamValueError: If `path` is not a path.
        ValueError: If `one_hot` is not a bool.

    Examples:
        >>> from sporax._src.data.converters.cifar import Cifar10
        >>> Cifar10("cifar-10-batches-py", one_hot=False).one_hot
        False
    """

    _train, _test, _labels = "data_batch_", "test_batch", {"labels": 10}
    labels: np.ndarray | None = None

    def _part(self, names: list[str]) -> list[np.ndarray]:
        images, labels = super()._part(names)
        # MindSpore gives those for training as float64, those of the test as uint8.
        return [images if names == [self._test] else images.astype(np.float64), labels]


class Cifar100(_Archive):
    """Reads the archive of CIFAR-100 for Python.

    Args:
        path (str): The folder with ``train`` and ``test``.
        one_hot (bool): Whether a label is a vector with one 1, else its number. Default: ``True``.

    Raises:
        ParamValueError: If `path` is not a path.
        ValueError: If `one_hot` is not a bool.

    Examples:
        >>> from sporax._src.data.converters.cifar import Cifar100
        >>> Cifar100("cifar-100-python").one_hot
        True
    """

    _train, _test, _labels = "train", "test", {"fine_labels": 100, "coarse_labels": 20}
    fine_labels: np.ndarray | None = None
    coarse_labels: np.ndarray | None = None


# --- writing ----------------------------------------------------------------------------------------------------------


class _ArchiveToMR:
    _archive: type[_Archive]
    _fields: tuple[str, ...] = ()  # the names of the kinds of labels in the records

    def __init__(self, source: str, destination: str) -> None:
        self.source = check_name("source", source)
        self._archive.files(self.source)
        self.destination = check_name("destination", destination)

    def run(self, fields: list[str] | None = None) -> MSRStatus:
        """Write the file for training, and, with ``_test`` at the end of its name, that of the test.

        Args:
            fields (list[str], optional): The fields by which records can be found. Default: ``None``, all numbers.

        Raises:
            ValueError: If `fields` is not a list.
            ParamTypeError: If it does not hold names only.
            MRMDefineIndexError: If one of them is not a number.
            RuntimeError: If a file of the data set is damaged, or one to write exists.
        """
        if fields and not isinstance(fields, list):
            raise ValueError(f"{type(self).__name__}: fields must be None or a list of str, got {describe(fields)}.")
        data = self._archive(self.source, False).load_data()
        half = len(data) // 2
        for part, arrays in (("train", data[:half]), ("test", data[half:])):
            writer = FileWriter(self.destination if part == "train" else f"{self.destination}_test", 1)
            numbers = {name: {"type": "int64"} for name in ("id", *self._fields)}
            writer.add_schema({**numbers, "data": {"type": "bytes"}}, f"img_{part}")
            if fields:
                writer.add_index(fields)
            write_rows(writer, self._rows(*arrays))
        return SUCCESS

    def _rows(self, images: np.ndarray, *labels: np.ndarray) -> Iterator[dict[str, Any]]:
        for k, image in enumerate(images):
            named = {name: int(column[k, 0]) for name, column in zip(self._fields, labels, strict=True)}
            yield {"id": k, "data": encode_jpeg(image.astype(np.uint8), _QUALITY).tobytes(), **named}

    def transform(self, fields: list[str] | None = None) -> None:
        """Do what `run` does."""
        self.run(fields)


class Cifar10ToMR(_ArchiveToMR):
    """Writes CIFAR-10 as MindRecord: ``id`` and ``label`` (int64), ``data`` (bytes of a JPEG file).

    Args:
        source (str): The folder of the archive for Python, with ``data_batch_1`` and so on, and ``test_batch``.
        destination (str): The file for training; that of the test has ``_test`` at the end of its name.

    Raises:
        ParamValueError: If an argument is not a path.
        FileNotFoundError: If the folder is missing.
        PathNotExistsError: If a part of the data set is.

    Examples:
        >>> import os, pickle, tempfile
        >>> import numpy as np
        >>> from sporax.mindrecord import Cifar10ToMR, FileReader
        >>> folder = tempfile.mkdtemp()
        >>> for name in ("data_batch_1", "test_batch"):
        ...     with open(os.path.join(folder, name), "wb") as file:
        ...         pickle.dump({b"data": np.zeros((1, 3072), np.uint8), b"labels": [3]}, file)
        >>> path = os.path.join(folder, "cifar10.mindrecord")
        >>> Cifar10ToMR(folder, path).transform(["label"])
        >>> [record["label"] for record in FileReader(f"{path}_test").get_next()]
        [3]
    """

    _archive, _fields = Cifar10, ("label",)


class Cifar100ToMR(_ArchiveToMR):
    """Writes CIFAR-100 as MindRecord: ``id``, ``fine_label`` and ``coarse_label`` (int64), ``data`` (bytes of a JPEG file).

    Args:
        source (str): The folder of the archive for Python, with ``train`` and ``test``.
        destination (str): The file for training; that of the test has ``_test`` at the end of its name.

    Raises:
        ParamValueError: If an argument is not a path.
        FileNotFoundError: If the folder is missing.
        PathNotExistsError: If a part of the data set is.

    Examples:
        >>> import tempfile
        >>> from sporax.mindrecord import Cifar100ToMR
        >>> Cifar100ToMR(tempfile.mkdtemp(), "cifar100.mindrecord")
        Traceback (most recent call last):
            ...
        sporax.mindrecord.PathNotExistsError: [PathNotExistsError]: Invalid path. Detail: ... has no file train.
    """

    _archive, _fields = Cifar100, ("fine_label", "coarse_label")
