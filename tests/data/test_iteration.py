"""Runs of a pipeline: where they start."""

import numpy as np

import sporax.dataset as ds


def test_an_iterator_may_start_later():
    data = ds.NumpySlicesDataset(np.arange(4), shuffle=False).batch(2)
    data.set_init_step(3)
    rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    assert [row[0].tolist() for row in rows] == [[2, 3]]
    assert data.get_init_step() == 3
