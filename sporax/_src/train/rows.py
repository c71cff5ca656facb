"""The rows of datasets in the form that training loops use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sporax._src.api.dataset import is_of_a_kind, opened
from sporax._src.core.tensor import Tensor


def dataset_of(label: str, given: Any) -> Any:
    """Return a dataset as it is, and a loader of another package, or what else `dataset.from_source` takes, as a dataset.

    Raises:
        TypeError: If it is nothing of this kind.
    """
    return given if hasattr(given, "create_tuple_iterator") else opened(label, given)


def size_of(dataset: Any, sink_size: int = -1) -> int:
    """Return the number of rows (batches) of a dataset, which must not be empty.

    Args:
        dataset: The dataset.
        sink_size: How many rows an epoch has if the dataset cannot tell without reading all of them; -1 reads them.
    """
    if sink_size > 0 and is_unsized(dataset):
        return sink_size
    size = dataset.get_dataset_size()
    if size == 0:
        raise ValueError("Model: the dataset is empty: there is no batch to run.")
    return size


def is_loader(given: object) -> bool:
    """Return whether a value is a dataset, or of a class of another package that holds rows."""
    return hasattr(given, "create_tuple_iterator") or is_of_a_kind(given)


def is_unsized(dataset: Any) -> bool:
    """Return whether a dataset is a stream of another package without a length."""
    return hasattr(dataset, "_is_unsized") and dataset._is_unsized()


def rows(source: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of one epoch of an iterator; a row may be a single Tensor."""
    for row in source:
        values = (row,) if isinstance(row, Tensor) else row
        yield tuple([Tensor(v) if isinstance(v, np.ndarray) else v for v in values])


def endless(source: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of one epoch after another from an iterator."""
    while True:
        yield from rows(source)
