"""FileReader and MindPage: records out of MindRecord files."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any
from urllib.parse import quote

import numpy as np

from sporax._src.base.atomic import settled
from sporax._src.base.errors import describe, shown
from sporax._src.data.mindrecord.encryption import plain_path
from sporax._src.data.mindrecord.errors import MRMDefineCategoryError, ParamTypeError, ParamValueError
from sporax._src.data.mindrecord.layout import Header, blob_fields, decode_blob, decode_raw

_WHERE = "PAGE_ID_RAW,PAGE_OFFSET_RAW,PAGE_OFFSET_RAW_END,PAGE_ID_BLOB,PAGE_OFFSET_BLOB,PAGE_OFFSET_BLOB_END"


class RecordFile:
    """One file and the positions of its records; may be read by several threads at once."""

    def __init__(self, path: str) -> None:
        for needed in (path, f"{path}.db"):
            if not os.path.isfile(needed):
                raise RuntimeError(f"mindrecord: the file {shown(needed)} does not exist.")
        self.name = path
        self.path = plain_path(path)
        self._state = _state(self.path)
        self.header = Header.read(self.path)
        self.locations = self._checked(self.column(_WHERE))
        self._handle: int | None = None

    def column(self, names: str) -> list[tuple[Any, ...]]:
        """Return columns of the index, a value for each record; their names are sporax's own or checked."""
        # The index is opened read-only, and no more rows are read than the header counts.
        location = f"file:{quote(os.path.abspath(self.path))}.db?mode=ro"
        count = self.header.row_count
        try:
            with closing(sqlite3.connect(location, uri=True)) as connection:
                connection.execute("PRAGMA trusted_schema=OFF")
                tables = connection.execute("SELECT type, rootpage FROM sqlite_schema WHERE name='INDEXES'").fetchall()
                if [(kind, page > 0) for kind, page in tables] != [("table", True)]:  # a virtual table has no page
                    raise self._damaged("its index has no table INDEXES")
                rows = connection.execute(f"SELECT {names} FROM INDEXES ORDER BY ROW_ID").fetchmany(count + 1)
        except (sqlite3.Error, OverflowError, ValueError, TypeError) as error:
            raise self._damaged(
                f"{shown(self.name)}.db is not an index of a MindRecord file: {shown(error)}"
            ) from error
        if len(rows) != count:
            have = len(rows) if len(rows) < count else "more"
            raise self._damaged(f"its header counts {count} records, and its index has {have}")
        return rows

    def _damaged(self, why: str) -> RuntimeError:
        return RuntimeError(f"mindrecord: {shown(self.name)} is damaged, or its index belongs to another: {why}.")

    def _checked(self, rows: list[tuple[Any, ...]]) -> np.ndarray:
        if not rows:
            return np.zeros((0, 6), np.int64)
        positions = np.array(rows)
        if positions.dtype != np.int64:
            raise self._damaged("its index holds positions that are not integers")
        page, start, end = positions.reshape(-1, 2, 3).transpose(2, 0, 1)
        size, head = os.path.getsize(self.path), self.header
        inside = (page >= 0) & (page < len(head.pages or [])) & (start >= 0) & (start <= end) & (end <= head.page_size)
        if not inside.all() or (head.page_offset(page) + end > size).any():
            raise self._damaged(f"its index names positions outside of the {size} bytes")
        return positions

    def record(self, row: int, wanted: set[str] | None = None) -> dict[str, Any]:
        """Return the fields of a record, those of the raw part first; a part without a wanted field is not read.

        Raises:
            RuntimeError: If the record is damaged.
        """
        schema, fields = self.header.schema, {}
        blobs = set(blob_fields(schema))
        raw_page, raw_start, raw_end, blob_page, blob_start, blob_end = self.locations[row].tolist()
        try:
            if len(blobs) < len(schema) and (wanted is None or wanted - blobs):
                fields = decode_raw(schema, self._bytes(raw_page, raw_start, raw_end))
            if blobs and (wanted is None or wanted & blobs):
                fields |= decode_blob(schema, self._bytes(blob_page, blob_start, blob_end))
        except (ValueError, LookupError, TypeError, AttributeError, RuntimeError, struct.error) as error:
            raise self._damaged(f"record {row} cannot be read: {shown(error)}") from error
        return fields

    def _bytes(self, page: int, start: int, end: int) -> bytes:
        if self._handle is None:
            self._handle = os.open(self.path, os.O_RDONLY)
            if _state(self._handle) != self._state:
                raise RuntimeError(f"mindrecord: {shown(self.name)} was replaced while it was read; open it again.")
        return os.pread(self._handle, end - start, self.header.page_offset(page) + start)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_handle": None}  # a process that gets a copy opens the file itself

    _close = staticmethod(os.close)  # the module may be empty already when the program ends

    def close(self) -> None:
        """Close the file; reading opens it again."""
        if self._handle is not None:
            self._close(self._handle)
            self._handle = None

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def __len__(self) -> int:
        return len(self.locations)


def _state(file: str | int) -> tuple[int, ...]:
    status = os.stat(file)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def open_files(file_name: str | list[str]) -> list[RecordFile]:
    """Return the files of the set that one file belongs to, or exactly those of a list.

    Raises:
        ParamTypeError: If `file_name` is neither.
        RuntimeError: If no file is given, or one is missing, is not a MindRecord file or is encrypted with other settings; if the
            schemas of the files differ.
    """
    names = file_name if isinstance(file_name, list) else [file_name]
    if not names:
        raise RuntimeError("mindrecord: the list of files is empty.")
    if not all(isinstance(name, (str, os.PathLike)) for name in names):
        raise ParamTypeError(f"'file_name' expect str or list of str, got {describe(file_name)}.")
    paths = [os.fspath(name) for name in names]
    with ExitStack() as folders:
        for folder in dict.fromkeys(os.path.dirname(path) or "." for path in paths):
            folders.enter_context(settled(folder))
        files = [RecordFile(path) for path in paths] if isinstance(file_name, list) else _set_of(paths[0])
    for file in files[1:]:
        if file.header.schema != files[0].header.schema:
            raise RuntimeError(f"mindrecord: {file.name} has another schema than {files[0].name}.")
    return files


def _set_of(path: str) -> list[RecordFile]:
    """Return the files of the set that a file belongs to; each of their headers names them all."""
    first = RecordFile(path)
    names = first.header.addresses
    if len(names) < 2:
        return [first]
    files = [RecordFile(os.path.join(os.path.dirname(path), os.path.basename(name))) for name in names]
    for number, file in enumerate(files):
        if (file.header.addresses, file.header.shard_id) != (names, number):
            raise RuntimeError(
                f"mindrecord: {shown(file.name)} is of another set than {shown(path)}, whose header names it as file {number} of "
                f"{len(names)}: copy or write all of them again."
            )
    return files


def check_fields(schema: dict[str, Any], names: object) -> list[str]:
    """Return the names of fields that are to be read.

    Raises:
        ParamTypeError: If `names` is not a list of names.
        RuntimeError: If a field does not exist.
    """
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ParamTypeError(f"'columns' expect list of str, got {describe(names)}.")
    for name in names:
        if name not in schema:
            raise RuntimeError(f"mindrecord: there is no column {name!r}; the columns are {sorted(schema)}.")
    return names


class FileReader:
    """Reads the records of MindRecord files in order.

    Args:
        file_name: A file, with which all of its set are read; or a list of files.
        num_consumer: Accepted.
        columns: The fields to give, in this order; None: all.
        operator: Accepted.

    Raises:
        ParamTypeError: If an argument has the wrong type.
        RuntimeError: If a file is missing, is not a MindRecord file or is encrypted with other settings; if a field does not exist.

    Examples:
        >>> import os, tempfile
        >>> from sporax.mindrecord import FileReader, FileWriter
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": 3}, {"label": 4}])
        >>> writer.commit()
        >>> [record["label"] for record in FileReader(path).get_next()]
        [3, 4]
    """

    def __init__(
        self,
        file_name: str | list[str],
        num_consumer: int = 4,
        columns: list[str] | None = None,
        operator: object = None,
    ) -> None:
        self._files = open_files(file_name)
        self._columns = check_fields(self.schema(), columns) if columns else None

    def get_next(self) -> Iterator[dict[str, Any]]:
        """Yield the records as dictionaries from field to value."""
        wanted = None if self._columns is None else set(self._columns)
        for file in self._files:
            for row in range(len(file)):
                record = file.record(row, wanted)
                yield record if self._columns is None else {name: record[name] for name in self._columns}

    def schema(self) -> dict[str, dict[str, Any]]:
        """Return the schema of the files."""
        return self._files[0].header.schema

    def len(self) -> int:
        """Return the number of records."""
        return sum(len(file) for file in self._files)

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()


class MindPage:
    """Reads records by the value of an indexed field, page by page.

    Args:
        file_name: A file, with which all of its set are read; or a list of files.
        num_consumer: Accepted.

    Raises:
        ParamTypeError: If `file_name` has the wrong type.
        RuntimeError: If a file is missing, is not a MindRecord file or is encrypted with other settings.

    Examples:
        >>> import os, tempfile
        >>> from sporax.mindrecord import FileWriter, MindPage
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": 3}, {"label": 4}, {"label": 3}])
        >>> writer.commit()
        >>> pages = MindPage(path)
        >>> pages.category_field = "label"
        >>> pages.read_at_page_by_name("3", page=0, num_row=10)
        [{'label': 3}, {'label': 3}]
    """

    def __init__(self, file_name: str | list[str], num_consumer: int = 4) -> None:
        self._files = open_files(file_name)
        self._field: str | None = None

    @property
    def candidate_fields(self) -> list[str]:
        """The fields that may be the category."""
        return list(self._files[0].header.index_fields)

    @property
    def category_field(self) -> str | None:
        """The field by whose value records are found."""
        return self._field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if not isinstance(category_field, str) or not category_field:
            raise ParamTypeError(f"'category_fields' expect str type, got {describe(category_field)}.")
        if category_field not in self.candidate_fields:
            raise MRMDefineCategoryError(f"Field '{category_field}' is not a candidate category field.")
        self._field = category_field

    def _categories(self) -> dict[str, int]:
        """Return how many records have each value, in order of the values as texts."""
        if self._field is None:
            raise RuntimeError("MindPage: set category_field first.")
        counts = Counter(str(value) for file in self._files for value in self._values(file))
        return {value: counts[value] for value in sorted(counts)}

    def _values(self, file: RecordFile) -> list[Any]:
        return [value for (value,) in file.column(f'"{self._field}_0"')]

    def read_category_info(self) -> str:
        """Return the values of the category and how many records have each, as JSON.

        Raises:
            RuntimeError: If no category is set.
        """
        categories = [{"count": c, "id": k, "name": name} for k, (name, c) in enumerate(self._categories().items())]
        return json.dumps({"categories": categories, "key": f"{self._field}_0"}, separators=(",", ":"))

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Return a page of the records that have the value of number `category_id` (see `read_category_info`).

        Raises:
            ParamValueError: If an argument is not an int, is negative, or `num_row` is 0.
            RuntimeError: If no category is set, or there is none of that number.
        """
        _check("category_id", category_id, 0)
        names = list(self._categories())
        if category_id >= len(names):
            raise RuntimeError(f"MindPage: there is no category {category_id}; there are {len(names)}.")
        return self.read_at_page_by_name(names[category_id], page, num_row)

    def read_at_page_by_name(self, category_name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        """Return a page of the records that have a value of the category.

        Args:
            category_name: The value, as text.
            page: The number of the page, from 0.
            num_row: How many records a page has.

        Raises:
            ParamValueError: If `category_name` is not a str, a number is not an int, is negative, or `num_row` is 0.
            RuntimeError: If no category is set, or no record has the value.
        """
        if not isinstance(category_name, str):
            raise ParamValueError(f"category_name must be a str, got {describe(category_name)}.")
        _check("page", page, 0)
        _check("num_row", num_row, 1)
        if category_name not in self._categories():
            raise RuntimeError(f"MindPage: no record has {self._field} = {category_name!r}.")
        matches = [
            (file, row)
            for file in self._files
            for row, value in enumerate(self._values(file))
            if str(value) == category_name
        ]
        return [file.record(row) for file, row in matches[page * num_row : (page + 1) * num_row]]


def _check(name: str, value: object, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ParamValueError(f"{name} should be int and at least {low}, got {describe(value)}.")
