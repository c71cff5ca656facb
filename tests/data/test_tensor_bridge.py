"""Tensors at the ends of a pipeline: what comes from users, and what iterators give."""

import numpy as np
import pytest
from dataset_rows import values

import sporax.dataset as ds
from sporax._src.data import tensor_bridge
from sporax.dataset import transforms


class FakeTensor:
    def __init__(self, array):
        self.array = array

    def asnumpy(self):
        return self.array


@pytest.fixture
def tensors():
    saved = tensor_bridge._Hook.make, tensor_bridge._Hook.is_tensor, tensor_bridge._Hook.numpy_dtype
    tensor_bridge.set_tensor_type(
        FakeTensor, lambda value: isinstance(value, FakeTensor), numpy_dtype=lambda d: d.plain
    )
    yield
    tensor_bridge._Hook.make, tensor_bridge._Hook.numpy_dtype = saved[0], saved[2]
    tensor_bridge._Hook.is_tensor = staticmethod(saved[1])


def test_rows_become_tensors(tensors):
    data = ds.GeneratorDataset([(1, "a", {"k": 2, "l": [3]})], ["n", "t", "d"])
    row = next(data.create_dict_iterator())
    assert isinstance(row["n"], FakeTensor)
    assert isinstance(row["t"], FakeTensor)
    assert isinstance(row["d"]["k"], FakeTensor) and isinstance(row["d"]["l"][0], FakeTensor)
    assert isinstance(next(data.create_dict_iterator(output_numpy=True))["n"], np.ndarray)


def test_tensors_may_come_from_users(tensors):
    data = ds.GeneratorDataset([FakeTensor(np.arange(2))], "a").map(lambda a: FakeTensor(a + 1), "a")
    assert values(data) == [[1, 2]]

    class DType:
        plain = np.float16

    assert transforms.TypeCast(DType())(1).dtype == np.float16


def test_types_may_be_named_as_the_framework_prints_them():
    class Named:
        def __str__(self):
            return "mindspore.Float32"

    assert transforms.TypeCast(Named())(1).dtype == np.float32


@pytest.mark.parametrize("dtype", [">f4", ">i2", ">c8", ">U3"])
def test_arrays_of_the_other_byte_order_are_turned(dtype):
    column = np.arange(6).reshape(2, 3).astype(dtype)
    for data in (
        ds.NumpySlicesDataset({"a": column}, shuffle=False),
        ds.GeneratorDataset([(row,) for row in column], ["a"], shuffle=False),
        ds.GeneratorDataset(np.arange(2), ["a"], shuffle=False).map(lambda row: column[row], "a"),
        ds.GeneratorDataset(np.arange(2), ["a"], shuffle=False)
        .map(lambda row: column[row].tolist(), "a")
        .map(np.array, "a"),
    ):
        rows = [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        assert all(row.dtype.isnative for row in rows)
        np.testing.assert_array_equal(rows, column)
