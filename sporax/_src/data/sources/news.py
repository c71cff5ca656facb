"""Sources of texts with a class in tables of quoted values: AG News and its relatives."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import numpy as np

from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.folder_files import FolderFilesDataset


class _TableDataset(FolderFilesDataset):
    _usages = {"test": ("test.csv",), "train": ("train.csv",)}

    def _read(self, path: str) -> Iterator[Row]:
        with open(path, encoding="utf-8", newline="") as file:
            for number, values in enumerate(line for line in csv.reader(file) if line):
                if len(values) != len(self._names):
                    raise RuntimeError(f"{type(self).__name__}: row {number} of {path} must have {len(self._names)} "
                                       f"values, it has {len(values)}.")  # fmt: skip
                yield tuple(np.array(value) for value in values)


class AGNewsDataset(_TableDataset):
    """Gives the columns index, title and description of the AG News files, as text.

    Args:
        dataset_dir (str): The folder with ``train.csv`` and ``test.csv``.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): How many files are read in turn. Default: the configured number.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``Shuffle.GLOBAL``.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the folder does not exist, or `usage` is unknown.
        RuntimeError: If only one of `num_shards` and `shard_id` is given, or a file is missing or broken.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "test.csv"), "w") as file:
        ...     _ = file.write('"3","A title","What ""it"" says"')
        >>> [row["title"].item() for row in ds.AGNewsDataset(folder, "test").create_dict_iterator(1, output_numpy=True)]
        ['A title']
    """

    _names = ("index", "title", "description")


class AmazonReviewDataset(_TableDataset):
    """Gives the columns label, title and content of the Amazon Review files (Polarity or Full), as text.

    The arguments and the errors are those of `AGNewsDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.AmazonReviewDataset, ds.SourceDataset)
        True
    """

    _names = ("label", "title", "content")


class DBpediaDataset(_TableDataset):
    """Gives the columns class, title and content of the DBpedia files, as text.

    The arguments and the errors are those of `AGNewsDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.DBpediaDataset, ds.SourceDataset)
        True
    """

    _names = ("class", "title", "content")


class YahooAnswersDataset(_TableDataset):
    """Gives the columns class, title, content and answer of the Yahoo Answers files, as text.

    The arguments and the errors are those of `AGNewsDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.YahooAnswersDataset, ds.SourceDataset)
        True
    """

    _names = ("class", "title", "content", "answer")


class _ReorderedDataset(_TableDataset):
    """Base with other parameters: `shuffle` and the shards come before `num_parallel_workers`; training rows come first."""

    _usages = {"train": ("train.csv",), "test": ("test.csv",)}

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL, num_shards: int | None = None, shard_id: int | None = None,
        num_parallel_workers: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)


class SogouNewsDataset(_ReorderedDataset):
    """Gives the columns index, title and content of the Sogou News files, as text.

    The arguments and the errors are those of `AGNewsDataset`; `num_parallel_workers` comes after `shard_id`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.SogouNewsDataset, ds.SourceDataset)
        True
    """

    _names = ("index", "title", "content")


class YelpReviewDataset(_ReorderedDataset):
    """Gives the columns label and text of the Yelp Review files (Polarity or Full), as text.

    The arguments and the errors are those of `AGNewsDataset`; `num_parallel_workers` comes after `shard_id`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.YelpReviewDataset, ds.SourceDataset)
        True
    """

    _names = ("label", "text")
