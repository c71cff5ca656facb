"""Samplers that draw: the rows of the tables, and orders that differ from device to device."""

import warnings

import numpy as np
import pytest
from data_tables import pipelines_of

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.samplers.random")


def share(device: int, sampler: ds.Sampler) -> list[int]:
    """Return the rows of one of two devices, of 20 rows chosen by `sampler`."""
    data = ds.NumpySlicesDataset(np.arange(20), ["x"], sampler=sampler)
    data.add_sampler(ds.DistributedSampler(2, device))
    return [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_shares_of_an_order_that_each_device_draws_warn() -> None:
    """MindSpore gives overlapping shares in silence."""
    ds.config.set_seed(5489)  # the default: none
    with pytest.warns(
        UserWarning, match="DistributedSampler: RandomSampler draws the order .* call ds.config.set_seed"
    ):
        share(0, ds.RandomSampler())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sorted(share(0, ds.SequentialSampler()) + share(1, ds.SequentialSampler())) == list(range(20))
        ds.config.set_seed(3)
        assert sorted(share(0, ds.RandomSampler()) + share(1, ds.RandomSampler())) == list(range(20))
