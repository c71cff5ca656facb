"""Datasets: what they tell of themselves, and a program's own."""

import numpy as np
import pytest
from data_tables import pipelines_of
from data_tables.pipeline_errors import listed, pair
from dataset_rows import values

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.dataset")


def test_facts():
    data = ds.NumpySlicesDataset(np.arange(4))
    assert data.is_shuffled() and not data.is_sharded()
    assert data.batch(2).map(lambda a: a).get_batch_size() == 2
    assert data.repeat(2).repeat(3).get_repeat_count() == 3
    assert data.repeat().get_repeat_count() == -1
    assert (data.num_classes(), data.get_class_indexing()) == (None, {})
    assert data.batch(2).children == [data]
    batched = data.batch(2)
    assert batched in [parent() for parent in data.parent]
    assert (data.reset(), data.close_pool()) == (None, None)


def test_varying_axes_are_none():
    data = ds.GeneratorDataset([(np.zeros((2, k)),) for k in (1, 2)], "a")
    assert data.output_shapes(estimate=True) == [[2, None]]


def test_user_pipelines_of_their_own():
    class Doubled(ds.Dataset):
        def _static_size(self):
            return 2

        def _columns(self):
            return ["a"]

        def _rows(self, run, epoch, start=0):
            return iter([(np.array(k),) for k in (2, 4)][start:])

    assert values(Doubled().map(lambda a: a + 1)) == [3, 5]


def test_shapes_and_types_of_nothing_are_empty():
    nothing = ds.NumpySlicesDataset([1]).skip(3)
    assert (nothing.output_shapes(), nothing.output_types(), len(nothing)) == ([], [], 0)


def test_shapes_that_cannot_be_estimated():
    with pytest.raises(RuntimeError, match="rows of rank 0 and 1"):
        listed([(1,), ([1],)]).output_shapes(estimate=True)
    with pytest.raises(TypeError, match="estimate must be a bool"):
        pair().output_shapes(3)
