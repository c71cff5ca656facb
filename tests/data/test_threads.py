"""Threads of datasets: they read in order, and end."""

import threading

import numpy as np
from dataset_rows import values

import sporax.dataset as ds


def test_threads_read_in_order_and_end():
    seen = set()

    def note(value):
        seen.add(threading.current_thread().name)
        return value

    data = ds.NumpySlicesDataset(np.arange(50), shuffle=False).map(note, num_parallel_workers=2)
    assert values(data) == list(range(50))
    assert all(name.startswith("dataset") for name in seen)
    rows = iter(data)
    next(rows)
    rows.stop()
