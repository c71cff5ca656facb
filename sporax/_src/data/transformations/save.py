"""save: the rows of a pipeline as MindRecord files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, as_method
from sporax._src.data.mindrecord.writer import FileWriter

_AT_ONCE = 256
_KINDS = {
    "bool": "int32", "int8": "int32", "uint8": "int32", "int16": "int32", "uint16": "int32", "int32": "int32",
    "uint32": "int64", "int64": "int64", "uint64": "int64", "float16": "float32", "float32": "float32",
    "float64": "float64",
}  # fmt: skip


@as_method
def save(self: Dataset, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
    """Write the rows of one epoch as MindRecord files.

    The format has int32, int64, float32 and float64 numbers, text and bytes; narrower numbers are widened.

    Args:
        file_name (str): The file; of several, the number of each is appended.
        num_files (int): How many files share the rows. Default: ``1``.
        file_type (str): ``'mindrecord'``.

    Raises:
        ValueError: If `num_files` is out of [1, 1000], or `file_type` is not ``'mindrecord'``.
        RuntimeError: If a column has rows the format cannot hold, a file exists, there are no rows, or there are several
            files and a key for encryption is set.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "a.mindrecord")
        >>> ds.NumpySlicesDataset({"a": [1, 2]}, shuffle=False).batch(2).save(path)
        >>> ds.MindDataset(path).output_shapes()
        [[2]]
    """
    if file_type != "mindrecord":
        raise ValueError(f"Dataset.save: {describe(file_type)} dataset format is not supported; use 'mindrecord'.")
    checks.integer("Dataset.save", "num_files", num_files, 1, 1000)
    names = self.get_col_names()
    writer: FileWriter | None = None
    schema: dict[str, Any] = {}
    waiting: list[dict[str, Any]] = []
    for row in self.create_tuple_iterator(num_epochs=1, output_numpy=True):
        if writer is None:
            schema = {name: _field(name, value) for name, value in zip(names, row, strict=True)}
            writer = FileWriter(os.fspath(file_name), num_files)
            writer.add_schema(schema, "saved by Dataset.save")
        waiting.append({name: _value(name, schema[name], value) for name, value in zip(names, row, strict=True)})
        if len(waiting) == _AT_ONCE:
            writer.write_raw_data(waiting)
            waiting = []
    if writer is None:
        raise RuntimeError("Dataset.save: there are no rows to save.")
    if waiting:
        writer.write_raw_data(waiting)
    writer.commit()


def _field(name: str, value: object) -> dict[str, Any]:
    array = np.asarray(value)
    if array.dtype.kind in "US":
        if array.size != 1:
            raise RuntimeError(f"Dataset.save: column {name!r} must hold one text a row, got {describe(array)}.")
        return {"type": "string" if array.dtype.kind == "U" else "bytes"}
    kind = _KINDS.get(array.dtype.name)
    if kind is None:
        raise RuntimeError(f"Dataset.save: column {name!r} of {describe(array)} has no form in a MindRecord file.")
    return {"type": kind, "shape": [-1, *array.shape[1:]]} if array.ndim else {"type": kind}


def _value(name: str, field: dict[str, Any], value: object) -> Any:
    array = np.asarray(value)
    if _field(name, value) != field:
        raise RuntimeError(
            f"Dataset.save: column {name!r} began as {field}, but a later row is {describe(array)}; pad it, or save the "
            "rows before they are batched."
        )
    if field["type"] == "bytes":
        return array.tobytes()  # `item()` would leave out zeros at the end
    if field["type"] == "string":
        return array.item()
    return np.ascontiguousarray(array, field["type"]) if "shape" in field else array.astype(field["type"])[()].item()
