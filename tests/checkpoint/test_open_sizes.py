"""Inputs that leave sizes open: one size of the batch for all, one size wherever a Symbol is. Exports are in `test_export.py`."""

import sporax as ms
from sporax import Symbol, Tensor
from sporax._src.checkpoint.open_sizes import with_open_sizes


def shapes(*inputs: object) -> list[tuple]:
    return [tensor._data.shape for tensor in with_open_sizes(inputs)]


def test_inputs_without_open_sizes_stay() -> None:
    inputs = (Tensor([1.0, 2.0]), 3)
    assert with_open_sizes(inputs) is inputs


def test_the_first_axis_is_that_of_the_batch() -> None:
    one, other = shapes(Tensor(shape=[None, 3], dtype=ms.float32), Tensor(shape=[None, None], dtype=ms.int32))
    assert [str(size) for size in one] == ["batch", "3"] and str(other[0]) == "batch"
    assert one[0] == other[0] and other[1] != other[0]


def test_a_symbol_is_one_size_wherever_it_is() -> None:
    size = Symbol(min=1)
    one, other = shapes(Tensor(shape=[2, size], dtype=ms.float32), Tensor(shape=[size, 4], dtype=ms.float32))
    assert one[1] == other[0] and (one[0], other[1]) == (2, 4)


def test_values_beside_tensors_and_dtypes_stay() -> None:
    tensor, (number,) = with_open_sizes((Tensor(shape=[None], dtype=ms.float16), [7]))
    assert tensor.dtype == ms.float16 and number == 7
