"""Sources of tables in text files: CSVDataset, CLUEDataset."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.files import FilesDataset


class CSVDataset(FilesDataset):
    """Gives the lines of tables of separated values.

    Args:
        dataset_files (Union[str, list[str]]): Paths or patterns.
        field_delim (str): The character between values. Default: ``','``.
        column_defaults (list, optional): One value per column, whose type (int, float or str) the column takes and
            which replaces a missing value. Default: ``None``, all are text.
        column_names (list[str], optional): The names of the columns. Default: ``None``, the first line has them.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): How many files are read in turn. Default: the configured number.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``Shuffle.GLOBAL``.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a file does not exist, or arguments do not fit.
        RuntimeError: If a line has another number of values, or one that is not a number where it must be.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
        >>> with open(path, "w") as file:
        ...     _ = file.write("1,x\\n2,y\\n")
        >>> data = ds.CSVDataset(path, column_defaults=[0, ""], column_names=["a", "b"], shuffle=False)
        >>> [(row["a"].item(), row["b"].item()) for row in data.create_dict_iterator(output_numpy=True)]
        [(1, 'x'), (2, 'y')]
    """

    def __init__(
        self,
        dataset_files: object,
        field_delim: str = ",",
        column_defaults: list[Any] | None = None,
        column_names: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        if not isinstance(field_delim, str) or len(field_delim) != 1 or field_delim in '"\r\n':
            raise ValueError(f"CSVDataset: field_delim must be one character, got {describe(field_delim)}.")
        self.field_delim = field_delim
        self._headed = column_names is None
        if column_names is None:
            column_names = next(self._lines(self.dataset_files[0]), [])
        self.column_names = checks.columns("CSVDataset", "column_names", column_names)
        if column_defaults is not None and not all(isinstance(v, (int, float, str)) for v in column_defaults):
            raise TypeError(
                f"CSVDataset: column_defaults must hold int, float or str, got {describe(column_defaults)}."
            )
        if column_defaults is not None and len(column_defaults) != len(self.column_names):
            raise ValueError(f"CSVDataset: column_defaults must have {len(self.column_names)} values, "
                             f"got {len(column_defaults)}.")  # fmt: skip
        self.column_defaults = column_defaults or [""] * len(self.column_names)

    def _columns(self) -> list[str]:
        return list(self.column_names)

    def _lines(self, path: str) -> Iterator[list[str]]:
        with open(path, encoding="utf-8", newline="") as file:
            try:
                yield from (line for line in csv.reader(file, delimiter=self.field_delim) if line)
            except csv.Error as error:
                raise RuntimeError(f"CSVDataset: {shown(path)} is not a table: {error}.") from error
            except UnicodeDecodeError as error:
                raise RuntimeError(f"CSVDataset: {shown(path)} is not text in UTF-8: {error}.") from error

    def _read(self, path: str) -> Iterator[Row]:
        lines = self._lines(path)
        if self._headed:
            next(lines, None)
        for number, line in enumerate(lines):
            if len(line) != len(self.column_names):
                raise RuntimeError(
                    f"CSVDataset: row {number} of {shown(path)} has {len(line)} values; expected {len(self.column_names)}."
                )
            try:
                yield tuple(_typed(*pair) for pair in zip(line, self.column_defaults, strict=True))
            except (ValueError, OverflowError) as error:
                raise RuntimeError(f"CSVDataset: row {number} of {shown(path)}: {shown(error)}.") from error


def _typed(text: str, default: Any) -> np.ndarray:
    if isinstance(default, str):
        return np.array(text or default)
    if isinstance(default, int):
        return np.array(checks.number(text, int) if text else default, np.int32)
    number = checks.number(text, float) if text else default
    if text and abs(number) > float(np.finfo(np.float32).max) and "inf" not in text.lower():
        raise OverflowError(f"{text} is out of the range of float32")
    return np.array(number, np.float32)


_PAIR = ("sentence1", "sentence2")
_SPANS = ("idx", "target/span1_index", "target/span1_text", "target/span2_index", "target/span2_text", "text")
_TASKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # columns of train and eval, and of test
    "AFQMC": (("label", *_PAIR), ("id", *_PAIR)),
    "CMNLI": (("label", *_PAIR), ("id", *_PAIR)),
    "CSL": (("abst", "id", "keyword", "label"), ("abst", "id", "keyword")),
    "IFLYTEK": (("label", "label_des", "sentence"), ("id", "sentence")),
    "TNEWS": (("keywords", "label", "label_desc", "sentence"), ("id", "keywords", "sentence")),
    "WSC": ((*_SPANS[:1], "label", *_SPANS[1:]), _SPANS),
}


class CLUEDataset(FilesDataset):
    """Gives the rows of the files of the CLUE benchmark, one JSON object a line.

    Args:
        dataset_files (Union[str, list[str]]): Paths or patterns.
        task (str): ``'AFQMC'``, ``'CMNLI'``, ``'CSL'``, ``'IFLYTEK'``, ``'TNEWS'`` or ``'WSC'``. Default: ``'AFQMC'``.
        usage (str): ``'train'``, ``'eval'`` or ``'test'``. Default: ``'train'``.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): How many files are read in turn. Default: the configured number.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``Shuffle.GLOBAL``.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a file does not exist, `task` or `usage` is unknown, or arguments do not fit.
        RuntimeError: If a line is not a JSON object of the task.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "train.json")
        >>> with open(path, "w") as file:
        ...     _ = file.write('{"sentence1": "a", "sentence2": "b", "label": "0"}')
        >>> ds.CLUEDataset(path, "AFQMC", "train").get_col_names()
        ['label', 'sentence1', 'sentence2']
    """

    def __init__(
        self,
        dataset_files: object,
        task: str = "AFQMC",
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        if task not in _TASKS:
            raise ValueError(f"CLUEDataset: task must be one of {list(_TASKS)}, got {describe(task)}.")
        if usage not in ("train", "eval", "test"):
            raise ValueError(f"CLUEDataset: usage must be 'train', 'eval' or 'test', got {describe(usage)}.")
        self.task, self.usage = task, usage
        self._paths = _TASKS[task][usage == "test"]

    def _columns(self) -> list[str]:
        return [path.rsplit("/", 1)[-1] for path in self._paths]

    def _read(self, path: str) -> Iterator[Row]:
        with open(path, "rb") as file:
            for number, line in enumerate(file):
                if line.strip():
                    try:
                        yield tuple(_array(_at(parse_json(line), key)) for key in self._paths)
                    except (KeyError, TypeError, ValueError, OverflowError) as error:
                        raise RuntimeError(
                            f"CLUEDataset: line {number} of {shown(path)} is not a row of {self.task}: {shown(error)}."
                        ) from error


def _at(value: Any, path: str) -> Any:
    for key in path.split("/"):
        value = value[key]
    return value


def _array(value: Any) -> np.ndarray:
    """Return a value with MindSpore's type: numbers have 32 bits, and lists hold text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return np.array(value, np.uint32 if value >= 0 else np.int32)
    if isinstance(value, float):
        return np.array(value, np.float32)
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        return np.array(value)
    raise TypeError(f"{describe(value)} is neither a number, nor text, nor a list of texts")
