"""`padded_batch`: the rows of the tables."""

import pytest
from data_tables import pipelines_of

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.transformations.padded_batch")


def test_dictionaries_are_stacked_or_refused() -> None:
    data = ds.GeneratorDataset([({"x": 1},), ({"x": 2},)], ["a"], shuffle=False)
    row = next(data.padded_batch(2, pad_info={}).create_dict_iterator(num_epochs=1, output_numpy=True))
    assert row["a"]["x"].tolist() == [1, 2]
    with pytest.raises(
        RuntimeError, match=r"Dataset\.padded_batch: column 'a' holds dictionaries, which cannot be padded"
    ):
        list(data.padded_batch(2, pad_info={"a": ([3], 0)}).create_dict_iterator(num_epochs=1))
