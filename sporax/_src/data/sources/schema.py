"""Schema: names, types and shapes of columns, from code or a JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.data.tensor_bridge import as_dtype


class Schema:
    """Describes the columns of a dataset.

    Args:
        schema_file (str, optional): A JSON file with ``{"columns": {name: {"type": …, "rank": …}}}``.

    Raises:
        ValueError: If the file does not exist.
        RuntimeError: If the file is not JSON, or describes no columns.

    Examples:
        >>> import sporax.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("label", "int32", [1])
        >>> schema.names(), schema.types()
        (['label'], [dtype('int32')])
    """

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: list[dict[str, Any]] = []
        self.num_rows: int | None = None
        self.dataset_type: str | None = None
        if schema_file is not None:
            self.from_json(_parsed(schema_file))

    def add_column(self, name: str, de_type: object, shape: list[int] | None = None) -> None:
        """Add a column.

        Args:
            name (str): Its name.
            de_type (dtype): Its type.
            shape (list[int], optional): Its shape. Default: ``None``, any.

        Raises:
            TypeError: If `name` is not a str, `de_type` not a data type, or `shape` not a list of ints.
        """
        if not isinstance(name, str):
            raise TypeError(f"Schema.add_column: name must be a str, got {describe(name)}.")
        kind = as_dtype(de_type)
        column: dict[str, Any] = {"name": name, "type": "string" if kind.kind in "US" else str(kind)}
        if shape is not None:
            if not isinstance(shape, (list, tuple)) or not all(isinstance(n, int) and -1 <= n < 2**63 for n in shape):
                raise TypeError(f"Schema.add_column: shape must be a list of ints from -1, got {describe(shape)}.")
            column["shape"], column["rank"] = list(shape), len(shape)
        self.columns.append(column)

    def parse_columns(self, columns: dict[str, Any] | list[dict[str, Any]]) -> None:
        """Add the columns of a dictionary by name, or of a list of dictionaries with their names.

        A column without a shape has one value, as in MindSpore.

        Raises:
            RuntimeError: If a column has no name or type, or a wrong one.
        """
        try:
            items = [{"name": k, **column} for k, column in columns.items()] if isinstance(columns, dict) else columns
            for column in items:
                if "name" not in column or "type" not in column:
                    raise ValueError(f"a column needs a name and a type, got {describe(column)}")
                self.add_column(column["name"], column["type"], column.get("shape", []))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise RuntimeError(f"Schema.parse_columns: {describe(columns)} are not columns: {shown(error)}.") from error

    def from_json(self, json_obj: dict[str, Any]) -> None:
        """Add the columns of a parsed schema file.

        Raises:
            RuntimeError: If there are no columns, the number of rows is not positive, or something else is described.
        """
        if not isinstance(json_obj, dict) or not json_obj.get("columns"):
            raise RuntimeError(f"Schema.from_json: expected a dictionary with 'columns', got {describe(json_obj)}.")
        if unknown := sorted(json_obj.keys() - {"columns", "numRows", "datasetType"}):
            raise RuntimeError(f"Schema.from_json: expected columns, numRows and datasetType, got {unknown}.")
        rows = json_obj.get("numRows")
        if rows is not None and (not isinstance(rows, int) or rows < 1):
            raise RuntimeError(f"Schema.from_json: numRows must be a positive int, got {describe(rows)}.")
        self.num_rows, self.dataset_type = rows, json_obj.get("datasetType")
        self.parse_columns(json_obj["columns"])

    def to_json(self) -> str:
        """Return the columns as the text of a schema file."""
        keys = ("name", "rank", "shape", "type")
        columns = [{"rank": 1, **column} for column in self.columns]
        told: dict[str, Any] = {"columns": [{key: c[key] for key in keys if key in c} for c in columns] or None}
        told |= {"datasetType": self.dataset_type} if self.dataset_type else {}
        return json.dumps(told | ({"numRows": self.num_rows} if self.num_rows else {}), indent=2)

    @staticmethod
    def get_num_rows(schema: str | Schema) -> int:
        """Return how many rows a schema, or the file of one, says that there are; 0 if it does not say."""
        return (schema if isinstance(schema, Schema) else Schema(schema)).num_rows or 0

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [column["name"] for column in self.columns]

    def types(self) -> list[np.dtype]:
        """Return the types of the columns."""
        return [numpy_type(column) for column in self.columns]

    def __str__(self) -> str:
        return self.to_json()


def numpy_type(column: dict[str, Any]) -> np.dtype:
    """Return the type of a column."""
    return np.dtype(str if column["type"] == "string" else column["type"])


def _parsed(path: str) -> Any:
    try:
        return parse_json(Path(path).read_bytes())
    except FileNotFoundError as error:
        raise ValueError(f"Schema: the file {shown(path)} does not exist.") from error
    except ValueError as error:
        raise RuntimeError(f"Schema: {shown(path)} is not a schema: {shown(error)}.") from error


def of_records(path: str) -> Schema:
    """Return the schema of a file that describes records: a column may say its rank instead of its shape.

    Raises:
        ValueError: If the file does not exist.
        RuntimeError: If it is no schema, or says neither shape nor rank of a column.
    """
    schema = Schema(path)
    given = _parsed(path)["columns"]
    for column, told in zip(schema.columns, given.values() if isinstance(given, dict) else given, strict=True):
        if "shape" in told:
            continue
        if not isinstance(told.get("rank"), int):
            raise RuntimeError(f"Schema: {shown(path)} says neither shape nor rank of column {column['name']!r}.")
        del column["shape"]  # one value if its rank is 0 and there is one, else a vector
        column["rank"] = told["rank"]
    return schema
