"""The values of a row or batch of another package, as arrays with names."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.tensor_bridge import as_array

Foreign: TypeAlias = Any  # an object of a package that need not be installed
_PLAIN = (str, bytes, int, float, complex, bool, np.generic)


def named(row: object) -> dict[str, Any]:
    """Return the values of a row by the names of their columns; what is nested has a name for each level.

    Examples:
        >>> named({"image": 1, "boxes": {"left": 2, "right": 3}})
        {'image': 1, 'boxes.left': 2, 'boxes.right': 3}
        >>> named((1, ["cat", "dog"]))
        {'column_0': 1, 'column_1': ['cat', 'dog']}
    """
    items = _items(row)
    if items is None or (isinstance(row, list) and _is_plain(row)):
        return {"column_0": row}
    prefix = "" if isinstance(row, Mapping) or hasattr(row, "_fields") else "column_"
    return {name: leaf for key, value in items for name, leaf in _leaves(f"{prefix}{key}", value)}


def _leaves(name: str, value: object) -> Iterator[tuple[str, Any]]:
    items = _items(value)
    if items is None or (isinstance(value, (list, tuple)) and _is_plain(value)):
        yield name, value
        return
    for key, item in items:
        yield from _leaves(f"{name}.{key}", item)


def _items(value: object) -> list[tuple[Any, Any]] | None:
    """Return the parts of a container; None for a value that is one array."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, tuple) and (fields := getattr(value, "_fields", None)) is not None:
        return list(zip(fields, value, strict=True))
    return list(enumerate(value)) if isinstance(value, (list, tuple)) else None


def _is_plain(values: list[Any] | tuple[Any, ...]) -> bool:
    """Return whether a list is one array: of numbers or texts, or of lists of them."""
    return all(isinstance(v, _PLAIN) or (isinstance(v, (list, tuple)) and _is_plain(v)) for v in values)


def to_array(value: object, *, copy: bool = False) -> Any:
    """Return a value as an array, that of a torch tensor over the memory of the tensor.

    Args:
        value: The value.
        copy: Whether the array must have memory of its own.

    Raises:
        TypeError: If NumPy can only hold it as an object.

    Examples:
        >>> to_array(b"\\xff\\x00")
        array([255,   0], dtype=uint8)
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        array = _of_torch(torch, value)
        return array.copy() if copy else array
    if isinstance(value, bytes):  # NumPy's own texts of bytes lose zeros at the end
        return np.frombuffer(value, np.uint8).copy()
    if value is None:
        raise TypeError("expected numbers, text or arrays, got None")
    return as_array(value, copy=copy)


def _of_torch(torch: Foreign, tensor: Foreign) -> np.ndarray:
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise TypeError(f"expected a dense tensor, got one of layout {tensor.layout} and type {tensor.dtype}")
    if tensor.dtype == torch.bfloat16:
        return tensor.detach().view(torch.int16).numpy(force=True).view(ml_dtypes.bfloat16)
    return tensor.numpy(force=True)


def to_row(where: str, names: list[str], number: int, value: object, *, copy: bool = False) -> tuple[Any, ...]:
    """Return the columns of a row in the order of `names`, which chooses among columns that have names of their own.

    Raises:
        RuntimeError: If columns are missing or there are more, or one is no array.
    """
    columns = named(value)
    if not _has_names(value):
        if len(columns) != len(names):
            raise RuntimeError(
                f"{where}: row {number} has {len(columns)} columns, but there are names for {len(names)}: {names}."
            )
        columns = dict(zip(names, columns.values(), strict=True))
    elif missing := [name for name in names if name not in columns]:
        raise RuntimeError(f"{where}: row {number} has no {missing}; it has {list(columns)}.")
    row = []
    for name in names:
        try:
            row.append(to_array(columns[name], copy=copy))
        except TypeError as error:
            raise RuntimeError(f"{where}: column {name!r} at row {number}: {error}.") from error
    return tuple(row)


def _has_names(value: object) -> bool:
    return isinstance(value, Mapping) or hasattr(value, "_fields")


def kind_of(source: object) -> str:
    """Return the name of a source in messages.

    Examples:
        >>> kind_of([1, 2])
        'list'
    """
    return type(source).__name__ if not isinstance(source, str) else describe(source)
