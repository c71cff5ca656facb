"""`split`: the rows of the tables, parts that are disjoint and may be shared."""

import numpy as np
from data_tables import pipelines_of
from dataset_rows import values

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.transformations.split")


def test_splits_are_disjoint_even_without_a_seed():
    ds.config.set_seed(5489)
    for data in (ds.NumpySlicesDataset(np.arange(20)), ds.NumpySlicesDataset(np.arange(20)).map(lambda x: x)):
        left, right = data.split([0.5, 0.5])
        if isinstance(data, ds.NumpySlicesDataset):
            assert sorted(values(left) + values(right)) == list(range(20))
        assert left.get_dataset_size() == right.get_dataset_size() == 10


def test_a_split_part_may_be_sharded():
    part = ds.NumpySlicesDataset(np.arange(10), shuffle=False).split([6, 4], randomize=False)[0]
    part.use_sampler(ds.DistributedSampler(2, 1, shuffle=False))
    assert values(part) == [1, 3, 5]
