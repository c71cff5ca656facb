"""Stacking the values of one column into a batch, and the error for values that do not fit together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.tensor_bridge import as_array


def stack(where: str, column: str, values: Sequence[Any]) -> Any:
    """Return `values` stacked along a new first axis, dictionaries item by item.

    Raises:
        RuntimeError: If they differ in shape or type, or are other Python objects.

    Examples:
        >>> from sporax._src.data.collate import stack
        >>> stack("batch", "a", [1, 2])
        array([1, 2])
    """
    try:
        first = as_array(values[0])
    except TypeError as error:
        raise RuntimeError(f"{where}: column {column!r} cannot be batched: {error}") from error
    if isinstance(first, dict):
        return _stacked_dictionaries(where, column, values)
    if first.dtype.kind in "US":
        return _stacked_text(where, column, values)
    batch = np.empty((len(values), *first.shape), first.dtype)
    for position, value in enumerate(values):
        item = as_array(value)
        if not isinstance(item, np.ndarray) or item.shape != first.shape or item.dtype != first.dtype:
            raise RuntimeError(
                f"{where}: column {column!r} must have one shape and type per batch; its row 0 is {describe(first)}, "
                f"its row {position} is {describe(item)}."
            )
        batch[position] = item
    return batch


def _stacked_dictionaries(where: str, column: str, values: Sequence[Any]) -> dict[Any, Any]:
    """Return one dictionary whose items are stacked."""
    for position, value in enumerate(values):
        if not isinstance(value, dict) or value.keys() != values[0].keys():
            raise RuntimeError(
                f"{where}: column {column!r} must hold dictionaries with the keys {list(values[0])}, "
                f"its row {position} is {describe(value)}."
            )
    return {key: stack(where, f"{column}[{key!r}]", [value[key] for value in values]) for key in values[0]}


def _stacked_text(where: str, column: str, values: Sequence[Any]) -> np.ndarray:
    items = [as_array(value) for value in values]
    for position, item in enumerate(items):
        if item.shape != items[0].shape or item.dtype.kind != items[0].dtype.kind:
            raise RuntimeError(
                f"{where}: column {column!r} must have one shape and type per batch; its row 0 is "
                f"{describe(items[0])}, its row {position} is {describe(item)}."
            )
    return np.stack(items)
