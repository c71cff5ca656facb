"""MindDataset: rows from MindRecord files."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.cpp_random import PLAIN_RANGE, plain_stream, shuffle, stream32, uniform
from sporax._src.data.dataset import Row
from sporax._src.data.iteration import Run
from sporax._src.data.mindrecord.reader import check_fields, open_files
from sporax._src.data.samplers import BuiltinSampler, DistributedSampler, RandomSampler, Shuffle, SubsetRandomSampler
from sporax._src.data.sources.mappable import MappableDataset


def _mode(given: object, sampler: BuiltinSampler | None, asked: bool | Shuffle | None) -> Shuffle:
    """Return how the rows are shuffled; ``Shuffle.FALSE`` if they are not, or the sampler draws them."""
    if isinstance(sampler, RandomSampler):
        is_drawn = sampler.child_sampler is None
        asked = asked if given is None else sampler.shuffle
    elif isinstance(sampler, DistributedSampler):
        is_drawn = given is None and sampler.shuffle is not Shuffle.FALSE
    else:
        is_drawn = False
    if not is_drawn:
        return Shuffle.FALSE
    return asked if isinstance(asked, Shuffle) and asked in (Shuffle.FILES, Shuffle.INFILE) else Shuffle.GLOBAL


def _rows_of(groups: list[list[int]]) -> list[int]:
    return list(chain.from_iterable(groups))


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
        self._shuffle = _mode(sampler, self.sampler, shuffle)

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
        return super()._static_size() if block is None else len(block)

    def add_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Make `new_sampler` choose from the rows of the present sampler; see `MappableDataset`."""
        super().add_sampler(new_sampler)
        self._shuffle = _mode(new_sampler, self.sampler, None)

    def _indices(self, run: Run, epoch: int) -> np.ndarray:
        block = self._block()
        if block is not None:
            return np.array(block)
        if isinstance(self.sampler, SubsetRandomSampler) and self.sampler.get_child() is None and not self.num_padded:
            rows = self.sampler.in_range(np.array(self.sampler.rows), self._checked_total()).tolist()
            return np.array(shuffle(rows, plain_stream(run.seed + 1), PLAIN_RANGE))
        if self._shuffle is Shuffle.FALSE:
            return super()._indices(run, epoch)
        total, memo = self._checked_total(), run.memo(self)
        if self.num_shards > 1:
            rows = _rows_of(self._drawn(self._groups(), run.seed, epoch))
            rows += range(len(rows), total)  # what is added comes last, unless all rows are shuffled
            share = self._static_size() or 0
            return np.array([rows[(self.shard_id + k * self.num_shards) % total] for k in range(share)])
        if memo.get("epoch", epoch + 1) > epoch:
            memo["epoch"], memo["groups"] = -1, self._groups()
        while memo["epoch"] < epoch:  # each epoch draws from the rows of the one before
            memo["epoch"] += 1
            memo["groups"] = self._drawn(memo["groups"], run.seed, memo["epoch"])
        return np.array(_rows_of(memo["groups"]))

    def _groups(self) -> list[list[int]]:
        """Return the rows in the lists that are shuffled: one of all rows, or one for each file."""
        starts = [0, self._total()] if self._shuffle is Shuffle.GLOBAL else self._starts.tolist()
        return [list(range(*ends)) for ends in pairwise(starts)]

    def _drawn(self, groups: list[list[int]], seed: int, epoch: int) -> list[list[int]]:
        """Draw files, or rows within each list, with the numbers that MindSpore draws for its files of records."""
        first = seed + 1 + epoch
        limit = self.sampler.num_samples if isinstance(self.sampler, RandomSampler) else None
        if isinstance(self.sampler, RandomSampler) and self.sampler.replacement:
            (rows,) = groups
            count = len(rows) if limit is None else limit
            return [[rows[uniform(stream32(first + k & 0xFFFFFFFF), len(rows) - 1)] for k in range(count)]]
        if self._shuffle is Shuffle.FILES:
            return shuffle(groups, plain_stream(first), PLAIN_RANGE)
        return [shuffle(group, plain_stream(first), PLAIN_RANGE)[:limit] for group in groups]

    def _labels(self) -> np.ndarray | None:
        if "label" not in self._schema:
            return None
        return np.array([self._record(index, {"label"})["label"] for index in range(self._total())])
