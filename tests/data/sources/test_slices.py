"""Sources of arrays: the rows of the tables, dtypes, and arrays that stay as they are."""

import numpy as np
import pytest
from data_tables import pipelines_of
from dataset_rows import values

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.sources.slices")


def test_columns_in_memory_keep_each_rows_type():
    data = ds.NumpySlicesDataset([1, 2.5], shuffle=False)
    assert [row[0].dtype for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [int, float]
    ragged = ds.NumpySlicesDataset([[1], [1, 2]], shuffle=False)
    assert values(ragged) == [[1], [1, 2]]


def test_the_source_is_never_written_to():
    array = np.arange(4.0)

    def spoil(value):
        value += 100
        return value

    for data in (ds.NumpySlicesDataset(array, shuffle=False), ds.GeneratorDataset(array, "a", shuffle=False)):
        assert values(data.map(spoil)) == [100, 101, 102, 103]
    assert array.tolist() == [0, 1, 2, 3]


def test_rows_are_indexed_by_numbers():
    data = ds.NumpySlicesDataset({"x": [1, 2]}, shuffle=False)
    assert data[1] == (2,)
    with pytest.raises(TypeError, match="NumpySlicesDataset: an index must be an int, the number of a row, got 'x'"):
        data["x"]


def test_rows_follow_changes_of_the_data():
    listed, array = [1, 2, 3], np.arange(3)
    data = ds.NumpySlicesDataset({"a": listed, "b": array}, shuffle=False)
    listed[0], array[1] = 9, 7
    for pipeline in (data, data.map(lambda x: x, "a"), data.batch(3), data.batch(lambda info: 3)):
        rows = list(pipeline.create_dict_iterator(num_epochs=1, output_numpy=True))
        assert np.concatenate([row["a"].reshape(-1) for row in rows]).tolist() == [9, 2, 3]
        assert np.concatenate([row["b"].reshape(-1) for row in rows]).tolist() == [0, 7, 2]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("kind", [np.ma.array, np.asmatrix])
def test_rows_of_other_arrays_are_plain(kind):
    data = ds.NumpySlicesDataset(kind(np.arange(4.0).reshape(2, 2)), ["a"], shuffle=False)
    seen = []
    list(data.map(lambda x: (seen.append(type(x)), x)[1], ["a"]))
    assert seen == [np.ndarray, np.ndarray]


def test_integers_of_more_than_63_bits_stay_integers():
    large = 2**63 + 1
    for source in ({"id": [large, 3]}, {"id": [large]}):
        data = ds.NumpySlicesDataset(source, shuffle=False)
        assert values(data) == source["id"]
