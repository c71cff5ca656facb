"""`flat_map`: the rows of the tables, and what is no dataset."""

import pytest
from data_tables import pipelines_of
from data_tables.pipeline_errors import pair, read

TestPipelines = pipelines_of("sporax._src.data.transformations.flat_map")


def test_flat_map_wants_datasets():
    with pytest.raises(TypeError, match="must return a Dataset, got 3 at row 0"):
        read(pair().flat_map(lambda a, b: 3))
