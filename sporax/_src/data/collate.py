"""Stacking the values of one column into a batch, and the error for values that do not fit together."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.tensor_bridge import as_array

_FIRST_BYTES = 1 << 30  # that a batch reserves before it has grown: its size may be far beyond the rows there are


class Stack:
    """Stacks the values of a column along a new first axis as they come; each is copied at once.

    Args:
        where: What stacks, for messages.
        column: The name of the column.
        size: How many values come at most.
    """

    def __init__(self, where: str, column: str, size: int) -> None:
        self._where, self._column, self._size = where, column, size
        self._count = 0
        self._block: np.ndarray | None = None  # for numbers
        self._shape: tuple[int, ...] = ()  # of one value in the block
        self._listed: list[Any] = []  # text, which widens, or dictionaries
        self._problem: str | None = None

    def add(self, value: object) -> None:
        """Take the next value; one that does not fit is an error when the batch is made."""
        if self._problem is not None:
            return
        block, count = self._block, self._count
        if (
            block is not None and count < len(block) and isinstance(value, np.ndarray)
            and value.shape == self._shape and value.dtype == block.dtype
        ):  # fmt: skip  # as nearly always
            block[count] = value
            self._count = count + 1
            return
        try:
            item = as_array(value)
        except TypeError as error:
            self._problem = f"cannot be batched: {error}"
            return
        if self._count == 0 and isinstance(item, np.ndarray) and item.dtype.kind not in "US":
            rows = min(self._size, _FIRST_BYTES // max(item.nbytes, 1) + 1)
            self._block, self._shape = np.empty((rows, *item.shape), item.dtype), item.shape
        elif self._block is not None and self._count == len(self._block):
            grown = np.empty((2 * self._count, *self._block.shape[1:]), self._block.dtype)
            grown[: self._count] = self._block
            self._block = grown
        block = self._block
        if block is None:
            self._listed.append(copy.deepcopy(item))
        elif isinstance(item, np.ndarray) and item.shape == block.shape[1:] and item.dtype == block.dtype:
            block[self._count] = item
        else:
            self._problem = _difference(block[0], item, self._count)
        self._count += 1

    def batch(self) -> Any:
        """Return the values stacked, dictionaries item by item.

        Raises:
            RuntimeError: If they differ in shape or type, or are other Python objects.
        """
        if self._problem is None and self._block is not None:
            is_full = self._count == len(self._block)
            return self._block if is_full else self._block[: self._count].copy()
        if self._problem is None:
            is_text = isinstance(self._listed[0], np.ndarray)
            self._problem = _text_problem(self._listed) if is_text else _dictionary_problem(self._listed)
        if self._problem is not None:
            raise RuntimeError(f"{self._where}: column {self._column!r} {self._problem}")
        if isinstance(self._listed[0], np.ndarray):
            return np.stack(self._listed)
        columns = {key: [value[key] for value in self._listed] for key in self._listed[0]}
        return {key: stack(self._where, f"{self._column}[{key!r}]", values) for key, values in columns.items()}


def _difference(first: object, item: object, position: int) -> str:
    return f"must have one shape and type per batch; its row 0 is {describe(first)}, its row {position} is {describe(item)}."


def _text_problem(items: list[Any]) -> str | None:
    first = items[0]
    for position, item in enumerate(items):
        if not isinstance(item, np.ndarray) or item.shape != first.shape or item.dtype.kind != first.dtype.kind:
            return _difference(first, item, position)
    return None


def _dictionary_problem(items: list[Any]) -> str | None:
    for position, value in enumerate(items):
        if not isinstance(value, dict) or value.keys() != items[0].keys():
            return f"must hold dictionaries with the keys {list(items[0])}, its row {position} is {describe(value)}."
    return None


def stack(where: str, column: str, values: Sequence[Any]) -> Any:
    """Return `values` stacked along a new first axis, dictionaries item by item.

    Raises:
        RuntimeError: If they differ in shape or type, or are other Python objects.

    Examples:
        >>> from sporax._src.data.collate import stack
        >>> stack("batch", "a", [1, 2])
        array([1, 2])
    """
    stacked = Stack(where, column, len(values))
    for value in values:
        stacked.add(value)
    return stacked.batch()
