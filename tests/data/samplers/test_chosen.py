"""Samplers of chosen rows: the rows of the tables, classes."""

import pytest
from data_tables import pipelines_of
from data_tables.pipeline_errors import read

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.samplers.chosen")


def test_classes_are_drawn_only_where_labels_are_known():
    with pytest.raises(ValueError, match="NumpySlicesDataset does not support PKSampler"):
        read(ds.NumpySlicesDataset([1, 2], sampler=ds.PKSampler(2)))
