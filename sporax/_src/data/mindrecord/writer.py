"""FileWriter: records into MindRecord files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import weakref
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sporax._src.base.atomic import replacing_all, settled
from sporax._src.base.errors import describe, warn_user
from sporax._src.data.mindrecord import encryption, layout
from sporax._src.data.mindrecord.errors import (
    MRMAddSchemaError,
    MRMDefineIndexError,
    ParamTypeError,
    ParamValueError,
)
from sporax._src.data.mindrecord.layout import Header

_SQL = {"string": "TEXT", "int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL"}
_POSITIONS = (
    "ROW_ID PAGE_ID_RAW PAGE_OFFSET_RAW PAGE_OFFSET_RAW_END ROW_GROUP_ID PAGE_ID_BLOB PAGE_OFFSET_BLOB PAGE_OFFSET_BLOB_END"
).split()


class _Page:
    """A page that is being filled."""

    def __init__(self, number: int, of_kind: int, kind: str, first_row: int) -> None:
        self.number, self.of_kind, self.kind = number, of_kind, kind
        self.data = bytearray()
        self.first_row = first_row
        self.groups: list[dict[str, int]] = []

    def described(self, shard: int, next_row: int) -> dict[str, Any]:
        """Return the header's entry for the page."""
        blob = self.kind == "BLOB_DATA"
        return {
            "end_row_id": next_row if blob else 0, "page_id": self.number, "page_size": len(self.data),
            "page_type": self.kind, "page_type_id": self.of_kind, "row_group_ids": self.groups,
            "shard_id": shard, "start_row_id": self.first_row if blob else 0,
        }  # fmt: skip


class Shard:
    """One file of a set and its index, page by page.

    Every blob page is a group of rows, whose raw parts are in one raw page.
    """

    def __init__(self, path: Path, header: Header, appended_to: str | None = None) -> None:
        self.header = header
        self.header.pages = list(header.pages or [])
        self.rows: list[tuple[Any, ...]] = []
        self.next_row = header.row_count
        self.next_group = sum(p["page_type"] == "BLOB_DATA" for p in self.header.pages)
        self.open: dict[str, _Page | None] = {"BLOB_DATA": None, "RAW_DATA": None}
        self.appends = appended_to is not None
        self._data, self._index = path, Path(f"{path}.db")
        if appended_to is None:
            self._data.touch()
        else:
            shutil.copyfile(appended_to, self._data)
            shutil.copyfile(f"{appended_to}.db", self._index)

    def write(self, record: dict[str, Any]) -> None:
        """Add a record.

        Raises:
            RuntimeError: If it is larger than a page.
        """
        blob, raw = layout.encode(self.header.schema, record)
        size = self.header.page_size
        if max(len(blob), len(raw)) > size:
            raise RuntimeError(
                f"mindrecord: a record of {max(len(blob), len(raw))} bytes is larger than a page of {size}; "
                "call FileWriter.set_page_size with a larger power of two."
            )
        blobs, raws = self.open["BLOB_DATA"], self.open["RAW_DATA"]
        new_raw = raws is None or len(raws.data) + len(raw) > size
        if new_raw or blobs is None or len(blobs.data) + len(blob) > size:
            blobs = self._turn("BLOB_DATA")
            if new_raw:
                raws = self._turn("RAW_DATA")
            assert raws is not None
            raws.groups.append({"id": self.next_group, "offset": len(raws.data)})
            blobs.groups = [{"id": 0, "offset": 0}]
            self.next_group += 1
        assert raws is not None
        indexed = [value for name in self.header.index_fields for value in (0, _plain(record[name]))]
        self.rows.append((self.next_row, *_put(raws, raw), self.next_group - 1, *_put(blobs, blob), *indexed))
        self.next_row += 1

    def _turn(self, kind: str) -> _Page:
        self._flush(kind)
        pages = self.header.pages
        assert pages is not None
        page = _Page(len(pages), sum(p["page_type"] == kind for p in pages), kind, self.next_row)
        pages.append(page.described(self.header.shard_id, self.next_row))  # its position; filled in by `_flush`
        self.open[kind] = page
        return page

    def _flush(self, kind: str) -> None:
        page = self.open[kind]
        if page is None:
            return
        self._put(self.header.page_offset(page.number), page.data)
        pages = self.header.pages
        assert pages is not None
        pages[page.number] = page.described(self.header.shard_id, self.next_row)
        self.open[kind] = None

    def close(self) -> None:
        """Write the remaining pages, the header and the index."""
        for kind in self.open:
            self._flush(kind)
        self._put(0, self.header.to_bytes())
        self._write_index()
        for written in (self._data, self._index):
            encryption.encrypt(written)

    def _put(self, offset: int, data: bytes | bytearray) -> None:
        with open(self._data, "r+b") as file:
            file.seek(offset)
            file.write(data)

    def _write_index(self) -> None:
        schema = self.header.schema
        names = [n for k, name in enumerate(self.header.index_fields) for n in (f"INC_{k}", f"{name}_0")]
        columns = [f"{name} INT NOT NULL" for name in _POSITIONS]
        for k, name in enumerate(self.header.index_fields):
            columns += [f"INC_{k} INT", f"{name}_0 {_SQL[schema[name]['type']]}"]
        key = ",".join(["ROW_ID", *[f"INC_{k}" for k in range(len(self.header.index_fields))]])
        connection = sqlite3.connect(self._index)
        try:
            with connection:
                if not self.appends:
                    connection.execute(f"CREATE TABLE INDEXES({','.join(columns)}, PRIMARY KEY({key}))")
                    connection.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
                    connection.execute("INSERT INTO SHARD_NAME VALUES (?)", (self._data.name,))
                all_names = [*_POSITIONS, *names]
                marks = ",".join("?" * len(all_names))
                connection.executemany(f"INSERT INTO INDEXES({','.join(all_names)}) VALUES ({marks})", self.rows)
        finally:
            connection.close()


def _put(page: _Page, part: bytes) -> layout.Part:
    start = len(page.data)
    page.data += part
    return page.number, start, start + len(part)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


class FileWriter:
    """Writes MindRecord files, which `FileReader` and `dataset.MindDataset` read, here and in MindSpore.

    `commit` creates or replaces all files and their indexes at once: whenever the process is killed, readers see the
    old set or the new one.

    Args:
        file_name: The file; of several, the number of each is appended.
        shard_num: How many files share the records.
        overwrite: Whether files that exist may be replaced.

    Raises:
        ParamValueError: If an argument is not as described.
        RuntimeError: If there are several files and a key for encryption is set.

    Examples:
        >>> import os, tempfile
        >>> from sporax.mindrecord import FileReader, FileWriter
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}}, "two fields")
        >>> writer.write_raw_data([{"label": 3, "data": b"abc"}])
        >>> writer.commit()
        >>> list(FileReader(path).get_next())
        [{'label': 3, 'data': b'abc'}]
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        if not isinstance(file_name, str) or not file_name:
            raise ParamValueError(f"file_name must be a path, got {describe(file_name)}.")
        if isinstance(shard_num, bool) or not isinstance(shard_num, int) or not 1 <= shard_num <= 1000:
            raise ParamValueError(f"shard_num must be an int of [1, 1000], got {describe(shard_num)}.")
        if not isinstance(overwrite, bool):
            raise ParamValueError(f"overwrite must be a bool, got {describe(overwrite)}.")
        if shard_num > 1 and encryption.is_on():
            raise RuntimeError(
                f"FileWriter: {shard_num} files of one set cannot be encrypted; pass shard_num=1, or call set_enc_key(None)."
            )
        width = len(str(shard_num - 1))
        self._folder, name = os.path.split(file_name)
        self._names = [name] if shard_num == 1 else [f"{name}{k:0{width}d}" for k in range(shard_num)]
        self._overwrite = overwrite
        self._schema: dict[str, dict[str, Any]] | None = None
        self._index: list[str] | None = None
        self._text = ""
        self._sizes = {"header_size": layout.HEADER_SIZE, "page_size": layout.PAGE_SIZE}
        self._unfinished = ExitStack()
        weakref.finalize(self, self._unfinished.__exit__, GeneratorExit, GeneratorExit(), None)  # leaves no files
        self._shards: list[Shard] | None = None
        self._turn = 0
        self._parallel: bool | None = None
        self._done = False

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """Return a writer that adds to a file.

        Raises:
            RuntimeError: If the file is not a MindRecord file, or is encrypted with other settings.
        """
        writer = cls(file_name)
        with settled(os.path.dirname(file_name) or "."):
            plain = encryption.plain_path(file_name)
            header = Header.read(plain)
            writer._schema, writer._shards = header.schema, [Shard(writer._begun() / writer._names[0], header, plain)]
        return writer

    def add_schema(self, content: dict[str, dict[str, Any]], desc: str | None = None) -> None:
        """Set the schema of the records.

        Args:
            content: By name of the field, `{"type": kind}` for one value and `{"type": kind, "shape": list}` for an
                array of numbers. The kinds are int32, int64, float32, float64 and, of one value, string and bytes.
            desc: A description of the schema.

        Raises:
            MRMInvalidSchemaError: If `content` is something else.
            MRMAddSchemaError: If there is a schema already.
        """
        schema = layout.check_schema(content)
        if self._schema is not None:
            raise MRMAddSchemaError(f"the file has the fields {list(self._schema)} already.")
        self._schema, self._text = schema, desc or ""

    def add_index(self, index_fields: list[str]) -> None:
        """Choose the indexed fields, by which records can be found; without this call, all numbers and texts are indexed.

        Raises:
            ParamTypeError: If `index_fields` is not a list of names.
            MRMDefineIndexError: If a field is not there, or holds an array or bytes.
        """
        if not isinstance(index_fields, list) or not index_fields or not all(isinstance(n, str) for n in index_fields):
            raise ParamTypeError(f"'index_fields' expect a list of str, got {describe(index_fields)}.")
        schema = self._schema or {}
        for name in index_fields:
            if name not in schema or name in layout.blob_fields(schema):
                raise MRMDefineIndexError(f"Failed to set field {name} since it's not primitive type or not there.")
        self._index = list(dict.fromkeys(index_fields))

    def set_header_size(self, header_size: int) -> None:
        """Set the space for the header: a power of two of [16 kB, 128 MB].

        Raises:
            RuntimeError: If it is something else.
        """
        self._set_size("header_size", header_size, 1 << 14, 1 << 27)

    def set_page_size(self, page_size: int) -> None:
        """Set the length of a page, which a record must fit into: a power of two of [32 kB, 256 MB].

        Raises:
            RuntimeError: If it is something else.
        """
        self._set_size("page_size", page_size, 1 << 15, 1 << 28)

    def _set_size(self, name: str, value: object, low: int, high: int) -> None:
        if not isinstance(value, int) or not low <= value <= high or value & (value - 1):
            raise RuntimeError(f"FileWriter: {name} must be a power of two of [{low}, {high}], got {describe(value)}.")
        self._sizes[name] = value

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Add records. Those that do not fit the schema are left out, with a warning.

        Args:
            raw_data: Dictionaries from field to value; an array for a field with a shape.
            parallel_writer: Whether each call writes all its records into one file, the next call into the next; otherwise
                the records of each call are spread over the files.

        Raises:
            ParamTypeError: If `raw_data` is not a list of dictionaries.
            TypeError: If `parallel_writer` is not a bool.
            RuntimeError: If `commit` was called, a file exists, there is no schema, no record fits it, or
                an earlier call had another `parallel_writer`.
        """
        if not isinstance(parallel_writer, bool):
            raise TypeError("The parameter `parallel_writer` must be bool.")
        if self._parallel not in (None, parallel_writer):
            raise RuntimeError("The parameter `parallel_writer` must be consistent during use.")
        self._parallel = parallel_writer
        if not isinstance(raw_data, list) or not all(isinstance(record, dict) for record in raw_data):
            raise ParamTypeError(f"'raw_data' expect list of dict, got {describe(raw_data)}.")
        if self._done:
            raise RuntimeError(
                "Not allowed to call `write_raw_data` on flushed MindRecord files: call it before `commit`, or open the "
                "file by `FileWriter.open_for_append`."
            )
        shards = self._opened()
        valid = []
        for position, record in enumerate(raw_data):
            wrong = layout.check_record(shards[0].header.schema, record)
            if wrong:
                warn_user(f"FileWriter.write_raw_data: record {position} is left out: {wrong}.")
            else:
                valid.append(record)
        if not valid:
            raise RuntimeError("There is no valid data which can be written by 'write_raw_data' to mindrecord file.")
        if parallel_writer:
            for record in valid:
                shards[self._turn % len(shards)].write(record)
            self._turn += 1
            return
        # Each file takes consecutive records; which files take one more changes from call to call.
        count, more = divmod(len(valid), len(shards))
        start = 0
        for k in range(len(shards)):
            end = start + count + ((k - self._turn) % len(shards) < more)
            for record in valid[start:end]:
                shards[k].write(record)
            start = end
        self._turn += more

    def _opened(self) -> list[Shard]:
        if self._shards is None:
            if self._schema is None:
                raise RuntimeError("FileWriter: call add_schema before write_raw_data.")
            self._check_new()
            blobs = layout.blob_fields(self._schema)
            index = self._index if self._index is not None else [n for n in self._schema if n not in blobs]
            head, page = self._sizes["header_size"], self._sizes["page_size"]
            names, folder = tuple(self._names), self._begun()
            self._shards = [
                Shard(folder / name, Header(self._schema, index, head, page, names, k, None, self._text))
                for k, name in enumerate(names)
            ]
        return self._shards

    def _check_new(self) -> None:
        if self._overwrite:
            return
        with settled(self._folder or "."):
            for path in (os.path.join(self._folder, name) for name in self._names):
                if os.path.exists(path) or os.path.exists(f"{path}.db"):
                    raise RuntimeError(f"FileWriter: {path} exists already; remove it, or pass overwrite=True.")

    def _begun(self) -> Path:
        """Return the folder for the files that are written before `commit`."""
        return self._unfinished.enter_context(replacing_all(self._folder or "."))

    def commit(self) -> None:
        """Finish the files and write their indexes.

        Raises:
            RuntimeError: If there is no schema.
        """
        for shard in self._opened():
            shard.close()
        self._unfinished.close()
        self._done = True
