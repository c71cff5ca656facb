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
        ValueError: If the file is not JSON, or describes no columns.

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
        if schema_file is not None:
            try:
                self.from_json(parse_json(Path(schema_file).read_bytes()))
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise ValueError(f"Schema: {shown(schema_file)} is not a schema: {shown(error)}") from error

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
        column: dict[str, Any] = {"name": name, "type": str(as_dtype(de_type))}
        if shape is not None:
            if not isinstance(shape, (list, tuple)) or not all(isinstance(n, int) and -1 <= n < 2**63 for n in shape):
                raise TypeError(f"Schema.add_column: shape must be a list of ints from -1, got {describe(shape)}.")
            column["shape"], column["rank"] = list(shape), len(shape)
        self.columns.append(column)

    def parse_columns(self, columns: dict[str, Any] | list[dict[str, Any]]) -> None:
        """Add the columns of a dictionary by name, or of a list of dictionaries with their names.

        Raises:
            ValueError: If a column has no name or no type.
        """
        items = [{"name": name, **column} for name, column in columns.items()] if isinstance(columns, dict) else columns
        for column in items:
            if "name" not in column or "type" not in column:
                raise ValueError(f"Schema.parse_columns: a column needs a name and a type, got {column}.")
            self.add_column(column["name"], column["type"], column.get("shape"))

    def from_json(self, json_obj: dict[str, Any]) -> None:
        """Add the columns of a parsed schema file.

        Raises:
            ValueError: If there are no columns.
        """
        if not json_obj.get("columns"):
            raise ValueError(f"Schema.from_json: expected 'columns', got {sorted(json_obj)}.")
        self.num_rows = json_obj.get("numRows")
        self.parse_columns(json_obj["columns"])

    def to_json(self) -> str:
        """Return the columns as the text of a schema file."""
        return json.dumps({"columns": {c["name"]: {k: v for k, v in c.items() if k != "name"} for c in self.columns}})

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [column["name"] for column in self.columns]

    def types(self) -> list[np.dtype]:
        """Return the types of the columns."""
        return [np.dtype(column["type"]) for column in self.columns]

    def __str__(self) -> str:
        return self.to_json()
