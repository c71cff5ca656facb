"""Operations on arrays: the rows of the tables, and their edges."""

import numpy as np
from data_tables import pipelines_of
from dataset_rows import values

import sporax.dataset as ds
from sporax.dataset import transforms

TestPipelines = pipelines_of("sporax._src.data.transforms.arrays")


def test_array_operations_at_their_edges():
    T = transforms
    assert T.OneHot(3)([[2]]).tolist() == [0, 0, 1]
    assert T.OneHot(3)([[2], [0]]).tolist() == [[0, 0, 1], [1, 0, 0]]
    labels = ds.NumpySlicesDataset(np.array([[0], [2]]), shuffle=False).map(T.OneHot(3)).batch(2)
    assert values(labels) == [[[1, 0, 0], [0, 0, 1]]]
    assert T.PadEnd([1, 5])(np.arange(6).reshape(2, 3)).tolist() == [[0, 1, 2, 0, 0]]
    assert T.PadEnd([3], "long")(np.array(["a"])).tolist() == ["a", "long", "long"]
    assert T.Fill(-3)(np.zeros(1, np.uint8)).tolist() == [253]
    assert T.Mask(T.Relational.EQ, 3.5)([3]).tolist() == [True]
    assert T.Slice(True)([1, 2]).tolist() == [1, 2]
    assert T.Slice(
        ...,
    )(np.eye(2)).shape == (2, 2)
