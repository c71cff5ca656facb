"""Sources whose rows have numbers: indexing, sizes, shares."""

import numpy as np
import pytest
from data_tables.pipeline_errors import broken, listed
from dataset_rows import values

import sporax.dataset as ds


def test_a_source_may_be_indexed():
    data = ds.GeneratorDataset([5, 6, 7], "a", shuffle=False)
    assert data[1] == 6


def test_sizes_of_shares_and_batches():
    """The sizes of the migration guide's table: 1000 rows, 3 of them, 8 shares, batches of 32."""
    source = np.zeros((1000, 2))
    assert ds.NumpySlicesDataset(source).get_dataset_size() == 1000
    assert ds.NumpySlicesDataset(source, num_samples=3).get_dataset_size() == 3
    assert ds.NumpySlicesDataset(source, num_shards=8, shard_id=0).get_dataset_size() == 125
    assert ds.NumpySlicesDataset(source).batch(32, drop_remainder=True).get_dataset_size() == 31
    assert ds.NumpySlicesDataset(source).batch(32).get_dataset_size() == 32


def test_shares_are_disjoint_and_complete():
    for shuffled in (True, False):
        shares = [values(ds.NumpySlicesDataset(np.arange(12), num_shards=3, shard_id=k, shuffle=shuffled))
                  for k in range(3)]  # fmt: skip
        assert sorted(row for share in shares for row in share) == list(range(12))


def test_only_numbered_sources_are_indexed():
    with pytest.raises(RuntimeError, match="can be indexed"):
        ds.GeneratorDataset(broken, "a")[0]
    with pytest.raises(TypeError, match="an index must be an int"):
        listed([1])["a"]
