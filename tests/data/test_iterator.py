"""Iterators: reading ahead, ends, flags."""

import threading

import numpy as np
import pytest
from data_tables.pipeline_errors import pair

import sporax.dataset as ds


def test_reading_ahead_hands_errors_over_and_can_stop():
    def source():
        yield 1
        raise KeyError("inside")

    rows = ds.GeneratorDataset(source, "a").create_tuple_iterator(prefetch=2, output_numpy=True)
    assert next(rows)[0] == 1
    with pytest.raises(RuntimeError, match="KeyError at row 1"):
        next(rows)
    endless = ds.NumpySlicesDataset([1, 2]).repeat().create_tuple_iterator(prefetch=2)
    next(endless)
    endless.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "dataset-prefetch"]


def test_flags_may_be_none():
    data = ds.GeneratorDataset([np.array(1)], ["a"], python_multiprocessing=None)
    assert [row["a"].item() for row in data.create_dict_iterator(1, output_numpy=None, do_copy=None)] == [1]


def test_more_epochs_than_asked_for():
    rows = pair().create_tuple_iterator(num_epochs=1)
    list(rows)
    with pytest.raises(RuntimeError, match="num_epochs=1, this would be epoch 2"):
        next(rows)


def test_a_stopped_iterator_is_not_read():
    rows = iter(pair())
    next(rows)
    rows.stop()
    with pytest.raises(RuntimeError, match="was stopped"):
        next(rows)
