"""`batch`: the rows of the tables, and the epochs that a function is told."""

import numpy as np
from data_tables import pipelines_of
from dataset_rows import values

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.transformations.batch")


def test_epochs_of_batches_are_the_iterators():
    seen = []

    def note(values, info):
        seen.append((info.get_epoch_num(), info.get_batch_num()))
        return (values,)

    data = ds.NumpySlicesDataset(np.arange(4)).batch(2, per_batch_map=note).repeat(2)
    values(data, 2)
    assert seen == [(epoch, batch) for epoch in (0, 1) for _ in range(2) for batch in (0, 1)]
