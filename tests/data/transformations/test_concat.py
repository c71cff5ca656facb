"""`concat`: the rows of the tables, shares, samplers."""

import numpy as np
import pytest
from data_tables import pipelines_of
from dataset_rows import values

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.transformations.concat")


def test_shares_of_a_concatenation_hold_every_row_once():
    data = ds.NumpySlicesDataset(np.arange(5), shuffle=False) + ds.GeneratorDataset(
        lambda: ((i,) for i in range(5, 12)), ["column_0"]
    )
    found = []
    for shard in range(5):
        data.use_sampler(ds.DistributedSampler(5, shard, shuffle=False))
        share = values(data)
        assert len(share) == data.get_dataset_size()
        found += share
    assert sorted(found) == list(range(12))
    data.use_sampler(ds.RandomSampler())
    first, second = values(data, 2)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(12))


@pytest.mark.parametrize("sampler, kind, text", [
    (ds.SequentialSampler(), TypeError, "expected a DistributedSampler or a RandomSampler"),
    (ds.DistributedSampler(2, 0), ValueError, "must not be shuffled"),
    (ds.RandomSampler(True), ValueError, "must not draw with replacement"),
    (ds.RandomSampler(num_samples=3), ValueError, "must not limit the rows, got num_samples=3"),
])  # fmt: skip
def test_concatenations_refuse_other_samplers(sampler, kind, text):
    with pytest.raises(kind, match=text):
        (ds.NumpySlicesDataset([1]) + ds.NumpySlicesDataset([2])).use_sampler(sampler)
