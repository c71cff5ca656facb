"""`split`: the rows of the tables, parts that are disjoint and may be shared."""

import numpy as np
import pytest
from data_tables import pipelines_of
from dataset_rows import values

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.transformations.split")


def test_splits_are_disjoint_even_without_a_seed():
    ds.config.set_seed(5489)
    source = ds.NumpySlicesDataset(np.arange(20), shuffle=False)
    for data in (source, source.map(lambda x: x)):
        left, right = data.split([0.5, 0.5])
        assert sorted(values(left) + values(right)) == list(range(20))


@pytest.mark.parametrize("mapped", [False, True])
def test_parts_of_rows_that_are_shuffled_anew_are_told(mapped: bool):
    data = ds.NumpySlicesDataset(np.arange(20))
    data = data.map(lambda x: x) if mapped else data
    with pytest.warns(UserWarning, match="rows move from one part to another .* make the source with shuffle=False"):
        left, right = data.split([0.5, 0.5])
    assert left.get_dataset_size() == right.get_dataset_size() == 10


def test_a_split_part_may_be_sharded():
    part = ds.NumpySlicesDataset(np.arange(10), shuffle=False).split([6, 4], randomize=False)[0]
    part.use_sampler(ds.DistributedSampler(2, 1, shuffle=False))
    assert values(part) == [1, 3, 5]


@pytest.mark.parametrize("mapped", [False, True])
def test_parts_of_parts_are_disjoint(mapped: bool):
    source = ds.NumpySlicesDataset(np.arange(20), shuffle=False)
    learn, rest = (source.map(lambda x: x) if mapped else source).split([10, 10])
    valid, test = rest.split([5, 5])
    for _ in range(2):
        assert sorted(values(learn) + values(valid) + values(test)) == list(range(20))
