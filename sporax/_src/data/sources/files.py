"""Sources that read rows out of files one after the other, and TextFileDataset, the plainest of them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks, config
from sporax._src.data.cpp_random import Stream64, shuffle, stream32, through_buffer
from sporax._src.data.dataset import Row, skipping
from sporax._src.data.iteration import Run
from sporax._src.data.samplers import Shuffle
from sporax._src.data.samplers.select import check_shards
from sporax._src.data.sources.mappable import SourceDataset

_FILES = 4  # The next row is drawn among the rows of so many files,
_BUFFER = 10000  # but among no more than these.
Part = tuple[str, int, int]  # a file, its first row and the row after its last


def matching(where: str, dataset_files: Any) -> list[str]:
    """Return the files that paths or patterns name, in order of their names.

    Raises:
        TypeError: If `dataset_files` is not a path or list of them.
        ValueError: If a pattern matches nothing.
    """
    patterns = dataset_files if isinstance(dataset_files, (list, tuple)) else [dataset_files]
    if not patterns or not all(isinstance(p, (str, os.PathLike)) for p in patterns):
        raise TypeError(f"{where}: dataset_files must be a path or a list of them, got {describe(dataset_files)}.")
    matches = {os.fspath(p): sorted(f for f in glob.glob(os.fspath(p)) if os.path.isfile(f)) for p in patterns}
    missing = [pattern for pattern, files in matches.items() if not files]
    if missing:
        folders = [pattern for pattern in missing if os.path.isdir(pattern)]
        hint = f" A folder needs a pattern, such as {os.path.join(shown(folders[0]), '*')}." if folders else ""
        raise ValueError(f"{where}: The following patterns did not match any files: {missing}.{hint}")
    return sorted(set(chain.from_iterable(matches.values())))


class FilesDataset(SourceDataset):
    """Base of the sources that read files from front to back; a subclass defines `_columns` and `_read`.

    The workers take turns: each has its share of the files and gives one row of them. Shuffled, the files come in
    another order each epoch, and with `Shuffle.GLOBAL` rows leave a buffer at random. All draws are MindSpore's. Shards
    share out the files in the order of the epoch, so a shard has other rows in each.

    Args:
        dataset_files (Union[str, list[str]]): Paths or patterns.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): How many files are read in turn. Default: the configured number.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``Shuffle.GLOBAL``.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a file does not exist, or an argument is out of range.
        RuntimeError: If only one of `num_shards` and `shard_id` is given.
    """

    def __init__(
        self,
        dataset_files: object,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        super().__init__(None, num_parallel_workers, cache)
        where = type(self).__name__
        self.dataset_files = self._matching(dataset_files)
        if num_samples is not None:
            checks.integer(where, "num_samples", num_samples, 0, 2**63 - 1)
        check_shards(where, num_shards, shard_id)
        if shuffle is not None and not isinstance(shuffle, (bool, Shuffle)):
            raise TypeError(f"{where}: shuffle must be a bool or a Shuffle, got {describe(shuffle)}.")
        self.num_samples, self.num_shards, self.shard_id = num_samples, num_shards, shard_id
        self.shuffle_by_files = shuffle not in (False, Shuffle.FALSE)
        self.shuffle_by_rows = self.shuffle_by_files and shuffle is not Shuffle.FILES
        self._counts: list[int] | None = None

    def _matching(self, dataset_files: object) -> list[str]:
        """Return the paths of the files, in the order in which they are read."""
        return matching(type(self).__name__, dataset_files)

    def _read(self, path: str) -> Iterator[Row]:
        """Yield the rows of a file."""
        raise NotImplementedError(f"{type(self).__name__} must define _read.")

    def _text_of(self, path: str) -> Iterator[Row]:
        """Yield the rows of a file, which must be text if it is read as that."""
        try:
            yield from self._read(path)
        except UnicodeDecodeError as error:
            raise RuntimeError(f"{type(self).__name__}: {shown(path)} is not text in UTF-8: {error}.") from error

    def _count(self, path: str) -> int:
        """Return the number of rows of a file."""
        return sum(1 for _ in self._text_of(path))

    def _parts(self, files: list[int]) -> list[Part]:
        """Return the parts to read of files in this order: all, or this shard's share of all rows, equal for all shards."""
        shards, counts = self.num_shards or 1, self._file_sizes()
        share = -(-sum(counts) // shards)
        parts, first, wanted = [], 0, range((self.shard_id or 0) * share, (self.shard_id or 0) * share + share)
        while first < wanted.stop:  # the last shard starts over
            for number in files:
                low, high = max(wanted.start, first), min(wanted.stop, first + counts[number])
                if low < high:
                    parts.append((self.dataset_files[number], low - first, high - first))
                first += counts[number]
        return parts

    def _file_sizes(self) -> list[int]:
        """Return the number of rows of each file, counted once."""
        if self._counts is None:
            self._counts = [self._count(path) for path in self.dataset_files]
        return self._counts

    def _read_in(self, files: list[int]) -> int:
        """Return how many rows an epoch has that reads the files in this order."""
        size = sum(stop - start for _, start, stop in self._parts(files))
        return min(size, self.num_samples) if self.num_samples else size

    def _static_size(self) -> int:
        return self._read_in(list(range(len(self.dataset_files))))

    def _drawn(self, run: Run, epoch: int) -> tuple[list[int], int]:
        """Return the order of the files in `epoch`, and how many rows the epochs before have."""
        memo = run.memo(self)
        if memo.get("epoch", epoch + 1) > epoch:
            memo |= {"epoch": -1, "files": list(range(len(self.dataset_files))), "before": 0, "size": 0}
        while (
            memo["epoch"] < epoch
        ):  # each epoch shuffles the order of the one before; shards must not depend on a seed
            memo["epoch"] += 1
            is_shared = (self.num_shards or 1) > 1
            shuffle(memo["files"], stream32(memo["epoch"] + 1 if is_shared else run.seed))
            memo["before"] += memo["size"]
            memo["size"] = self._read_in(memo["files"]) if self.shuffle_by_rows else 0
        return memo["files"].copy(), memo["before"]

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        files, before = list(range(len(self.dataset_files))), 0
        if self.shuffle_by_files:
            files, before = self._drawn(run, epoch)
        parts = self._parts(files)
        asked = 1 if config.get_debug_mode() else self.num_parallel_workers  # of any machine: the order depends on it
        workers = min(asked, len(files))
        rows = _in_turn([chain.from_iterable(map(self._part, parts[k::workers])) for k in range(workers)])
        rows = islice(rows, self.num_samples or None)
        if self.shuffle_by_rows:
            draws = Stream64(run.seed)
            draws.skip(before)  # one stream runs through all epochs, one draw for each row
            share = -(-sum(self._file_sizes()) // (self.num_shards or 1))
            rows = through_buffer(rows, min(share // len(files) * _FILES or _BUFFER, _BUFFER), iter(draws))
        return skipping(rows, start)

    def _part(self, part: Part) -> Iterator[Row]:
        path, start, stop = part
        count = start
        for row in islice(self._text_of(path), start, stop):
            count += 1
            yield row
        if count < stop:
            where = f"{type(self).__name__}: {shown(path)}"
            raise RuntimeError(f"{where} has {count} rows, but had at least {stop} when they were counted.")

    def is_shuffled(self) -> bool:
        """Return whether rows come in random order."""
        return self.shuffle_by_files

    def is_sharded(self) -> bool:
        """Return whether only one device's share comes."""
        return self.num_shards is not None and self.num_shards > 1


def _in_turn(streams: list[Iterator[Row]]) -> Iterator[Row]:
    while streams:
        left = []
        for stream in streams:
            for row in islice(stream, 1):
                yield row
                left.append(stream)
        streams = left


class TextFileDataset(FilesDataset):
    """Gives the lines of text files that are not empty.

    Args:
        dataset_files (Union[str, list[str]]): Paths or patterns.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): How many files are read in turn. Default: the configured number.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``Shuffle.GLOBAL``.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a file does not exist, or an argument is out of range.
        RuntimeError: If only one of `num_shards` and `shard_id` is given.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("one\\n\\ntwo\\n")
        >>> rows = ds.TextFileDataset(path, shuffle=False).create_dict_iterator(output_numpy=True)
        >>> [row["text"].item() for row in rows]
        ['one', 'two']
    """

    def _columns(self) -> list[str]:
        return ["text"]

    def _read(self, path: str) -> Iterator[Row]:
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                text = line.rstrip("\n")
                if text:
                    yield (np.array(text),)
