"""The lines of a pipeline's tree: what each dataset is, how many rows it has, its columns and what it took."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Row
from sporax._src.data.doors.kept import IndexedDataset, StreamDataset
from sporax._src.data.look.watch import times_of
from sporax._src.data.samplers import BuiltinSampler
from sporax._src.data.sources.files import FilesDataset

_UNTOLD = ("num_parallel_workers", "datasets", "data", "cache")
_LONGEST = 60  # characters of an argument


@dataclass(frozen=True)
class Line:
    """What is known of a dataset.

    Attributes:
        depth: How many datasets are above it.
        text: Its kind and the arguments that a program has given.
        rows: How many rows it has; None if they would have to be read.
        columns: Its columns, with types and shapes where they are known; empty if they would have to be read.
        workers: How many threads call its functions.
        dataset: The dataset.
    """

    depth: int
    text: str
    rows: int | None
    columns: tuple[str, ...]
    workers: int
    dataset: Dataset

    def __str__(self) -> str:
        rows = "? rows" if self.rows is None else f"{self.rows:,} row{'s' * (self.rows != 1)}"
        parts = [rows, ", ".join(self.columns) or "columns not read yet"]
        if self.workers > 1 and hasattr(self.dataset, "operations"):
            parts.append(f"{self.workers} threads")
        return f"{self.text}: {'; '.join(parts)}"


def lines(dataset: Dataset, depth: int = 0) -> Iterator[Line]:
    """Yield the lines of a pipeline, without reading a row."""
    times = times_of(dataset)
    first = times.first if times is not None else None
    yield Line(depth, _text(dataset), _size(dataset), _columns(dataset, first), dataset.num_parallel_workers, dataset)
    for child in dataset.children:
        yield from lines(child, depth + 1)


def drawn(of: list[Line]) -> list[str]:
    """Return the branches of a tree before each of its lines.

    Examples:
        >>> import sporax.dataset as ds
        >>> rows = ds.NumpySlicesDataset([1, 2])
        >>> drawn(list(lines(ds.zip((rows.repeat(2), rows)))))
        ['', '├─ ', '│  └─ ', '└─ ']
    """
    heads = []
    for number, line in enumerate(of):
        head = ""
        for level in range(1, line.depth + 1):
            below = (other.depth for other in of[number + 1 :])
            more = next((depth for depth in below if depth <= level), 0) == level
            last = level == line.depth
            head += ("├─ " if more else "└─ ") if last else ("│  " if more else "   ")
        heads.append(head)
    return heads


def kind(dataset: Dataset) -> str:
    """Return the name of a dataset as programs write it: `map`, or `MnistDataset`."""
    name = type(dataset).__name__
    return name.removesuffix("Dataset").lower() if dataset.children else name


def _text(dataset: Dataset) -> str:
    args, kwargs = dataset._made_by
    signature = inspect.signature(type(dataset).__init__)
    bound = signature.bind(dataset, *args, **kwargs).arguments
    given = {
        name: value for name, value in list(bound.items())[1:] if not _is(value, signature.parameters[name].default)
    }
    told = [part for name, value in given.items() if (part := _argument(name, value))]
    return f"{kind(dataset)}({', '.join(told)})"


def _is(value: object, default: object) -> bool:
    return value is default or (isinstance(value, (bool, int, float, str)) and value == default)


def _argument(name: str, value: object) -> str:
    if (
        isinstance(value, (Dataset, dict))
        or name in _UNTOLD
        or value is None
        or (isinstance(value, list) and not value)
    ):
        return ""
    if name == "operations" and isinstance(value, list):
        return ", ".join(checks.called(operation).rstrip(",") for operation in value)
    if isinstance(value, (bool, int, float, str, list)):
        return f"{name}={shown(describe(value), _LONGEST)}"
    if isinstance(value, enum.Enum):
        return f"{name}={value.name}"
    if isinstance(value, BuiltinSampler):
        return f"{name}={type(value).__name__}"
    return f"{name}={checks.called(value).rstrip(',')}" if inspect.isroutine(value) else type(value).__name__


def _size(dataset: Dataset) -> int | None:
    """Return the rows of an epoch, if they are known without reading files or calling functions of the program."""
    counts = isinstance(dataset, FilesDataset) and dataset._counts is None
    asks = callable(getattr(dataset, "batch_size", None)) or getattr(dataset, "has_batch_sampler", False)
    if counts or asks or any(_size(child) is None for child in dataset.children):
        return dataset._counted
    try:
        size = dataset._static_size()
    except (RuntimeError, TypeError, ValueError):  # reading rows says what is wrong
        return None
    return dataset._counted if size is None else size


def _columns(dataset: Dataset, first: Row | None) -> tuple[str, ...]:
    if not _has_names(dataset):
        return ()
    try:
        names = dataset._columns()
        held = getattr(dataset, "_stacked", lambda: None)() if not dataset.children else None
    except (RuntimeError, TypeError, ValueError) as error:
        return (f"no columns: {shown(error)}",)
    if first is not None:
        return tuple(f"{name} {_told(value)}" for name, value in zip(names, first, strict=True))
    if held is not None and all(isinstance(column, np.ndarray) for column in held):
        return tuple(f"{name} {column.dtype}{list(column.shape[1:])}" for name, column in zip(names, held, strict=True))
    return tuple(names)


def _has_names(dataset: Dataset) -> bool:
    """Return whether the columns of a pipeline are known without reading a row."""
    if isinstance(dataset, (StreamDataset, IndexedDataset)) and dataset._names is None:
        return False
    return all(map(_has_names, dataset.children))


def _told(value: object) -> str:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "US":
        return f"text{list(value.shape)}"
    return describe(value) if isinstance(value, (np.ndarray, np.generic)) else type(value).__name__
