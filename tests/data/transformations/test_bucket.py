"""`bucket`: the rows of the tables."""

from data_tables import pipelines_of

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.transformations.bucket")


def test_the_batch_size_is_that_of_the_rows():
    """As in MindSpore, although the batches vary."""
    rows = ds.NumpySlicesDataset([[1], [2], [3]], ["x"])
    for data, size in ((rows, 1), (rows.batch(2), 2)):
        buckets = data.bucket_batch_by_length(["x"], [4, 8], [2, 2, 1], lambda x: x.shape[0])
        assert (buckets.get_batch_size(), buckets.batch(3).get_batch_size()) == (size, 3)
