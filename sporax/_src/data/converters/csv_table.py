"""Tables of comma-separated values as MindRecord files, with the type of each column inferred from its values."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from typing import Any

from sporax._src.base.errors import describe, shown
from sporax._src.data.converters.batches import HEADER_SIZE, PAGE_SIZE, check_partitions, write_rows
from sporax._src.data.converters.names import check_name
from sporax._src.data.converters.status import SUCCESS, MSRStatus
from sporax._src.data.mindrecord.writer import FileWriter

# What pandas, with which MindSpore reads tables, reads as a missing value, a bool and a number.
_NOTHING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
     "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
_BOOLS = {text: value for value in (False, True) for text in (str(value), str(value).lower(), str(value).upper())}
_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*", re.ASCII)
_FLOAT = re.compile(
    r"\s*[+-]?([0-9]+\.?[0-9]*(e[+-]?[0-9]+)?|\.[0-9]+(e[+-]?[0-9]+)?|inf|infinity)\s*", re.ASCII | re.IGNORECASE
)


def _kind(texts: list[str]) -> tuple[str, Callable[[str], Any]]:
    """Return the type of a column, and the function that parses its texts."""
    there = [text for text in texts if text not in _NOTHING]
    whole = len(there) == len(texts)
    if whole and texts and all(text in _BOOLS for text in texts):
        return "int32", lambda text: int(_BOOLS[text])
    integers = [text for text in there if _INTEGER.fullmatch(text)]
    fits = all(-(2**63) <= int(text) < 2**63 for text in integers)
    if texts and fits and len(integers) == len(texts):
        return "int64", int
    if texts and fits and all(_INTEGER.fullmatch(text) or _FLOAT.fullmatch(text) for text in there):
        return "float64", lambda text: float("nan" if text in _NOTHING else text)
    return "string", lambda text: None if text in _NOTHING else text


class CsvToMR:
    """Writes a table as MindRecord: columns of integers as int64, of numbers as float64, of bools as int32, others as strings.

    The first line has the names of the columns. A missing number is a NaN; a row that lacks a text is left out with a
    warning.

    Args:
        source (str): The table.
        destination (str): The file; of several, the number of each is appended.
        columns_list (list[str], optional): The columns to write. Default: ``None``, all.
        partition_number (int): How many files share the rows. Default: ``1``.

    Raises:
        ParamValueError: If a path is empty or does not name a file, or `partition_number` is out of [1, 1000].
        ValueError: If an argument has the wrong type.

    Examples:
        >>> import os, tempfile
        >>> from sporax.mindrecord import CsvToMR, FileReader
        >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
        >>> with open(path, "w") as file:
        ...     _ = file.write("name,size\\na,1\\nb,2\\n")
        >>> CsvToMR(path, path + ".mindrecord").transform()
        >>> list(FileReader(path + ".mindrecord").get_next())
        [{'name': 'a', 'size': 1}, {'name': 'b', 'size': 2}]
    """

    def __init__(
        self, source: str, destination: str, columns_list: list[str] | None = None, partition_number: int = 1
    ) -> None:
        for name, path in (("source", source), ("destination", destination)):
            if not isinstance(path, str):
                raise ValueError(f"CsvToMR: {name} must be a str, got {describe(path)}.")
            check_name(name, path)
        if columns_list and not (isinstance(columns_list, list) and all(isinstance(c, str) for c in columns_list)):
            raise ValueError(f"CsvToMR: columns_list must be a list of str, got {describe(columns_list)}.")
        self.source, self.destination, self.columns_list = source, destination, columns_list
        self.partition_number = check_partitions("CsvToMR", partition_number)
        self.writer = FileWriter(self.destination, self.partition_number)

    def run(self) -> MSRStatus:
        """Write the files.

        Raises:
            FileNotFoundError: If the table is missing.
            ValueError: If the name of a column is a number, or a line has more values than there are names.
            MRMInvalidSchemaError: If the name of a column has characters other than letters, digits and ``_``.
            RuntimeError: If a column of `columns_list` is missing, or a file to write exists.
        """
        names, rows = self._table()
        for name in self.columns_list or ():
            if name not in names:
                raise RuntimeError(
                    f"CsvToMR: columns_list has {name!r}; the columns of {shown(self.source)} are {names}."
                )
        self.columns_list = self.columns_list or names
        columns = {name: [row[names.index(name)] for row in rows] for name in self.columns_list}
        kinds = {name: _kind(texts) for name, texts in columns.items()}
        self.writer.set_header_size(HEADER_SIZE)
        self.writer.set_page_size(PAGE_SIZE)
        self.writer.add_schema({name: {"type": kind} for name, (kind, _) in kinds.items()}, "csv_schema")
        for name in self.columns_list:
            if name.isdigit():
                raise ValueError(f"CsvToMR: the first line of {shown(self.source)} must have names, got {name!r}.")
        self.writer.add_index(list(self.columns_list))
        makers = [kinds[name][1] for name in columns]
        write_rows(
            self.writer,
            (
                {name: make(text) for name, make, text in zip(columns, makers, texts, strict=True)}
                for texts in zip(*columns.values(), strict=True)
            ),
        )
        return SUCCESS

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Return the names of the columns and the lines, each with a text for every column."""
        with open(self.source, encoding="utf-8-sig", newline="") as file:
            lines = self._lines(file)
            names = next(lines, (0, []))[1]
            rows = []
            for number, line in lines:
                if len(line) > len(names):
                    raise ValueError(
                        f"CsvToMR: line {number} of {shown(self.source)} has {len(line)} values; there are {len(names)} columns."
                    )
                rows.append(line + [""] * (len(names) - len(line)))
        return names, rows

    @staticmethod
    def _lines(file: Any) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(file)
        for line in reader:
            if any(text.strip() for text in line) or len(line) > 1:
                yield reader.line_num, line

    def transform(self) -> None:
        """Do what `run` does."""
        self.run()
