"""GeneratorDataset: rows from any Python source, numbered or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, tee
from types import GeneratorType
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, warn_user
from sporax._src.data import checks, randomness
from sporax._src.data.autotune import Crew
from sporax._src.data.collate import stack
from sporax._src.data.dataset import Dataset, Row
from sporax._src.data.iteration import Run, in_order
from sporax._src.data.samplers import BuiltinSampler, IterSampler, Sampler
from sporax._src.data.samplers.select import is_iterable
from sporax._src.data.sources.mappable import MappableDataset
from sporax._src.data.sources.schema import Schema
from sporax._src.data.tensor_bridge import as_array, as_dtype, as_row
from sporax._src.data.workers.absent import needs_framework
from sporax._src.data.workers.pickles import CannotTravel
from sporax._src.data.workers.pool import Processes


class GeneratorDataset(MappableDataset):
    """Gives the rows of a Python source: anything with ``__getitem__`` and ``__len__``, any iterable, any callable
    that returns an iterator.

    Rows of a source with numbers come shuffled unless ``shuffle=False``; other sources come as they are. One row is a
    value, or a tuple with one value per column.

    Args:
        source (Union[Callable, Iterable, Random Accessible]): The source.
        column_names (Union[str, list[str]], optional): The names of the columns; needed unless `schema` has them.
        column_types (list[dtype], optional): The types that the columns must have. Default: ``None``, any.
        schema (Union[str, Schema], optional): Names and types of the columns. Default: ``None``.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): How many workers call ``source[i]``. Default: ``1``, the program's thread.
        shuffle (bool, optional): Whether rows come in random order. Default: ``None``, they do where they can.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        python_multiprocessing (bool, optional): Whether two or more workers are processes; each has a copy of `source`. Else
            they are threads, and also, with a warning, if the source uses Tensors or operators or cannot be pickled.
            Default: ``True``.
        max_rowsize (int, optional): Not used: memory between processes grows as rows need.
        batch_sampler (Iterable, optional): Lists of row numbers, one list per batch.
        collate_fn (Callable, optional): Makes a batch of one list of values per column; with `batch_sampler` only.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If arguments are missing, exclude each other or are out of range.
        RuntimeError: While iterating, if the source raises, its rows or length are not as declared, or a worker process ends or
            takes too long for a row.

    Examples:
        >>> import sporax.dataset as ds
        >>> def squares():
        ...     for i in range(3):
        ...         yield i, i * i
        >>> data = ds.GeneratorDataset(squares, ["number", "square"])
        >>> [row["square"].item() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
        [0, 1, 4]
    """

    _exclusion = ValueError

    def __init__(
        self,
        source: object,
        column_names: str | list[str] | None = None,
        column_types: list[Any] | None = None,
        schema: str | Schema | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        sampler: object = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool | None = True,
        max_rowsize: int | None = None,
        batch_sampler: Any = None,
        collate_fn: Callable[..., Any] | None = None,
    ) -> None:
        chosen = (num_samples, shuffle, num_shards, shard_id, sampler)
        _check_source(source, column_names, schema)
        _check_batch_sampler(batch_sampler, collate_fn, chosen)
        if not isinstance(sampler, BuiltinSampler):
            is_iterable(sampler)  # MindSpore asks for this source once more than for others
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id)
        self.python_multiprocessing = checks.multiprocessing("GeneratorDataset", python_multiprocessing, max_rowsize)
        self.source: Any = list(source) if isinstance(source, zip) else source
        self._numbered = hasattr(self.source, "__getitem__")
        if not self._numbered:
            for name, value in (("sampler", sampler), ("num_shards", num_shards), ("batch_sampler", batch_sampler)):
                if value is not None:
                    raise ValueError(f"GeneratorDataset: {name} is not supported if source has no __getitem__.")
            self.sampler = None
        self.num_samples = num_samples
        self.schema = Schema(schema) if isinstance(schema, str) else schema
        names = column_names if column_names is not None else self.schema.names() if self.schema else []
        self.column_names = checks.columns("GeneratorDataset", "column_names", names)
        types = column_types if column_types is not None else self.schema.types() if self.schema else []
        self.column_types = [None if kind is None else as_dtype(kind) for kind in types]
        self.collate_fn = collate_fn
        self.has_batch_sampler = batch_sampler is not None
        if batch_sampler is not None:
            self.sampler = batch_sampler if isinstance(batch_sampler, BuiltinSampler) else IterSampler(batch_sampler)

    def _columns(self) -> list[str]:
        return self.column_names

    def _total(self) -> int:
        if not hasattr(self.source, "__len__"):
            raise RuntimeError(
                f"GeneratorDataset: source {type(self.source).__name__} has __getitem__ and needs '__len__' as well."
            )
        return len(self.source)

    def _static_size(self) -> int | None:
        if self.has_batch_sampler:
            return len(self._groups(Run(self), 0))
        if self._numbered:
            return super()._static_size()
        if not hasattr(self.source, "__len__"):
            return None
        return min(len(self.source), self.num_samples) if self.num_samples else len(self.source)

    def get_batch_size(self) -> int:
        """Return 1, or -1 with a batch sampler, whose batches may vary."""
        return -1 if self.has_batch_sampler else 1

    # Rows with numbers.

    def _item(self, index: int) -> Row:
        return self._reader().item(index)

    def _reader(self, *, lends: bool = False) -> Reader:
        return Reader(self.source, self.column_names, self.column_types, self.collate_fn, lends)

    def __getitem__(self, index: int) -> Any:
        if not self._numbered or self.has_batch_sampler:
            raise RuntimeError("GeneratorDataset: only a source with __getitem__ and no batch_sampler can be indexed.")
        if not isinstance(index, (int, np.integer)):
            raise TypeError(f"GeneratorDataset: an index must be an int, got {describe(index)}.")
        return self.source[int(self._indices(Run(self), 0)[index])]

    # Batches of numbered rows.

    def _groups(self, run: Run, epoch: int) -> list[list[int]]:
        total, sampler, memo = self._checked_total(), self.sampler, run.memo(self)
        assert sampler is not None
        if isinstance(sampler, Sampler):
            groups = sampler.groups(total, epoch, memo)
        else:
            groups = [[int(row)] for row in sampler.indices(total, run.seed, epoch, memo)]
        IterSampler([]).in_range(np.array(list(chain.from_iterable(groups)), np.int64), total)
        return groups

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        return self._read(run, epoch, start, self._reader())

    def _lent_rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        is_ahead = self.has_batch_sampler or self.num_parallel_workers > 1
        return self._read(run, epoch, start, self._reader(lends=not is_ahead))

    def _read(self, run: Run, epoch: int, start: int, reader: Reader) -> Iterator[Row]:
        if not self._numbered:
            return self._stream(run, epoch, start, reader)
        crew = Crew(1, 1) if self.num_parallel_workers == 1 else run.crew(self)
        items: list[Any] = self._groups(run, epoch) if self.has_batch_sampler else self._indices(run, epoch).tolist()
        call: Callable[[int, Any], Row] = reader.batch if self.has_batch_sampler else reader.numbered
        if crew.workers > 1 and self.python_multiprocessing:  # a single worker is the caller's thread, as in MindSpore
            return self._rows_of_processes(call, items, start, run, epoch, crew)
        return in_order(call, items[start:], start, run.key(self, epoch), crew)

    def _rows_of_processes(
        self, call: Callable[[int, Any], Row], items: list[Any], start: int, run: Run, epoch: int, crew: Crew
    ) -> Iterator[Row]:
        """Read rows in processes, the default, or on threads where a source uses the framework or cannot be pickled."""
        key = run.key(self, epoch)
        unit = "batch" if self.has_batch_sampler else "row"
        try:
            processes = run.processes(
                self, lambda: Processes("GeneratorDataset", crew.workers, call, self.source, unit)
            )
            for row in in_order(call, items[start:], start, key, crew, processes):
                yield row
                start += 1
        except RuntimeError as error:
            if not (isinstance(error, CannotTravel) or needs_framework(error)):
                raise
            warn_user(f"{error} It is called on threads now.")
            self.python_multiprocessing = False
            yield from in_order(call, items[start:], start, key, crew)

    # Rows that come one after the other.

    def _stream(self, run: Run, epoch: int, start: int, reader: Reader) -> Iterator[Row]:
        limit = self.num_samples or None
        key, number, values = run.key(self, epoch), 0, self._opened()
        while limit is None or number < limit:
            try:
                with randomness.rows_of(key) as draws:
                    draws.at(number)
                    value = next(values)
            except StopIteration:
                break
            except Exception as error:
                raise checks.failed("GeneratorDataset", self.source, number, error) from error
            if number >= start:
                yield reader.row(value, number)
            number += 1
        promised = self._static_size()
        if promised is not None and number != promised:
            raise RuntimeError(
                f"GeneratorDataset: source {type(self.source).__name__} gave {number} rows, but its __len__ says "
                f"{promised}; make them match."
            )

    def _opened(self) -> Iterator[Any]:
        if isinstance(self.source, GeneratorType):
            # A generator runs once; its rows are cached for the next epoch. It may fill one array again and again.
            self.source = tee(_copied(value) for value in self.source)[0]
        if type(self.source) is type(tee(())[0]):
            self.source, values = tee(self.source)
            return values
        try:
            return iter(self.source if hasattr(self.source, "__iter__") else self.source())
        except Exception as error:
            raise checks.failed("GeneratorDataset", self.source, None, error) from error

    def _replace_sampler(self, sampler: BuiltinSampler) -> bool:
        return self._numbered and super()._replace_sampler(sampler)

    def _split_parts(self, sizes: list[int], randomize: bool) -> list[Dataset] | None:
        if self._numbered and not self.has_batch_sampler:
            return super()._split_parts(sizes, randomize)
        return None


def _copied(value: object) -> object:
    """Return a row of a generator with its arrays copied."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (tuple, list)):
        items = [_copied(item) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, dict) else value


@dataclass
class Reader:
    """Reads rows of a source; nothing of it refers to the pipeline, so workers can have it.

    Args:
        source: The source.
        names: The columns.
        types: Their types, None for any.
        collate_fn: Makes a batch of rows.
        lends: Whether rows may have the source's own arrays.
    """

    source: Any
    names: list[str]
    types: list[Any]
    collate_fn: Callable[..., Any] | None = None
    lends: bool = False

    def item(self, index: int) -> Row:
        """Return the row of a number."""
        try:
            value = self.source[index]
        except Exception as error:
            size = f", and its __len__ gives {len(self.source)}" if isinstance(error, IndexError) else ""
            raise RuntimeError(
                f"GeneratorDataset: source {type(self.source).__name__}.__getitem__ raised {type(error).__name__} "
                f"at row {index}{size}: {error}"
            ) from error
        return self.row(value, index)

    def numbered(self, number: int, index: int) -> Row:
        """Return a row of the source, whichever number it has in its epoch."""
        return self.item(index)

    def row(self, value: object, number: int) -> Row:
        """Return what the source gave as a row."""
        try:
            row = as_row(value, copy=not self.lends)
        except TypeError as error:
            raise RuntimeError(f"GeneratorDataset: row {number} of the source: {error}") from error
        if len(row) != len(self.names):
            raise RuntimeError(
                f"GeneratorDataset: the source gave {len(row)} columns at row {number}, but column_names has "
                f"{len(self.names)}: {self.names}."
            )
        for name, kind, item in zip(self.names, self.types, row, strict=False):
            if kind is None or not isinstance(item, np.ndarray) or kind.kind == item.dtype.kind == "U":
                continue
            if item.dtype != kind:
                raise RuntimeError(
                    f"GeneratorDataset: column {name!r} is {describe(item)} at row {number}, but its column type is "
                    f"{kind}."
                )
        return row

    def batch(self, number: int, group: list[int]) -> Row:
        """Return a batch of numbered rows."""
        columns = [list(column) for column in zip(*(self.item(index) for index in group), strict=True)]
        if self.collate_fn is None:
            named = zip(self.names, columns, strict=True)
            return tuple(stack("GeneratorDataset(batch_sampler)", name, values) for name, values in named)
        try:
            result = self.collate_fn(*columns)
        except Exception as error:
            raise checks.failed("GeneratorDataset(collate_fn)", self.collate_fn, number, error) from error
        values = result if isinstance(result, tuple) else (result,)
        if len(values) != len(self.names):
            raise RuntimeError(
                f"GeneratorDataset: collate_fn gave {len(values)} columns, but column_names has "
                f"{len(self.names)}: {self.names}."
            )
        return tuple(as_array(value) for value in values)


def _check_source(source: object, column_names: object, schema: object) -> None:
    if not (callable(source) or isinstance(source, Iterable) or hasattr(source, "__getitem__")):
        raise TypeError(
            "GeneratorDataset: source must be callable, iterable or have __getitem__ and __len__, "
            f"got {type(source).__name__} {describe(source)}."
        )
    if column_names is None and schema is None:
        raise ValueError("GeneratorDataset: column_names is required (or a schema); it names the values of a row.")


def _check_batch_sampler(batch_sampler: object, collate_fn: object, chosen: tuple[Any, ...]) -> None:
    if batch_sampler is None:
        if collate_fn is not None:
            raise ValueError("GeneratorDataset: collate_fn can be given only together with batch_sampler.")
        return
    if any(value is not None for value in chosen):
        names = ("num_samples", "shuffle", "num_shards", "shard_id", "sampler")
        conflicts = [f"{name}={value}" for name, value in zip(names, chosen, strict=True) if value is not None]
        raise ValueError(f"GeneratorDataset: batch_sampler excludes {', '.join(names)}; got {', '.join(conflicts)}.")
    if not hasattr(batch_sampler, "__iter__") and not hasattr(batch_sampler, "__getitem__"):
        raise TypeError(f"GeneratorDataset: batch_sampler must be iterable, got {describe(batch_sampler)}.")
    if collate_fn is not None:
        checks.function("GeneratorDataset", "collate_fn", collate_fn)
