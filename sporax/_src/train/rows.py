"""The rows of datasets in the form that training loops use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor


def size_of(dataset: Any) -> int:
    """Return the number of rows (batches) of a dataset, which must not be empty."""
    if not hasattr(dataset, "create_tuple_iterator"):
        raise TypeError(f"Model: expected a dataset of the dataset module, got {describe(dataset)}.")
    size = dataset.get_dataset_size()
    if size == 0:
        raise ValueError("Model: the dataset is empty: there is no batch to run.")
    return size


def rows(source: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of one epoch of an iterator; a row may be a single Tensor."""
    for row in source:
        values = (row,) if isinstance(row, Tensor) else row
        yield tuple([Tensor(v) if isinstance(v, np.ndarray) else v for v in values])


def endless(source: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of one epoch after another from an iterator."""
    while True:
        yield from rows(source)
