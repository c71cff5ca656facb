"""Rows that a callback watches."""

from typing import Any

import numpy as np

import sporax.dataset as ds


def rows(count: int = 3) -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset({"a": np.arange(count)}, shuffle=False)


def read(data: Any, epochs: int) -> None:
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    for _ in range(epochs):
        for _ in iterator:
            pass
