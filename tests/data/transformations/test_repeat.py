"""`repeat`: the rows of the tables."""

from data_tables import pipelines_of

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.transformations.repeat")


def test_an_endless_repetition_of_nothing_ends():
    data = ds.NumpySlicesDataset([1, 2], ["x"]).filter(lambda x: False, "x").repeat()
    rows = data.create_tuple_iterator(output_numpy=True)
    rows.set_state({"seed": 1, "epoch": 0, "step": 3})
    assert list(rows) == []
