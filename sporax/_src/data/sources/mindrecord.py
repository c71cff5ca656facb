"""MindDataset: rows from MindRecord files."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.cpp_random import PLAIN_RANGE, plain_stream, shuffle, stream32, uniform
from sporax._src.data.dataset import Row
from sporax._src.data.iteration import Run
from sporax._src.data.mindrecord.reader import check_fields, open_files
from sporax._src.data.samplers import (
    BuiltinSampler,
    DistributedSampler,
    RandomSampler,
    Shuffle,
    SubsetRandomSampler,
)
from sporax._src.data.sources.mappable import MappableDataset


def _chosen(sampler: BuiltinSampler, size: int, seed: int) -> list[int]:
    """Return the numbers that a sampler alone chooses of [0, `size`)."""
    if type(sampler) is not SubsetRandomSampler:
        return sampler.in_range(sampler.chosen(size, seed, 0, {}), size).tolist()
    chosen = sampler.in_range(np.array(sampler.rows, np.int64), size).tolist()
    return shuffle(chosen, plain_stream(sampler.own_seed(seed) + 1), PLAIN_RANGE)


class MindDataset(MappableDataset):
    """Gives the records of MindRecord files: numbers and text of rank 0, bytes as one byte string, arrays as they are.

    Args:
        dataset_files (Union[str, list[str]]): A file, with which all of its set are read; or a list of files.
        columns_list (list[str], optional): The fields to give. Default: ``None``, all, in order of their names.
        num_parallel_workers (int, optional): How many threads read. Default: the configured number.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``None``, they do.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        padded_sample (dict, optional): A row to add at the end, by field of `columns_list`.
        num_padded (int, optional): How many times to add it.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a file does not exist.
        RuntimeError: If a file is not a MindRecord file or is encrypted with other settings, or a field does not exist.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> ds.NumpySlicesDataset({"label": [3, 4]}, shuffle=False).save(path)
        >>> [row["label"].item() for row in ds.MindDataset(path, shuffle=False).create_dict_iterator(output_numpy=True)]
        [3, 4]
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        columns_list: list[str] | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        sampler: object = None,
        padded_sample: dict[str, Any] | None = None,
        num_padded: int | None = None,
        num_samples: int | None = None,
        cache: object = None,
    ) -> None:
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        for path in dataset_files if isinstance(dataset_files, list) else [dataset_files]:
            checks.file("MindDataset", path)
        if num_samples is not None and shuffle in (Shuffle.FILES, Shuffle.INFILE):
            raise ValueError("MindDataset: num_samples does not go with Shuffle.FILES and Shuffle.INFILE.")
        self._files = open_files(dataset_files)
        self._schema = self._files[0].header.schema
        self.columns_list = check_fields(self._schema, columns_list) if columns_list else sorted(self._schema)
        if (padded_sample is None) != (num_padded is None):
            raise ValueError("MindDataset: padded_sample and num_padded need to be passed in together.")
        self.num_padded = 0 if num_padded is None else checks.integer("MindDataset", "num_padded", num_padded, 0)
        self.padded_sample = padded_sample
        if padded_sample is not None and not set(self.columns_list) <= set(padded_sample):
            raise ValueError(
                f"MindDataset: padded_sample must hold {self.columns_list}, got {describe(sorted(padded_sample))}."
            )
        if self.num_padded and (sum(map(len, self._files)) + self.num_padded) % self.num_shards:
            raise RuntimeError(
                f"MindDataset: {sum(map(len, self._files))} rows and num_padded={self.num_padded} cannot be shared evenly among "
                f"num_shards={self.num_shards}."
            )
        self._starts = np.cumsum([0, *map(len, self._files)])
        if sampler is None and isinstance(self.sampler, (DistributedSampler, RandomSampler)) and self.is_shuffled():
            self.sampler.shuffle = shuffle if isinstance(shuffle, Shuffle) else Shuffle.GLOBAL

    def _columns(self) -> list[str]:
        return list(self.columns_list)

    def _total(self) -> int:
        return int(self._starts[-1]) + self.num_padded

    def _record(self, index: int, wanted: set[str]) -> dict[str, Any]:
        if index >= self._starts[-1]:
            assert self.padded_sample is not None
            return self.padded_sample
        number = int(np.searchsorted(self._starts, index, "right")) - 1
        return self._files[number].record(index - int(self._starts[number]), wanted)

    def _item(self, index: int) -> Row:
        record = self._record(index, set(self.columns_list))
        return tuple(self._array(name, record[name]) for name in self.columns_list)

    def _array(self, name: str, value: Any) -> np.ndarray:
        kind = self._schema[name]["type"]
        if kind == "bytes":
            return np.array([bytes(value)])
        return np.array(value) if kind == "string" else np.array(value, kind)

    def _block(self) -> range | None:
        """Return the rows of a share with an offset: MindSpore gives each device successive rows of a file of records."""
        sampler = self.sampler
        if not isinstance(sampler, DistributedSampler) or sampler.is_shuffled() or sampler.offset < 0:
            return None
        total, devices = self._checked_total() + sampler.offset, sampler.num_shards
        sizes = [(total + devices - 1 - k) // devices - (k < sampler.offset) for k in range(devices)]
        first = sum(sizes[: sampler.shard_id])
        return range(first, first + sizes[sampler.shard_id])

    def _static_size(self) -> int | None:
        block = self._block()
        if block is not None:
            return len(block)
        size = self._checked_total()
        for link in self._with_labels().links():
            is_repeating = isinstance(link, RandomSampler) and link.replacement
            size = link.num_samples or size if is_repeating else link._length(size)
        return size

    def _is_shuffled_anew(self) -> bool:
        return False  # later epochs draw from the rows of the first one

    def _indices(self, run: Run, epoch: int) -> np.ndarray:
        block = self._block()
        if block is not None:
            return np.array(block)
        *links, last = self._with_labels().links()
        if isinstance(last, DistributedSampler):
            return self._share(last, self._chained(links, run, 0), epoch)
        draws_once = type(last) is SubsetRandomSampler and not self.num_padded
        if links or draws_once or isinstance(last, RandomSampler):
            return np.array(self._chained([*links, last], run, epoch))
        return super()._indices(run, epoch)

    def _share(self, sampler: DistributedSampler, rows: list[int], epoch: int) -> np.ndarray:
        """Return a share of rows. All devices draw the same, so the seed is the sampler's, and each epoch begins anew."""
        if sampler.shuffle is not Shuffle.FALSE:
            rows = self._shuffled(rows, sampler.shuffle, sampler.seed + 1 + epoch)
        return np.array(rows)[sampler.positions(len(rows))]

    def _chained(self, links: list[BuiltinSampler], run: Run, epoch: int) -> list[int]:
        """Return the rows of a chain. Later epochs draw from those of the one before, so a part keeps its rows."""
        memo = run.memo(self)
        if memo.get("epoch", epoch + 1) > epoch:
            memo.update(epoch=-1, rows=list(range(self._checked_total())), counts={}, size=None)
        while memo["epoch"] < epoch:
            memo["epoch"] += 1
            for number, link in enumerate(links):
                rows = memo["rows"]
                if isinstance(link, RandomSampler):
                    count = memo["counts"].setdefault(number, link.num_samples or len(rows))
                    memo["rows"] = self._drawn(rows, count, link, run.seed, memo["epoch"])
                elif memo["size"] is None:  # others choose once
                    memo["rows"] = [rows[k] for k in _chosen(link, len(rows), run.seed)]
            memo["size"] = memo["size"] or len(memo["rows"])
        return memo["rows"][: memo["size"]]

    def _drawn(self, rows: list[int], count: int, sampler: RandomSampler, seed: int, epoch: int) -> list[int]:
        """Draw rows with the numbers that MindSpore draws for its files of records."""
        first = sampler.own_seed(seed) + (1 + epoch if sampler.reshuffle_each_epoch else 0)
        if sampler.replacement:
            return [rows[uniform(stream32(first + k & 0xFFFFFFFF), len(rows) - 1)] for k in range(count)]
        return self._shuffled(rows, sampler.shuffle, first)[:count]

    def _shuffled(self, rows: list[int], mode: Shuffle, seed: int) -> list[int]:
        """Shuffle all rows, the files, or the rows within each file; then added rows come last."""
        if mode not in (Shuffle.FILES, Shuffle.INFILE):
            return shuffle(rows, plain_stream(seed), PLAIN_RANGE)
        groups: dict[int, list[int]] = {}
        for row, file in zip(rows, np.searchsorted(self._starts, rows, "right").tolist(), strict=True):
            groups.setdefault(file, []).append(row)
        added, files = groups.pop(len(self._starts), []), list(groups.values())
        if mode is Shuffle.FILES:
            files = shuffle(files, plain_stream(seed), PLAIN_RANGE)
        else:
            files = [shuffle(file, plain_stream(seed), PLAIN_RANGE) for file in files]
        return [*chain.from_iterable(files), *added]

    def _labels(self) -> np.ndarray | None:
        if "label" not in self._schema:
            return None
        return np.array([self._record(index, {"label"})["label"] for index in range(self._total())])
